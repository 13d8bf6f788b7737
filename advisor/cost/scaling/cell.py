"""One card at one count with its link: the parts of an optimizer step by every strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from advisor.catalogue.strategies import SHARDING, Strategy
from advisor.cost.host_time import joined_seconds
from advisor.cost.scaling.communication import (
    Costs,
    bus_bytes_per_s,
    costs,
    overlap_loss,
    straggling_fraction,
)
from advisor.cost.scaling.data_parallel import Exchange, ddp_communication_s, dp_communication_s
from advisor.cost.scaling.links import Link
from advisor.cost.scaling.offload import OffloadedStep, Offloading, Place, offloaded_step
from advisor.cost.scaling.scaling_figures import ScalingFigures
from advisor.cost.scaling.sharding import Sharded, sharded_communication_s
from advisor.cost.scaling.tensor_groups import TensorGroups
from advisor.cost.scaling.tensor_pipeline import pipeline_bubble_s, pipeline_transfer_s, stage_count
from advisor.cost.scaling.traffic import Traffic
from advisor.cost.step_parts import OWN_PARTS, StepParts, of_rounds
from advisor.optable.op_columns import Floats


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What beside model and cards decides how a job scales."""

    accumulation_steps: int = 1
    """Micro-batches before gradients are synchronised (`no_sync`) and the optimizer steps."""
    host_steps_s: tuple[Floats | float, ...] = ()
    """For each card of the grid its host's work of issuing one step without accumulation, whether it bounds the step or
    not, at each batch size or at all alike; empty: none."""
    host_dispatch_count: Floats | float = 0.0
    """Calls, likewise, in which it does so: DataParallel's one process takes longer for each."""
    host_core_counts: tuple[int | None, ...] = ()
    """Cores for all ranks of the host that each card of the grid stands in; None, and empty for all: enough."""
    tensor_beside: bool = False
    """Whether layers send what tensor parallelism needs in pieces beside their products: Transformer Engine's do."""
    offloading: Offloading = field(default_factory=Offloading)
    """What is kept in host memory; the strategy `fsdp_offload` keeps the weights there whatever this says."""

    def cores(self, card: int) -> int | None:
        """Cores for all ranks of the host that a card of the grid stands in."""
        return self.host_core_counts[card] if self.host_core_counts else None

    def issue_s(self, card: int) -> Floats | float:
        """What the host of a card of the grid takes to issue one step of it."""
        return self.host_steps_s[card] if self.host_steps_s else 0.0


@dataclass(frozen=True)
class Job:
    """What is alike in every cell: one card's steps, what they send, and the host."""

    steps: StepParts
    traffic: Traffic
    batch_sizes: Floats
    setting: Setting
    figures: ScalingFigures
    memory_bytes_per_s: Sequence[float]


