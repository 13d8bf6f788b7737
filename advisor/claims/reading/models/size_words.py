"""The words of a claim about a model that is named by its size: parameters, tokens, way of training, memory."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from advisor.claims.reading.changes.change_words import says_on
from advisor.claims.reading.models.mode_words import says_training
from advisor.claims.reading.numbers.number_words import (
    BATCH_WORDS,
    NUMBER,
    OTHER_BATCH_WORDS,
    SAYS,
    SECOND,
    number,
    search,
    search_each,
)
from advisor.workload.workload import Trainable

WeightBits = Literal[4, 8, 16]
_SIZE = r"(?<![\d.])(\d{1,4}(?:\.\d{1,3})?)\s*"
_NOT_TOKENS = r"(?!\s*(?:training )?(?:tokens?|词元|samples?|images?|条|张))"
_PARAMETERS = (
    r"(?:\s*-?\s*(?:of )?(?:model )?(?:parameters?|params?|weights|models?|lm|gpt|transformers?)\b"
    r"|\s*的?(?:个)?(?:参数|模型))"
)
_NAMED = r"\b(?:gpt|bert|roberta|vit|opt|pythia|bloom|t5|smollm|llama)(?:[\s_-]?\d(?:\.\d)?)?[\s_-]{1,2}"
"""Behind a model's name millions are of its parameters, and no minutes."""
_SIZES = (
    (rf"{_SIZE}b(?![a-z0-9/]){_NOT_TOKENS}", 1e9),
    (rf"{_SIZE}(?:bn|billion)\b{_NOT_TOKENS}", 1e9),
    (rf"{_SIZE}(?:trillion|t){_PARAMETERS}", 1e12),
    (rf"{_SIZE}(?:m|million){_PARAMETERS}", 1e6),
    (rf"{_NAMED}{_SIZE}m(?![a-z0-9/]){_NOT_TOKENS}", 1e6),
    (rf"{_SIZE}亿{_NOT_TOKENS}", 1e8),
)
_KNOWN = (
    (r"\bgpt[\s_-]*2[\s_-]*medium\b", 355e6),
    (r"\bgpt[\s_-]*2[\s_-]*large\b", 774e6),
    (r"\bgpt[\s_-]*2[\s_-]*xl\b", 1.558e9),
    (r"\bgpt[\s_-]*3(?![\s.]?\d)(?![\s_-]*(?:small|medium|large|xl))\b", 175e9),
    (r"\bgpt-?j\b", 6e9),
)
"""Sizes that a name says without a figure."""
_TOKENS = (
    (rf"{_SIZE}(?:t|trillion)\s*(?:training )?(?:tokens?|词元)", 1e12),
    (rf"{_SIZE}万亿\s*(?:个)?\s*(?:tokens?|词元)", 1e12),
    (rf"{_SIZE}(?:b|bn|billion)\s*(?:training )?(?:tokens?|词元)", 1e9),
    (rf"{_SIZE}亿\s*(?:个)?\s*(?:tokens?|词元)", 1e8),
    (rf"{_SIZE}(?:m|million)\s*(?:training )?(?:tokens?|词元)", 1e6),
)
_LARGE = (("m", 1e6), ("million", 1e6), ("百万", 1e6), ("亿", 1e8))
_THINGS = (
    r"(?:(?:samples?|examples?|sequences|seqs|images|imgs|pictures|photos|sentences|texts|documents|conversations"
    r"|dialogu?e?s|pairs|instructions|prompts|records)\b|张图[片像]?|幅图[片像]?|个?样本|条|个?句子)"
)
_OF_A_TIME_OR_BATCH = (
    rf"\s*(?:/|per|a|an|each|every|每)\s*(?:{SECOND}|step|batch|card|gpu|device|卡|步|批)|\s*in (?:a|one|each) batch"
)
_NAME_OF_DATA = (
    r"(?!(?:steps?|epochs?|tokens?|hours?|minutes?|seconds?|days?|gpus?|cards?|iter\w*|param\w*|of|per|an?|on|in|with"
    r"|for|and|or)\b)[a-z][a-z0-9-]{2,14}"
)
"""Between a number and what it counts: `52k alpaca samples`."""
_SAMPLES = (
    rf"(?<![a-z0-9.-])(?<!每秒)(?<!每秒处理)(?<!每秒训练){NUMBER}(?:\s*({'|'.join(word for word, _ in _LARGE)}))?\s*"
    rf"(?:{_NAME_OF_DATA} ){{0,2}}{_THINGS}(?!{_OF_A_TIME_OR_BATCH})"
)
_A_SECOND = r"(?!\s*(?:/|per|a|each|every|每)\s*s)"
_MIXTURE = r"(?<![\d.])\d{1,3}\s*[x×*]\s*\d{1,4}(?:\.\d)?\s*b(?![a-z0-9])|\bmixture of experts\b|\bmoe\b|混合专家"
LORA = r"\bq?lora\b|\bpeft\b|\badapters?\b"
_BITS: tuple[tuple[str, WeightBits], ...] = (
    (r"\bqlora\b|\b(?:4[\s-]?bit|int4|nf4|fp4|gptq|awq|q4(?:_[0-9a-z]+)*)\b|4\s*(?:bit|比特|位)", 4),
    (r"\b(?:8[\s-]?bit|int8|q8(?:_0)?)\b|8\s*(?:bit|比特|位)", 8),
    (r"\b16[\s-]?bit\b|\b(?:fp|bf)16\b|16\s*(?:bit|比特|位)", 16),
)
_OFFLOADS = r"\boff-?\s?load\w*|\bzero-?infinity\b|卸载|主机内存"


