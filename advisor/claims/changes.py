"""What a claim says was changed on the same cards: the kind, what stands after and before it, and on which models."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import msgspec

from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS, Precision
from advisor.catalogue.strategies import STRATEGY_LABELS
from advisor.claims.claim import WITH_NVLINK, Claim
from advisor.claims.predictor import Predictor
from advisor.claims.setting import (
    FP8_PANEL,
    OPEN_FACTORS,
    PANEL,
    SIZED_PANEL,
    judged_like,
    stand_ins,
)
from advisor.core.sentences import Arguments, Listed, Names, Reason
from advisor.workload.workload_file import bundled_names, load_workload

ChangeKind = Literal[
    "strategy", "precision", "batch", "length", "tuning", "attention", "checkpointing", "switched", "link", "compile"
]
OF_OPERATORS = {"tuning", "attention", "checkpointing"}
_OF_ANY_COUNT = {"strategy", "link", "length", *OF_OPERATORS}
_TUNED = ("llama_1b_lora", "llama_8b_lora")
_WITH_BLOCKS = ("gpt2_small", "bert_large_squad", "llama_8b")
"""Models that stand for the rest where a claim names none: traced with either way of the change."""
_NOT_CHECKPOINTED = ("gpt2_small", "bert_large_squad")
"""Those that keep what attention leaves for backward."""
_OF_TEXT = ("gpt2_small", "llama_8b")
"""Models whose texts may be of any length."""
_WITH_CONVOLUTIONS = ("resnet50", "unet_vgg16")
"""Models whose work a layout reaches: a vision transformer has one convolution."""
_ANY_BATCHES = (1, 4, 16)
"""Tried where a claim about adapters names no batch: unpacking weights is done once a pass, however many samples."""

_SHARDED = {"zero2", "fsdp", "fsdp_offload"}
_OPEN_FACTOR = 4
"""How many times a workload's own batch is tried beside it where a claim about operators or FP8 names none."""


class Meant(NamedTuple):
    """One of the ways in which a claim's change may be run."""

    claim: Claim
    """With the precision of both sides, where it names none."""
    prepared: bool = False
    """Whether a quantised side was prepared by PEFT: what is not packed is in FP32, and so is what flows between."""


def kind_of(claim: Claim) -> ChangeKind | None:
    """What was changed on the same cards, the first of several; None: nothing is held against what was before."""
    return next(iter(kinds_of(claim)), None)


def kinds_of(claim: Claim) -> tuple[ChangeKind, ...]:
    """All that was changed on the same cards. `torch.compile` is one of several only where it was off before."""
    kinds: tuple[tuple[ChangeKind, object], ...] = (
        ("strategy", claim.reference_strategy),
        ("precision", claim.reference_precision),
        ("batch", claim.reference_batch_size or claim.batch_ratio),
        ("length", claim.reference_sequence_length or claim.length_ratio),
        ("tuning", claim.reference_tuning),
        ("attention", claim.reference_attention),
        ("checkpointing", claim.reference_activation_checkpointing),
        ("switched", claim.switched),
        ("link", claim.reference_interconnect),
        ("compile", claim.reference_compile),
    )
    changed = tuple(kind for kind, before in kinds if before is not None)
    return changed or (("compile",) if claim.compile else ())


def grown_ratio(claim: Claim) -> float:
    """How many times as large a batch, or as long a text, became; 1 where neither is what was changed."""
    if "batch" in kinds_of(claim):
        return claim.batch_ratio or (claim.batch_size or 1) / (claim.reference_batch_size or 1)
    return claim.length_ratio or (claim.sequence_length or 1) / (claim.reference_sequence_length or 1)


def is_about_one_change(claim: Claim) -> bool:
    """Whether a ratio of speed or memory is claimed of the same cards, by what was changed on them."""
    if not claim.of_change or claim.reference_gpus:
        return False
    kind = kind_of(claim)
    return kind is not None and (kind in _OF_ANY_COUNT or claim.count in {None, 1, claim.reference_count})


