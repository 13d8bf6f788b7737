"""Reads a claim from a sentence in English or Chinese: card, count, model, batch, length, precision, time or ratio."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import Precision
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import Cards, Mention, find_gpus
from advisor.claims.reading.batch_words import (
    BATCH,
    LARGEST_SIZE,
    SIZE_DIGITS,
    Growth,
    compared_batches,
    find_growth,
    shared_batch,
)
from advisor.claims.reading.change_words import (
    Changed,
    compared_strategies,
    find_change,
    find_checkpointing,
    find_strategy,
    says_on,
)
from advisor.claims.reading.figures import Figures, find_figures
from advisor.claims.reading.link_words import find_interconnect
from advisor.claims.reading.model_words import find_model
from advisor.claims.reading.need_words import find_needed_bytes, find_needed_times, needs_more, runs_only
from advisor.claims.reading.node_words import compares_nodes, in_cards
from advisor.claims.reading.number_words import (
    CONTEXT,
    LENGTH_WORDS,
    SAYS,
    SECOND,
    search,
)
from advisor.claims.reading.order_words import denies_order, says_faster
from advisor.claims.reading.plain_text import checked, says_none
from advisor.claims.reading.ratio_words import says_slower
from advisor.claims.reading.refused import (
    refuse_figures,
    refuse_half_told,
    refuse_models,
    refuse_processors,
    refuse_questions,
    refuse_unread,
    without_figure,
)
from advisor.claims.reading.share_words import find_flop_rate, find_memory_ratio
from advisor.claims.reading.sides import Sides, find_sides
from advisor.claims.reading.size_words import (
    CardHours,
    cards_of_memory,
    find_card_hours,
    find_parameters,
    find_samples,
    find_step_tokens,
    find_tokens,
    find_tokens_of_samples,
    find_trainable,
    find_weight_bits,
    is_mixture,
    says_offloaded,
    says_possible,
    trains_frozen,
)
from advisor.claims.reading.switch_words import COMPILES, find_saved_bytes, names_change
from advisor.claims.reading.told_change import (
    against_usual,
    changed,
    grown,
    linked,
    of_samples,
    refuse_alike,
    refuse_one_kind,
    tells_change,
    with_change,
)
from advisor.claims.reading.unread import HARD_FIGURE
from advisor.claims.reading.words import (
    CARD,
    PRECISIONS,
    compared_precisions,
    find_counts,
    first_named,
    precisions_of_cards,
    says_fits,
    says_training,
)
from advisor.claims.refusals import refusal
from advisor.workload.workload_file import bundled_names

_OF_ONE_CARD = (
    rf"(?<![a-z])(?:{SECOND}|秒)\s*(?:/|per|a|each|every|on each|每)\s*(?:gpu|card|device|卡|张卡|{CARD})"
    r"|每(?:张)?卡每秒|单卡每秒"
    rf"|\b(?:each|every|per) (?:gpu|card|{CARD})\b[^,.;，。；\d]{{0,24}}\d[\d.]* ?k? ?"
    rf"[^\d,.;，。；]{{1,12}}?(?:/|per)\s*{SECOND}"
    r"|每(?:张|块)?卡(?:上)?(?:大?约|能|可以?|跑|有|到|达到?|只有){0,2}\s*\d[\d.]*\s*[k千万]?\s*[^\d,.;，。；]{1,8}?(?:/|每)\s*(?:s\b|秒)"
)
"""A rate of each card, behind its second (`3,000 tokens/s/GPU`, `per H100`) or with the card before it."""
_QUANTISED_BITS = 4
_SPEED = rf"(?:/|\b(?:per|each|every|a))\s*{SECOND}|\b(?:speed|throughput|overhead)\b"
_SPEED += r"|(?<!first )(?<!any )(?<!no )\btime\b|每秒|每步|每轮|速度|吞吐|时间|耗时|用时|缩短|提速|加速|开销"
"""Words of a speed: where no figure of it could be read, the claim is about more than whether a step fits."""
_ASKS = r"\bhow (?:many|much)\b|\bwhat\b|\bwhich\b|(?<!不了)(?<!没)多少|几[张块个台]|哪"
"""Words of a question that no yes or no answers."""
_GENERATES = (
    r"\b(?:generat(?:es?|ing|ed)|text generation|decod(?:es?|ing)|serv(?:es?|ing)|vllm|sglang|ollama)\b|\bllama\.cpp\b"
    r"|\btensorrt-llm\b|\bexl(?:lama\w*|[23])\b|\bgguf\b|\bkobold\w*|\blm ?studio\b|\bsingle[ -](?:stream|user)\b"
    r"|生成|解码|部署"
)
"""What is said of tokens that a model gives, the programs that serve it and the files that they read."""
_LENGTH = (
    *(rf"{words}{SAYS}(\d+)" for words in LENGTH_WORDS),
    rf"(?<![\d.,])(\d{{3,7}}){CONTEXT}",
    r"(?<![\d.,a-z-])(\d{2,6})\s*(?:的?(?:序列)?长度|的长)",
    r"(?<![\d.,])(?<!每秒)(?<!每秒 )(?<!每秒钟 )(?<!生成 )(?<!生成)(\d+)[\s-]*tokens?\b(?!\s*(?:/|per|a)\s*s)",
)
_IMAGE = (
    rf"\b(?:image[ _-]?size|resolution|img){SAYS}(\d{{2,5}})",
    rf"(?:分辨率|图像大小|图像尺寸){SAYS}(\d{{2,5}})",
    r"(\d{2,5})\s*[x×]\s*\d{2,5}(?!\s*(?:gpu|card))",
)


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
    cards = find_gpus(plain, specs)
    if any(says_none(plain[: card.start]) for card in cards.mentions):
        raise refusal("claim-number-negative", Claim(), specs)
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
    needs = _needing(claim, plain, told.figures) if named and not claim.gpus and not cards.unknown else None
    if needs is not None:
        return needs
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


def _with_change(text: str, plain: str, told: _Told, cards: Cards, specs: Mapping[str, GpuSpec]) -> Claim:
    """What is claimed of which cards, and which change it is told of."""
    counts = {count for _, count in told.counts}
    claim = linked(_claim(text, plain, told.figures, told.sides, cards.mentions), plain, counts)
    claim = grown(changed(claim, told.change), told.growth)
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


def _told(plain: str, cards: tuple[Mention, ...]) -> _Told:
    """The parts of a normalised text; what one of them takes is out of sight of those behind it."""
    counts = find_counts(plain, [(card.start, card.end) for card in cards])
    change = find_change(plain) if len({count for _, count in counts}) <= 1 else Changed()
    memory = find_memory_ratio(plain)
    bare = _without_plurals(memory[1] if memory is not None else plain, cards)
    saved = find_saved_bytes(bare) if memory is None else None
    bare = saved[1] if saved is not None else bare
    growth = find_growth(bare)
    bare = growth.without if growth is not None else bare
    sides = find_sides(bare, cards)
    # Two cards of which one is denied to be ahead are told in an order; a change that is no faster is as fast.
    alike = not (sides.reference and denies_order(bare))
    figures = Figures(speed_up_ratio=sides.ratio) if sides.ratio is not None else find_figures(bare, alike=alike)
    of_memory = Figures(memory_ratio=memory[0] if memory else None, saved_bytes=saved[0] if saved else None)
    figures = with_change(figures, change, bare, of_memory, grew=growth is not None)
    return _Told(figures, sides, counts, change, growth, bool(of_memory))


def _of_card_hours(text: str, told: CardHours, specs: Mapping[str, GpuSpec]) -> Claim:
    """The rate of each card. Raises SaidError where it is not said how many tokens all of them passed."""
    cards = find_gpus(told.without, specs)
    sides = find_sides(told.without, cards.mentions)
    claim = _claim(text, told.without, Figures(), sides, cards.mentions)
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


def _precisions(plain: str, sides: Sides, cards: tuple[Mention, ...]) -> tuple[Precision, Precision] | None:
    """What is computed in after and before, or on either of two cards; None: not two precisions are meant."""
    if not sides.reference:
        return compared_precisions(plain)
    ends = [
        next((mention.start, mention.end) for mention in cards if mention.keys == keys)
        for keys in (sides.subject, sides.reference)
    ]
    return precisions_of_cards(plain, ends)


def _claim(text: str, plain: str, figures: Figures, sides: Sides, cards: tuple[Mention, ...]) -> Claim:
    length, bits = _number_of(_LENGTH, plain), find_weight_bits(plain)
    parameters, workload = find_parameters(plain), _workload(plain)
    if workload is not None and bits == _QUANTISED_BITS:
        workload = workload.replace("_lora", "_qlora")
    of_change = any((figures.speed_up_ratio, figures.memory_ratio, figures.saved_bytes))
    precisions = _precisions(plain, sides, cards) if of_change else None
    batches = compared_batches(plain) if of_change else None
    strategies = compared_strategies(plain) if of_change else None
    of_each = search(_OF_ONE_CARD, plain) is not None
    of_all = sides.card_count or 1 if of_each else 1
    of_each_flop = (rate := find_flop_rate(plain)) is not None and rate.per_card
    batch = batches[0] if batches is not None else _number_of(BATCH, plain)
    samples, of_job = find_samples(plain), figures.epoch_s is not None or figures.job_s is not None
    if batch is not None and batches is None:
        batch = shared_batch(batch, plain, sides.card_count or 1)
    if batch is None and figures.step_s is not None and samples is not None:
        batch = max(1, round(samples / (sides.card_count or 1)))
    return Claim(
        text=text,
        gpus=sides.subject,
        count=sides.card_count,
        reference_gpus=sides.reference,
        reference_count=sides.reference_count,
        workload=workload,
        parameters=parameters,
        trainable=find_trainable(plain) or trains_frozen(plain, bits),
        weights_bits=bits if parameters is not None else None,
        offload=True if says_offloaded(plain) else None,
        trained_tokens=find_tokens(plain) or (find_tokens_of_samples(plain) if of_job else None),
        trained_samples=samples if of_job else None,
        mode="inference" if _is_inference(plain, figures) else "training",
        strategy=strategies[0] if strategies is not None else find_strategy(plain),
        reference_strategy=strategies[1] if strategies is not None else None,
        interconnect=find_interconnect(plain, [(card.start, card.end) for card in cards]),
        precision=precisions[0] if precisions is not None else first_named(PRECISIONS, plain),
        reference_precision=precisions[1] if precisions is not None else None,
        batch_size=batch,
        reference_batch_size=batches[1] if batches is not None else None,
        fits=None if figures else _fits(plain, sized=parameters is not None, compared=bool(sides.reference)),
        sequence_length=length,
        image_size=_number_of(_IMAGE, plain),
        activation_checkpointing=None if of_change or not figures else find_checkpointing(plain),
        channels_last=says_on(r"channels[ _-]?last|\bnhwc\b", plain),
        compile=True if of_change and search(COMPILES, plain) else says_on(COMPILES, plain),
        step_s=figures.step_s,
        per_card=True if (of_each and sides.card_count is None) or of_each_flop else None,
        samples_per_s=_times(_rate(figures, length), of_all),
        tokens_per_s=_times(figures.tokens_per_s, of_all),
        epoch_s=figures.epoch_s,
        job_s=figures.job_s,
        speed_up_ratio=figures.speed_up_ratio,
        memory_ratio=figures.memory_ratio,
        saved_bytes=figures.saved_bytes,
        mfu_fraction=figures.mfu_fraction,
        flop_per_s=figures.flop_per_s,
    )


def _is_inference(plain: str, figures: Figures) -> bool:
    """Whether forward alone is meant, as it is where tokens are generated."""
    if search(r"\binference\b|推理|推断|\bforward (?:pass )?only\b", plain) is not None:
        return True
    if figures.tokens_per_s is None or says_training(plain):
        return False
    # Weights of four bits take no gradient: without adapters beside them nothing is trained.
    frozen = find_weight_bits(plain) == _QUANTISED_BITS and find_trainable(plain) is None
    return frozen or search(_GENERATES, plain) is not None


def _workload(plain: str) -> str | None:
    """The bundled workload that is named by its model or its own key, whichever says more of it."""
    named = find_model(plain)
    own = [key for key in bundled_names() if "_" in key]  # `resnet50` is a model's name first, maybe of a part
    keys = [key for key in own if search(rf"(?<![a-z0-9_]){key}(?![a-z0-9_])", plain) is not None]
    key = max(keys, key=len, default=None)
    return named if named is not None and (key is None or named.startswith(key)) else key


def _fits(plain: str, *, sized: bool, compared: bool) -> bool | None:
    said = says_fits(plain)
    asked = search(_ASKS, plain) is not None
    if said is not None or compared or asked or says_slower(plain) or search(_SPEED, plain) is not None:
        return said
    return says_possible(plain, sized=sized)


def _number_of(patterns: tuple[str, ...], plain: str) -> int | None:
    """The first number that one of the patterns finds; None: none, or one beyond the claim type's range."""
    match = next((hit for pattern in patterns if (hit := search(pattern, plain)) is not None), None)
    number = int(match.group(1)[:SIZE_DIGITS]) if match is not None else 0
    return number if 1 <= number <= LARGEST_SIZE else None


def _times(rate: float | None, cards: int) -> float | None:
    return rate * cards if rate is not None else None


def _rate(figures: Figures, length: int | None) -> float | None:
    if figures.tokens_per_s is not None:
        return figures.tokens_per_s / length if length is not None else None
    return figures.samples_per_s
