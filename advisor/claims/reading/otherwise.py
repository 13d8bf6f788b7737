"""What a claim that was read may mean as well, and what of its text the reading does not depend on."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import find_gpus
from advisor.claims.reading.circumstances import set_ups_left_out
from advisor.claims.reading.number_words import spelled_out
from advisor.claims.reading.plain_text import normalised
from advisor.claims.reading.reader import parse_claim
from advisor.claims.reading.told_change import as_change
from advisor.claims.reading.unread import unread_figures
from advisor.claims.reading.words import find_counts
from advisor.claims.refusals import refusal


def other_reading(claim: Claim, specs: Mapping[str, GpuSpec]) -> Claim | None:
    """What a read claim may mean as well: the change that it names, on as many cards; None: nothing is left open."""
    if claim.text is None or claim.speed_up_ratio is None:
        return None
    plain = spelled_out(normalised(claim.text))
    cards = find_gpus(plain, specs).mentions
    counts = {count for _, count in find_counts(plain, [(card.start, card.end) for card in cards])}
    return as_change(claim, plain, len(counts))


def left_out(claim: Claim, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """The words of a read claim that its reading does not depend on: set-ups, and figures.

    Raises SaidError where one of two figures of a change, or of two of one unit, was not read: the claim is another.
    """
    if claim.text is None:
        return ()
    plain = normalised(claim.text)
    unread = unread_figures(plain, claim, lambda text: parse_claim(text, specs))
    half = next((figure.words for figure in unread if figure.of_change), None)
    if half is not None:
        raise refusal("claim-figure-unread", claim, specs, figure=half)
    return (*set_ups_left_out(plain), *(figure.words for figure in unread))
