"""Who is clearly ahead: goal, limits, ties, and the wider ranges of untrustworthy measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from advisor.core.records import Record
from advisor.core.units import S_PER_HOUR, Estimate, value_of
from advisor.measure.measurement import DOUBTED
from advisor.predict.prediction import Prediction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from advisor.catalogue.precisions import Precision
    from advisor.measure.measurement import Measurement, VerdictKind
    from advisor.recommend.energy import PowerDraw
    from advisor.recommend.recommendation import Goal, Limits

CLEAR_DIFFERENCE_FRACTION = 0.03
_DOUBT_FACTOR = 1.5
"""An untrustworthy figure's range is widened by this before anything is said of it."""
DOUBTED_CAVEAT = "caveat-measurement-"
"""How the code of what is said of an untrustworthy device begins; its verdict follows."""


_Entry = tuple[Prediction, Estimate, bool]
"""A set-up, its score, and whether its measurement can be trusted."""


class Row(Record, frozen=True, kw_only=True):
    """One line of a comparison: a set-up, its place, and with whom it shares the place."""

    prediction: Prediction
    place: int
    """From 1; set-ups that are tied share it."""
    tied: bool
    trusted: bool
    """False: its measurement was unstable, throttled or contended; shown, and ranked with a wider range."""


def untrusted_devices(measurements: Sequence[Measurement]) -> dict[str, VerdictKind]:
    """Devices of which no step measurement can be trusted, with the verdict that says why.

    A device with at least one trustworthy step keeps its place.
    """
    verdicts: dict[str, VerdictKind] = {}
    for measurement in measurements:
        kinds = [step.verdict.kind for step in measurement.steps] or [measurement.verdict.kind]
        doubtful = [kind for kind in kinds if kind in DOUBTED]
        if doubtful and len(doubtful) == len([kind for kind in kinds if kind != "not_measured"]):
            verdicts[measurement.device_key] = doubtful[0]
    return verdicts


def is_trusted(prediction: Prediction, untrusted: Mapping[str, VerdictKind]) -> bool:
    """Whether a prediction rests on measurements that may be ranked, or on none at all."""
    return prediction.step_s.basis == "specified" or prediction.device.key not in untrusted


def doubted_devices(predictions: Iterable[Prediction], untrusted: Mapping[str, VerdictKind]) -> dict[str, VerdictKind]:
    """Of the untrusted devices those whose figures rest on it: one that holds no step has none to be doubted."""
    ranked = {
        prediction.device.key
        for prediction in predictions
        if prediction.fits is not False and not is_trusted(prediction, untrusted)
    }
    return {key: kind for key, kind in untrusted.items() if key in ranked}


def gpu_hours(prediction: Prediction) -> Estimate | None:
    """GPU-hours of the job; exactly 0 for a CPU, None where the job's time is unknown."""
    if prediction.job_s is None:
        return None
    count = 0 if prediction.device.key == "cpu" else prediction.count
    return prediction.job_s.scaled(count / S_PER_HOUR)


def score(prediction: Prediction, goal: Goal) -> Estimate | None:
    """What the goal makes small: seconds, currency (GPU-hours without a price) or joules; None: unknown.

    Where the job's size is unknown, seconds a sample compare its set-ups.
    """
    if goal == "cost":
        return prediction.cost if prediction.cost is not None else gpu_hours(prediction)
    if goal == "energy":
        return prediction.energy_j
    return prediction.job_s if prediction.job_s is not None else prediction.samples_per_s.per(1.0)


def told_as(goal: Goal, *compared: Prediction) -> str:
    """What a comparison by a goal is told in: without prices cost is no money, but GPU-hours."""
    return "hours" if goal == "cost" and any(one.cost is None for one in compared) else goal


def touches(first: Estimate, second: Estimate) -> bool:
    """Whether the difference is not clear: the ranges touch, or the values differ by at most 3 %."""
    if first.overlaps(second):
        return True
    small, large = sorted((first.value, second.value))
    return large <= small * (1 + CLEAR_DIFFERENCE_FRACTION)


def doubted(estimate: Estimate) -> Estimate:
    """The estimate of an untrustworthy measurement, with a range wide enough to say so."""
    return replace(estimate, low=estimate.low / _DOUBT_FACTOR, high=estimate.high * _DOUBT_FACTOR)


def against_limits(
    prediction: Prediction, limits: Limits, draws: Mapping[str, PowerDraw]
) -> dict[str, tuple[float | None, float]]:
    """What a set-up takes of each limit that is set (`cost`, `hours`, `power`), None where it is unknown; the limit."""
    draw, cost, job_s = draws.get(prediction.device.key), prediction.cost, prediction.job_s
    board_w = None if draw is None else draw.limit_w
    taken = {
        "cost": (None if cost is None else cost.value, limits.max_cost),
        "hours": (None if job_s is None else job_s.value, limits.max_job_s),
        "power": (None if board_w is None else board_w * prediction.count, limits.max_power_w),
    }
    return {kind: (value, limit) for kind, (value, limit) in taken.items() if limit is not None}


