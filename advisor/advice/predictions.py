"""From facts to predictions: candidates, single devices, strategies, memory, and what to try when nothing fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.hardware.gpu_spec import GpuSpec
from advisor.predict.assembly import Sources, predict_candidates
from advisor.predict.device_memory import MemorySolver
from advisor.predict.prediction import Calibration, Prediction
from advisor.recommend.candidates import candidates_when_nothing_fits, enumerate_candidates
from advisor.sentences import Reason


@dataclass(frozen=True, kw_only=True)
class AllPredictions:
    """Every prediction of a run, with what else they bring."""

    predictions: tuple[Prediction, ...]
    calibrations: tuple[Calibration, ...]
    caveats: tuple[Reason, ...]
    largest_batch: Callable[[Prediction], int | None]


def predict_all(request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec]) -> AllPredictions:
    """Predict every candidate of the request; sharded ones are added where no plain set-up of a card fits."""
    candidates = enumerate_candidates(
        request.workload,
        facts.machine,
        specs,
        gpu_keys=request.gpu_keys,
        counts=request.counts,
        precisions=request.precisions,
        global_batch_size=request.global_batch_size,
    )
    sources = Sources(
        workload=request.workload,
        tables=facts.tables,
        specs=specs,
        machine=facts.machine,
        measurements={measurement.device_key: measurement for measurement in facts.measurements},
        interconnect=request.interconnect,
        node_count=request.node_count,
    )
    memory = MemorySolver(request.workload.training, facts.tables, specs, facts.machine)
    found = predict_candidates(candidates, sources, memory.answer)
    predictions, refusals = found.predictions, found.refusals
    further = candidates_when_nothing_fits(predictions, request.counts)
    if further:
        more = predict_candidates(further, sources, memory.answer)
        predictions, refusals = predictions + more.predictions, refusals + more.refusals
    return AllPredictions(
        predictions=predictions,
        calibrations=(),
        caveats=refusals,
        largest_batch=memory.largest_batch,
    )
