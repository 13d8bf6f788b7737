"""Reads a claim from a sentence in English or Chinese: card, count, model, batch, length, precision, time or ratio."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import Cards, Mention, find_gpus
from advisor.claims.reading.changes.batch_words import Growth, find_growth
from advisor.claims.reading.changes.change_words import Changed, compared_strategies, find_change
from advisor.claims.reading.changes.length_words import LengthChange, find_length_change, stated_lengths
from advisor.claims.reading.changes.switch_words import find_saved_bytes, names_change
from advisor.claims.reading.changes.told_change import (
    against_usual,
    changed,
    grown,
    linked,
    of_samples,
    refuse_alike,
    refuse_one_kind,
    stretched,
    tells_change,
    with_change,
)
from advisor.claims.reading.compared.order_words import denies_order, says_faster
from advisor.claims.reading.compared.sides import Sides, find_sides
from advisor.claims.reading.compared.two_speeds import PAIR, two_speeds
from advisor.claims.reading.fields import claim_of_fields
from advisor.claims.reading.models.fit_words import cards_of_memory, says_fits
from advisor.claims.reading.models.mode_words import runs_only
from advisor.claims.reading.models.need_words import find_needed_bytes, find_needed_times, needs_more
from advisor.claims.reading.models.size_words import CardHours, find_card_hours, find_step_tokens, is_mixture
from advisor.claims.reading.numbers.card_counts import find_counts
from advisor.claims.reading.numbers.figures import Figures, find_figures
from advisor.claims.reading.numbers.memory_words import find_memory_ratio
from advisor.claims.reading.numbers.node_words import compares_nodes, in_cards
from advisor.claims.reading.numbers.number_words import search
from advisor.claims.reading.refused import (
    refuse_figures,
    refuse_half_told,
    refuse_models,
    refuse_processors,
    refuse_questions,
    refuse_unread,
    without_figure,
)
from advisor.claims.reading.text.plain_text import checked, says_none
from advisor.claims.reading.text.price_words import find_price
from advisor.claims.reading.text.unread import HARD_FIGURE
from advisor.claims.refusals import refusal


def parse_claim(text: str, specs: Mapping[str, GpuSpec]) -> Claim:
    """The claim that a sentence makes.

    Raises InputError when it holds neither a time nor a ratio, names two cards without comparing them or a strategy
    that is not predicted, is too long, or holds a number beyond anything that can be timed.
    """
    plain = in_cards(checked(text, specs))
    if (of_cards := find_card_hours(plain)) is not None:
        return _of_card_hours(text, of_cards, specs)
    if (nodes := compares_nodes(plain)) is not None:
        raise refusal("claim-nodes-uncounted", Claim(), specs, nodes=nodes)
    of_step = find_step_tokens(plain)
    plain = plain if of_step is None else of_step.without
    price = find_price(plain, specs)
    plain = plain if price is None else price.without
    cards = _known_cards(plain, specs)
    told = _told(plain, cards.mentions)
    if of_step is not None and told.figures.step_s is not None:
        rate = of_step.tokens / told.figures.step_s
        told = told._replace(figures=told.figures._replace(step_s=None, tokens_per_s=rate))
    refuse_questions(plain, specs)
    refuse_processors(plain, specs)
    refuse_one_kind(plain, specs)
    refuse_figures(told.figures, plain, specs, of_memory=told.of_memory)
    claim = _with_change(text, plain, told, cards, specs)
    refuse_models(claim, plain, specs)
    ordered = _ordered_change(text, plain, told, cards, specs)
    if ordered is not None:
        return ordered
    named = claim.workload is not None or claim.parameters is not None
    of_a_step = claim.workload is not None and bool(claim.gpus) and not told.figures and not told.sides.reference
    alone = not claim.gpus and not cards.unknown
    needs = _needing(claim, plain, told.figures) if named and (alone or of_a_step) else None
    if needs is not None:
        return needs
    if price is not None and not told.figures and says_fits(plain) is None:
        raise refusal("claim-other-quantity", claim, specs, quantity=price.words)
    if claim.fits is not None and not told.figures:
        refuse_unread(claim, _without_plurals(plain, cards.mentions), specs)
        in_words = not claim.gpus and not cards.unknown
        return msgspec.structs.replace(claim, gpus=cards_of_memory(plain, specs)) if in_words else claim
    if not told.figures:
        bare = _without_plurals(plain, cards.mentions)
        return without_figure(claim, bare, told.sides, specs, of_memory=told.of_memory)
    refuse_half_told(claim, plain, told.sides, specs)
    refuse_alike(claim, plain, told.counts, specs)
    return claim


def _known_cards(plain: str, specs: Mapping[str, GpuSpec]) -> Cards:
    """The cards of a text. Raises SaidError where none of one, or fewer, are counted."""
    cards = find_gpus(plain, specs)
    if any(says_none(plain[: card.start]) for card in cards.mentions):
        raise refusal("claim-number-negative", Claim(), specs)
    return cards


def _with_change(text: str, plain: str, told: _Told, cards: Cards, specs: Mapping[str, GpuSpec]) -> Claim:
    """What is claimed of which cards, and which change it is told of."""
    counts = {count for _, count in told.counts}
    claim = linked(claim_of_fields(text, plain, told.figures, told.sides, cards.mentions), plain, counts)
    beside = told.length is not None and not told.change.certain
    claim = grown(claim if beside else changed(claim, told.change), told.growth)
    claim = stretched(claim, told.length, plain)
    claim = against_usual(claim, plain, specs, counts=len(counts))
    claim = of_samples(claim, plain)
    return msgspec.structs.replace(claim, unknown_gpus=cards.unknown)


def _ordered_change(text: str, plain: str, told: _Told, cards: Cards, specs: Mapping[str, GpuSpec]) -> Claim | None:
    """The claim that a change makes the same cards faster or slower, by how much is not said; None: it is another."""
    if told.figures or told.of_memory or told.sides.reference or (faster := says_faster(plain)) is None:
        return None
    compares = names_change(plain) or compared_strategies(plain) is not None
    if not compares or search(HARD_FIGURE, _without_plurals(plain, cards.mentions)) is not None:
        return None
    claim = _with_change(text, plain, told._replace(figures=Figures(speed_up_ratio=1.0)), cards, specs)
    alike = msgspec.structs.replace(claim, told_as="least" if faster else "most", fits=None)
    return alike if tells_change(alike) else None


class _Told(NamedTuple):
    """What a text says in figures, of whom, and of which change."""

    figures: Figures
    sides: Sides
    counts: tuple[tuple[int, int], ...]
    change: Changed
    growth: Growth | None
    of_memory: bool
    length: LengthChange | None


def _told(plain: str, cards: tuple[Mention, ...]) -> _Told:
    """The parts of a normalised text; what one of them takes is out of sight of those behind it."""
    counts = find_counts(plain, [(card.start, card.end) for card in cards])
    change = find_change(plain) if len({count for _, count in counts}) <= 1 else Changed()
    length = find_length_change(plain) or (stated_lengths(plain) if len(two_speeds(plain)) == PAIR else None)
    bare = plain if length is None else length.without
    memory = find_memory_ratio(bare)
    bare = _without_plurals(memory[1] if memory is not None else bare, cards)
    saved = find_saved_bytes(bare) if memory is None else None
    bare = saved[1] if saved is not None else bare
    growth = find_growth(bare)
    bare = growth.without if growth is not None else bare
    sides = find_sides(bare, cards)
    # Two cards of which one is denied to be ahead are told in an order; a change that is no faster is as fast.
    alike = not (sides.reference and denies_order(bare))
    figures = Figures(speed_up_ratio=sides.ratio) if sides.ratio is not None else find_figures(bare, alike=alike)
    of_memory = Figures(memory_ratio=memory[0] if memory else None, saved_bytes=saved[0] if saved else None)
    grew = growth is not None or length is not None
    figures = with_change(figures, change, bare, of_memory, grew=grew)
    return _Told(figures, sides, counts, change, growth, bool(of_memory), length)


def _of_card_hours(text: str, told: CardHours, specs: Mapping[str, GpuSpec]) -> Claim:
    """The rate of each card. Raises SaidError where it is not said how many tokens all of them passed."""
    cards = find_gpus(told.without, specs)
    sides = find_sides(told.without, cards.mentions)
    claim = claim_of_fields(text, told.without, Figures(), sides, cards.mentions)
    claim = msgspec.structs.replace(claim, unknown_gpus=cards.unknown, fits=None, count=None)
    if claim.workload is None and is_mixture(told.without):
        raise refusal("claim-mixture", claim, specs)
    if claim.trained_tokens is None:
        raise refusal("claim-card-hours", claim, specs, total_s=told.seconds)
    return msgspec.structs.replace(claim, tokens_per_s=claim.trained_tokens / told.seconds, per_card=True)


def _without_plurals(plain: str, cards: tuple[Mention, ...]) -> str:
    """The text in which the plural of a card that is named by its number is no time: `two 3090s`."""
    for card in cards:
        plural = re.compile(r"(?<=\d)s\b").search(plain, card.start, card.end + 1)
        if plural is not None:
            plain = f"{plain[: plural.start()]} {plain[plural.end() :]}"
    return plain


def _needing(claim: Claim, plain: str, figures: Figures) -> Claim | None:
    """The claim of how much memory a model needs; None: it is about something else."""
    needed = find_needed_times(plain, claim.parameters) or (None if figures else find_needed_bytes(plain))
    if needed is None:
        return None
    mode = "inference" if runs_only(plain) else claim.mode
    told_as = "least" if needs_more(plain) else None
    return msgspec.structs.replace(
        claim, fits=None, speed_up_ratio=None, memory_bytes=needed, mode=mode, told_as=told_as
    )
