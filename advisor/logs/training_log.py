"""Where the wall time of a logged run goes, what to change first, and what that gains."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from advisor.core.file_fault import file_fault
from advisor.core.records import Record
from advisor.core.sentences import Arguments, Reason
from advisor.logs.counted_passes import counted_passes
from advisor.logs.log_facts import LogFacts
from advisor.logs.periodic_validation import CALMER_FACTOR, PeriodicValidation, periodic_validation
from advisor.logs.run_length import Covers, RunLength, made_before, run_length
from advisor.logs.step_rates import paused_s, usual_step_s
from advisor.predict.prediction import Prediction
from advisor.recommend.wall_time import LOUD_SHARE, WallKind, WallSplit, split_of

_SAID_SHARE = 0.01
"""What takes less is not named where nothing is worth a remedy."""
SLOW_STEP_RATIO = 1.25
MORE_TO_COME_RATIO = 1.02
"""A run this many times as long as what the log shows has not come to its end."""


class LogReport(Record, frozen=True, kw_only=True):
    """The explanation of a log: its wall time in parts that add up, the step's time, and what to change first."""

    split: WallSplit
    """The log's wall time in parts that add up."""
    step_s: float | None
    """A training step without validation and pauses; None: the log does not tell."""
    step_count: int | None
    """Steps of what the figures cover."""
    covers: Covers
    """What the figures are of: the whole run, from where the log begins; one of its epochs; what the log shows."""
    reasons: tuple[Reason, ...]
    """What was found, and what to change first."""


def explain_log(facts: LogFacts, prediction: Prediction | None = None) -> LogReport:
    """Split a log's wall time and say what to change first, the largest gain first.

    `prediction` is of the same set-up, to tell a slow step from a normal one. Raises InputError for a log in
    which no step's time can be found.
    """
    periodic = periodic_validation(facts)
    if periodic is not None:
        return _report_of_periodic(facts, periodic, prediction)
    told = _timeline(facts)
    if told.step_s is None and not (told.total_s if facts.runtime_s or len(facts.marks) == 1 else None):
        raise file_fault("no-step-times")
    passes, validation_s = _validation(facts, told)
    counts_samples = facts.counts_samples and not facts.step_times_s
    steps, step_s = told.steps, told.step_s
    total = told.total_s if told.total_s is not None else (step_s or 0.0) * (steps or 1) + validation_s
    if facts.runtime_s is None and told.total_s is not None and validation_s > total:
        total += validation_s
    # A bar or a runtime may or may not hold the evaluation; it cannot be longer than the whole.
    validation_s = min(validation_s, total)
    data_fraction = _data_fraction(facts)
    loading = data_fraction * max(0.0, total - validation_s)
    seconds: dict[WallKind, float] = {
        "validation": max(validation_s, min(told.pauses_s, total)),
        "loader": loading,
    }
    seconds["training"] = max(0.0, total - sum(seconds.values()))
    of_epochs = told.covers == "epoch"
    length = tuple(_told_samples(told, total)) if counts_samples else ()
    if counts_samples:
        # What a step takes depends on a batch size that the log does not tell.
        told, step_s = told._replace(step_s=None, steps=None), None
    loud = (
        *_split_reasons(passes, seconds, total, of_epochs=of_epochs),
        *_step_reasons(step_s, data_fraction, prediction),
    )
    loud = loud or tuple(_nothing_loud(facts, told, total))
    before = tuple(_said_before(facts))
    if prediction is None:
        length = (*length, *_told_length(told, passes, total), *_told_epochs(facts, told))
    return _report((*before, *loud, *length), seconds, told)


def _said_before(facts: LogFacts) -> Iterator[Reason]:
    """What the figures that follow are of, where a log may be read in two ways."""
    if facts.runs > 1:
        yield Reason.of("log-runs", runs=facts.runs)
    if len(facts.folds_shown) > 1:
        yield Reason.of("log-folds", shown=len(facts.folds_shown), folds=facts.fold_count or 0)
    if facts.own_times_apart is not None:
        yield Reason.of("log-own-times", steps=facts.own_times_apart)


def _nothing_loud(facts: LogFacts, told: _Timeline, total_s: float) -> Iterator[Reason]:
    """What may be said where nothing but training takes long: a log of steps' times alone does not show that."""
    if told.of_runtime:
        return  # what the step's time is the mean of is told with it
    if told.step_s is None and not facts.validation_passes_s and facts.epochs_s:
        yield Reason.of("log-epochs-alone", epochs=len(facts.epochs_s), total_s=total_s)
    elif told.step_s is None and not facts.validation_passes_s and not facts.marks:
        yield Reason.of("log-run-alone", total_s=total_s)
    elif told.total_s is not None or facts.validation_passes_s:
        yield _calm(total_s)
    elif told.covers != "log":
        yield Reason.of("log-nothing-told")


