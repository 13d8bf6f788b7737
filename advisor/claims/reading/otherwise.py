"""What a claim that was read may mean as well, and what of its text the reading does not depend on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import find_gpus
from advisor.claims.reading.change_words import CHECKPOINTING, says_on
from advisor.claims.reading.circumstances import set_ups_left_out
from advisor.claims.reading.number_words import search, spelled_out
from advisor.claims.reading.plain_text import checked, normalised
from advisor.claims.reading.reader import parse_claim
from advisor.claims.reading.told_change import as_change
from advisor.claims.reading.unread import unread_figures
from advisor.claims.reading.words import PRECISIONS, find_counts, named_in_order
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
    """The words of a read claim that its reading does not depend on: cards, precisions, set-ups, and figures.

    Raises SaidError where one of two figures of a change, or of two of one unit, was not read: the claim is another.
    """
    if claim.text is None:
        return ()
    plain = normalised(claim.text)
    unread = unread_figures(plain, claim, lambda text: parse_claim(text, specs))
    of_whole = claim.epoch_s is not None or claim.job_s is not None
    half = next((figure.words for figure in unread if figure.of_change or (of_whole and figure.of_time)), None)
    if half is not None:
        raise refusal("claim-figure-unread", claim, specs, figure=half)
    figures = (figure.words for figure in unread if not _is_own_memory(figure.words, claim, specs))
    return (*_names_left_out(checked(claim.text, specs), claim, specs), *set_ups_left_out(plain), *figures)


def _is_own_memory(words: str, claim: Claim, specs: Mapping[str, GpuSpec]) -> bool:
    """Whether a size is that of a claimed card, told beside its name."""
    size = re.fullmatch(r"(\d+)\s*gi?b?", words)
    cards = (specs[key] for key in (*claim.gpus, *claim.reference_gpus) if key in specs)
    return size is not None and any(card.memory_bytes == int(size[1]) * 2.0**30 for card in cards)


def _names_left_out(plain: str, claim: Claim, specs: Mapping[str, GpuSpec]) -> Iterator[str]:
    """Cards and precisions that are named beside those that the claim was read as."""
    read = {*claim.gpus, *claim.reference_gpus}
    others = [card for card in find_gpus(plain, specs).mentions if read and read.isdisjoint(card.keys)]
    yield from dict.fromkeys(plain[card.start : card.end] for card in others)
    precisions = {claim.precision, claim.reference_precision}
    named = dict.fromkeys(meant for _, meant in named_in_order(PRECISIONS, plain))
    changed = claim.reference_activation_checkpointing is not None or claim.fits is not None
    told = next((hit for pattern, _ in CHECKPOINTING if (hit := search(pattern, plain)) is not None), None)
    if told is not None and not changed and says_on(re.escape(told.group()), plain):
        yield told.group()
    yield from (PRECISION_LABELS[meant] for meant in named if claim.precision is not None and meant not in precisions)
