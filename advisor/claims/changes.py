"""What a claim says was changed on the same cards: the kind, what stands after and before it, and on which models."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS, FUSED_OPTIMIZERS
from advisor.catalogue.precisions import PRECISION_FACTS, PRECISION_LABELS, Precision
from advisor.catalogue.strategies import STRATEGY_LABELS, Strategy
from advisor.claims.claim import Claim, ClaimedSwitch
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.ratios import FP8_PANEL, PANEL, SIZED_PANEL
from advisor.claims.setting import claimed_workload, stand_ins, usual_precision
from advisor.claims.sized import usual_sharing
from advisor.core.sentences import Arguments, Listed, Names, Reason
from advisor.predict.prediction import Prediction
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import bundled_names, load_workload

ChangeKind = Literal["strategy", "precision", "batch", "tuning", "attention", "checkpointing", "switched", "compile"]
_OF_OPERATORS = {"tuning", "attention", "checkpointing"}
_OF_ANY_COUNT = {"strategy", *_OF_OPERATORS}
_TUNED = ("llama_1b_lora", "llama_8b_lora")
_WITH_BLOCKS = ("gpt2_small", "bert_large_squad", "llama_8b")
"""Models that stand for the rest where a claim names none: traced with either way of the change."""
_NOT_CHECKPOINTED = ("gpt2_small", "bert_large_squad")
"""Those that keep what attention leaves for backward."""
_WITH_CONVOLUTIONS = ("resnet50", "unet_vgg16")
"""Models whose work a layout reaches: a vision transformer has one convolution."""
_LORA_RANK = 16
_TUNING_BATCHES = (1, 4, 16)
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


class Side(NamedTuple):
    """One of the two set-ups that a claim compares."""

    precision: Precision
    batch_size: int
    strategy: Strategy
    settings: dict[str, object]
    """Of its training."""


def kind_of(claim: Claim) -> ChangeKind | None:
    """What was changed on the same cards; None: nothing is held against what was before."""
    kinds: tuple[tuple[ChangeKind, object], ...] = (
        ("strategy", claim.reference_strategy),
        ("precision", claim.reference_precision),
        ("batch", claim.reference_batch_size or claim.batch_ratio),
        ("tuning", claim.reference_tuning),
        ("attention", claim.reference_attention),
        ("checkpointing", claim.reference_activation_checkpointing),
        ("switched", claim.switched),
        ("compile", claim.compile or None),
    )
    return next((kind for kind, before in kinds if before is not None), None)


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
    elif kind == "attention" and claim.memory_ratio is not None:
        panel = _NOT_CHECKPOINTED
    elif kind in _OF_OPERATORS:
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
    return (Reason.of("claim-sized-like" if claim.parameters is not None else "claim-panel-like", like=names),)


def predicted_pair(
    meant: Meant, predictor: Predictor, spec: GpuSpec, name: str, batch: int
) -> tuple[Prediction, Prediction] | None:
    """After and before the change, of one model at a batch size a device; None: one of them cannot be predicted."""
    claim = meant.claim
    workload = claimed_workload(msgspec.structs.replace(claim, workload=name), predictor)
    if kind_of(claim) in _OF_OPERATORS and claim.strategy is None and (claim.count or 1) > 1:
        claim = msgspec.structs.replace(claim, strategy=usual_sharing(spec, predictor.tables(workload).values()))
    predicted: list[Prediction] = []
    for side in sides_of(meant._replace(claim=claim), workload, spec, batch):
        if rate_of(spec, side.precision) is None:
            return None
        changed = with_training(workload, precision=side.precision, **side.settings)
        set_up = candidate(
            spec,
            side.precision,
            side.batch_size,
            count=claim.count or 1,
            strategy=side.strategy,
            accumulation_steps=_accumulated(claim, name),
        )
        predicted += predictor.predict(changed, (set_up,))
    return (predicted[0], predicted[1]) if len(predicted) == 2 else None  # noqa: PLR2004 - after and before


def _accumulated(claim: Claim, name: str) -> int:
    """Micro-batches of a step: several cards that share one of a few samples alone would wait for each other."""
    several = kind_of(claim) in _OF_OPERATORS and (claim.count or 1) > 1
    return load_workload(name).training.gradient_accumulation_steps if several else 1


def batches_of(claim: Claim, name: str) -> tuple[int, ...]:
    """Batch sizes after the change that are tried: the claim's own, or those that may be meant."""
    if claim.batch_size is not None:
        return (claim.batch_size,)
    own = load_workload(name).training.batch_size
    if claim.batch_ratio is not None:
        return tuple(round(size * claim.batch_ratio) for size in batches_before(name))
    if kind_of(claim) == "tuning":
        return _TUNING_BATCHES
    in_fp8 = "fp8" in {claim.precision, claim.reference_precision}
    return (own, own * _OPEN_FACTOR) if kind_of(claim) in _OF_OPERATORS or in_fp8 else (own,)


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
    kind, own = kind_of(claim), claim.precision
    if kind in {"tuning", "switched"} and own is None:
        return (None, "bf16_amp")
    if shards_one_side(claim) and (own is None or PRECISION_FACTS[own].autocast):
        return (own, "bf16_true") if own is not None else (None, "bf16_true", "fp32")
    return (own,)