class _Timeline(NamedTuple):
    """What a log gives of its steps, and of what they are the steps."""

    step_s: float | None
    total_s: float | None
    """That the log states or shows; None: it is reckoned from the steps."""
    pauses_s: float
    steps: int | None
    covers: Covers
    length: RunLength
    of_runtime: bool = False
    """Whether the step is the run's time over its steps, with whatever interrupts them."""


def _timeline(facts: LogFacts) -> _Timeline:
    """Median seconds a step, total seconds, seconds of pauses, and steps, from what the log gives."""
    counted, length = counted_passes(facts.marks), run_length(facts)
    runs = [each.points for each in counted]
    if facts.step_times_s and not runs and facts.counts and facts.stated_runtime_s is None:
        median = statistics.median(facts.step_times_s)
        return _Timeline(median, None, 0.0, length.steps or length.seen, length.covers, length)
    step_s, pauses, steps = usual_step_s([each.training for each in counted]), 0.0, length.steps
    step_s = step_s or usual_step_s(runs) or facts.bar_step_s
    if facts.step_times_s:
        step_s = statistics.median(facts.step_times_s)
    elif step_s is not None:
        pauses = paused_s(runs, step_s)
    # A clock of whole seconds that still stands at none tells nothing.
    elapsed = (sum(_spans(runs)) + facts.outside_s or None) if runs else None
    if runs:
        steps = sum(run[-1][0] - (made_before(run, step_s) if step_s else 0) for run in runs)
    summed_up = _steps_summed_up(facts, length) if step_s is None else None
    if summed_up is not None and facts.runtime_s is not None:
        steps = summed_up
        step_s = max(0.0, facts.runtime_s - sum(facts.validation_passes_s)) / steps
    ended = facts.stated_runtime_s is not None
    return _Timeline(
        step_s,
        facts.runtime_s if facts.runtime_s is not None else elapsed,
        pauses,
        steps,
        "run" if ended or (not runs and steps) else "log",
        length,
        summed_up is not None and not facts.validation_passes_s,
    )


_RATE_ROUNDING = 0.0005
"""Of steps a second, as Trainer's summary rounds them: where a plan agrees to within that, its steps were made."""


def _steps_summed_up(facts: LogFacts, length: RunLength) -> int | None:
    """The steps of a run whose summaries alone tell of time; its runtime holds the evaluations too."""
    if facts.stated_runtime_s is None and facts.epochs_s:
        return length.of and length.of * len(facts.epochs_s) if length.anew else None
    if facts.runtime_s is not None and facts.steps_per_s is not None:
        steps, planned = facts.runtime_s * facts.steps_per_s, facts.planned_steps
        if planned is not None and abs(planned - steps) <= facts.runtime_s * _RATE_ROUNDING:
            return planned
        return max(1, round(steps))
    return facts.planned_steps if facts.stated_runtime_s is not None else None


def _validation(facts: LogFacts, told: _Timeline) -> tuple[int, float]:
    """Passes of validation and their seconds, those of steps to come among them where these are reckoned."""
    passes, seconds = len(facts.validation_passes_s), sum(facts.validation_passes_s)
    if told.total_s is not None or told.steps is None or not passes:
        return passes, seconds
    in_all = told.length.passes_in_all(passes, at_end=bool(facts.drawn_passes) or facts.pass_stated)
    return max(1, round(in_all)), seconds * in_all / passes


def _told_length(told: _Timeline, passes: int, total_s: float) -> Iterator[Reason]:
    """What a step takes, and whether the whole was seen or is as many steps at that rate."""
    step_s, steps, length = told.step_s, told.steps, told.length
    if step_s is None:
        return
    numbers: Arguments = {"step_s": step_s, "total_s": total_s}
    if told.of_runtime and steps is not None:
        yield Reason.of("log-step-mean", **numbers, steps=steps)
    elif told.total_s is not None or steps is None or told.covers == "log":
        yield Reason.of("log-step-alone", step_s=step_s)
        yield from _told_rest(told, total_s)
    elif length.anew and length.epochs is not None:
        per_epoch = steps // length.epochs
        yield Reason.of("log-epochs-projected", **numbers, epochs=length.epochs, steps=per_epoch, passes=passes)
    elif told.covers == "epoch":
        yield Reason.of("log-epoch-projected", **numbers, steps=steps, passes=passes)
    elif length.first_step:
        yield Reason.of("log-steps-resumed", **numbers, steps=steps, passes=passes, first_step=length.first_step)
    elif passes:
        yield Reason.of("log-steps-validated", **numbers, steps=steps, passes=passes)
    else:
        yield Reason.of("log-steps-projected", **numbers, steps=steps)


def _told_samples(told: _Timeline, total_s: float) -> Iterator[Reason]:
    """What a sample takes where bars count samples, and how long all of them take where a part is shown."""
    if told.step_s is None:
        return
    yield Reason.of("log-sample-alone", sample_s=told.step_s, samples=round(1.0 / told.step_s))
    whole, seen = told.length.steps, told.steps
    if told.length.covers == "run" and whole and seen and whole > MORE_TO_COME_RATIO * seen:
        yield Reason.of("log-whole-samples", samples=whole, total_s=total_s / seen * whole)