def models_of(claim: Claim, predictor: Predictor) -> tuple[str, ...]:
    """Bundled workloads to judge a change on: the claim's own, that nearest to its size, or a panel."""
    kind = kind_of(claim)
    if kind == "tuning":
        own = _adapted(claim.workload) if claim.workload is not None else None
        return stand_ins(msgspec.structs.replace(claim, workload=own), predictor, _TUNED)
    panel: tuple[str, ...] = PANEL if claim.parameters is None else SIZED_PANEL
    if claim.switched == "channels_last":
        panel = _WITH_CONVOLUTIONS
    elif kind == "length":
        panel = _OF_TEXT
    elif kind == "attention" and claim.memory_ratio is not None:
        panel = _NOT_CHECKPOINTED
    elif kind in OF_OPERATORS:
        panel = _WITH_BLOCKS
    elif "fp8" in {claim.precision, claim.reference_precision}:
        panel = FP8_PANEL
    return stand_ins(claim, predictor, panel)


def _adapted(name: str) -> str:
    """The bundled workload of the same model with adapters, where there is one."""
    stem = name.removesuffix("_qlora").removesuffix("_lora")
    return f"{stem}_lora" if f"{stem}_lora" in bundled_names() else name


def judged_by(claim: Claim, predictor: Predictor) -> tuple[Reason, ...]:
    """Which models a change was judged on, where the claim names none."""
    if claim.workload is not None:
        return ()
    names = Names(names=tuple(load_workload(name).name for name in models_of(claim, predictor)))
    return (judged_like(claim, names),)


def batches_of(claim: Claim, name: str) -> tuple[int, ...]:
    """Batch sizes after the change that are tried: the claim's own, or those that may be meant."""
    if claim.batch_size is not None:
        return (claim.batch_size,)
    own = load_workload(name).training.batch_size
    if claim.batch_ratio is not None:
        return tuple(round(size * claim.batch_ratio) for size in batches_before(name))
    if kind_of(claim) in {"tuning", "length"}:
        return _ANY_BATCHES
    if kind_of(claim) == "link":  # what is sent weighs by them
        return tuple(own * factor for factor in OPEN_FACTORS)
    in_fp8 = "fp8" in {claim.precision, claim.reference_precision}
    return (own, own * _OPEN_FACTOR) if kind_of(claim) in OF_OPERATORS or in_fp8 else (own,)


def ways_meant(claim: Claim) -> tuple[Meant, ...]:
    """The claim in each precision that its sides may have, and QLoRA with PEFT's preparation and without it."""
    claims = [msgspec.structs.replace(claim, precision=precision) for precision in _precisions_meant(claim)]
    # Without a precision of its own, QLoRA is run under autocast, which alone can be prepared.
    able = [of for of in claims if of.precision is None or PRECISION_FACTS[of.precision].autocast]
    prepared = [Meant(of, prepared=True) for of in able] if may_be_prepared(claim) else []
    return (*(Meant(of) for of in claims), *prepared)


def _precisions_meant(claim: Claim) -> tuple[Precision | None, ...]:
    """The claim's own, and of ways of training, switches and sharding those that bring other gains.

    PEFT's own scripts train LoRA in pure BF16, where FP32 adapters keep products in FP32; under autocast they do not.
    A layout, an optimizer's kernels and its states bring other gains beside weights of 16 bits or autocast. Shards that
    are cast run all operators in 16 bits, where autocast leaves some in FP32: in one type both sides run the same.
    """
    kinds, own = kinds_of(claim), claim.precision
    if {"tuning", "switched"}.intersection(kinds) and own is None:
        return (None, "bf16_amp")
    if shards_one_side(claim) and (own is None or PRECISION_FACTS[own].autocast):
        return (own, "bf16_true") if own is not None else (None, "bf16_true", "fp32")
    return (own,)


def shards_one_side(claim: Claim) -> bool:
    """Whether sharding is held against whole copies of the model."""
    sides = (claim.strategy, claim.reference_strategy)
    return "strategy" in kinds_of(claim) and len({side in _SHARDED for side in sides}) > 1


