"""The words for how several cards share the work, in English, Chinese and the spelling of DeepSpeed and PyTorch."""

from __future__ import annotations

from advisor.catalogue.strategies import Strategy
from advisor.claims.number_words import search
from advisor.claims.words import first_named, held_against_each_other, named_in_order

_ZERO = r"(?:\bzero|\bdeep\s?speed(?:[\s_-]*zero)?)[\s_-]*(?:stage)?[\s_=:-]*"
"""`ZeRO-3`, `zero_stage=3`, `DeepSpeed stage 2`, `DeepSpeed ZeRO Stage-3`."""
_FSDP = r"\bfsdp[\s_-]?2?(?!\d)|fully[\s-]sharded(?:[\s-]data[\s-]parallel)?"
_OFFLOAD = r"[^.,;。，；]{0,24}?(?:\boff-?\s?load\w*|卸载)"
STRATEGIES: tuple[tuple[str, Strategy], ...] = (
    (rf"(?:{_FSDP}|{_ZERO}3|\bzero[\s-]?infinity\b){_OFFLOAD}|\bzero[\s-]?infinity\b", "fsdp_offload"),
    (rf"(?:{_FSDP})[\s_-]*shard[\s_-]?grad[\s_-]?op\b|\bshard[\s_-]grad[\s_-]op\b|{_ZERO}2(?![\d.])", "zero2"),
    (rf"{_ZERO}3(?![\d.])|(?:{_FSDP})(?:[\s_-]*full[\s_-]?shard\b)?|\bfull[\s_-]shard\b", "fsdp"),
    (r"distributed\s*data\s*parallel|\bddp\b", "ddp"),
    (r"data\s*parallel\b|\bdp\b", "dp"),
)
_NOT_PREDICTED = (
    rf"\bhsdp\b|\bhybrid[\s_-]shard(?:ing|ed)?\b|{_ZERO}1(?![\d.])|\b(?:tensor|pipeline|context)[\s-]parallel\w*"
)
"""Sharding within a machine with copies across machines, of the optimizer's states alone, and models that are cut."""


def find_strategy(plain: str) -> Strategy | None:
    """How the cards are said to share the work; None: nothing is said."""
    return first_named(STRATEGIES, plain)


def compared_strategies(plain: str) -> tuple[Strategy, Strategy] | None:
    """Two strategies that are held against each other, after and before: `DDP is 20 % faster than DP`."""
    return held_against_each_other([strategy for _, strategy in named_in_order(STRATEGIES, plain)], plain)


def unpredicted_strategy(plain: str) -> str | None:
    """The words for a strategy that no claim can be predicted with; it is never taken for another one."""
    match = search(_NOT_PREDICTED, plain)
    return match.group().strip() if match is not None else None
