"""Reads a claim from a sentence in English or Chinese: card, count, model, batch, length, precision, time or ratio."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import Precision
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import Mention, find_gpus
from advisor.claims.reading.batch_words import (
    BATCH,
    LARGEST_SIZE,
    SIZE_DIGITS,
    compared_batches,
    find_growth,
    says_larger,
)
from advisor.claims.reading.change_words import (
    Changed,
    compared_strategies,
    find_change,
    find_strategy,
    unjudged_change,
    unpredicted_strategy,
)
from advisor.claims.reading.figures import Figures, find_figures
from advisor.claims.reading.model_words import find_model
from advisor.claims.reading.need_words import find_needed_bytes, find_needed_times, runs_only
from advisor.claims.reading.number_words import (
    CONTEXT,
    LENGTH_WORDS,
    NO_WHOLE_SIZE,
    NOT_ONE_NUMBER,
    SAYS,
    SECOND,
    WHOLE_SIZE,
    search,
    spelled_out,
)
from advisor.claims.reading.ratio_words import says_faster, says_slower
from advisor.claims.reading.share_words import find_memory_ratio, other_utilisation, says_part
from advisor.claims.reading.sides import Sides, find_sides
from advisor.claims.reading.size_words import (
    CardHours,
    cards_of_memory,
    find_card_hours,
    find_parameters,
    find_samples,
    find_step_tokens,
    find_tokens,
    find_trainable,
    find_weight_bits,
    is_mixture,
    says_offloaded,
    says_possible,
)
from advisor.claims.reading.switch_words import COMPILES, find_saved_bytes
from advisor.claims.reading.told_change import against_usual, changed, grown, refuse_alike, with_change
from advisor.claims.reading.words import (
    PRECISIONS,
    compared_precisions,
    find_counts,
    first_named,
    precisions_of_cards,
    says_fits,
)
from advisor.claims.refusals import refusal, unknown_card
from advisor.workload.workload_file import bundled_names

MAX_CHARACTERS = 2000
_LONG_NUMBER = re.compile(r"[0-9]{25}")
"""Patterns that begin with digits try each of them: a run without end would cost its square."""
_BELOW_ZERO = re.compile(
    r"(?<![^ (])0(?:\.0{1,24})? ?(?:ms|images?|samples?|x|times)\b"
    r"|(?<![^ (])(?<!h )(?<!hour )(?<!hours )(?<!min )(?<!minute )(?<!minutes )(?<!and )"
    r"0(?:\.0{1,24})? ?(?:s|sec|seconds?|min|minutes?|h|hours?)\b"
    r"|(?<![^ (])-\d{1,24}(?:\.\d{1,24})? ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|images?|samples?|x|times)\b"
    r"|(?<![^ (])(?:-\d{1,24}(?:\.\d{1,24})?|0(?:\.0{1,24})?) ?(?:%|percent\b)"
)
"""A figure of zero or below; a dash between two figures or words has no blank before it and none is read as a minus."""
_NO_CARDS = re.compile(r"(?:^|(?<=[ (]))(?:0|-\d{1,4}) ?(?:x ?)?(?:gpus?\b|cards?\b|显卡|卡|张)")
_NONE_OF = re.compile(r"(?:^|(?<=[ (]))(?:0|-\d{1,4}) ?(?:[x×*] ?|张)?$")
"""No card, or fewer, before the name of one; a bullet has a blank behind it."""
_OF_ONE_CARD = (
    rf"(?:{SECOND}|秒)\s*(?:/|per|a|each|every|on each|每)\s*(?:gpu|card|device|卡|张卡)|每(?:张)?卡每秒|单卡每秒"
)
"""A rate of each card, behind its second: `3,000 tokens/s/GPU`."""
_DOUBLE = r"\bfp[\s-]?64\b|\bfloat64\b|\bdouble[\s-]precision\b|双精度"
_QUANTISED_BITS = 4
_RTX = r"(?<![a-z0-9.])(?:geforce\s*)?(?:rtx\s*)?([2-5]0[5-9]0(?:\s*ti)?)"
_LAPTOP_BEHIND = re.compile(rf"{_RTX}\s*(?:laptop|笔记本(?:电脑)?|移动版)(?![a-z])", re.ASCII)
_LAPTOP_BEFORE = re.compile(rf"(?:\blaptop\s*|笔记本(?:电脑)?(?:上的?|的)?\s*|移动版\s*){_RTX}(?![a-z0-9])", re.ASCII)
"""A laptop's card is one of its own, whichever side the word stands on and with or without its brand."""
_PARTS = re.compile(r"(?<=\d{4})，(?=\d)|(?<=\d)，(?=\d)(?!\d{3}(?!\d))")
"""A Chinese comma between two figures parts them, but for one that may join groups of three digits (`1，400`)."""
_SPEED = rf"(?:/|\b(?:per|each|every|a))\s*{SECOND}|每秒|每步|每轮"
"""Words of a speed: where no figure of it could be read, the claim is about more than whether a step fits."""
_LEAST, _MOST = 1e-15, 1e15
"""Of seconds, rates and ratios."""
_GENERATES = (
    r"\b(?:generat(?:es?|ing|ed)|text generation|decod(?:es?|ing)|serv(?:es?|ing)|vllm|sglang|ollama)\b|\bllama\.cpp\b"
    r"|\btensorrt-llm\b|生成|解码|部署"
)
"""What is said of tokens that a model gives, and the programs that serve it."""
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
    plain = _checked(text, specs)
    if (of_cards := find_card_hours(plain)) is not None:
        return _of_card_hours(text, of_cards, specs)
    of_step = find_step_tokens(plain)
    plain = plain if of_step is None else of_step.without
    cards = find_gpus(plain, specs)
    if any(_NONE_OF.search(plain[: card.start]) is not None for card in cards.mentions):
        raise refusal("claim-number-negative", Claim(), specs)
    named_counts = find_counts(plain, [(card.start, card.end) for card in cards.mentions])
    counts = len({count for _, count in named_counts})
    change, memory = find_change(plain) if counts <= 1 else Changed(), find_memory_ratio(plain)
    bare = _without_plurals(memory[1] if memory is not None else plain, cards.mentions)
    saved = find_saved_bytes(bare) if memory is None else None
    bare = saved[1] if saved is not None else bare
    growth = find_growth(bare)
    bare = growth.without if growth is not None else bare
    sides = find_sides(bare, cards.mentions)
    figures = Figures(speed_up_ratio=sides.ratio) if sides.ratio is not None else find_figures(bare)
    of_memory = Figures(memory_ratio=memory[0] if memory else None, saved_bytes=saved[0] if saved else None)
    figures = with_change(figures, change, bare, of_memory, grew=growth is not None)
    if of_step is not None and figures.step_s is not None:
        figures = figures._replace(step_s=None, tokens_per_s=of_step.tokens / figures.step_s)
    _refuse_figures(figures, plain, specs)
    claim = grown(changed(_claim(text, plain, figures, sides, cards.mentions), change), growth)
    claim = against_usual(claim, plain, specs, counts=counts)
    claim = msgspec.structs.replace(claim, unknown_gpus=cards.unknown)
    named = claim.workload is not None or claim.parameters is not None
    if claim.workload is None and is_mixture(plain):
        raise refusal("claim-mixture", claim, specs)
    if named and (strategy := unpredicted_strategy(plain)) is not None:
        raise refusal("claim-strategy-unpredicted", claim, specs, strategy=strategy)
    needs = _needing(claim, plain, figures) if named and not claim.gpus and not cards.unknown else None
    if needs is not None:
        return needs
    if claim.fits is not None and not figures:
        in_words = not claim.gpus and not cards.unknown
        return msgspec.structs.replace(claim, gpus=cards_of_memory(plain, specs)) if in_words else claim
    if not figures:
        return _without_figure(claim, plain, sides, specs, of_memory=bool(of_memory))
    _refuse_half_told(claim, plain, sides, specs)
    refuse_alike(claim, plain, named_counts, specs)
    return claim


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


