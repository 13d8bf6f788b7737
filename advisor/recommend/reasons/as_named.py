"""Set-ups that a question names, so many of one card against so many of another: each against what is advised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.core.by_key import grouped
from advisor.core.sentences import Reason
from advisor.core.units import Estimate, around, exactly
from advisor.predict.prediction import Prediction
from advisor.predict.ranges.gain_range import independent_ratio
from advisor.recommend.comparison import Comparison, set_up_name
from advisor.recommend.ranking import doubted, is_trusted, score, told_as, touches
from advisor.recommend.tie_decision import counted_on


def against_each(comparison: Comparison, chosen: Prediction, entered: Sequence[Prediction]) -> Iterator[Reason]:
    """How far what is advised is ahead of each other set-up, or behind, with the range; and which holds no step.

    Nothing where the question names no set-ups.
    """
    if not comparison.as_named:
        return
    figures = _figures(comparison, (chosen, *entered))
    own = figures.pop(id(chosen))
    told = [one for one in entered if id(one) in figures and one.device_and_count != chosen.device_and_count]
    ratios = [(other, *_ratio(chosen, own, other, figures[id(other)])) for other in told]
    # Those without a clear difference last: they are named beside the advice already.
    for other, ratio, clear in sorted(ratios, key=lambda entry: (not entry[2], entry[1].value)):
        # Told of the better one: it is the quicker, and the dearer is so many times as dear as that.
        ahead, behind = (chosen, other) if ratio.value >= 1 else (other, chosen)
        told_ratio = ratio if ratio.value >= 1 else ratio.per(1.0)
        yield Reason.of(
            f"against-{told_as(comparison.goal, ahead, behind)}",
            device=set_up_name(ahead),
            other=set_up_name(behind),
            clear="yes" if clear else "no",
            **told_ratio.arguments("advantage", "ratio"),
        )
    yield from _without_room(comparison)


def _figures(comparison: Comparison, set_ups: Sequence[Prediction]) -> dict[int, Estimate]:
    """What the goal makes small, as it is ranked by, where it is known; by the prediction's identity."""
    judged, figures = counted_on(comparison), {}
    for one in set_ups:
        figure = score(one, comparison.goal)
        if figure is not None:
            trusted = is_trusted(one, comparison.untrusted)
            figures[id(one)] = judged(one, figure if trusted else doubted(figure))
    return figures


def _ratio(own: Prediction, figure: Estimate, other: Prediction, others: Estimate) -> tuple[Estimate, bool]:
    """The other's figure over the own, with its range; and whether the difference is clear.

    Set-ups of one card of the table share its errors: what is open between them is how well several work together.
    Else the range goes from the ends of both, so that it holds 1 where these touch, which is a tie.
    """
    value = others.value / figure.value
    of_the_table = own.step_s.basis == other.step_s.basis == "specified"
    if own.device != other.device or not of_the_table:
        ratio = around(value, others.low / figure.high, others.high / figure.low, figure.basis)
        return ratio, not touches(figure, others)
    alone = exactly(1.0, figure.basis)
    together = independent_ratio(own.efficiency or alone, other.efficiency or alone)
    ratio = around(value, value * together.low / together.value, value * together.high / together.value, figure.basis)
    return ratio, not ratio.holds(1.0)


def _without_room(comparison: Comparison) -> Iterator[Reason]:
    """Which of the set-ups hold no step, at whatever batch size was tried, and by how much."""
    for members in grouped(comparison.kept, lambda prediction: prediction.device_and_count).values():
        if any(member.fits is not False for member in members):
            continue
        needs = [(member.peak_memory_bytes.value, member) for member in members if member.peak_memory_bytes is not None]
        if needs:
            need, least = min(needs, key=lambda entry: entry[0])
            room = least.usable_memory_bytes
            if room is not None and need > room:
                yield Reason.of("against-no-room", other=set_up_name(least), need_bytes=need, capacity_bytes=room)
