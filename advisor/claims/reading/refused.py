"""What a text holds that no claim is made of, and what it lacks: each refused by its own name."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.claim import Claim
from advisor.claims.reading.changes.batch_words import other_batch, says_larger
from advisor.claims.reading.changes.change_words import unpredicted_strategy
from advisor.claims.reading.changes.circumstances import acting_set_up, other_quantity, unjudged_change
from advisor.claims.reading.changes.switch_words import names_change
from advisor.claims.reading.changes.told_change import acting_cause, tells_change
from advisor.claims.reading.compared.order_words import says_faster
from advisor.claims.reading.compared.sides import Sides
from advisor.claims.reading.models.fit_words import says_fits
from advisor.claims.reading.models.size_words import is_mixture
from advisor.claims.reading.numbers.figures import Figures
from advisor.claims.reading.numbers.memory_words import says_part
from advisor.claims.reading.numbers.number_words import search
from advisor.claims.reading.numbers.ratio_words import says_slower
from advisor.claims.reading.numbers.utilisation_words import find_flop_rate, other_utilisation
from advisor.claims.reading.text.unread import HARD_FIGURE
from advisor.claims.refusals import refusal, unknown_card

_ASKS_HOW = r"\bhow (?:many|much|long|fast)\b|(?<!不了)(?<!没)多少|多久|多快|多长时间|几[个张块台小天]"
_AGAINST_CPU = (
    r"\b(?:than|over|vs\.?|versus|against|as) (?:on )?(?:my |a |the |an? )?(?:[a-z0-9-]{1,12} ){0,2}cpus?\b"
    r"|\bcpus? (?:vs\.?|versus|against|to)\b|比[^,.;，。；]{0,8}cpu|cpu[^,.;，。；]{0,6}比"
)
_LEAST, _MOST, _MOST_FLOP = 1e-15, 1e15, 1e22
"""Of seconds, rates and ratios; the last of FLOP a second."""


def refuse_figures(figures: Figures, plain: str, specs: Mapping[str, GpuSpec], *, of_memory: bool) -> None:
    """Refuse figures of a part of the memory, of all of it, of something else, and beyond anything that is timed."""
    if (figures.memory_ratio, figures.saved_bytes) != (None, None) and says_part(plain):
        raise refusal("claim-memory-of-a-part", Claim(), specs)
    if figures.memory_ratio is not None and figures.memory_ratio <= 0:
        raise refusal("claim-saves-all-memory", Claim(), specs)
    timed = figures._replace(flop_per_s=None)
    most_flop = (figures.flop_per_s or 0.0) > _MOST_FLOP
    if most_flop or any(value is not None and not _LEAST < value < _MOST for value in timed):
        raise refusal("claim-number-beyond", Claim(), specs)
    ratio = figures.speed_up_ratio is not None
    if (other := other_quantity(plain, of_ratio=ratio, of_figure=bool(figures) or of_memory)) is not None:
        raise refusal("claim-other-quantity", Claim(), specs, quantity=other)


def refuse_questions(plain: str, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse a text whose figures all stand in a question of how many, how much or how long."""
    parts = re.split(r"(?<=[?？!！。;；])|(?<=\.)(?=\s)", plain)
    asked = [part for part in parts if search(_ASKS_HOW, part) is not None]
    told = "".join(part for part in parts if part not in asked)
    if asked and search(HARD_FIGURE, told) is None and search(HARD_FIGURE, "".join(asked)) is not None:
        raise refusal("claim-without-figure", Claim(), specs)


def refuse_processors(plain: str, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse a GPU that is held against a CPU, of which none is predicted by its name."""
    if search(_AGAINST_CPU, plain) is not None:
        raise refusal("claim-against-cpu", Claim(), specs)


def refuse_models(claim: Claim, plain: str, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse mixtures of experts, and ways of sharing the work that are not predicted."""
    if claim.workload is None and is_mixture(plain):
        raise refusal("claim-mixture", claim, specs)
    named = claim.workload is not None or claim.parameters is not None
    if named and (strategy := unpredicted_strategy(plain)) is not None:
        raise refusal("claim-strategy-unpredicted", claim, specs, strategy=strategy)


def refuse_unread(claim: Claim, plain: str, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse what was not read beside what fits: a second batch, or a figure where words alone would make the claim."""
    other = other_batch(plain, claim.batch_size) if claim.batch_size is not None else None
    if other is not None:
        raise refusal("claim-figure-unread", claim, specs, figure=other)
    if says_fits(plain) is None and (odd := search(HARD_FIGURE, plain)) is not None:
        raise refusal("claim-figure-unread", claim, specs, figure=odd.group().strip())


def refuse_half_told(claim: Claim, plain: str, sides: Sides, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse two cards that nothing compares, and a larger batch without its sizes, which what it brings depends on."""
    if sides.reference and not sides.compared:
        raise refusal("claim-cards-not-compared", claim, specs)
    of_change = claim.speed_up_ratio is not None and not claim.reference_gpus
    of_change = of_change and claim.reference_interconnect is None
    if of_change and (acting := acting_set_up(plain, brings=True)) is not None:
        raise refusal("claim-change-unjudged", claim, specs, change=acting)
    batches = (claim.reference_batch_size, claim.batch_ratio)
    untold = claim.speed_up_ratio is not None and batches == (None, None) and (claim.count or 1) == 1
    if untold and not claim.reference_gpus and says_larger(plain):
        raise refusal("claim-without-batches", claim, specs)
    alone = untold and not claim.reference_gpus and not tells_change(claim)
    if alone and (change := unjudged_change(plain) or acting_cause(plain, len(plain))) is not None:
        raise refusal("claim-change-unjudged", claim, specs, change=change)


def without_figure(claim: Claim, plain: str, sides: Sides, specs: Mapping[str, GpuSpec], *, of_memory: bool) -> Claim:
    """The claim of an order alone. Raises SaidError where it is about anything else, which would take a figure."""
    if says_part(plain):
        raise refusal("claim-memory-of-a-part", claim, specs)
    if (other := other_utilisation(plain)) is not None:
        raise refusal(f"claim-utilisation-{other}", claim, specs)
    if claim.unknown_gpus:
        raise unknown_card(claim, specs)
    faster = says_faster(plain)
    if sides.compared and faster is not None and search(HARD_FIGURE, plain) is None:
        return _ordered(claim, faster=faster)
    slower = faster is False and not names_change(plain)
    if slower and (claim.count or 1) > sides.reference_count and not of_memory:
        return msgspec.structs.replace(claim, speed_up_ratio=1.0, told_as="most")
    if of_memory:
        raise refusal("claim-memory-without-change", claim, specs)
    peak = find_flop_rate(plain)
    if (odd := search(HARD_FIGURE, plain if peak is None else peak.without)) is not None:
        if (change := acting_set_up(plain, brings=False)) is not None:
            raise refusal("claim-change-unjudged", claim, specs, change=change)
        raise refusal("claim-figure-unread", claim, specs, figure=odd.group().strip())
    raise refusal("claim-without-degree" if says_slower(plain) else "claim-without-figure", claim, specs)


def _ordered(claim: Claim, *, faster: bool) -> Claim:
    """The claim with the card that is said to be the faster one, and how many of it, as its own."""
    if faster:
        return msgspec.structs.replace(claim, is_faster=True)
    return msgspec.structs.replace(
        claim,
        is_faster=True,
        gpus=claim.reference_gpus,
        reference_gpus=claim.gpus,
        count=claim.reference_count,
        reference_count=claim.count or 1,
    )
