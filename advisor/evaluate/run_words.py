"""Words that tables of published runs use for the same thing: what a cell says, in the words of a workload."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from advisor.catalogue.optimizers import FUSED_OPTIMIZERS, OPTIMIZERS, Optimizer
from advisor.catalogue.precisions import Precision, precision_meant
from advisor.cost.layout import DataParallel
from advisor.cost.memory.need import MemoryKind
from advisor.workload.workload import Attention, Checkpointing, Mode

UNSAID = frozenset({"", "-", "?", "n/a", "unknown", "not stated", "unstated", "not said"})
"""Cells that say nothing, as what ends in one of `_NOTHING_SAID` does (`nhwc/nchw not stated`)."""
_NOTHING_SAID = (" not stated", " unknown")
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_ATTENTION: tuple[tuple[str, Attention], ...] = (
    (r"no flash|eager|unfused|math|vanilla", "eager"),
    (r"sdpa|xformers|efficient", "sdpa"),
    (r"flash|triton|\bfa[123]\b", "flash"),
)
"""The first that is found decides: `sdpa (flash2 in torch 2.2)` is PyTorch's own."""

_CHECKPOINTING: tuple[tuple[str, Checkpointing], ...] = (
    (r"^(none|no|false|0|off)\b", "none"),
    (r"selective|\bsac\b", "selective"),
    (r"^(full|yes|true|1|on)\b", "full"),
)
"""The first that is found decides: `selective (per-op SAC)`."""
_MEMORY_KIND = re.compile(r"(?P<allocated>allocated)|(?P<reserved>reserved)|(?P<device>nvidia-smi|device)")
"""The first that is found decides: `max_memory_allocated (nvidia-smi also given)` is what tensors hold."""

YES_OR_NO: Mapping[str, bool] = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}
COMPILED: Mapping[str, bool] = {
    **YES_OR_NO,
    **dict.fromkeys(("default", "inductor", "reduce-overhead", "max-autotune"), True),
    **dict.fromkeys(("none", "eager"), False),
}
"""The compiler's modes count as it: CUDA graphs and tuned kernels are not told apart."""
CHANNELS_LAST: Mapping[str, bool] = {
    **dict.fromkeys(("nchw", "contiguous", "channels_first", "channels-first"), False),
    **dict.fromkeys(("nhwc", "channels_last", "channels-last"), True),
}
MODES: Mapping[str, Mode] = {
    **{word: word for word in get_args(Mode)},
    "train": "training",
    "infer": "inference",
    "forward": "inference",
    "forward-backward": "forward_backward",
    "forward+backward": "forward_backward",
}
OPTIMIZER_WORDS: Mapping[str, tuple[Optimizer, bool]] = {
    **{name: (name, False) for name in OPTIMIZERS},
    **{f"{name}_fused": (name, True) for name in FUSED_OPTIMIZERS},
    **{f"fused_{name}": (name, True) for name in FUSED_OPTIMIZERS},
    "adamw_torch": ("adamw", False),
    "adamw_torch_fused": ("adamw", True),
}
"""Each with whether its kernel is fused."""
_REMARKS = re.compile(r"\([^()]*\)")
_UNFUSED = re.compile(r"\b(?:not |non-?|un)fused\b")
_OF_THE_NAME = re.compile(r"[a-z0-9]+(?:_momentum)?")
_BESIDE_AN_OPTIMIZER = frozenset(
    {
        "fused",
        "foreach",
        "torch",
        "pytorch",
        "apex",
        "distributed",
        "decoupled",
        "hf",
        "default",
        "assumed",
        "optimizer",
    }
)
"""Words beside an optimizer's name that change no state it keeps; `paged` or `8bit` is not among them."""
_MASTERS_LEFT_OPEN = frozenset({"fp16", "bf16"})
"""Precisions of which a remark may say something else: `fp16 (pure half)`, `bf16 (HF autocast)`."""
_CONVOLUTIONS_IN_TF32 = re.compile(r"tf32 conv|conv tf32|cudnn[^,;]*tf32 on")
_SPLIT = re.compile(r"\b(tp|pp|cp)[ =]?(\d{1,6})\b")
"""Degrees beside what replicas share: `fsdp2 x8 + tp8`, `ddp tp=2 pp=4`."""
_REPLICAS = re.compile(r"(?:^|\s)(?:dp[ =]?|x ?)\d{1,6}(?!\S)")
"""Of the replicas: what the other degrees leave, so it says nothing new."""
_LIBRARY = re.compile(r"^megatron(?:-deepspeed|-core|-lm)?\s+")
"""Whose layers are split: the degrees that follow say how."""
_SHARDED_STATES = re.compile(r"distributed optimizer")
"""As Megatron calls the first stage of ZeRO."""
_FSDP_WITHOUT_SHARDS = re.compile(r"no_shard")
_GATHERS_TENSORS = re.compile(r"fsdp2|zero|deepspeed")
_FSDP_OF_GRADIENTS = re.compile(r"shard_grad_op")
DATA_PARALLEL: Mapping[str, DataParallel] = {
    **{word: word for word in get_args(DataParallel)},
    "zero-1": "zero1",
    "zero-2": "zero2",
    "zero-3": "fsdp",
    "zero3": "fsdp",
    "fsdp1": "fsdp",
    "fsdp2": "fsdp",
    "none": "single",
}
UNITS: Mapping[str, Mapping[str, float]] = {
    "ms": {"ms": 1.0, "s": 1e3},
    "peak_gb": {"gb": 1.0, "gib": 1.024**3, "mb": 1e-3, "mib": 1.024**2 * 1e-3},
}
"""By column: units that a cell may name behind its number, in the column's own."""
_AT_MOST = re.compile(r"^(?:<=?|≤|up to|at most|max(?:imum)?)\s*(?=\d)")
_LENGTHS_DIFFER = re.compile(r"\bvar(?:y|ies|ied|ying|iable)\b|\btruncated\b|\bbucketed\b|\bnot packed\b|\bunpacked\b")
_LENGTHS_ALIKE = re.compile(r"\b(?:packed|fixed|constant|dummy)\b")
_NUMBER_AND_UNIT = re.compile(r"([0-9.]+(?:e[-+]?[0-9]+)?)\s*([a-z]+)")