def _refuse_figures(figures: Figures, plain: str, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse figures of a part of the memory, of all of it, and those beyond anything that can be timed."""
    if (figures.memory_ratio, figures.saved_bytes) != (None, None) and says_part(plain):
        raise refusal("claim-memory-of-a-part", Claim(), specs)
    if figures.memory_ratio is not None and figures.memory_ratio <= 0:
        raise refusal("claim-saves-all-memory", Claim(), specs)
    if any(value is not None and not _LEAST < value < _MOST for value in figures):
        raise refusal("claim-number-beyond", Claim(), specs)


def _refuse_half_told(claim: Claim, plain: str, sides: Sides, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse two cards that nothing compares, and a larger batch without its sizes, which what it brings depends on."""
    if sides.reference and not sides.compared:
        raise refusal("claim-cards-not-compared", claim, specs)
    batches = (claim.reference_batch_size, claim.batch_ratio)
    untold = claim.speed_up_ratio is not None and batches == (None, None) and (claim.count or 1) == 1
    if untold and not claim.reference_gpus and says_larger(plain):
        raise refusal("claim-without-batches", claim, specs)
    stated = (claim.reference_precision, claim.reference_strategy, claim.compile, claim.tuning, claim.attention)
    alone = untold and not claim.reference_gpus and not any((*stated, claim.activation_checkpointing, claim.switched))
    if alone and (change := unjudged_change(plain)) is not None:
        raise refusal("claim-change-unjudged", claim, specs, change=change)


def _needing(claim: Claim, plain: str, figures: Figures) -> Claim | None:
    """The claim of how much memory a model needs; None: it is about something else."""
    needed = find_needed_times(plain, claim.parameters) or (None if figures else find_needed_bytes(plain))
    if needed is None:
        return None
    mode = "inference" if runs_only(plain) else claim.mode
    return msgspec.structs.replace(claim, fits=None, speed_up_ratio=None, memory_bytes=needed, mode=mode)


def _without_figure(claim: Claim, plain: str, sides: Sides, specs: Mapping[str, GpuSpec], *, of_memory: bool) -> Claim:
    """The claim of an order alone. Raises SaidError where it is about anything else, which would take a figure."""
    if says_part(plain):
        raise refusal("claim-memory-of-a-part", claim, specs)
    if (other := other_utilisation(plain)) is not None:
        raise refusal(f"claim-utilisation-{other}", claim, specs)
    if claim.unknown_gpus:
        raise unknown_card(claim, specs)
    if sides.compared and (faster := says_faster(plain)) is not None:
        return _ordered(claim, faster=faster)
    if of_memory:
        raise refusal("claim-memory-without-change", claim, specs)
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


def _checked(text: str, specs: Mapping[str, GpuSpec]) -> str:
    """The normalised text, whose figures are such as can be read. Raises InputError."""
    if len(text) > MAX_CHARACTERS:
        raise refusal("claim-too-long", Claim(), specs, length=len(text), most=MAX_CHARACTERS)
    plain = spelled_out(normalised(text))
    if len(plain) > 2 * MAX_CHARACTERS or _LONG_NUMBER.search(plain) is not None:
        raise refusal("claim-number-beyond", Claim(), specs)
    if _BELOW_ZERO.search(plain) is not None or _NO_CARDS.search(plain) is not None:
        raise refusal("claim-number-negative", Claim(), specs)
    if search(_DOUBLE, plain) is not None:
        raise refusal("claim-double-precision", Claim(), specs)
    if (odd := search(NOT_ONE_NUMBER, plain) or search(NO_WHOLE_SIZE, plain)) is not None:
        raise refusal("claim-number-form", Claim(), specs, figure=odd.group())
    sizes = [size[1] for size in re.finditer(WHOLE_SIZE, plain, re.ASCII)]
    if any(len(digits) > SIZE_DIGITS or int(digits) > LARGEST_SIZE for digits in sizes):
        raise refusal("claim-number-beyond", Claim(), specs)
    if any(int(digits) == 0 for digits in sizes):
        raise refusal("claim-number-negative", Claim(), specs)
    return plain


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
    batch = batches[0] if batches is not None else _number_of(BATCH, plain)
    samples = find_samples(plain)
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
        trainable=find_trainable(plain),
        weights_bits=bits if parameters is not None else None,
        offload=True if says_offloaded(plain) else None,
        trained_tokens=find_tokens(plain),
        trained_samples=samples if figures.epoch_s is not None or figures.job_s is not None else None,
        mode="inference" if _is_inference(plain, figures) else "training",
        strategy=strategies[0] if strategies is not None else find_strategy(plain),
        reference_strategy=strategies[1] if strategies is not None else None,
        precision=precisions[0] if precisions is not None else first_named(PRECISIONS, plain),
        reference_precision=precisions[1] if precisions is not None else None,
        batch_size=batch,
        reference_batch_size=batches[1] if batches is not None else None,
        fits=None if figures else _fits(plain, sized=parameters is not None),
        sequence_length=length,
        image_size=_number_of(_IMAGE, plain),
        channels_last=True if search(r"channels[ _-]?last|\bnhwc\b", plain) else None,
        compile=True if search(COMPILES, plain) else None,
        step_s=figures.step_s,
        per_card=True if of_each and sides.card_count is None else None,
        samples_per_s=_times(_rate(figures, length), of_all),
        tokens_per_s=_times(figures.tokens_per_s, of_all),
        epoch_s=figures.epoch_s,
        job_s=figures.job_s,
        speed_up_ratio=figures.speed_up_ratio,
        memory_ratio=figures.memory_ratio,
        saved_bytes=figures.saved_bytes,
        mfu_fraction=figures.mfu_fraction,
    )


