"""What stood after and before a change on the same cards: both set-ups, and their predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS, FUSED_OPTIMIZERS
from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.claims.changes import OF_OPERATORS, Meant, kinds_of
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
    length: int | None
    """Tokens of a text."""


def predicted_pair(
    meant: Meant, predictor: Predictor, spec: GpuSpec, name: str, batch: int
) -> tuple[Prediction, Prediction] | None:
    """After and before the change, of one model at a batch size a device; None: one of them cannot be predicted."""
    claim = meant.claim
    workload = claimed_workload(msgspec.structs.replace(claim, workload=name), predictor)
    if OF_OPERATORS.intersection(kinds_of(claim)) and claim.strategy is None and (claim.count or 1) > 1:
        claim = msgspec.structs.replace(claim, strategy=usual_sharing(spec, predictor.tables(workload).values()))
    predicted: list[Prediction] = []
    links = (claim.interconnect, claim.reference_interconnect or claim.interconnect)
    for side, link in zip(sides_of(meant._replace(claim=claim), workload, spec, batch), links, strict=True):
        if rate_of(spec, side.precision) is None:
            return None
        changed = with_training(workload, precision=side.precision, **side.settings)
        changed = msgspec.structs.replace(
            changed, data=msgspec.structs.replace(changed.data, sequence_length=side.length)
        )
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
    several = bool(OF_OPERATORS.intersection(kinds_of(claim))) and (claim.count or 1) > 1
    return load_workload(name).training.gradient_accumulation_steps if several else 1


def sides_of(meant: Meant, workload: Workload, spec: GpuSpec, batch: int) -> tuple[Side, Side]:
    """After and before the change, or all of several changes."""
    claim, kinds = meant.claim, kinds_of(meant.claim)
    asked = claim.precision or workload.training.precision
    usual = asked if "precision" in kinds else usual_precision(spec, asked) or asked
    strategy: Strategy = (claim.strategy or "ddp") if (claim.count or 1) > 1 else "single"
    after = Side(usual, batch, strategy, {"compile": bool(claim.compile)}, workload.data.sequence_length)
    if "tuning" in kinds:
        ways = (claim.tuning, claim.reference_tuning)
        after, before = (_tuned(meant, way, workload, spec, after) for way in ways)
    else:
        before = after
    before = _before(claim, before)
    if "length" in kinds and claim.length_ratio is not None and after.length is not None:
        after = after._replace(length=round(after.length * claim.length_ratio))
    for settings in _settings(claim, workload):
        after = after._replace(settings={**after.settings, **settings[0]})
        before = before._replace(settings={**before.settings, **settings[1]})
    return after, before


def _before(claim: Claim, side: Side) -> Side:
    """What stood before in place of all that was changed and leaves the model's operators as they are."""
    kinds = kinds_of(claim)
    if claim.reference_strategy is not None:
        side = side._replace(strategy=claim.reference_strategy)
    if claim.reference_precision is not None:
        side = side._replace(precision=claim.reference_precision)
    if claim.reference_batch_size is not None:
        side = side._replace(batch_size=claim.reference_batch_size)
    elif claim.batch_ratio is not None:
        side = side._replace(batch_size=round(side.batch_size / claim.batch_ratio))
    if claim.reference_sequence_length is not None:
        side = side._replace(length=claim.reference_sequence_length)
    return side._replace(settings={**side.settings, "compile": False}) if "compile" in kinds else side


def _settings(claim: Claim, workload: Workload) -> Iterator[tuple[dict[str, object], dict[str, object]]]:
    """After and before each change of the operators, as settings of the training."""
    kinds = kinds_of(claim)
    if "attention" in kinds:
        ways = _attentions(claim, workload)
        yield {"attention": ways[0]}, {"attention": ways[1]}
    if claim.switched is not None and "switched" in kinds:
        on, off = _switched(claim.switched, workload)
        yield on, off
    if "checkpointing" in kinds:
        named = (claim.activation_checkpointing, claim.reference_activation_checkpointing)
        yield {"activation_checkpointing": named[0]}, {"activation_checkpointing": named[1]}


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
