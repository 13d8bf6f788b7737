"""Claims of the form `n times as fast` by more cards of one kind: what scaling is possible, and what is expected."""

from __future__ import annotations

import itertools

import msgspec

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.claims.claim import Claim, ClaimAnswer, Verdict
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.refusals import refusal, unknown_card_reasons
from advisor.claims.setting import (
    OPEN_FACTORS,
    SIZED_PANEL,
    claimed_workload,
    held_against,
    range_over,
    ratio_of,
    stand_ins,
)
from advisor.core.sentences import Arguments, Names, Reason
from advisor.core.units import Estimate
from advisor.recommend.precisions import rate_of
from advisor.workload.workload_file import load_workload

LINEAR_SLACK = 1.03
"""Over n-fold by this much is still measurement noise."""


def check_count_ratio(claim: Claim, predictor: Predictor) -> ClaimAnswer:
    """More cards of one kind: never more than n-fold by themselves; else held against the predicted scaling.

    Raises InputError where the number of cards is not said. A card that is not in the table is named beside the answer.
    """
    ratio = claim.speed_up_ratio or 1.0
    if claim.count is None or claim.count <= claim.reference_count:
        raise refusal("claim-without-count", claim, predictor.specs)
    most = claim.count / claim.reference_count
    numbers: Arguments = {"count": claim.count, "fewer": claim.reference_count}
    numbers |= {"claimed_ratio": ratio, "most_ratio": most}
    impossible = ratio > most * LINEAR_SLACK
    expected = None if impossible else _expected_scaling(claim, predictor)
    verdict: Verdict
    if impossible:
        verdict, reason = "impossible", Reason.of("claim-more-than-linear", **numbers, beyond_ratio=ratio / most)
    elif ratio < 1 and (expected is None or expected.low > ratio):
        verdict, reason = "below_expected", Reason.of("claim-more-cards-slower", **numbers)
    elif expected is not None:
        verdict, word = held_against(ratio, expected)
        reason = Reason.of(f"claim-scaling-{word}", **numbers, **expected.arguments("expected", "ratio"))
    else:
        verdict, word = _judged_by_efficiency(ratio / most, claim.strategy)
        reason = Reason.of(f"claim-efficiency-{word}", **numbers, efficiency_fraction=ratio / most)
    beside = (Reason.of("claim-something-else-changed"),) if impossible else ()
    if expected is not None and claim.workload is None:
        like = tuple(load_workload(name).name for name in stand_ins(claim, predictor, SIZED_PANEL))
        beside = (Reason.of("claim-sized-like", like=Names(names=like)),)
    reasons = (reason, *beside, *unknown_card_reasons(claim, predictor.specs))
    return ClaimAnswer(claim=claim, verdict=verdict, reasons=reasons, expected_ratio=expected, bound_ratio=most)


def _judged_by_efficiency(efficiency: float, strategy: Strategy | None) -> tuple[Verdict, str]:
    """Without model and card only the efficiency can be named: from a half on it is common."""
    if efficiency < 0.5:  # noqa: PLR2004 - what published runs mostly reach, see docs/formats.md
        return "below_expected", "low"
    if strategy == "dp":  # how busy one process keeps so many cards depends on the model, which is not named
        return "plausible_only_with", "one-process"
    return "plausible", "plausible"


def _expected_scaling(claim: Claim, predictor: Predictor) -> Estimate | None:
    """Predicted rate(n) / rate(reference) over the variants of the card; None without card or model."""
    if not claim.gpus or (claim.workload is None and claim.parameters is None) or claim.count is None:
        return None
    (name,) = stand_ins(claim, predictor, SIZED_PANEL)
    workload = claimed_workload(msgspec.structs.replace(claim, workload=name), predictor)
    own = workload.training.batch_size
    batches = (claim.batch_size,) if claim.batch_size is not None else tuple(own * factor for factor in OPEN_FACTORS)
    open_ones: tuple[Precision, ...] = (workload.training.precision, "fp32")
    precisions = (claim.precision,) if claim.precision is not None else tuple(dict.fromkeys(open_ones))
    alone = claim.reference_count == 1
    estimates: list[Estimate] = []
    for spec in (predictor.specs[key] for key in claim.gpus):
        for precision, batch in itertools.product(precisions, batches):
            if rate_of(spec, precision) is None:
                continue
            strategy: Strategy = "single" if alone else "ddp"
            fewer = candidate(spec, precision, batch, count=claim.reference_count, strategy=strategy)
            more = candidate(spec, precision, batch, count=claim.count, strategy=claim.strategy or "ddp")
            pair = predictor.predict(workload, (fewer, more))
            if len(pair) == 2:  # noqa: PLR2004 - both could be predicted
                fewer_cards, more_cards = pair
                estimates.append(ratio_of(more_cards, fewer_cards))
    return range_over(estimates)