class Cell:
    """One card at one count with its link: rows over the batches."""

    def __init__(self, job: Job, card: int, count: int, link: Link) -> None:
        """`card` is the row of `job.steps`."""
        self.job, self.count, self.link, self.card = job, count, link, card
        self.card_parts = {name: getattr(job.steps, name)[card] for name in OWN_PARTS}
        self.bytes_per_s = job.memory_bytes_per_s[card] * job.figures.assumed.memory_fraction
        self.pass_s = job.traffic.gradient_bytes / self.bytes_per_s
        """Moving the gradients' bytes once through the card's memory."""
        self.accumulation = job.setting.accumulation_steps
        self.cost: Costs = costs(link, count, job.figures)
        self.loss = overlap_loss(link, count, job.figures)

    def _alone(self) -> dict[str, Floats]:
        """The parts of one card's optimizer step with all its micro-batches, each of shape (batches,).

        Every micro-batch after the first adds its gradients to those that are there.
        """
        rounds, further = self.accumulation, self.job.traffic.accumulation
        parts = of_rounds(self.card_parts, rounds)
        added_s = further.gradient_passes * self.pass_s - further.spared_bytes / self.bytes_per_s
        parts["backward_s"] = parts["backward_s"] + (rounds - 1) * added_s
        zero = np.zeros_like(self.card_parts["forward_s"])
        return parts | {"communication_s": zero, "imbalance_s": zero}

    def parts(self, strategy: Strategy) -> tuple[dict[str, Floats], OffloadedStep | None]:
        """The parts of one optimizer step, each of shape (batches,), and what off-loading adds, which is in them."""
        own = self._on_device(strategy)
        offloaded = self._offloaded(strategy, own)
        if offloaded is not None:
            own["copy_s"] = own["copy_s"] + offloaded.copy_s
            own["optimizer_s"] = own["optimizer_s"] if offloaded.update_s is None else offloaded.update_s
        return own, offloaded

    def step_s(self, strategy: Strategy) -> Floats:
        """The whole optimizer step, shape (batches,)."""
        return sum(self.parts(strategy)[0].values(), start=np.zeros(1))

    def _offloaded(self, strategy: Strategy, own: dict[str, Floats]) -> OffloadedStep | None:
        """All cards' shards share the host's memory: an update does not get shorter with the cards of one host."""
        offloading = self.job.setting.offloading
        if strategy == "fsdp_offload" and offloading.kind != "parameters":
            offloading = replace(offloading, kind="parameters")
        if offloading.kind == "none":
            return None
        share = 1.0 / self.count if strategy in SHARDING else 1.0
        in_host = 1 if strategy == "single" else min(self.count, self.link.node_size_count)
        return offloaded_step(
            offloading,
            Place(self.link.pcie_bytes_per_s, share, share * in_host, self.accumulation),
            own,
            parameter_bytes=self.job.traffic.parameter_bytes,
            gradient_bytes=self.job.traffic.gradient_bytes,
            batch_sizes=self.job.batch_sizes,
            assumed=self.job.figures.assumed,
        )

    def _on_device(self, strategy: Strategy) -> dict[str, Floats]:
        own = self._alone()
        if strategy == "single" or (self.count == 1 and strategy != "fsdp_offload"):
            return own
        if strategy == "dp":
            return self.data_parallel()
        if strategy == "ddp":
            own["communication_s"] = ddp_communication_s(self._exchange(), self.card_parts["backward_s"])
        elif strategy == "tp":
            own = self._tensor_groups().parts(self.card_parts, self.job.batch_sizes)
        elif strategy == "pp":
            return self._straggling(self._pipeline(own))
        else:
            self._shard(strategy, own)
        own["host_s"] = own["host_s"] + self._rank_host_s()
        return self._straggling(own)

    def _tensor_groups(self) -> TensorGroups:
        return TensorGroups(
            traffic=self.job.traffic,
            link=self.link,
            count=self.count,
            accumulation_steps=self.accumulation,
            host_step_s=self.job.setting.issue_s(self.card),
            memory_bytes_per_s=self.bytes_per_s,
            beside_products=self.job.setting.tensor_beside,
            gradient_passes=self._own_passes(),
            figures=self.job.figures,
        )

    def _exchange(self) -> Exchange:
        return Exchange(
            traffic=self.job.traffic, cost=self.cost, loss=self.loss, pass_s=self.pass_s, passes=self._own_passes()
        )

    def _own_passes(self) -> float:
        figures = self.job.figures
        on_host = self.link.type == "shared_memory"
        return figures.assumed.host_gradient_pass_count if on_host else figures.fitted.gradient_pass_count

    def _shard(self, strategy: Sharded, own: dict[str, Floats]) -> None:
        if self.count > 1:
            own["communication_s"] = sharded_communication_s(
                strategy,
                self._exchange(),
                self.card_parts["forward_s"],
                self.card_parts["backward_s"],
                self.accumulation,
            )
        own["optimizer_s"] = own["optimizer_s"] / self.count
        if self.count > 1 and strategy != "zero1":
            own["host_s"] = np.maximum(own["host_s"], self._waits_of_shards(own))

    def _waits_of_shards(self, own: dict[str, Floats]) -> Floats:
        """What the card waits for its host, which has no less to issue where the optimizer is shared out.

        Beside that it gathers and scatters each block. It goes on while the card waits for layers to be gathered.
        """
        traffic, setting = self.job.traffic, self.job.setting
        busy = [own[name] for name in ("forward_s", "backward_s", "optimizer_s", "communication_s")]
        device = sum(busy, start=np.zeros(1))
        passes = 2.0 if traffic.backward else 1.0
        around = (traffic.block_count + 1) * passes * self.job.figures.assumed.sharded_unit_s
        issued = (np.asarray(setting.issue_s(self.card)) + around) * self.accumulation
        return joined_seconds(device, np.broadcast_to(issued, device.shape)) - device

    def _pipeline(self, own: dict[str, Floats]) -> dict[str, Floats]:
        stages = stage_count(self.job.traffic, self.count)
        passes = sum((own[name] for name in OWN_PARTS if name != "optimizer_s"), start=np.zeros(1))
        idle = self.count / stages
        waiting = pipeline_bubble_s(passes / self.accumulation, stages) + (idle - 1.0) * passes
        transfers = pipeline_transfer_s(
            self.job.traffic, self.cost, self.job.batch_sizes, self.accumulation * self.count
        )
        return own | {
            "communication_s": transfers / stages,
            "imbalance_s": waiting,
            "optimizer_s": own["optimizer_s"] / stages,
        }

    def _rank_host_s(self) -> Floats:
        """What a rank's process adds to a host-bound step: hooks, and waiting for a core where ranks outnumber them."""
        setting, assumed = self.job.setting, self.job.figures.assumed
        bound = (self.card_parts["host_s"] > 0) | (self.link.type == "shared_memory")
        hooks = self.job.traffic.gradient_tensor_count * assumed.hook_s
        ranks = min(self.count, self.link.node_size_count)
        cores = setting.cores(self.card)
        crowd = max(1.0, ranks / cores) if cores else 1.0
        waiting = (crowd - 1.0) * setting.issue_s(self.card) * self.accumulation
        device = self.card_parts["forward_s"] + self.card_parts["backward_s"]
        slack = np.maximum(0.0, device - setting.issue_s(self.card)) * self.accumulation
        return np.asarray(np.where(bound, hooks + waiting, np.maximum(0.0, waiting - slack)))

    def data_parallel(self, *, contended: bool = True) -> dict[str, Floats]:
        """One process issues every card's kernels: (card^4 + host^4)^(1/4), plus copies that overlap with nothing.

        Its threads contend for one interpreter lock and its modules are rebuilt for every card and step, so that a
        call takes longer there than in a process of one card; not `contended`: as if it did not.
        """
        host, setting = self.job.figures.data_parallel, self.job.setting
        own = self._alone()
        card = self.card_parts["forward_s"] + self.card_parts["backward_s"]
        slowed_s = setting.host_dispatch_count * host.dispatch_s if contended else 0.0
        issued = np.maximum(setting.issue_s(self.card), slowed_s) * (
            host.base_of_step_fraction + host.each_card_of_step_fraction * self.count
        )
        power = host.blend_exponent
        bound = (card**power + issued**power) ** (1 / power) - card
        bus = bus_bytes_per_s(self.link, max(2, self.count), self.job.figures)
        moved = dp_communication_s(self.job.traffic, self.count, bus, self.link.pcie_bytes_per_s, self.job.batch_sizes)
        # Flattening and adding up gradients cross the first card's memory as they do in DDP's buckets, and shards
        # wait for the slowest: without both, DP would look faster than DDP where the link is quick.
        copies = self._own_passes() * self.pass_s
        return self._straggling(
            own
            | {
                "host_s": np.maximum(own["host_s"], bound * self.accumulation),
                "communication_s": (moved + copies) * self.accumulation,
            }
        )

    def _straggling(self, own: dict[str, Floats]) -> dict[str, Floats]:
        """Add the wait for the slowest card, by input pipelines and clocks, and for the slowest of several hosts."""
        whole = sum(own.values(), start=np.zeros(1))
        lost = straggling_fraction(self.link, self.count, self.job.figures) * whole
        return own | {"imbalance_s": own["imbalance_s"] + lost}
