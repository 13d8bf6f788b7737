"""What a claim that was read may mean as well, and what of its text the reading does not depend on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.strategies import STRATEGY_LABELS
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import find_gpus
from advisor.claims.overlooked.unread_words import unread_words
from advisor.claims.reading.changes.change_words import CHECKPOINTING, STRATEGIES, says_on
from advisor.claims.reading.changes.circumstances import set_ups_left_out
from advisor.claims.reading.changes.held_against import named_in_order
from advisor.claims.reading.changes.precision_words import PRECISIONS
from advisor.claims.reading.changes.told_change import as_change
from advisor.claims.reading.compared.sides import leaves_order_open
from advisor.claims.reading.numbers.card_counts import find_counts
from advisor.claims.reading.numbers.number_words import search, spelled_out
from advisor.claims.reading.reader import parse_claim
from advisor.claims.reading.text.plain_text import checked, normalised
from advisor.claims.reading.text.price_words import find_price
from advisor.claims.reading.text.unread import unread_figures
from advisor.claims.refusals import refusal
from advisor.workload.workload_file import load_workload


def other_reading(claim: Claim, specs: Mapping[str, GpuSpec]) -> Claim | None:
    """What a read claim may mean as well; None: nothing is left open.

    The change that it names, on as many cards; or, of two cards that are only set against each other, the other one.
    """
    if claim.text is None or claim.speed_up_ratio is None:
        return None
    plain = spelled_out(normalised(claim.text))
    cards = find_gpus(plain, specs).mentions
    if claim.reference_gpus and leaves_order_open(plain, cards):
        return msgspec.structs.replace(
            claim,
            gpus=claim.reference_gpus,
            reference_gpus=claim.gpus,
            count=claim.reference_count,
            reference_count=claim.count or 1,
        )
    counts = {count for _, count in find_counts(plain, [(card.start, card.end) for card in cards])}
    return as_change(claim, plain, len(counts))


def price_beside(claim: Claim, specs: Mapping[str, GpuSpec]) -> str | None:
    """The words of a price that is told beside the claim, of which nothing is judged; None: none is."""
    price = None if claim.text is None else find_price(normalised(claim.text), specs)
    return None if price is None else price.words


def left_out(claim: Claim, specs: Mapping[str, GpuSpec]) -> tuple[str, ...]:
    """The words of a read claim that its reading does not depend on: cards, precisions, set-ups, figures, and others.

    Raises SaidError where one of two figures of a change, or of two of one unit, was not read: the claim is another.
    """
    if claim.text is None:
        return ()
    plain = normalised(claim.text)
    price = find_price(plain, specs)
    plain = plain if price is None else price.without

    def read(text: str) -> Claim:
        return parse_claim(text, specs)

    mentions = find_gpus(plain, specs).mentions
    unread = unread_figures(plain, claim, read, [(card.start, card.end) for card in mentions])
    of_whole = claim.epoch_s is not None or claim.job_s is not None
    half = next((figure.words for figure in unread if figure.of_change or (of_whole and figure.of_time)), None)
    if half is not None:
        raise refusal("claim-figure-unread", claim, specs, figure=half)
    figures = (figure.words for figure in unread if not _is_own_memory(figure.words, claim, specs))
    link = (claim.interconnect or "").lower()
    cards = tuple(plain[card.start : card.end] for card in mentions)
    set_ups = (words for words in set_ups_left_out(plain) if not _overlap(words, (*cards, link)))
    told = (*_names_left_out(checked(claim.text, specs), claim, specs), *set_ups, *figures)
    own = load_workload(claim.workload).name.lower() if claim.workload is not None else ""
    words = unread_words(plain, claim, read)
    known = (*told, *cards, *claim.unknown_gpus, link, claim.other_model or "")
    return (*told, *(word for word in words if word not in own and not _overlap(word, known)))


def _overlap(words: str, told: Iterable[str]) -> bool:
    return any(words in other.lower() or other.lower() in words for other in told if other)


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
    taken = claim.activation_checkpointing is not None and claim.workload is not None
    changed = claim.reference_activation_checkpointing is not None or claim.fits is not None or taken
    told = next((hit for pattern, _ in CHECKPOINTING if (hit := search(pattern, plain)) is not None), None)
    if told is not None and not changed and says_on(re.escape(told.group()), plain):
        yield told.group()
    strategies = {claim.strategy, claim.reference_strategy}
    ways = dict.fromkeys(meant for _, meant in named_in_order(STRATEGIES, plain))
    yield from (STRATEGY_LABELS[way] for way in ways if claim.strategy is not None and way not in strategies)
    yield from (PRECISION_LABELS[meant] for meant in named if claim.precision is not None and meant not in precisions)