def _told_epochs(facts: LogFacts, told: _Timeline) -> Iterator[Reason]:
    """How long all epochs take where a log sums up some of them."""
    shown, epochs = len(facts.epochs_s), facts.epoch_count and facts.epoch_count * facts.folds
    if told.covers == "log" and facts.epochs_s and epochs is not None and shown < epochs:
        mean = sum(seconds for _, seconds in facts.epochs_s) / shown
        yield Reason.of("log-whole-epochs", shown=shown, epochs=epochs, total_s=mean * epochs)


def _told_rest(told: _Timeline, total_s: float) -> Iterator[Reason]:
    """How long all steps take where the log shows a part of them, what interrupts them included."""
    whole, steps = told.length.steps, told.steps
    if told.covers == "log" and told.length.covers == "run" and whole and steps and whole > MORE_TO_COME_RATIO * steps:
        yield Reason.of("log-whole-projected", steps=whole, total_s=total_s / steps * whole)


def _calm(total_s: float) -> Reason:
    return Reason.of("log-nothing-loud", total_s=total_s, part="none", training_fraction=1.0, share_fraction=0.0)


def _with_shares(reason: Reason, seconds: Mapping[WallKind, float]) -> Reason:
    """A log where nothing is loud, with what takes most beside training."""
    total, others = sum(seconds.values()), {kind: part for kind, part in seconds.items() if kind != "training"}
    part = max(others, key=others.__getitem__, default=None)
    if reason.code != "log-nothing-loud" or part is None or others[part] < _SAID_SHARE * total:
        return reason
    shares = {"training_fraction": seconds["training"] / total, "share_fraction": others[part] / total}
    return Reason.of(reason.code, **{**reason.numbers, **shares, "part": part})


def _report(reasons: tuple[Reason, ...], seconds: dict[WallKind, float], told: _Timeline) -> LogReport:
    reasons = tuple(_with_shares(reason, seconds) for reason in reasons)
    return LogReport(
        split=split_of(seconds, reasons),
        step_s=told.step_s,
        step_count=told.steps,
        covers=told.covers,
        reasons=reasons,
    )


def _report_of_periodic(facts: LogFacts, log: PeriodicValidation, prediction: Prediction | None) -> LogReport:
    validation = log.step_count / log.every_steps * log.validation_s
    seconds: dict[WallKind, float] = {"validation": validation, "training": log.step_count * log.step_s}
    reasons = (*log.reasons(), *_step_reasons(log.step_s, _data_fraction(facts), prediction))
    told = _Timeline(log.step_s, log.total_s, 0.0, log.step_count, "run", run_length(facts))
    return _report(reasons or (_calm(log.total_s),), seconds, told)


def _spans(runs: Sequence[Sequence[tuple[int, float]]]) -> Iterator[float]:
    """Seconds that each run adds to the whole: its clock begins anew, or goes on from the run before."""
    before_s = 0.0
    for run in runs:
        goes_on = run[0][1] >= before_s
        yield run[-1][1] - before_s * goes_on
        before_s = run[-1][1]


def _data_fraction(facts: LogFacts) -> float:
    """The loader's share of a step, where the log tells both times."""
    if not facts.data_times_s or not facts.step_times_s:
        return 0.0
    return min(1.0, statistics.fmean(facts.data_times_s) / max(statistics.fmean(facts.step_times_s), 1e-12))


def _split_reasons(passes: int, seconds: dict[WallKind, float], total: float, *, of_epochs: bool) -> Iterator[Reason]:
    share = seconds["validation"] / total if total > 0 else 0.0
    if share < LOUD_SHARE:
        return
    gain = seconds["validation"] * (1 - 1 / CALMER_FACTOR)
    numbers: Arguments = {"validation_s": seconds["validation"], "share_fraction": share, "gain_s": gain}
    if of_epochs:
        yield Reason.of("log-validation-epoch", **numbers, total_s=total)
    elif passes:
        yield Reason.of("log-validation-passes", **numbers, better_total_s=total - gain, passes=passes)
    else:
        yield Reason.of("log-pauses", **numbers, better_total_s=total - gain)


def _step_reasons(step_s: float | None, data_fraction: float, prediction: Prediction | None) -> Iterator[Reason]:
    if data_fraction >= LOUD_SHARE and step_s is not None:
        yield Reason.of("log-loader", share_fraction=data_fraction, gain_s=data_fraction * step_s)
    if prediction is not None and step_s is not None:
        numbers: Arguments = {
            "step_s": step_s,
            **prediction.step_s.arguments("expected", "s"),
            "device": prediction.device.name,
            "slower_ratio": step_s / prediction.step_s.value,
        }
        slow = step_s > SLOW_STEP_RATIO * prediction.step_s.high
        yield Reason.of("log-step-slow" if slow else "log-step-normal", **numbers)