def shards_one_side(claim: Claim) -> bool:
    """Whether sharding is held against whole copies of the model."""
    sides = (claim.strategy, claim.reference_strategy)
    return kind_of(claim) == "strategy" and len({side in _SHARDED for side in sides}) > 1


def may_be_prepared(claim: Claim) -> bool:
    """Whether one side alone is QLoRA, which PEFT may have prepared."""
    return "qlora" in {claim.tuning, claim.reference_tuning} and kind_of(claim) == "tuning"


def batches_before(name: str) -> tuple[int, ...]:
    """Batch sizes that a batch of no told size may have grown from: one sample, and up to several times the usual."""
    own = load_workload(name).training.batch_size
    smaller = range(math.ceil(math.log(own, _OPEN_FACTOR)))
    return tuple(sorted({1, *(_OPEN_FACTOR**step for step in smaller), own, own * _OPEN_FACTOR}))


def sides_of(meant: Meant, workload: Workload, spec: GpuSpec, batch: int) -> tuple[Side, Side]:
    """After and before the change."""
    claim = meant.claim
    asked = claim.precision or workload.training.precision
    usual = asked if kind_of(claim) == "precision" else usual_precision(spec, asked) or asked
    strategy: Strategy = (claim.strategy or "ddp") if (claim.count or 1) > 1 else "single"
    after = Side(usual, batch, strategy, {"compile": bool(claim.compile)})
    return _settled(meant, workload, spec, after) or (after, _before(claim, after))


def _before(claim: Claim, after: Side) -> Side:
    """What stood before a change that leaves the operators as they are."""
    kind = kind_of(claim)
    if kind == "strategy" and claim.reference_strategy is not None:
        return after._replace(strategy=claim.reference_strategy)
    if kind == "precision" and claim.reference_precision is not None:
        return after._replace(precision=claim.reference_precision)
    if kind == "batch" and claim.reference_batch_size is not None:
        return after._replace(batch_size=claim.reference_batch_size)
    if kind == "batch" and claim.batch_ratio is not None:
        return after._replace(batch_size=round(after.batch_size / claim.batch_ratio))
    return after._replace(settings={"compile": False})


def _settled(meant: Meant, workload: Workload, spec: GpuSpec, side: Side) -> tuple[Side, Side] | None:
    """After and before a change of the operators: each side by its own settings; None: the change is another."""
    claim, kind = meant.claim, kind_of(meant.claim)
    if kind == "tuning":
        ways = (claim.tuning, claim.reference_tuning)
        return _tuned(meant, ways[0], workload, spec, side), _tuned(meant, ways[1], workload, spec, side)
    settings: list[dict[str, object]]
    if kind == "attention":
        settings = [{"attention": way} for way in _attentions(claim, workload)]
    elif claim.switched is not None and kind == "switched":
        settings = _switched(claim.switched, workload)
    elif kind == "checkpointing":
        named = (claim.activation_checkpointing, claim.reference_activation_checkpointing)
        settings = [{"activation_checkpointing": way} for way in named]
    else:
        return None
    return side._replace(settings={**settings[0]}), side._replace(settings={**settings[1]})