def without_unit(cell: str, column: str) -> str:
    """The number of a cell in the unit of its column, where it names another or the same; else the cell."""
    match = _NUMBER_AND_UNIT.fullmatch(cell.lower())
    factor = None if match is None else UNITS.get(column, {}).get(match[2])
    try:
        return cell if match is None or factor is None else repr(float(match[1]) * factor)
    except ValueError:
        return cell


def length_meant(cell: str) -> tuple[str, bool | None]:
    """The longest sample's length as it is written, and whether lengths differ (`<=2048 (truncated, varies)`).

    False where all are as long (`2048 (packed)`); None: the cell does not say.
    """
    number, lowered = _AT_MOST.sub("", plain(cell)), cell.lower()
    if number != plain(cell) or _LENGTHS_DIFFER.search(lowered):
        return number, True
    return number, False if _LENGTHS_ALIKE.search(lowered) else None


def plain(cell: str) -> str:
    """A cell in lower case, without the remark in brackets behind it."""
    return _REMARK.sub("", cell).strip().lower()


def says_nothing(cell: str) -> bool:
    """Whether a cell leaves open what its column asks for: empty, or `not stated`, whatever remark follows."""
    said = plain(cell)
    return said in UNSAID or said.endswith(_NOTHING_SAID)


def checkpointing_meant(cell: str) -> Checkpointing | None:
    """What backward computes again by what a table says of it (`full (HF gradient_checkpointing)`); None: not clear."""
    return next((word for pattern, word in _CHECKPOINTING if re.search(pattern, cell.lower())), None)


def optimizer_meant(cell: str) -> tuple[Optimizer, bool] | None:
    """An optimizer and whether its kernel is fused (`adamw (apex fused)`, `decoupled_adamw`); None: not understood."""
    lowered = cell.lower()
    if plain(lowered) in OPTIMIZER_WORDS and "(" not in lowered:
        return OPTIMIZER_WORDS[plain(lowered)]
    said = _REMARKS.sub(" ", lowered).split(",")[0].replace("sgd with momentum", "sgd_momentum")
    words = set(_OF_THE_NAME.findall(said)) - _BESIDE_AN_OPTIMIZER
    if len(words) != 1 or (name := words.pop()) not in OPTIMIZERS:
        return None
    fused = "fused" in _UNFUSED.sub("", lowered) and name in FUSED_OPTIMIZERS
    return next(each for each in OPTIMIZERS if each == name), fused


def data_parallel_meant(cell: str) -> DataParallel | None:
    """What replicas share by a table's words (`fsdp(zero3) x8`, `dp4 zero1 tp2 pp1`); None: not clear."""
    lowered = _SPLIT.sub(" ", cell.lower()).strip()
    if _FSDP_WITHOUT_SHARDS.search(lowered):
        return "ddp"
    if _FSDP_OF_GRADIENTS.search(lowered):
        return "zero2"
    lowered = _LIBRARY.sub("", lowered)
    said = _REPLICAS.sub(" ", _REMARKS.sub(" ", lowered)).strip(" +,;/")
    if _SHARDED_STATES.search(lowered) and not said.strip():
        return "zero1"
    return DATA_PARALLEL.get(said or "ddp")


def shards_modules_whole(cell: str) -> bool:
    """Whether full sharding gathers modules, as all that is called so does but FSDP2 and DeepSpeed."""
    return not _GATHERS_TENSORS.search(_REMARKS.sub(" ", cell.lower()))


def degrees_meant(cell: str) -> dict[str, str]:
    """Degrees of tensor, pipeline and context parallel that a table names beside what replicas share, by column."""
    return dict(_SPLIT.findall(cell.lower()))


def run_precision_meant(cell: str) -> Precision | None:
    """A precision with a remark that changes nothing of it, or says what FP32 does; None: it may be another."""
    named, word = precision_meant(cell), plain(cell)
    remark = cell.lower()[len(word) :]
    if named is not None or word == cell.lower().strip():
        return named
    meant = precision_meant(word)
    if meant in _MASTERS_LEFT_OPEN:
        return None
    if meant == "fp32" and "tf32" in remark and "no tf32" not in remark:
        return "default" if _CONVOLUTIONS_IN_TF32.search(remark) else None
    return meant


def attention_meant(cell: str) -> Attention | None:
    """How attention runs by what a table says of it (`flash2`, `triton flash (default)`); None: not understood."""
    return next((word for pattern, word in _ATTENTION if re.search(pattern, cell.lower())), None)


def memory_kind_meant(cell: str) -> MemoryKind | None:
    """What was read as the peak (`max_memory_reserved`, `nvidia-smi, rounded to GB`); None: not understood."""
    match = _MEMORY_KIND.search(plain(cell))
    return next((kind for kind in get_args(MemoryKind) if match is not None and match[kind]), None)
