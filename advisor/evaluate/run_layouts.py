"""How the devices of a published run split its work, by the words of tables: what replicas share, and the degrees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from advisor.cost.layout import DataParallel

_REMARKS = re.compile(r"\([^()]*\)")
_SPLIT = re.compile(r"\b(tp|pp|cp)[ =]?(\d{1,6})\b")
"""Degrees beside what replicas share: `fsdp2 x8 + tp8`, `ddp tp=2 pp=4`."""
_REPLICAS = re.compile(r"(?:^|\s)(?:dp[ =]?|x ?)\d{1,6}(?!\S)")
"""Of the replicas: what the other degrees leave, so it says nothing new."""
_UNDIVIDED = re.compile(r"\bvp[ =]?1\b|\bgroup ?= ?all\b")
"""Stages that are not split further, states that all share: what is so anyhow."""
_GROUP_OF_ALL = re.compile(r"\bdp[ =]?(\d{1,6})\b(.*)\bgroup ?= ?\1(?!\d)")
"""A group as large as there are replicas (`dp8 tp1 zero1 group=8`); no word here means smaller ones."""
_LIBRARY = re.compile(r"^(?:megatron(?:-deepspeed|-core|-lm)?|deepspeed)(?=[\s_-]|$)")
"""Whose layers are split, or whose stage of sharding it is: the words that follow say how."""
_SHARDED_STATES = re.compile(r"distributed optimizer")
"""As Megatron calls the first stage of ZeRO."""
_FSDP_WITHOUT_SHARDS = re.compile(r"no_shard")
_GATHERS_TENSORS = re.compile(r"fsdp2|zero|deepspeed")
_FSDP_OF_GRADIENTS = re.compile(r"shard_grad_op")
_RESHARDS = re.compile(r"\breshard_after_forward ?= ?(\w+)")
"""FSDP2's switch: layers that stay gathered after forward leave only gradients and states shared."""
_KEPT = frozenset({"false", "never", "no", "0"})
_RESHARDED = frozenset({"true", "always", "yes", "1", "default"})
_ZERO_STAGE = re.compile(r"\bzero[ _-]?(?:stage[ _-]?)?([123])\b")
LAYOUT_WORDS = (*get_args(DataParallel), "+ tpN ppN cpN")
"""What a cell may hold, the word for one card alone first."""
_DATA_PARALLEL: Mapping[str, DataParallel] = {
    **{word: word for word in get_args(DataParallel)},
    "zero3": "fsdp",
    "fsdp1": "fsdp",
    "fsdp2": "fsdp",
    "full_shard": "fsdp",
    "fsdp full_shard": "fsdp",
    "hybrid_shard": "hsdp",
    "fsdp hybrid_shard": "hsdp",
    "dataparallel": "dp",
    "distributeddataparallel": "ddp",
    "none": "single",
}


def data_parallel_meant(cell: str) -> DataParallel | None:
    """What replicas share by a table's words (`fsdp(zero3) x8`, `dp4 zero1 tp2 pp1`); None: not clear."""
    lowered = _GROUP_OF_ALL.sub(r"dp\1\2", cell.lower())
    lowered = _UNDIVIDED.sub(" ", _SPLIT.sub(" ", lowered)).strip()
    if _FSDP_WITHOUT_SHARDS.search(lowered):
        return "ddp"
    if _FSDP_OF_GRADIENTS.search(lowered):
        return "zero2"
    lowered = _LIBRARY.sub(" ", lowered)
    said = _REPLICAS.sub(" ", _REMARKS.sub(" ", lowered))
    said = " ".join(_ZERO_STAGE.sub(r"zero\1", said).replace("full shard", "full_shard").split())
    said, kept = _without_resharding(said)
    said = said.strip(" +,;/_-")
    if _SHARDED_STATES.search(lowered) and not said:
        return "zero1"
    meant = _DATA_PARALLEL.get(said or "ddp")
    return meant if kept is None else ("zero2" if kept else "fsdp") if meant == "fsdp" else None


def _without_resharding(said: str) -> tuple[str, bool | None]:
    """The words without FSDP2's switch, and whether it keeps layers gathered; None: it is not there, or not clear."""
    found = _RESHARDS.search(said)
    if found is None or found[1] not in _KEPT | _RESHARDED:
        return said, None
    return _RESHARDS.sub(" ", _REPLICAS.sub(" ", said)).strip(), found[1] in _KEPT


def shards_modules_whole(cell: str) -> bool:
    """Whether full sharding gathers modules, as all that is called so does but FSDP2 and DeepSpeed."""
    return not _GATHERS_TENSORS.search(_REMARKS.sub(" ", cell.lower()))


def degrees_meant(cell: str) -> dict[str, str]:
    """Degrees of tensor, pipeline and context parallel that a table names beside what replicas share, by column."""
    return dict(_SPLIT.findall(cell.lower()))
