"""What must hold of every advice, asked of the record alone: each rule lists what breaks it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Language, Reason, say
from advisor.cost.memory.capacity import usable_bytes
from advisor.predict.prediction import Prediction
from advisor.recommend.batch_size import largest_global_batch
from advisor.recommend.energy import power_draws
from advisor.recommend.fixed import kept_by
from advisor.recommend.precisions import at_least_as_exact
from advisor.recommend.ranking import score, within_limits
from advisor.recommend.reasons.caveats import WIDE_RATIO
from advisor.recommend.recommendation import Recommendation, prediction_of
from advisor.store.advice_record import AdviceRecord
from tests.advice.questions import Question

_COUNT_REASONS = {"why-count-knee", "why-count-no-gain", "change-count-batch", "change-count-batch-at"}
_BROKEN = re.compile(r"\bnan\b|\binf\b|\bNone\b|[{}]|\?\?\?")
_NEARLY = 1 + 1e-9
_LANGUAGES: tuple[Language, ...] = ("en", "zh")


def reasons(advice: AdviceRecord) -> Iterator[Reason]:
    """Everything that is said with an advice."""
    yield from (*advice.reasons, *advice.caveats)
    for chosen in (advice.recommendation, advice.recommendation_local):
        if chosen is not None:
            yield from (*chosen.why, *chosen.would_change_if)


def codes(advice: AdviceRecord) -> set[str]:
    return {reason.code for reason in reasons(advice)}


def advised(advice: AdviceRecord) -> Iterator[tuple[Recommendation, Prediction | None]]:
    """Both recommendations with the rows that they rest on."""
    for chosen in (advice.recommendation, advice.recommendation_local):
        if chosen is not None:
            yield chosen, prediction_of(advice.predictions, chosen)


def not_fitting(advice: AdviceRecord) -> Iterator[str]:
    """Advice that its own table does not hold, or holds with other figures."""
    for chosen, row in advised(advice):
        if row is None:
            yield "advised, but not in the table"
            continue
        if row.fits is False:
            yield "advised, but does not fit"
        peak, capacity = row.peak_memory_bytes, row.memory_capacity_bytes
        need = 0.0 if peak is None or row.device.key == "cpu" else peak.value
        room = math.inf if capacity is None else usable_bytes(capacity) * _NEARLY
        if need > room:
            yield f"{need:.4g} bytes of {room:.4g}"
        if (row.step_s, row.job_s, peak, row.cost) != (
            chosen.step_s, chosen.job_s, chosen.peak_memory_bytes, chosen.cost,
        ):  # fmt: skip
            yield "figures other than the row's"


def past_limits(asked: Question, advice: AdviceRecord) -> Iterator[str]:
    """Advice beyond a limit, or without what was fixed although something keeps it."""
    request = asked.request
    draws = power_draws(asked.machine, spec_table(), ())
    training = request.workload.training
    for chosen, row in advised(advice):
        assert row is not None
        if not within_limits(row, request.limits, draws):
            yield f"{chosen.count} x {chosen.device.key} is over a limit"
        if not at_least_as_exact(row.precision, training.precision):
            yield f"{row.precision} is less exact than {training.precision}"
        if request.global_batch_size is not None and row.global_batch_size != request.global_batch_size:
            yield f"global batch {row.global_batch_size}, not {request.global_batch_size}"
        if not any(one == row for one in _kept(asked, advice)):
            yield "what was fixed is not kept"


def _kept(asked: Question, advice: AdviceRecord) -> tuple[Prediction, ...]:
    """What may be advised: at least as exact as asked, with what is fixed."""
    request, training = asked.request, asked.request.workload.training
    exact = [one for one in advice.predictions if at_least_as_exact(one.precision, training.precision)]
    return kept_by(request.fixed, exact, training, request.global_batch_size)


def beaten(asked: Question, advice: AdviceRecord) -> Iterator[str]:
    """Rows of the table that keep every limit and lie below the advice by more than its range, without a reason."""
    chosen, request = advice.recommendation, asked.request
    row = None if chosen is None else prediction_of(advice.predictions, chosen)
    own = None if chosen is None or row is None else score(row, chosen.goal)
    if chosen is None or row is None or own is None:
        return
    said, draws = codes(advice), power_draws(asked.machine, spec_table(), ())
    most = max(request.global_batch_size or largest_global_batch(request.workload), row.global_batch_size)
    for rival in _kept(asked, advice):
        found = score(rival, chosen.goal)
        if rival.fits is False or found is None or found.high >= own.low or rival.global_batch_size > most:
            continue
        if (rival.cost is None) != (row.cost is None) or not within_limits(rival, request.limits, draws):
            continue
        more = rival.count > chosen.count and said & _COUNT_REASONS
        # A batch that holds the whole data set is told so; what it leaves empty is counted as work.
        whole = rival.count == chosen.count and "why-batch-whole-set" in said
        if not (more or whole or _named_as_harder(advice, rival, own.value / found.value)):
            yield f"{rival.count} x {rival.device.key} {rival.strategy} {rival.precision} {rival.batch_size_per_device}"


def _named_as_harder(advice: AdviceRecord, rival: Prediction, ratio: float) -> bool:
    """Whether the best of what asks for more changes to the code is told, at least as good as this one."""
    chosen = advice.recommendation
    if chosen is None or STRATEGY_FACTS[rival.strategy].effort_rank <= STRATEGY_FACTS[chosen.strategy].effort_rank:
        return False
    told = [one for one in chosen.would_change_if if one.code == "change-strategy"]
    return any(ratio <= one.figure("advantage_ratio") * _NEARLY for one in told)


_WHY_NOTHING = {
    "caveat-nothing-fits", "caveat-nothing-fits-at-one", "caveat-nothing-fits-host",
    "caveat-nothing-in-limits", "caveat-nothing-so-frugal",
    "caveat-nothing-fits-checkpointed", "caveat-nothing-fits-at-one-checkpointed",
    "predict-missing-figures",
    "caveat-batch-not-kept", "caveat-precision-not-kept", "caveat-fixed-not-kept",
}  # fmt: skip


_EFFICIENCIES = {"scaling-efficiency", "scaling-efficiency-sharded"}


def unfounded(advice: AdviceRecord) -> Iterator[str]:
    """Ranges, efficiencies and refusals that nothing is said of."""
    said = codes(advice)
    chosen = advice.recommendation
    if chosen is None:
        if not said & _WHY_NOTHING:
            yield "nothing is advised, and nothing says why"
        return
    if chosen.step_s.high > WIDE_RATIO * chosen.step_s.low and not any(code.startswith("caveat-wide") for code in said):
        yield f"{chosen.step_s.low:.3g} to {chosen.step_s.high:.3g} s without a word"
    if chosen.efficiency is not None and chosen.efficiency.value > 1.005 and "scaling-optimizer-shared" not in said:
        yield f"an efficiency of {chosen.efficiency.value:.3f} without a word"
    if any(reason.figure("efficiency_fraction") > 1.005 for reason in chosen.why if reason.code in _EFFICIENCIES):
        yield "an efficiency of more than 100 %"


def broken_rows(asked: Question, advice: AdviceRecord) -> Iterator[str]:
    """Rows whose figures do not hang together."""
    data, training = asked.request.workload.data, asked.request.workload.training
    epochs = 1 if training.mode == "inference" else training.epochs
    for one in advice.predictions:
        estimates = (one.step_s, one.job_s, one.samples_per_s, one.peak_memory_bytes, one.energy_j, one.cost)
        for estimate in estimates:
            if estimate is not None and not 0 <= estimate.low <= estimate.value <= estimate.high < math.inf:
                yield f"{one.device.key}: {estimate}"
        if not math.isclose(sum(part.duration_s for part in one.parts), one.step_s.value, rel_tol=1e-6):
            yield f"{one.device.key} {one.strategy}: parts do not add up"
        devices = 1 if one.strategy == "single" else one.count
        if one.global_batch_size != devices * one.batch_size_per_device * one.gradient_accumulation_steps:
            yield f"{one.device.key} {one.strategy}: global batch {one.global_batch_size}"
        steps = max(1, math.ceil(epochs * math.ceil(data.samples / one.global_batch_size)))
        if one.job_s is None or not math.isclose(one.job_s.value, steps * one.step_s.value, rel_tol=1e-9):
            yield f"{one.device.key}: the job is not {steps} steps"


def unsayable(advice: AdviceRecord) -> Iterator[str]:
    """Sentences that cannot be said, or say nothing."""
    for reason in reasons(advice):
        for language in _LANGUAGES:
            text = say(reason, language)
            if not text or _BROKEN.search(text):
                yield f"{reason.code}: {text}"
