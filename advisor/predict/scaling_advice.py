"""What several cards are worth, in reasons with numbers: why DataParallel loses, missing NVLink, learning rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Reason
from advisor.cost.scaling.communication import bus_bytes_per_s
from advisor.predict.time_to_train import learning_rate_range

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.cost.parts import PartKind
    from advisor.cost.scaling.links import Link
    from advisor.predict.prediction import Prediction

_REFERENCE_CARD = "a100-sxm4-40"
"""Whose NVLink (the third generation) a missing one is compared with."""

_WORTH_SAYING_FRACTION = 0.02
_LEADING_CAUSE_FRACTION = 0.25
"""Share of DataParallel's loss from which a cause is named beside a larger one."""


def _part_s(prediction: Prediction, kind: PartKind) -> float:
    return sum(part.duration_s for part in prediction.parts if part.kind == kind)


def dp_loss_reasons(dp: Prediction, ddp: Prediction) -> tuple[Reason, ...]:
    """Why DataParallel is slower than DistributedDataParallel in the same set-up, the larger cause first.

    Empty where it is not slower; a cause that is under 2 % of the step or a quarter of the loss is left out.
    """
    lost_s = dp.step_s.value - ddp.step_s.value
    copies_s = _part_s(dp, "communication") - _part_s(ddp, "communication")
    host_s = _part_s(dp, "host") - _part_s(ddp, "host")
    least_s = max(_WORTH_SAYING_FRACTION * ddp.step_s.value, _LEADING_CAUSE_FRACTION * lost_s)
    if lost_s <= 0:
        return ()
    found = []
    if copies_s >= least_s:
        found.append(
            (
                copies_s,
                Reason.of(
                    "scaling-dp-copies",
                    count=dp.count,
                    communication_s=_part_s(dp, "communication"),
                    ddp_communication_s=_part_s(ddp, "communication"),
                ),
            )
        )
    if host_s >= least_s:
        found.append((host_s, Reason.of("scaling-dp-one-process", count=dp.count, host_s=host_s)))
    return tuple(reason for _, reason in sorted(found, key=lambda entry: -entry[0]))


def nvlink_instead(spec: GpuSpec, link: Link, count: int) -> Link | None:
    """The NVLink that cards without it could be compared with; None where they have one, or none helps.

    A card that takes a bridge is compared with its own bridge, which can be bought (and joins pairs only); any other
    with the NVLink of an A100. A link that was measured or given with its rate is what it is.
    """
    if count < 2 or link.type not in {"pcie_p2p", "pcie_host", "virtual_machine"}:  # noqa: PLR2004 - one sends nothing
        return None
    pairs = bool(spec.nvlink_pairs_only and spec.nvlink_bytes_per_s)
    if pairs and count > 2:  # noqa: PLR2004 - a bridge joins two
        return None
    rate = spec.nvlink_bytes_per_s if pairs else spec_table()[_REFERENCE_CARD].nvlink_bytes_per_s
    kind = "nvlink_bridge" if pairs else "nvswitch"
    return msgspec.structs.replace(link, type=kind, wire_bytes_per_s=rate, measured=(), measured_rank_count=None)


def missing_nvlink_reason(
    prediction: Prediction, link: Link, instead: Link, nvlink_step_s: float, gradient_bytes: float
) -> Reason | None:
    """What a missing NVLink costs: the step as it is and over `instead`; None where it would gain under 2 %."""
    step_s, count = prediction.step_s.value, prediction.count
    if step_s < nvlink_step_s * (1 + _WORTH_SAYING_FRACTION):
        return None
    return Reason.of(
        "scaling-missing-bridge" if instead.type == "nvlink_bridge" else "scaling-missing-nvlink",
        device=prediction.device.name,
        count=count,
        gradient_bytes=gradient_bytes,
        step_s=step_s,
        nvlink_step_s=nvlink_step_s,
        bus_bytes_per_s=bus_bytes_per_s(link, count),
        nvlink_bytes_per_s=bus_bytes_per_s(instead, count),
    )


def efficiency_reason(prediction: Prediction) -> Reason | None:
    """What several cards give over one at the same batch a card, with its range; None for one card.

    Sharded set-ups are proposed where one card cannot hold the model: it is then compared with one that could.
    """
    efficiency = prediction.efficiency
    if efficiency is None:
        return None
    count = prediction.count
    return Reason.of(
        "scaling-efficiency-sharded" if STRATEGY_FACTS[prediction.strategy].shards else "scaling-efficiency",
        count=count,
        device=prediction.device.name,
        speed_up_ratio=count * efficiency.value,
        low_ratio=count * efficiency.low,
        high_ratio=count * efficiency.high,
        efficiency_fraction=efficiency.value,
    )


def learning_rate_note(global_batch: int, reference_batch: int) -> Reason | None:
    """What the larger global batch asks of the learning rate; None where the batch is held."""
    if global_batch == reference_batch:
        return None
    low, high = learning_rate_range(global_batch, reference_batch)
    return Reason.of(
        "scaling-learning-rate",
        global_batch=global_batch,
        own_global_batch=reference_batch,
        low_ratio=low,
        high_ratio=high,
    )