def _switched(switch: ClaimedSwitch, workload: Workload) -> list[dict[str, object]]:
    """With the switch and without it, otherwise the same; an optimizer that cannot have it is taken to be AdamW."""
    if switch == "channels_last":
        return [{"channels_last": on} for on in (True, False)]
    training = workload.training
    able = FUSED_OPTIMIZERS if switch == "fused_optimizer" else EIGHT_BIT_OPTIMIZERS
    optimizer = training.optimizer if training.optimizer in able else "adamw"
    if switch == "fused_optimizer":
        return [{"optimizer": optimizer, "optimizer_bits": 32, "fused_optimizer": on} for on in (True, False)]
    # The library of 8-bit states has kernels of its own, so that it is held against torch's usual ones.
    return [{"optimizer": optimizer, "fused_optimizer": False, "optimizer_bits": bits} for bits in (8, 32)]


def _tuned(meant: Meant, way: str | None, workload: Workload, spec: GpuSpec, side: Side) -> Side:
    """Adapters beside whole 16-bit weights, or beside NF4 ones under autocast, as their libraries run them."""
    training = workload.training
    precision = meant.claim.precision or ("bf16_amp" if way == "qlora" else "bf16_true")
    if rate_of(spec, precision) is None:
        precision = usual_precision(spec, "bf16_amp") or precision
    settings: dict[str, object] = {"trainable": "all", "lora_rank": None, "lora_targets": None}
    if way != "full":
        targets = training.lora_targets or "all_linear"
        settings = {"trainable": "lora", "lora_rank": training.lora_rank or _LORA_RANK, "lora_targets": targets}
    settings |= {"weights_bits": None, "quantization": "nf4" if way == "qlora" else None}
    settings |= {"unpacked_bits": 32 if way == "qlora" and meant.prepared else None}
    return side._replace(precision=precision, settings=settings)


def _attentions(claim: Claim, workload: Workload) -> tuple[str | None, str | None]:
    """After and before; where a fused way is held against eager attention, that with which the model is traced."""
    ways, own = (claim.attention, claim.reference_attention), workload.training.attention
    if "eager" not in ways:
        return ways
    fused = own if own != "eager" else "sdpa"
    return ("eager", fused) if ways[0] == "eager" else (fused, "eager")


def words_of(claim: Claim) -> Arguments:
    """What was changed, and what stands after and before it, as arguments of a sentence."""
    kind = kind_of(claim) or "compile"
    if kind == "strategy" and claim.strategy is not None and claim.reference_strategy is not None:
        return _words(kind, STRATEGY_LABELS[claim.strategy], STRATEGY_LABELS[claim.reference_strategy])
    if kind == "precision" and claim.precision is not None and claim.reference_precision is not None:
        return _words(kind, PRECISION_LABELS[claim.precision], PRECISION_LABELS[claim.reference_precision])
    if claim.batch_ratio is not None and kind == "batch":
        return {"change": "growth", "after": f"{claim.batch_ratio:g}×", "before": "1×"}
    if kind == "batch":
        return _words(kind, str(claim.batch_size), str(claim.reference_batch_size))
    if kind == "compile":
        return _words(kind, "torch.compile", "eager")
    sides = {
        "tuning": (claim.tuning, claim.reference_tuning),
        "attention": (claim.attention, claim.reference_attention),
        "checkpointing": (claim.activation_checkpointing, claim.reference_activation_checkpointing),
        "switched": (f"{claim.switched}-on", f"{claim.switched}-off"),
    }[kind]
    after, before = (Listed(reasons=(Reason.of(f"claim-side-{kind}-{side}"),)) for side in sides)
    return {"change": kind, "after": after, "before": before}


def _words(kind: ChangeKind, after: str, before: str) -> Arguments:
    return {"change": kind, "after": after, "before": before}
