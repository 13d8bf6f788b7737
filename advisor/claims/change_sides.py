"""What stood after and before a change on the same cards: both set-ups, and their predictions."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS, FUSED_OPTIMIZERS
from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.claims.changes import OF_OPERATORS, Meant, kind_of
from advisor.claims.claim import Claim, ClaimedSwitch
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.setting import (
    claimed_workload,
    usual_precision,
)
from advisor.claims.sized.ways import usual_sharing
from advisor.predict.prediction import Prediction
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload

_LORA_RANK = 16


class Side(NamedTuple):
    """One of the two set-ups that a claim compares."""

    precision: Precision
    batch_size: int
    strategy: Strategy
    settings: dict[str, object]
    """Of its training."""


def predicted_pair(
    meant: Meant, predictor: Predictor, spec: GpuSpec, name: str, batch: int
) -> tuple[Prediction, Prediction] | None:
    """After and before the change, of one model at a batch size a device; None: one of them cannot be predicted."""
    claim = meant.claim
    workload = claimed_workload(msgspec.structs.replace(claim, workload=name), predictor)
    if kind_of(claim) in OF_OPERATORS and claim.strategy is None and (claim.count or 1) > 1:
        claim = msgspec.structs.replace(claim, strategy=usual_sharing(spec, predictor.tables(workload).values()))
    predicted: list[Prediction] = []
    links = (claim.interconnect, claim.reference_interconnect or claim.interconnect)
    for side, link in zip(sides_of(meant._replace(claim=claim), workload, spec, batch), links, strict=True):
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
        predicted += predictor.linked_by(link).predict(changed, (set_up,))
    return (predicted[0], predicted[1]) if len(predicted) == 2 else None  # noqa: PLR2004 - after and before


def _accumulated(claim: Claim, name: str) -> int:
    """Micro-batches of a step: several cards that share one of a few samples alone would wait for each other."""
    several = kind_of(claim) in OF_OPERATORS and (claim.count or 1) > 1
    return load_workload(name).training.gradient_accumulation_steps if several else 1


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
