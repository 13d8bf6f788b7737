"""The main job, call by call: describe, detect, trace, measure, calibrate, predict, recommend, explain."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from contextlib import closing

import msgspec

from advisor import __version__
from advisor.advice.facts import Facts, find_facts, progress
from advisor.advice.lightened import as_advised, lightened_where_needed
from advisor.advice.predictions import at_fixed_precision, first_shards, predict_all
from advisor.advice.request import AdviceRequest, check, growth_of, known_specs
from advisor.advice.rounds import Rounds
from advisor.advice.switched import find_switches
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS, TRACE_PRECISIONS, ComputedPrecision
from advisor.core.moment import utc_text
from advisor.core.records import shared_fields
from advisor.core.sentences import Reason, SaidError
from advisor.core.units import format_count
from advisor.measure.events import RunnerEvent
from advisor.measure.measurement import has_timed_steps
from advisor.measure.traces import Traces
from advisor.optable.op_table import OpTable, sizes_follow_values, step_flop
from advisor.predict.additions import with_added
from advisor.predict.computed_precision import computed_precision
from advisor.predict.prediction import Candidate
from advisor.recommend.advise_from import recommend
from advisor.recommend.asked import Asked
from advisor.recommend.reasons.last_batch import single_sample_caveat
from advisor.recommend.reasons.memory import memory_story
from advisor.recommend.reasons.memory_room import with_quicker_room
from advisor.recommend.recommendation import Recommendation, Recommendations
from advisor.store.advice_record import AdviceRecord, ModelFacts
from advisor.store.kept_replays import kept_replays
from advisor.store.kept_tables import kept_tables
from advisor.workload.assumptions import assumed_reason
from advisor.workload.workload import NumbersModel, PythonModel, Workload
from advisor.workload.workload_file import source_of

__all__ = ["AdviceRequest", "Facts", "advice_from_facts", "advise_events"]

_NOT_MEASURED = "predict-cpu-not-measured"
"""Its remedy is to measure."""
_COMPILED_AWAY = frozenset({"workload-activation-in-parts"})
"""What a trace notes of kernels that a compiler makes one of."""
_OF_THE_PRECISION = frozenset({"workload-fp8-predicted-only"})
"""What a trace notes of the precision that was asked for, which is not so of another that stands in for it."""
_NOTHING = ("caveat-nothing-", "caveat-nearest-")
"""How the codes begin of why nothing is advised, and of what comes nearest to the limits."""
_FAILURES = ("worker-", "measure-worker-", "measure-ended-")
"""How the codes of what ends a worker or a batch size begin."""


def advise_events(
    request: AdviceRequest, *, cancelled: threading.Event | None = None
) -> Generator[RunnerEvent, None, AdviceRecord]:
    """Run the main job as a generator of events whose value is the advice.

    When `cancelled` is set, measuring stops within 2 s and the advice is made from what there is.
    """
    check(request)
    folder = request.data_folder
    traces = Traces(allow_code=request.allow_code, cancelled=cancelled, kept=kept_tables(folder))
    with kept_replays(folder), closing(traces):
        facts = yield from find_facts(request, traces)
        yield progress("advice-phase-predict", 0.97)
        rounds: Rounds = {}

        def answer(facts: Facts) -> AdviceRecord:
            return advice_from_facts(request, facts, rounds)

        def shards(facts: Facts) -> tuple[Candidate, ...]:
            return first_shards(request, facts, known_specs(request), rounds)

        facts, advice = yield from lightened_where_needed(request, facts, answer, traces, shards)
        request, facts = as_advised(request, facts, advice)
        switches = yield from find_switches(request, facts, advice, traces)
    caveats = with_quicker_room(advice.caveats, switches)
    advice = msgspec.structs.replace(advice, switches=switches, caveats=caveats)
    yield progress("advice-phase-done", 1.0)
    return advice


def advice_from_facts(request: AdviceRequest, facts: Facts, rounds: Rounds | None = None) -> AdviceRecord:
    """Calibrate, predict, recommend and explain: a pure function of its arguments but for the time of day.

    `rounds` keeps what is predicted here, for the same question with more facts of what frees memory.

    Raises InputError for a workload that asks for what its traced model cannot do.
    """
    if request.workload.training.compile and any(table.differentiates_twice for table in facts.tables.values()):
        raise SaidError.of("trace-compiled-twice")
    specs = known_specs(request)
    predicted = predict_all(request, facts, specs, rounds)
    recommendations = recommend(
        request.workload,
        facts.machine,
        at_fixed_precision(request, facts, specs, predicted.predictions),
        facts.measurements,
        goal=request.goal,
        limits=request.limits,
        prices=request.prices,
        specs=specs,
        global_batch_size=request.global_batch_size,
        max_global_batch_growth=growth_of(request),
        largest_batch=predicted.largest_batch,
        groups=predicted.groups,
        critical_batch=request.critical_batch,
        machines=request.machines,
        fixed=request.fixed,
        as_named=bool(request.card_counts),
    )
    smaller = memory_story(
        request.workload, recommendations.predictions, recommendations.recommendation, predicted.savings
    )
    assumed = assumed_reason(request.workload, but=_told_otherwise(facts))
    assumptions = (assumed,) if assumed is not None else ()
    # What is wrong with the machine bears on the advice: a driver out of step, a hidden or lost card, no torch.
    traced = _trace_caveats(request.workload, facts, recommendations.recommendation)
    named = (*facts.caveats, *facts.machine.notices, *assumptions, *traced)
    single = single_sample_caveat(request.workload, recommendations.recommendation, facts.tables.values())
    failed = _failures(facts)
    said = {_NOT_MEASURED} if failed else set()
    if any(reason.code == "advice-not-traced-at" for reason in facts.caveats):
        said.add("predict-no-trace")  # with its cause
    refused = tuple(reason for reason in predicted.caveats if reason.code not in said)
    unmeasured = _processor_may_win(recommendations, refused)
    # What a user fixed or asked for comes first: that, and why measuring came to nothing.
    unkept = ("-not-kept", "advice-not-traced-at") if request.fixed.precision else ("-not-kept",)
    not_kept = (
        reason for reason in (*facts.caveats, *recommendations.caveats, *refused) if reason.code.endswith(unkept)
    )
    caveats = (
        *_copies_by_themselves(request, recommendations.recommendation),
        *not_kept,
        *failed,
        *(reason for reason in recommendations.caveats if reason.code.startswith(_NOTHING)),
        *single,
        *unmeasured,
        *named,
        *recommendations.caveats,
        *_measurement_caveats(facts),
        *refused,
    )
    advised = msgspec.structs.replace(
        recommendations,
        reasons=(*recommendations.reasons, *smaller),
        caveats=tuple({msgspec.json.encode(caveat): caveat for caveat in caveats}.values()),
    )
    main = recommendations.recommendation or recommendations.recommendation_local
    return AdviceRecord(
        created_utc=utc_text(),
        advisor_version=__version__,
        workload=request.workload if main is None else with_added(request.workload, main.added),
        asked=Asked(**shared_fields(request, Asked)),
        model=model_facts(request.workload, facts),
        machine=facts.machine,
        measurements=facts.measurements,
        calibrations=predicted.calibrations,
        **shared_fields(advised, Recommendations),
    )


def _copies_by_themselves(request: AdviceRequest, advised: Recommendation | None) -> tuple[Reason, ...]:
    """That numbers of cards were asked for of which inference knows none: each serves a copy by itself."""
    numbers = [request.counts, *request.card_counts.values()] if request.card_counts else [request.counts]
    several = [counts for counts in numbers if 1 not in counts]
    if request.workload.training.mode != "inference" or not several or advised is None or advised.count > 1:
        return ()
    own = request.counts_of(advised.device.key)
    most = max(own if 1 not in own else several[-1])
    return (Reason.of("inference-counts-not-kept", device=advised.device.name, count=most),)


def _measurement_caveats(facts: Facts) -> tuple[Reason, ...]:
    """What measuring met, but for what is said otherwise (the interruption) or was mended (a trace made later)."""
    told_apart = {"measure-cancelled"} | ({"measure-trace-failed"} if facts.not_traced_reason is None else set())
    caveats = (caveat for measurement in facts.measurements for caveat in measurement.caveats)
    return tuple(caveat for caveat in caveats if caveat.code not in told_apart)


def _failures(facts: Facts) -> tuple[Reason, ...]:
    """Why no step was timed, of each device where that is so."""
    untimed = (measurement for measurement in facts.measurements if not has_timed_steps((measurement,)))
    reasons_of_each = (
        (*measurement.caveats, *(step.verdict.reason for step in measurement.steps)) for measurement in untimed
    )
    failed = (
        [reason for reason in reasons if reason is not None and reason.code.startswith(_FAILURES)]
        for reasons in reasons_of_each
    )
    return tuple(reasons[0] for reasons in failed if reasons)


def _processor_may_win(recommendations: Recommendations, caveats: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """That the processor was not measured comes first where the advised card mostly waits for it."""
    waits = recommendations.recommendation is not None and any(
        reason.code == "why-host-bound" for reason in recommendations.recommendation.why
    )
    return tuple(reason for reason in caveats if waits and reason.code == _NOT_MEASURED)


def _told_otherwise(facts: Facts) -> frozenset[str]:
    """What was assumed of a workload and is not so: its model has a side of its own."""
    codes = {caveat.code for table in facts.tables.values() for caveat in table.caveats}
    return frozenset({"data.image_size"}) if "workload-own-side" in codes else frozenset()


def _trace_caveats(workload: Workload, facts: Facts, advised: Recommendation | None) -> tuple[Reason, ...]:
    """What the trace at the workload's own precision could not say, or built other than a reader might expect.

    Of shards that are advised, the trace of what they are cast to.
    """
    precision = workload.training.precision
    computed: ComputedPrecision = precision
    if advised is not None and advised.precision == precision:
        computed = computed_precision(advised, workload.training, facts.tables)
    table = facts.tables.get(TRACE_PRECISIONS[computed])
    if table is None:
        return ()
    halved = PRECISION_FACTS[precision].half_weights and any(op.batch_norm for op in table.ops)
    note = Reason.of("workload-half-batch-norm", precision=PRECISION_LABELS[precision])
    compiles = workload.training.compile
    untrue = _COMPILED_AWAY if compiles else frozenset()
    if advised is not None and advised.precision != precision:
        untrue |= _OF_THE_PRECISION
    noted = (one for one in table.caveats if one.code not in untrue)
    broken = (Reason(code="trace-compiled-breaks"),) if compiles and sizes_follow_values(table) else ()
    return (*broken, *noted, *_frozen_parts(workload, table), *((note,) if halved else ()))


def _frozen_parts(workload: Workload, table: OpTable) -> Iterator[Reason]:
    """That a part of a model is not trained though all of it was asked for: the library or the file freezes it.

    A part that no figure shows (Whisper's table of positions, a thousandth) is not worth a word.
    """
    training = workload.training
    every, trained = (format_count(count) for count in (table.parameter_count, table.trainable_parameter_count))
    if training.mode != "inference" and training.trainable == "all" and trained != every:
        source = "file" if isinstance(workload.model, PythonModel) else "library"
        yield Reason.of("workload-frozen-parts", source=source, parameters=every, trained=trained)


def model_facts(workload: Workload, facts: Facts) -> ModelFacts:
    """What the trace says of the model; unknown where there is none."""
    table = next(iter(facts.tables.values()), None)
    return ModelFacts(
        source=source_of(workload),
        parameter_count=table.parameter_count if table else None,
        trainable_parameter_count=table.trainable_parameter_count if table else None,
        flop_per_sample=step_flop(table, workload.training.batch_size) / workload.training.batch_size
        if table
        else None,
        traced=table is not None and not isinstance(workload.model, NumbersModel),
        not_traced_reason=facts.not_traced_reason,
        layers=table.layers if table else (),
        norms_single_values=table.norms_single_values if table else False,
    )