def find_parameters(plain: str) -> float | None:
    """The size in parameters (`7B`, `1.3 billion`, `70亿参数`); None: none is named, or it is a mixture's."""
    sizes = [
        (match.start(), float(match.group(1)) * scale)
        for pattern, scale in _SIZES
        for match in re.finditer(pattern, plain, re.ASCII)
    ]
    if is_mixture(plain):
        return None
    if not sizes:
        return next((size for pattern, size in _KNOWN if search(pattern, plain) is not None), None)
    return min(sizes)[1] or None


def is_mixture(plain: str) -> bool:
    """Whether experts are mixed: then the parameters that a token passes through are fewer than those that are kept."""
    return search(_MIXTURE, plain) is not None


def find_tokens(plain: str) -> float | None:
    """How many tokens were trained on (`1T tokens`, `3 亿 tokens`); None: not said."""
    for pattern, scale in _TOKENS:
        match = search(rf"{pattern}(?![a-z]){_A_SECOND}", plain)
        if match is not None:
            return float(match.group(1)) * scale or None
    return None


_OF_TOKENS = r"\b(?:samples?|examples?|sequences?|documents?) (?:of|with) (\d{1,7}) tokens?\b"
_CARD_HOURS = (
    rf"(?<![a-z0-9.-]){NUMBER}\s*(m(?![a-z])|million|百万)?"
    r"\s*((?:nvidia )?[a-z]{1,2}\d{2,4}[a-z]{0,4}(?: sxm\d?| pcie)?)?"
    r"[\s-]*(gpu|card|卡|显卡)?[\s-]*(?:hours?\b|hrs?\b|个?小时|(时)(?!间))"
)
_A_STEP = r"(?:(?:optimizer )?steps?|iterations?|iters?|batch(?:es)?|updates?)"
_SCALE = r"\s*(m|million|百万)?\s*(?:个\s*)?"
_STEP_TOKENS = (
    rf"(?<![\w.]){NUMBER}{_SCALE}(?:tokens?|词元)\s*(?:a|an|per|/|each|every|每)\s*{_A_STEP}\b",
    (
        rf"(?:\b(?:global |total )?batch(?:es)?(?:[ _-]?size)?|批大小|批量){SAYS}(?:about |around |约)?"
        rf"{NUMBER}{_SCALE}(?:tokens?|词元)"
    ),
    rf"(?:每步|每一步|每个?batch|每批|每次迭代)(?:为|是|约|有|处理)?\s*{NUMBER}{_SCALE}(?:tokens?|词元)",
    rf"(?<![\w.]){NUMBER}{_SCALE}[ -]?(?:tokens?|词元)[ -](?:global )?batch(?:es)?(?:[ _-]?size)?\b",
)
"""Three groups: the number and its scales."""


