"""From facts to every prediction of a run: the workload as it is, and with what frees memory where cards lack it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.advice.rounds import Round, Rounds
from advisor.catalogue.gpu_spec import GpuSpec, is_lone
from advisor.catalogue.precisions import PRECISION_LABELS, TRACE_PRECISIONS
from advisor.core.sentences import Reason
from advisor.cost.memory.capacity import usable_bytes
from advisor.cost.operators.device_rates import missing_figures
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import come_in_lists
from advisor.predict.additions import with_added
from advisor.predict.calibration import calibrate
from advisor.predict.groups import Groups
from advisor.predict.memory_savings import MemorySaving
from advisor.predict.prediction import Calibration, Candidate, Device, Prediction
from advisor.recommend.candidates import local_device, local_gpu_groups
from advisor.recommend.dealing import left_out_counts, lone_cards, require_even_nodes, unsplittable_batches
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


def predict_all(
    request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec], rounds: Rounds | None = None
) -> AllPredictions:
    """Predict every candidate of the request; sharded ones are added where no plain set-up of a card fits.

    Where cards lack memory for that, the same with what frees some, of which `facts` has the operators. What `rounds`
    has is not predicted again, unless the operators are other ones, and what it lacks is put there: it belongs to this
    request, asked before with less that frees memory.
    """
    rounds = {} if rounds is None else rounds
    plain, calibrations = _plain_round(request, facts, specs, rounds)
    plain.fill()
    uneven = left_out_counts(request.global_batch_size, request.every_count)
    listed = unsplittable_batches(request.every_count, in_lists=come_in_lists(facts.tables.values()))
    alone = [key for key in request.gpu_keys or () if key in specs and is_lone(specs[key])]
    lone = lone_cards({specs[key].name: request.counts_of(key) for key in alone})
    predictions = plain.predictions
    for lighter in facts.lighter:
        if lighter.added not in rounds or rounds[lighter.added].wanted != lighter.cards:
            changed = replace(request, workload=with_added(request.workload, lighter.added))
            tables = replace(facts, tables=lighter.tables)
            rounds[lighter.added] = Round(changed, tables, specs, calibrations, lighter.added, lighter.cards)
            rounds[lighter.added].fill()
        predictions += rounds[lighter.added].predictions
    return AllPredictions(
        predictions=predictions,
        calibrations=calibrations,
        caveats=(
            *plain.refusals,
            *_memory_of_untimed(request, specs, plain),
            *uneven,
            *lone,
            *listed,
            *(note for calibration in calibrations for note in calibration.notes),
        ),
        largest_batch=lambda prediction: rounds[prediction.added].memory.largest_batch(prediction),
        savings=lambda prediction: rounds[prediction.added].memory.savings(prediction),
        groups=Groups({key: grid for part in rounds.values() for key, grid in part.groups.grids.items()}),
    )


def first_shards(
    request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec], rounds: Rounds
) -> tuple[Candidate, ...]:
    """The shards that `predict_all` looks at first, before any is predicted; `rounds` keeps what comes before them."""
    plain, _ = _plain_round(request, facts, specs, rounds)
    return plain.first_shards()


def _plain_round(
    request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec], rounds: Rounds
) -> tuple[Round, tuple[Calibration, ...]]:
    """The round of the workload as it is, which is kept in `rounds` as long as the operators are these."""
    if any(part.sources.tables is not facts.tables_with(part.added) for part in rounds.values()):
        rounds.clear()
    require_even_nodes(request.every_count, request.node_count)
    calibrations = _calibrations(request, facts, specs)
    if () not in rounds:
        rounds[()] = Round(request, facts, specs, calibrations)
    return rounds[()], calibrations


def _memory_of_untimed(request: AdviceRequest, specs: Mapping[str, GpuSpec], plain: Round) -> Iterator[Reason]:
    """What a step needs of cards that no time can be predicted for: their memory is known all the same."""
    training = request.workload.training
    for key in request.gpu_keys or ():
        spec = specs.get(key)
        missing = None if spec is None else missing_figures(spec, training.precision)
        if spec is None or missing is None or missing.code != "predict-missing-figures":
            continue
        alone = Candidate(
            device=Device(key=key, name=spec.name, spec_key=key, local=False),
            count=1,
            strategy="single",
            precision=training.precision,
            batch_size_per_device=training.batch_size,
            gradient_accumulation_steps=training.gradient_accumulation_steps,
        )
        answer = plain.memory.answer(alone)
        if answer.peak is not None and answer.capacity_bytes is not None:
            yield Reason.of(
                "predict-untimed-memory",
                gpu=spec.name,
                batch=training.batch_size,
                precision=PRECISION_LABELS[training.precision],
                **answer.peak.arguments("need", "bytes"),
                capacity_bytes=usable_bytes(answer.capacity_bytes),
                fits="yes" if answer.fits else "no",
            )


def _calibrations(request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec]) -> tuple[Calibration, ...]:
    """What every measured GPU with a row in the spec table says of the model's errors."""
    rows = {
        gpu.key: specs[gpu.spec_key] for gpu in facts.machine.gpus if gpu.spec_key is not None and gpu.spec_key in specs
    }
    timed = [one for one in facts.measurements if one.device_key in rows and one.rates]
    if not timed:
        return ()
    compiled = {
        precision: compile_table(facts.tables[trace])
        for precision, trace in TRACE_PRECISIONS.items()
        if trace in facts.tables
    }
    return tuple(
        calibrate(measurement, rows[measurement.device_key], compiled, request.workload.training)
        for measurement in timed
    )