def _is_inference(plain: str, figures: Figures) -> bool:
    """Whether forward alone is meant, as it is where tokens are generated."""
    if search(r"\binference\b|推理|推断|\bforward (?:pass )?only\b", plain) is not None:
        return True
    return figures.tokens_per_s is not None and search(_GENERATES, plain) is not None


def _workload(plain: str) -> str | None:
    """The bundled workload that is named by its model or its own key, whichever says more of it."""
    named = find_model(plain)
    own = [key for key in bundled_names() if "_" in key]  # `resnet50` is a model's name first, maybe of a part
    keys = [key for key in own if search(rf"(?<![a-z0-9_]){key}(?![a-z0-9_])", plain) is not None]
    key = max(keys, key=len, default=None)
    return named if named is not None and (key is None or named.startswith(key)) else key


def _fits(plain: str, *, sized: bool) -> bool | None:
    said = says_fits(plain)
    if said is not None or says_slower(plain) or search(_SPEED, plain) is not None:
        return said
    return says_possible(plain, sized=sized)


def normalised(text: str) -> str:
    """Lower case, full-width forms narrowed, digit groups joined, spreads (`± 2`) left out, blanks and dashes alike."""
    plain = unicodedata.normalize("NFKC", _PARTS.sub(", ", text)).lower()
    plain = re.sub(r"(?<![a-z\d-])\d{1,3}(?:,\d{3})+(?!\d)", lambda match: match[0].replace(",", ""), plain)
    plain = re.sub(r"(?<=\d) ?(?:±|\+/?-) ?\d+(?:\.\d+)? ?%?", "", plain)
    plain = re.sub(r"[‐‑‒–—−]", "-", plain)
    plain = _LAPTOP_BEFORE.sub(r"rtx \1 laptop ", _LAPTOP_BEHIND.sub(r"rtx \1 laptop ", plain))
    return re.sub(r"\s+", " ", plain).strip()


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
