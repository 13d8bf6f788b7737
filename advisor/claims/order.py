"""Claims that one card is faster than another without by how much: the order that is predicted at each precision."""

from __future__ import annotations

from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.gpu_names import shared_name
from advisor.claims.predictor import Predictor
from advisor.claims.refusals import cards_unpredicted
from advisor.claims.setting import range_over
from advisor.claims.two_cards import ASKED, card_ratio, largest_bound, rate_reasons
from advisor.core.sentences import Names, Reason
from advisor.core.units import Estimate
from advisor.recommend.comparison import counted

_ALIKE = 1.05
"""A card that is expected within this factor of another is neither ahead of it nor behind."""

_CLEAR = 1.15
"""One that is ahead by no more than what ratios of cards are off by is not told from one that may be either."""


def check_order(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """Whether a card is ahead of another: in every precision that may be meant, in some, or in none.

    Raises SaidError where they cannot be predicted.
    """
    faster = [predictor.specs[key] for key in claim.gpus]
    slower = [predictor.specs[key] for key in claim.reference_gpus]
    asked = (claim.precision,) if claim.precision is not None else ASKED
    by_precision = {
        precision: expected
        for precision in asked
        if (expected := card_ratio(claim, predictor, faster, slower, precision)) is not None
    }
    if not by_precision:
        raise cards_unpredicted(claim, predictor.specs)
    ahead: list[Precision] = [precision for precision, expected in by_precision.items() if expected.value > _ALIKE]
    behind = [precision for precision, expected in by_precision.items() if expected.value < 1 / _ALIKE]
    bound = largest_bound(claim, faster, slower, asked)
    verdict: Verdict = "plausible"
    clear = any(by_precision[precision].value > _CLEAR for precision in ahead)
    told = ahead or [precision for precision in by_precision if precision not in behind] or behind
    if len(ahead) == len(by_precision):
        word = "ahead"
    elif ahead and not clear and all(expected.high > 1 for expected in by_precision.values()):
        told, word = list(by_precision), "open"
    elif ahead:
        verdict, word = "plausible_only_with", "ahead-in"
    elif len(behind) < len(by_precision) or _over(behind, by_precision).high > 1:
        word = "open"  # nor is one whose range holds both orders said to be behind
    elif bound is not None and bound < 1:
        verdict, word = "impossible", "impossible"
    else:
        verdict, word = "plausible_only_with", "behind"
    device, other = (
        counted(claim.count or 1, shared_name(faster)),
        counted(claim.reference_count, shared_name(slower)),
    )
    others = [precision for precision in by_precision if precision not in told]
    expected = _over(told, by_precision)
    reasons = [_reason(f"claim-order-{word}", told, expected, device=device, other=other)]
    if others:
        rest = _over(others, by_precision)
        # Whose range holds both orders is not said to be behind.
        code = "claim-order-either-in" if rest.low < 1 < rest.high else "claim-order-otherwise"
        reasons.append(_reason(code, others, rest, device=device, other=other))
    return ClaimAnswer(
        claim=claim,
        verdict=verdict,
        reasons=(*reasons, *rate_reasons(faster[0], slower[0])),
        expected_ratio=expected,
        bound_ratio=bound,
    )


def _over(which: list[Precision], by_precision: dict[Precision, Estimate]) -> Estimate:
    """The range over all of these precisions."""
    expected = range_over([by_precision[precision] for precision in which])
    assert expected is not None
    return expected


def _reason(code: str, which: list[Precision], expected: Estimate, *, device: str, other: str) -> Reason:
    """The sentence `code` of these precisions, and what is expected in them."""
    labels = Names(names=tuple(PRECISION_LABELS[precision] for precision in which))
    return Reason.of(code, device=device, other=other, precisions=labels, **expected.arguments("expected", "ratio"))
