"""The words for how much memory a model needs: in bytes, or in its weights."""

from __future__ import annotations

from advisor.claims.reading.number_words import NUMBER, number, search
from advisor.claims.reading.words import says_training

_BEYOND = r"(?:(?:way |far |much |well |a lot )?(?:more than|over|above)|远?超过?|不止)"
_ABOUT = (
    rf"(?:{_BEYOND}|at least|at most|about|around|roughly|approximately|only|just|up to|~"
    r"|至少|最多|大?约|大概|只|仅)?"
)
_NEEDS = (
    r"(?:\b(?:needs?|requires?|takes?|uses?|consumes?|occup(?:y|ies)|wants?)|需要?|占用?|吃|消耗|要|用)了?"
    rf"\s*{_ABOUT}\s*{_ABOUT}\s*{NUMBER}\s*"
)
_NOT_HELD = (
    r"(?!\s*/|\s*(?:of )?(?:the )?(?:host|cpu|system|disk|ram|swap|gpus?\b|cards?\b|内存|磁盘|硬盘|的?(?:显)?卡))"
)
"""Behind a size that is a rate, of other memory, or a card's."""
_BYTES = rf"{_NEEDS}(gi?b|g|ti?b)(?![a-z0-9]){_NOT_HELD}"
_TIMES = (
    rf"{_NEEDS}(?:x|×|times)\s*(?:of )?(?:its|the|their)?\s*(?:own )?(?:model(?:'s)? )?(?:weights?|size|parameters?)",
    rf"{_NEEDS}倍(?:的|于)?(?:模型)?(?:权重|参数|大小)",
    rf"(?:权重|参数|模型大小)的\s*{NUMBER}\s*倍",
)
UNIT_BYTES = {"g": 1e9, "gb": 1e9, "gib": 2.0**30, "tb": 1e12, "tib": 2.0**40}
_WEIGHT_BYTES = 2
"""As models are published: what `8 times its weights` counts in."""
_RUNS = r"\b(?:runs?|running|loads?|loading|serves?|serving|hosting)\b|运行|加载|部署|跑"

_WEIGHTS_ALONE = (
    r"\bfor (?:the |its |all |their )?weights\b|\bweights (?:alone|only|themselves|by themselves)\b"
    r"|\b(?:the|its|whose|model|fp16|bf16|fp32|bit) weights (?:of .{1,24} )?(?:alone |only )?"
    r"(?:take|need|us|occup|requir|are)"
    r"|权重\s*(?:本身|光|就|只|仅|单|大概|大?约|fp\d|bf16|要|占|需|得|用)"
)

_OF_TRAINING = r"\b(?:grad(?:ient)?s?|adam\w*|optimi[sz]er|moments?)\b|梯度|优化器"
"""What only a training keeps beside the weights."""


def find_needed_bytes(plain: str) -> float | None:
    """The memory that a model is said to need (`needs 80 GB`); None: nothing is said of it."""
    needed = search(_BYTES, plain)
    return None if needed is None else number(needed.group(1), needed.group(2)) * UNIT_BYTES[needed.group(3)]


def needs_more(plain: str) -> bool:
    """Whether more than the memory that is told is said to be needed."""
    needed = search(_BYTES, plain)
    return needed is not None and search(_BEYOND, needed.group()) is not None


def find_needed_times(plain: str, parameters: float | None) -> float | None:
    """The same in bytes where it is told in weights (`8x its weights`)."""
    times = next((hit for pattern in _TIMES if (hit := search(pattern, plain)) is not None), None)
    if times is None or parameters is None:
        return None
    return number(times.group(1), times.group(2)) * _WEIGHT_BYTES * parameters


def runs_only(plain: str) -> bool:
    """Whether a model is said to be run, served or loaded, or its weights alone are meant, and nothing is trained."""
    trains = says_training(plain) or search(_OF_TRAINING, plain) is not None
    return search(rf"{_RUNS}|{_WEIGHTS_ALONE}", plain) is not None and not trains
