"""From facts to predictions: candidates, single devices, strategies, memory, and what to try when nothing fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Reason
from advisor.cost.host_time import HostSpeed
from advisor.measure.measurement import timed_loader
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import least_batch
from advisor.predict.assembly import predict_candidates
from advisor.predict.calibration import calibrate, host_speed, pass_floor_s
from advisor.predict.device_memory import MemorySolver
from advisor.predict.groups import Groups
from advisor.predict.host_memory import OffloadCapacity
from advisor.predict.memory_savings import MemorySaving
from advisor.predict.prediction import Calibration, Candidate, Prediction
from advisor.predict.sources import Sources
from advisor.recommend.candidates import (
    LARGER_GPU_KEYS,
    candidates_that_make_up,
    enumerate_candidates,
    local_device,
    local_gpu_groups,
    sharded_candidates,
)
from advisor.recommend.dealing import left_out_counts, lone_laptops, require_even_nodes
from advisor.recommend.precisions import precisions_of_cpu, precisions_of_gpu


@dataclass(frozen=True, kw_only=True)
class AllPredictions:
    """Every prediction of a run, with what else they bring."""

    predictions: tuple[Prediction, ...]
    calibrations: tuple[Calibration, ...]
    caveats: tuple[Reason, ...]
    largest_batch: Callable[[Prediction], int | None]
    savings: Callable[[Prediction], tuple[MemorySaving, ...]]
    groups: Groups


def at_fixed_precision(
    request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec], predictions: tuple[Prediction, ...]
) -> tuple[Prediction, ...]:
    """What may be advised where the model could not be traced in the precision that a user fixed.

    A device that computes in it is left with what was predicted in it, if only with nothing; one that lacks it stays
    with what stands in for it.
    """
    own = request.workload.training.precision
    if not request.fixed.precision or TRACE_PRECISIONS[own] in facts.tables:
        return predictions
    here = {local_device(first).key: first.compute_capability for first, *_ in local_gpu_groups(facts.machine)}

    def has_it(prediction: Prediction) -> bool:
        if prediction.device.key == "cpu":
            return own in precisions_of_cpu(facts.machine.cpu, (own,))
        return own in precisions_of_gpu(
            specs.get(prediction.device.spec_key or ""), (own,), here.get(prediction.device.key)
        )

    return tuple(prediction for prediction in predictions if prediction.precision == own or not has_it(prediction))


def predict_all(request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec]) -> AllPredictions:
    """Predict every candidate of the request; sharded ones are added where no plain set-up of a card fits."""
    require_even_nodes(request.counts, request.node_count)
    uneven = left_out_counts(request.global_batch_size, request.counts)
    lone = lone_laptops(request.counts, [specs[key] for key in request.gpu_keys or () if key in specs])
    mode = request.workload.training.mode
    least = 1 if request.fixed.batch_size else least_batch(facts.tables.values(), mode)
    candidates = _with_batches(_of_cards(request, facts, specs, request.gpu_keys, local=True), least)
    calibrations = _calibrations(request, facts, specs)
    sources, memory = sources_and_memory(request, facts, specs, calibrations)
    predicted = predict_candidates(candidates, sources, memory.answer)
    made = _Made(sources, memory, predicted.predictions, predicted.refusals, least)

    def make_up() -> None:
        if request.global_batch_size is None:
            made.add(candidates_that_make_up(request.workload, made.predictions, memory.largest_batch))

    def add_sharded(members: tuple[Prediction, ...]) -> None:
        batch, nodes = request.global_batch_size, request.node_count
        made.add(sharded_candidates(request.workload, members, request.counts, batch, nodes))

    if request.fixed.batch_size:  # what would fit at another batch size alone is no reason to leave sharding out
        own = request.workload.training.batch_size
        add_sharded(tuple(prediction for prediction in made.predictions if prediction.batch_size_per_device == own))
    make_up()
    add_sharded(made.predictions)
    if request.gpu_keys is None and not any(_holds_by_itself(prediction) for prediction in made.predictions):
        add_sharded(made.add(_of_cards(request, facts, specs, tuple(key for key in LARGER_GPU_KEYS if key in specs))))
    make_up()
    return AllPredictions(
        predictions=made.predictions,
        calibrations=calibrations,
        caveats=(*made.refusals, *uneven, *lone, *(note for calibration in calibrations for note in calibration.notes)),
        largest_batch=memory.largest_batch,
        savings=memory.savings,
        groups=predicted.groups,
    )


def sources_and_memory(
    request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec], calibrations: tuple[Calibration, ...]
) -> tuple[Sources, MemorySolver]:
    """What predictions of this request rest on, and what answers their memory."""
    sources = Sources(
        workload=request.workload,
        tables=facts.tables,
        specs=specs,
        machine=facts.machine,
        measurements={measurement.device_key: measurement for measurement in facts.measurements},
        calibrations={calibration.device_key: calibration for calibration in calibrations},
        host=_host(facts),
        loader=timed_loader(facts.measurements),
        interconnect=request.interconnect,
        node_count=request.node_count,
    )
    host = OffloadCapacity(facts.machine, request.host_memory_bytes, request.node_count)
    return sources, MemorySolver(request.workload.training, facts.tables, specs, facts.machine, host)


@dataclass
class _Made:
    """The predictions of one round after the other, and each refusal once."""

    sources: Sources
    memory: MemorySolver
    predictions: tuple[Prediction, ...]
    refusals: tuple[Reason, ...]
    least_batch: int

    def add(self, wanted: tuple[Candidate, ...]) -> tuple[Prediction, ...]:
        """Those of `wanted` that were not predicted before."""
        present = {prediction.set_up for prediction in self.predictions}
        new = (candidate for candidate in wanted if candidate.set_up not in present)
        further = _with_batches(new, self.least_batch)
        if not further:
            return ()
        more = predict_candidates(further, self.sources, self.memory.answer)
        self.predictions += more.predictions
        self.refusals += tuple(reason for reason in more.refusals if reason not in self.refusals)
        return more.predictions


def _with_batches(candidates: Iterable[Candidate], least: int) -> tuple[Candidate, ...]:
    """Without those that ask a device to train on fewer samples than the model can."""
    return tuple(candidate for candidate in candidates if candidate.batch_size_per_device >= least)


def _holds_by_itself(prediction: Prediction) -> bool:
    """Whether a set-up of GPUs fits without the memory of their machine."""
    return (
        prediction.fits is not False
        and prediction.device.key != "cpu"
        and not STRATEGY_FACTS[prediction.strategy].offloads
    )


def _of_cards(
    request: AdviceRequest,
    facts: Facts,
    specs: Mapping[str, GpuSpec],
    gpu_keys: tuple[str, ...] | None,
    *,
    local: bool = False,
) -> tuple[Candidate, ...]:
    return enumerate_candidates(
        request.workload,
        facts.machine,
        specs,
        gpu_keys=gpu_keys,
        counts=request.counts,
        precisions=request.precisions,
        global_batch_size=request.global_batch_size,
        node_count=request.node_count,
        local=local,
    )


def _calibrations(request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec]) -> tuple[Calibration, ...]:
    """What every measured GPU with a row in the spec table says of the model's errors."""
    rows = {
        gpu.key: specs[gpu.spec_key] for gpu in facts.machine.gpus if gpu.spec_key is not None and gpu.spec_key in specs
    }
    compiled = {
        precision: compile_table(facts.tables[trace])
        for precision, trace in TRACE_PRECISIONS.items()
        if trace in facts.tables
    }
    return tuple(
        calibrate(measurement, rows[measurement.device_key], compiled, request.workload.training)
        for measurement in facts.measurements
        if measurement.device_key in rows and measurement.rates
    )


def _host(facts: Facts) -> HostSpeed:
    """The speed of this machine's processor at issuing work: a GPU's own measurement first, else the CPU's."""
    table = facts.tables.get("fp32")
    floors = [pass_floor_s(measurement, table) for measurement in facts.measurements] if table is not None else []
    for measurement in sorted(facts.measurements, key=lambda measurement: measurement.device_key == "cpu"):
        if measurement.rates:
            return replace(host_speed(measurement), pass_floor_s=max(floors, default=0.0))
    return HostSpeed(pass_floor_s=max(floors, default=0.0))
