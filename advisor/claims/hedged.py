"""Claims whose figure is a range, a bound, or told in place of a denied one: what is judged, and how it is said."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.claim import LIKELIEST_FIRST, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.reading.compared.order_words import denies_order
from advisor.claims.reading.text.plain_text import MAX_CHARACTERS, corrected, normalised
from advisor.claims.reading.text.told_range import Told, find_bound, find_ranges, with_figures
from advisor.claims.refusals import refusal
from advisor.core.sentences import Arguments, Reason
from advisor.core.units import Estimate

Judge = Callable[[str], ClaimAnswer]
_MOST_RANGES = 3
_OF_THE_FIGURE = {"claim-something-else-changed", "claim-told-round"}
"""Said of a figure as it stands, and not of a bound."""


def as_told(text: str, judge: Judge, specs: Mapping[str, GpuSpec]) -> ClaimAnswer:
    """The answer of `judge`, which reads one figure, to a text that may hedge it.

    Raises SaidError as `judge` does, and where a figure is denied and none is told that could be judged.
    """
    if len(text) > MAX_CHARACTERS:
        return judge(text)
    plain, denied = normalised(text), corrected(text)
    ranges = find_ranges(plain)
    hedged = denied is not None or find_bound(plain) is not None or denies_order(plain)
    if not hedged and not 0 < len(ranges) <= _MOST_RANGES:
        return judge(text)
    answer = _of_ranges(plain, ranges, lambda told: _bounded(told, judge, specs))
    said = (Reason.of("claim-corrected", denied=denied.figure, figure=denied.instead),) if denied is not None else ()
    claim = msgspec.structs.replace(answer.claim, text=text)
    if claim.is_faster and denies_order(plain):
        device, other = (shared_name([specs[key] for key in keys]) for keys in (claim.gpus, claim.reference_gpus))
        said = (*said, Reason.of("claim-order-denied", device=device, other=other))
    return msgspec.structs.replace(answer, claim=claim, reasons=(*answer.reasons, *said))


def _of_ranges(plain: str, ranges: tuple[Told, ...], judge: Judge) -> ClaimAnswer:
    """The answer by the ends that are nearest to what is expected, or by the middle where that lies between them."""
    if not ranges:
        return judge(plain)
    ends = itertools.product(*(told.ends for told in ranges))
    tried = [(figures, judge(with_figures(plain, ranges, figures))) for figures in ends]
    figures, answer = min(tried, key=lambda pair: (LIKELIEST_FIRST.index(pair[1].verdict), _distance(pair[1])))
    kind = "end"
    if answer.verdict != "plausible":
        middles = tuple(told.middle for told in ranges)
        between = judge(with_figures(plain, ranges, middles))
        if LIKELIEST_FIRST.index(between.verdict) < LIKELIEST_FIRST.index(answer.verdict):
            figures, answer, kind = middles, between, "middle"
    said = (
        Reason.of(f"claim-range-{kind}", range=told.words, taken=figure)
        for told, figure in zip(ranges, figures, strict=True)
    )
    return msgspec.structs.replace(answer, reasons=(*answer.reasons, *said))


def _distance(answer: ClaimAnswer) -> float:
    """How far what is claimed lies from what is expected, by its factor; 0 where either is not a figure."""
    claim = answer.claim
    pairs: tuple[tuple[float | None, Estimate | None], ...] = (
        (claim.speed_up_ratio, answer.expected_ratio),
        (answer.claimed_step_s, answer.expected_step_s),
        (claim.mfu_fraction, answer.expected_mfu_fraction),
        (claim.memory_ratio, answer.expected_memory_ratio),
        (claim.saved_bytes, answer.expected_saved_bytes),
    )
    far = [
        abs(math.log(claimed / expected.value))
        for claimed, expected in pairs
        if claimed and expected is not None and expected.value > 0
    ]
    return sum(far)


def _bounded(plain: str, judge: Judge, specs: Mapping[str, GpuSpec]) -> ClaimAnswer:
    """The answer to a figure that is told as the most or the least there is: it holds where one beyond it would."""
    told = find_bound(plain)
    if told is None:
        return judge(plain)
    answer = judge(told.without)
    ratio = answer.claim.speed_up_ratio
    if ratio is None or ratio < 1 or answer.claim.of_memory:
        if told.denied:
            raise refusal("claim-figure-denied", answer.claim, specs, figure=told.figure)
        return answer
    return turned(msgspec.structs.replace(answer, claim=msgspec.structs.replace(answer.claim, told_as=told.side)))


def turned(answer: ClaimAnswer) -> ClaimAnswer:
    """The answer to a ratio as it stands, as one to the most or the least there is, where the claim tells it so."""
    ratio = answer.claim.speed_up_ratio
    said = _turned(answer, ratio) if ratio is not None and answer.claim.told_as is not None else None
    if said is None:
        return answer
    verdict, reason = said
    beside = (other for other in answer.reasons[1:] if other.code not in _OF_THE_FIGURE)
    return msgspec.structs.replace(answer, verdict=verdict, reasons=(reason, *beside))


def _turned(answer: ClaimAnswer, ratio: float) -> tuple[Verdict, Reason] | None:
    """The verdict on a bound by that on its figure; None: they are the same."""
    expected, most, below = answer.expected_ratio, answer.bound_ratio, answer.verdict == "below_expected"
    numbers: Arguments = {"claimed_ratio": ratio}
    if expected is not None:
        numbers |= expected.arguments("expected", "ratio")
    order = answer.claim.order
    if answer.claim.told_as == "least":
        holds = expected is not None and (below or (order is not None and expected.high > 1))
        return ("plausible", Reason.of(f"claim-bound-{order or 'least'}", **numbers)) if holds else None
    if expected is not None:
        held, missed = ("most", "not") if order is None else ("slower", "not-slower")
        verdict: Verdict = "below_expected" if below else "plausible"
        return verdict, Reason.of(f"claim-bound-{missed if below else held}", **numbers)
    if answer.verdict == "impossible" and most is not None:
        return "plausible", Reason.of("claim-bound-possible", **numbers, most_ratio=most)
    return None
