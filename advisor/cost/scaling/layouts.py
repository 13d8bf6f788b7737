"""The optimizer step of a job whose layers, tensors, lengths or states are split: parts that add up."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from advisor.cost.layout import DataParallel, Layout
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.communication import Costs, group_costs, overlap_loss, slow_host, straggling_fraction
from advisor.cost.scaling.data_parallel import Exchange, ddp_communication_s
from advisor.cost.scaling.links import Link
from advisor.cost.scaling.scaling_figures import ScalingFigures, scaling_figures
from advisor.cost.scaling.sharding import Sharded, sharded_communication_s
from advisor.cost.scaling.tensor_pipeline import (
    beside_products_s,
    context_communication_s,
    pipeline_bubble_s,
    pipeline_transfer_s,
    tensor_communication_s,
)
from advisor.cost.scaling.traffic import Traffic, part_of
from advisor.cost.step_parts import OWN_PARTS, StepParts, of_rounds


@dataclass(frozen=True, kw_only=True)
class LaidOutStep:
    """One optimizer step of a layout, in seconds."""

    parts_s: dict[str, float]
    """By the names of `PARTS`; they add up to `step_s`."""
    step_s: float
    slow_host_s: float
    """The same in a host that routes badly; no longer than `step_s` where no such host is to be feared."""
    efficiency: float
    """rate(n) / (n rate(1)) at the same micro-batch of a replica and the same accumulation."""
    link_certain: bool
    """Whether the link was measured or named."""


@dataclass(frozen=True, kw_only=True)
class ReplicaStep:
    """One micro-batch of one replica as a single card would take it, and what it exchanges."""

    steps: StepParts
    """Arrays of shape (1, 1): one card, one batch, without accumulation."""
    traffic: Traffic
    batch_size: int
    link: Link
    memory_bytes_per_s: float
    adapter_units_s: float = 0.0
    """What the card waits for the hooks around adapters that are units of shards by themselves."""


def lay_out(
    replica: ReplicaStep, layout: Layout, *, setting: Setting | None = None, figures: ScalingFigures | None = None
) -> LaidOutStep:
    """The step of `layout`: a replica's work divided by its degrees, and what they and the replicas exchange.

    Every replica brings its batch: the global batch is replicas x batch x accumulation. Raises ValueError where the
    degrees do not divide the devices.
    """
    if layout.replica_count == 0:
        message = f"{layout.model_count} devices a replica do not divide {layout.count}"
        raise ValueError(message)
    setting, figures = setting or Setting(), figures or scaling_figures()
    link = replica.link
    if layout.host_size is not None:
        link = msgspec.structs.replace(link, cards_per_node_count=layout.host_size)
    parts = _Job(replica, layout, link, setting, figures).parts()
    one_card = msgspec.structs.replace(layout, data_parallel="single", count=1, tensor=1, pipeline=1, context=1)
    alone = sum(_Job(replica, one_card, link, setting, figures).parts().values())
    step = sum(parts.values())
    worst = slow_host(link, layout.count, figures)
    slow = step if worst is None else sum(_Job(replica, layout, worst, setting, figures).parts().values())
    return LaidOutStep(
        parts_s=parts,
        step_s=step,
        slow_host_s=slow,
        efficiency=alone / (step * layout.model_count),
        link_certain=link.certain,
    )


class _Job:
    """One layout over one link."""

    def __init__(
        self, replica: ReplicaStep, layout: Layout, link: Link, setting: Setting, figures: ScalingFigures
    ) -> None:
        self.layout, self.link, self.figures = layout, link, figures
        self.units_s = replica.adapter_units_s if layout.shard_count > 1 else 0.0
        self.rounds, self.tensor_beside = setting.accumulation_steps, setting.tensor_beside
        self.batch = np.array([float(replica.batch_size)])
        self.memory_bytes_per_s = replica.memory_bytes_per_s * figures.assumed.memory_fraction
        parts = {name: float(getattr(replica.steps, name).item()) for name in OWN_PARTS}
        self.card_parts = parts | {name: parts[name] / layout.model_count for name in ("forward_s", "backward_s")}
        self.whole_traffic = replica.traffic
        self.traffic = part_of(replica.traffic, layout.tensor * layout.pipeline)

    def parts(self) -> dict[str, float]:
        """The parts of one optimizer step."""
        layout, rounds = self.layout, self.rounds
        own = of_rounds(self.card_parts, rounds)
        own["backward_s"] += (rounds - 1) * self._added_bytes() / self.memory_bytes_per_s
        own["optimizer_s"] /= layout.tensor * layout.pipeline * layout.shard_count
        own |= {"communication_s": self._communication_s(), "imbalance_s": 0.0}
        if layout.pipeline > 1:
            micro = self.card_parts["forward_s"] + self.card_parts["backward_s"]
            own["imbalance_s"] += float(pipeline_bubble_s(np.array(micro * layout.pipeline), layout.pipeline))
        if layout.count > 1:
            own["imbalance_s"] += straggling_fraction(self.link, layout.count, self.figures) * sum(own.values())
        return own

    def _added_bytes(self) -> float:
        """What a micro-batch after the first moves beside its own pass, less what it spares of that."""
        layout, further = self.layout, self.traffic.accumulation
        kept = layout.shard_count if layout.data_parallel in KEPT_SHARDED else 1
        added = further.gradient_passes * self.traffic.gradient_bytes / kept
        return added - further.spared_bytes / layout.model_count

    def _communication_s(self) -> float:
        layout, traffic = self.layout, self.whole_traffic
        total = self.units_s
        if layout.tensor > 1:
            group = self._group(layout.tensor, stride=1)
            per_card = self.batch / (layout.tensor * layout.context)
            sent = tensor_communication_s(traffic, group, per_card, layout.tensor) / layout.pipeline
            if self.tensor_beside:
                pass_s = np.array(self.card_parts["forward_s"] + self.card_parts["backward_s"])
                sent = beside_products_s(sent, pass_s, layout.tensor)
            total += float(sent[0])
        if layout.context > 1:
            group = self._group(layout.context, stride=layout.tensor)
            attention_s = self.card_parts["forward_s"]
            total += context_communication_s(traffic, group, float(self.batch[0]), attention_s) / layout.pipeline
        if layout.pipeline > 1:
            group = self._group(layout.pipeline, stride=layout.count // layout.pipeline)
            # Of an activation that the cards of a stage share, each sends its part on (Narayanan et al. 2021).
            share = self.batch / (layout.context * layout.tensor)
            total += float(pipeline_transfer_s(traffic, group, share, 1)[0])
        return total * self.rounds + self._data_parallel_s()

    def _data_parallel_s(self) -> float:
        """Gradients, and for shards parameters, between the replicas; every tensor and stage has a group of its own."""
        layout = self.layout
        group_count = layout.replica_count * layout.context
        if group_count <= 1:
            return 0.0
        whole = self._group(group_count, stride=layout.tensor)
        loss = overlap_loss(self.link, group_count, self.figures)
        exchange = Exchange(
            traffic=self.traffic,
            cost=whole,
            loss=loss,
            pass_s=self.traffic.gradient_bytes / self.memory_bytes_per_s,
            passes=self.figures.fitted.gradient_pass_count,
        )
        forward, backward = np.array(self.card_parts["forward_s"]), np.array(self.card_parts["backward_s"])
        if layout.data_parallel != "hsdp":
            strategy = _SHARDED.get(layout.data_parallel)
            if strategy is None:
                return float(ddp_communication_s(exchange, backward))
            return float(sharded_communication_s(strategy, exchange, forward, backward, self.rounds))
        inside = replace(exchange, cost=self._group(layout.shard_count, stride=layout.tensor))
        sharded = float(sharded_communication_s("fsdp", inside, forward, backward, self.rounds))
        copies = group_count // layout.shard_count
        if copies <= 1:
            return sharded
        across = self._group(copies, stride=layout.tensor * layout.shard_count)
        shards = part_of(self.traffic, layout.shard_count)
        return sharded + float(
            ddp_communication_s(replace(exchange, traffic=shards, cost=across, passes=0.0), backward)
        )

    def _group(self, count: int, *, stride: int) -> Costs:
        return group_costs(self.link, self.layout.count, count, stride, self.figures)


_SHARDED: dict[DataParallel, Sharded] = {"zero1": "zero1", "zero2": "zero2", "fsdp": "fsdp"}
KEPT_SHARDED = frozenset({"zero2", "fsdp", "hsdp"})
"""Where every micro-batch's gradients are scattered, so that a device adds up its own share alone."""