class StepTokens(NamedTuple):
    """What one step of all cards passes, and the text without it: it is neither a length nor a training's tokens."""

    tokens: float
    without: str


def find_step_tokens(plain: str) -> StepTokens | None:
    """How many tokens a step passes (`0.5M tokens per step`, `a batch of 524,288 tokens`); None: not said."""
    match = search_each(_STEP_TOKENS, plain)
    if match is None:
        return None
    count = _scaled(*match.groups())
    return StepTokens(count, _without(plain, match)) if count >= 1 else None


class CardHours(NamedTuple):
    """What a training took of all its cards together, and the text with their name alone left of that."""

    seconds: float
    without: str


def find_card_hours(plain: str) -> CardHours | None:
    """Hours of cards (`1.7M H100 hours`, `184320 A100 卡时`); None: none are told, or hours of the clock are."""
    for match in re.finditer(_CARD_HOURS, plain, re.ASCII):
        figure, scale, large, card, word, when = match.groups()
        # `8 卡时` is `with 8 cards` too.
        if (card is None and word is None) or (when is not None and find_tokens(plain) is None):
            continue
        hours = _scaled(figure, scale, large)
        return CardHours(3600.0 * hours, _without(plain, match, left=card or "")) if hours > 0 else None
    return None


def _scaled(figure: str, scale: str | None, large: str | None) -> float:
    """A number with its scale; `large`: millions of it."""
    return number(figure, scale) * (1.0 if large is None else 1e6)


def _without(plain: str, match: re.Match[str], *, left: str = "") -> str:
    """The text with `left` alone in the place of a match."""
    return re.sub(r"\s+", " ", f"{plain[: match.start()]} {left} {plain[match.end() :]}").strip()


def find_samples(plain: str) -> float | None:
    """How many samples were trained on (`1,000 samples`, `5 万张图片`); None: not said.

    A rate's are no such number, nor those of a batch.
    """
    of_batch = rf"(?:{'|'.join((BATCH_WORDS, *OTHER_BATCH_WORDS))}){SAYS}$"
    for match in re.finditer(_SAMPLES, plain, re.ASCII):
        if search(of_batch, plain[: match.start()]) is None:
            scale = next((size for word, size in _LARGE if match.group(3) == word), 1.0)
            return number(match.group(1), match.group(2)) * scale or None
    return None


def find_tokens_of_samples(plain: str) -> float | None:
    """What samples of so many tokens have together (`1000 samples of 2048 tokens`); None: no length of each is said."""
    each, samples = search(_OF_TOKENS, plain), find_samples(plain)
    return None if each is None or samples is None else samples * int(each[1])


def find_trainable(plain: str) -> Trainable | None:
    """Adapters, where the words say so; None: nothing is said."""
    return "lora" if search(LORA, plain) is not None else None


def find_weight_bits(plain: str) -> WeightBits | None:
    """Bits of the stored weights, where they are named (`QLoRA` stores 4)."""
    return next((bits for pattern, bits in _BITS if search(pattern, plain) is not None), None)


def says_offloaded(plain: str) -> bool:
    """Whether something is kept in the host's memory."""
    return says_on(_OFFLOADS, plain) is True


def trains_frozen(plain: str, bits: WeightBits | None) -> Trainable | None:
    """Adapters, where weights of four bits are said to be trained: these take no gradient themselves."""
    return "lora" if bits == 4 and says_training(plain) else None  # noqa: PLR2004 - bits