def within_limits(prediction: Prediction, limits: Limits, draws: Mapping[str, PowerDraw]) -> bool:
    """Whether a set-up keeps every limit that is set; an unknown figure cannot keep a limit."""
    taken = against_limits(prediction, limits, draws).values()
    return all(value is not None and value <= limit for value, limit in taken)


def rank(
    predictions: Sequence[Prediction],
    goal: Goal,
    untrusted: Mapping[str, VerdictKind],
    counted_on: Callable[[Prediction, Estimate], Estimate] = lambda _, estimate: estimate,
) -> tuple[Row, ...]:
    """Set-ups from best to worst; those whose difference to the leader of their place is not clear are tied.

    `counted_on`: what of a set-up's figure differences are judged by.

    An untrustworthy set-up is placed by its widened range and never has a place of its own in front of a trusted
    one: it shares that one's place.
    """
    scored = [(prediction, score(prediction, goal), is_trusted(prediction, untrusted)) for prediction in predictions]
    with_figures = [
        (prediction, counted_on(prediction, estimate if trusted else doubted(estimate)), trusted)
        for prediction, estimate, trusted in scored
        if estimate is not None
    ]
    with_figures.sort(key=lambda entry: (entry[1].value, not entry[2]))
    groups: list[list[_Entry]] = []
    for entry in with_figures:
        if groups and _shares_place(groups[-1], entry):
            groups[-1].append(entry)
        else:
            groups.append([entry])
    rows: list[Row] = []
    for group in groups:
        place = len(rows) + 1
        rows += [
            Row(prediction=prediction, place=place, tied=len(group) > 1, trusted=trusted)
            for prediction, _, trusted in group
        ]
    return tuple(rows)


def leaders(rows: Sequence[Row], goal: Goal) -> tuple[Row, ...]:
    """The set-ups that may be advised: of the first place those without a clear difference to its trusted leader.

    Disturbance only ever slows: a disturbed measurement that is the faster all the same may be advised. One that is
    slower shares the place by its widened range, but is among them only where its own range reaches that leader's.
    """
    first = [row for row in rows if row.place == 1]
    anchor = next((row for row in first if row.trusted), None)
    estimate = score(anchor.prediction, goal) if anchor is not None else None
    if estimate is None:
        return tuple(first)
    return tuple(row for row in first if row.trusted or _reaches(row, estimate, goal))


def _reaches(row: Row, estimate: Estimate, goal: Goal) -> bool:
    own = score(row.prediction, goal)
    return own is not None and own.low <= estimate.high


def _shares_place(group: Sequence[_Entry], entry: _Entry) -> bool:
    """The first trusted set-up of a place is what the next ones are held against; a place needs one."""
    anchor = next((member for member in group if member[2]), None)
    return anchor is None or touches(anchor[1], entry[1])


def rank_for_compare(  # noqa: PLR0913 - the four switches of the Compare page, and the step that is compared
    predictions: Sequence[Prediction],
    precision: Precision,
    batch_size_per_device: int,
    count: int,
    goal: Goal = "time",
    untrusted: Mapping[str, VerdictKind] | None = None,
    accumulation_steps: int | None = None,
) -> tuple[Row, ...]:
    """The Compare page's rows: the best strategy of each device at one precision, batch and count.

    `accumulation_steps`: those of what is advised. A device is compared at as many where it has such a set-up that
    fits: longer steps are another job, though they are quicker a sample. A CPU joins at its own count of one. Set-ups
    that do not fit come last, each with a place of its own.
    """
    matching = [
        prediction
        for prediction in predictions
        if prediction.batch_size_per_device == batch_size_per_device
        and prediction.precision == precision
        and (prediction.count == count or prediction.device.key == "cpu")
    ]
    fitting = [prediction for prediction in matching if prediction.fits is not False]
    alike = [prediction for prediction in fitting if prediction.gradient_accumulation_steps == accumulation_steps]
    with_alike = {prediction.device.key for prediction in alike}
    alike += [prediction for prediction in fitting if prediction.device.key not in with_alike]
    rows = rank(best_of_each_device(alike, goal), goal, untrusted or {})
    placed = {row.prediction.device.key for row in rows}
    rest = best_of_each_device([prediction for prediction in matching if prediction.device.key not in placed], goal)
    tail = [
        Row(prediction=prediction, place=len(rows) + index, tied=False, trusted=True)
        for index, prediction in enumerate(rest, start=1)
    ]
    return (*rows, *tail)


def best_of_each_device(predictions: Sequence[Prediction], goal: Goal) -> tuple[Prediction, ...]:
    """For each device its set-up of the least score; among unknown or equal ones the quickest."""
    best: dict[str, tuple[float, float, Prediction]] = {}
    for prediction in predictions:
        value, took = value_of(score(prediction, goal)), value_of(score(prediction, "time"))
        best_so_far = best.get(prediction.device.key)
        if best_so_far is None or (value, took) < best_so_far[:2]:
            best[prediction.device.key] = (value, took, prediction)
    return tuple(prediction for *_, prediction in best.values())