def may_be_prepared(claim: Claim) -> bool:
    """Whether one side alone is QLoRA, which PEFT may have prepared."""
    return "qlora" in {claim.tuning, claim.reference_tuning} and "tuning" in kinds_of(claim)


def batches_before(name: str) -> tuple[int, ...]:
    """Batch sizes that a batch of no told size may have grown from: one sample, and up to several times the usual."""
    own = load_workload(name).training.batch_size
    smaller = range(math.ceil(math.log(own, _OPEN_FACTOR)))
    return tuple(sorted({1, *(_OPEN_FACTOR**step for step in smaller), own, own * _OPEN_FACTOR}))


def words_of(claim: Claim) -> Arguments:
    """What was changed, and what stands after and before it, as arguments of a sentence."""
    kinds = kinds_of(claim) or ("compile",)
    if len(kinds) > 1:
        after, before = (
            Listed(reasons=sides) for sides in zip(*(one_side_each(claim, kind) for kind in kinds), strict=True)
        )
        return {"change": "several", "after": after, "before": before}
    kind = kinds[0]
    named = _named_sides(claim, kind)
    if named is not None:
        return {"change": kind, "after": named[0], "before": named[1]}
    if kind == "batch":
        return {"change": "growth", "after": f"{claim.batch_ratio:g}×", "before": "1×"}
    if kind == "length":
        return {"change": "stretch", "after": f"{claim.length_ratio:g}×", "before": "1×"}
    after, before = (Listed(reasons=(side,)) for side in one_side_each(claim, kind))
    return {"change": kind, "after": after, "before": before}


def one_side_each(claim: Claim, kind: ChangeKind) -> tuple[Reason, Reason]:
    """After and before one change, as statements that a sentence lists."""
    if kind == "batch" and claim.batch_ratio is not None:
        return Reason.of("claim-side-batch-grown", ratio=claim.batch_ratio), Reason.of("claim-side-batch-before")
    if kind == "length" and claim.length_ratio is not None:
        return Reason.of("claim-side-length-grown", ratio=claim.length_ratio), Reason.of("claim-side-length-before")
    if kind == "batch":
        sizes = (claim.batch_size or 1, claim.reference_batch_size or 1)
        after, before = (Reason.of("claim-side-batch-of", batch=size) for size in sizes)
        return after, before
    if kind == "length":
        lengths = (claim.sequence_length or 1, claim.reference_sequence_length or 1)
        after, before = (Reason.of("claim-side-length-of", length=length) for length in lengths)
        return after, before
    named = _named_sides(claim, kind)
    if named is not None:
        after, before = (Reason.of("claim-side-named", name=name) for name in named)
        return after, before
    sides = {
        "tuning": (claim.tuning, claim.reference_tuning),
        "attention": (claim.attention, claim.reference_attention),
        "checkpointing": (claim.activation_checkpointing, claim.reference_activation_checkpointing),
        "switched": (f"{claim.switched}-on", f"{claim.switched}-off"),
    }[kind]
    after, before = (Reason.of(f"claim-side-{kind}-{side}") for side in sides)
    return after, before


def _named_sides(claim: Claim, kind: ChangeKind) -> tuple[str, str] | None:
    """After and before by names that no language translates; None: they are said in words."""
    if kind == "strategy" and claim.strategy is not None and claim.reference_strategy is not None:
        return STRATEGY_LABELS[claim.strategy], STRATEGY_LABELS[claim.reference_strategy]
    if kind == "precision" and claim.precision is not None and claim.reference_precision is not None:
        return PRECISION_LABELS[claim.precision], PRECISION_LABELS[claim.reference_precision]
    if kind == "batch" and claim.batch_ratio is None:
        return str(claim.batch_size), str(claim.reference_batch_size)
    if kind == "length" and claim.length_ratio is None:
        return str(claim.sequence_length), str(claim.reference_sequence_length)
    if kind == "link":
        return ("NVLink", "PCIe") if claim.interconnect == WITH_NVLINK else ("PCIe", "NVLink")
    return ("torch.compile", "eager") if kind == "compile" else None
