"""Whether a model is trained or only run, in words."""

from __future__ import annotations

from advisor.claims.reading.numbers.number_words import search


def says_training(text: str) -> bool:
    """Whether a claim says in words that a model was trained: then no inference explains it."""
    return search(r"\b(?:re|pre)?-?train|fine-?\s?tun|\bq?lora\b|\bepochs?\b|训练|微调|轮", text.lower()) is not None


_RUNS = r"\b(?:runs?|running|loads?|loading|serves?|serving|hosting)\b|运行|加载|部署|跑"
_WEIGHTS_ALONE = (
    r"\bfor (?:the |its |all |their )?weights\b|\bweights (?:alone|only|themselves|by themselves)\b"
    r"|\b(?:the|its|whose|model|fp16|bf16|fp32|bit) weights (?:of .{1,24} )?(?:alone |only )?"
    r"(?:take|need|us|occup|requir|are)"
    r"|权重\s*(?:本身|光|就|只|仅|单|大概|大?约|fp\d|bf16|要|占|需|得|用)"
)
_OF_TRAINING = r"\b(?:grad(?:ient)?s?|adam\w*|optimi[sz]er|moments?)\b|梯度|优化器"
"""What only a training keeps beside the weights."""


def runs_only(plain: str) -> bool:
    """Whether a model is said to be run, served or loaded, or its weights alone are meant, and nothing is trained."""
    trains = says_training(plain) or search(_OF_TRAINING, plain) is not None
    return search(rf"{_RUNS}|{_WEIGHTS_ALONE}", plain) is not None and not trains
