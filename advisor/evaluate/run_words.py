"""Words that tables of published runs use for the same thing: what a cell says, in the words of a workload."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from advisor.catalogue.optimizers import FUSED_OPTIMIZERS, OPTIMIZERS, Optimizer
from advisor.catalogue.precisions import AUTOCAST, PURE_HALF, HalfFormat, Precision, precision_meant
from advisor.cost.memory.need import MemoryKind
from advisor.workload.workload import Attention, Checkpointing, Fp8Recipe, Mode

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

YES_OR_NO: Mapping[str, bool] = {
    **dict.fromkeys(("yes", "true", "1", "y", "on", "1.0"), True),
    **dict.fromkeys(("no", "false", "0", "n", "off", "0.0"), False),
}
COMPILED: Mapping[str, bool] = {
    **YES_OR_NO,
    **dict.fromkeys(("default", "inductor", "torch.compile", "torch_compile", "reduce-overhead"), True),
    **dict.fromkeys(("max-autotune", "max-autotune-no-cudagraphs"), True),
    **dict.fromkeys(("none", "eager"), False),
}
"""The compiler's modes count as it: CUDA graphs and tuned kernels are not told apart."""
CHANNELS_LAST: Mapping[str, bool] = {
    **dict.fromkeys(("nchw", "contiguous", "contiguous_format", "torch.contiguous_format"), False),
    **dict.fromkeys(("channels_first", "channels-first", "channels first"), False),
    **dict.fromkeys(("nhwc", "channels_last", "channels-last", "channels last", "torch.channels_last"), True),
}
MODES: Mapping[str, Mode] = {
    **{word: word for word in get_args(Mode)},
    **dict.fromkeys(("train", "fine-tuning", "finetuning", "fine_tuning", "finetune"), "training"),
    **dict.fromkeys(("pretraining", "pre-training", "pretrain"), "training"),
    **dict.fromkeys(("infer", "forward", "fwd", "eval", "evaluation"), "inference"),
    **dict.fromkeys(("forward-backward", "forward+backward", "forward + backward"), "forward_backward"),
    **dict.fromkeys(("forward and backward", "fwd_bwd", "fwd-bwd", "fwd+bwd", "fwd + bwd"), "forward_backward"),
}
OPTIMIZER_WORDS: Mapping[str, tuple[Optimizer, bool]] = {
    **{name: (name, False) for name in OPTIMIZERS},
    **{f"{name}_fused": (name, True) for name in FUSED_OPTIMIZERS},
    **{f"fused_{name}": (name, True) for name in FUSED_OPTIMIZERS},
    "adamw_torch": ("adamw", False),
    "adamw_torch_fused": ("adamw", True),
    "fusedadam": ("adam", True),
}
"""Each with whether its kernel is fused."""
_REMARKS = re.compile(r"\([^()]*\)")
_UNFUSED = re.compile(r"\b(?:not |non-?|un)fused\b")
_OF_THE_NAME = re.compile(r"[a-z0-9]+(?:_momentum)?")
_OF_MOMENTUM = frozenset({"with", "without", "no", "momentum", "nesterov"})
_MOMENTUM = re.compile(r"(?<!no )(?<!without )\b(?:momentum|nesterov)\b(?! ?[=:]? ?0(?![.\d]*[1-9]))")
"""Beside SGD, with any but none: Nesterov's is one, too."""
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
_MASTERS_LEFT_OPEN: Mapping[str, HalfFormat] = {"fp16": "fp16", "bf16": "bf16"}
"""Precisions of which a remark may say something else: `bf16 (composer PURE)`, `fp16 (config)`."""
_AS_NAMED = re.compile(r"\bfp32 masters?\b")
"""In a remark: FP32 copies beside the 16-bit weights, as the word in front means by itself."""
_ALL_IN_HALF = re.compile(
    r"^\((?:pure(?: half)?|half)[):,;]|^\((?:the )?(?:model|weights) (?:is |are )?loaded in b?float16\b"
)
_UNDER_AUTOCAST = re.compile(r"^\((?:autocast|amp|mixed)\b(?![^()]*\bor\b)")
_CONVOLUTIONS_IN_TF32 = re.compile(r"tf32 conv|conv tf32|cudnn[^,;]*tf32 on")
_ALL_IN_TF32 = re.compile(r"^\(tf32(?: on)?\)$")
_FP8 = re.compile(r"^fp8\b(?!.*\bor\b)")
_RECIPES: tuple[tuple[str, Fp8Recipe], ...] = (
    ("rowwise", "rowwise"),
    ("tensorwise", "tensorwise"),
    (r"transformer ?engine|\bte\b", "transformer_engine"),
)


def plain(cell: str) -> str:
    """A cell in lower case, without the remark in brackets behind it; a cell that is all brackets stays."""
    return (_REMARK.sub("", cell).strip() or cell.strip()).lower()


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
    said = _REMARKS.sub(" ", lowered).split(",")[0].replace("torch.optim.", "")
    words = set(_OF_THE_NAME.findall(said)) - _BESIDE_AN_OPTIMIZER
    if "sgd" in words:
        words -= _OF_MOMENTUM
    if len(words) != 1 or (name := words.pop()) not in OPTIMIZERS:
        return None
    if name == "sgd" and _MOMENTUM.search(lowered):
        return "sgd_momentum", "fused" in _UNFUSED.sub("", lowered)
    fused = "fused" in _UNFUSED.sub("", lowered) and name in FUSED_OPTIMIZERS
    return next(each for each in OPTIMIZERS if each == name), fused


def run_precision_meant(cell: str) -> Precision | None:
    """A precision with a remark that changes nothing of it or says which is meant; None: it may be another."""
    lowered = " ".join(cell.lower().split())
    named, word = precision_meant(cell), plain(lowered)
    if named is not None or word == lowered:
        return named or ("fp8" if _FP8.match(lowered) else None)
    meant, remark = precision_meant(word), lowered[len(word) :].strip()
    if (half := _MASTERS_LEFT_OPEN.get(meant or "")) is not None:
        return _half_meant(half, remark)
    if meant == "fp32" and "tf32" in remark and "no tf32" not in remark:
        if _ALL_IN_TF32.match(remark):
            return "tf32"
        return "default" if _CONVOLUTIONS_IN_TF32.search(remark) else None
    return meant or ("fp8" if _FP8.match(lowered) else None)


def _half_meant(half: HalfFormat, remark: str) -> Precision | None:
    if _AS_NAMED.search(remark):
        return half
    if _ALL_IN_HALF.search(remark):
        return PURE_HALF[half]
    return AUTOCAST[half] if _UNDER_AUTOCAST.search(remark) else None


def recipe_meant(cell: str) -> Fp8Recipe | None:
    """How FP8 products are scaled by what a table says beside it (`fp8 rowwise + bf16`); None: it does not say."""
    lowered = cell.lower()
    if not _FP8.match(lowered):
        return None
    return next((recipe for pattern, recipe in _RECIPES if re.search(pattern, lowered)), None)


def attention_meant(cell: str) -> Attention | None:
    """How attention runs by what a table says of it (`flash2`, `triton flash (default)`); None: not understood."""
    return next((word for pattern, word in _ATTENTION if re.search(pattern, cell.lower())), None)


def memory_kind_meant(cell: str) -> MemoryKind | None:
    """What was read as the peak (`max_memory_reserved`, `nvidia-smi, rounded to GB`); None: not understood."""
    match = _MEMORY_KIND.search(plain(cell))
    return next((kind for kind in get_args(MemoryKind) if match is not None and match[kind]), None)
