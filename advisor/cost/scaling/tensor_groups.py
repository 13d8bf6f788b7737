"""Tensor parallelism within hosts, full sharding across them: the optimizer step of all its groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from advisor.catalogue.strategies import tensor_cards
from advisor.cost.scaling.communication import group_costs, overlap_loss
from advisor.cost.scaling.data_parallel import Exchange
from advisor.cost.scaling.links import Link
from advisor.cost.scaling.scaling_figures import ScalingFigures
from advisor.cost.scaling.sharding import sharded_communication_s
from advisor.cost.scaling.tensor_pipeline import beside_products_s, tensor_communication_s
from advisor.cost.scaling.traffic import Traffic, part_of
from advisor.cost.step_parts import OWN_PARTS
from advisor.optable.op_columns import Floats


@dataclass(frozen=True, kw_only=True)
class TensorGroups:
    """`count` cards in groups that split every layer; each card's batch is a micro-batch that its group takes whole.

    So every one of n cards brings its batch, as in all strategies, and a group's memory holds one of them at a time.
    """

    traffic: Traffic
    """Of the whole model."""
    link: Link
    count: int
    accumulation_steps: int
    """Micro-batches a card brings."""
    host_step_s: Floats | float
    """The host's work of issuing one micro-batch: no less for a card that computes a part of each layer."""
    memory_bytes_per_s: float
    beside_products: bool
    """Whether what the cards of a group send travels beside their products."""
    gradient_passes: float
    """Times that gradients cross the memory beside their reduction."""
    figures: ScalingFigures

    def parts(self, one: Mapping[str, Floats], batch_sizes: Floats) -> dict[str, Floats]:
        """Seconds of the parts of one optimizer step, but for stragglers; `one`: of one card's micro-batch alone.

        Each array has the shape of `batch_sizes`.
        """
        cards = tensor_cards(self.count)
        rounds = self.accumulation_steps * cards
        forward_s, backward_s = one["forward_s"] / cards, one["backward_s"] / cards
        own = {name: one[name] * rounds for name in OWN_PARTS}
        waits = np.maximum(one["host_s"] / cards, self.host_step_s - forward_s - backward_s)
        return own | {
            "forward_s": forward_s * rounds,
            "backward_s": backward_s * rounds + (rounds - 1) * self._added_s(cards),
            "host_s": np.maximum(0.0, waits) * rounds,
            "optimizer_s": one["optimizer_s"] / self.count,
            "communication_s": self._layers_s(batch_sizes, forward_s + backward_s, cards) * rounds
            + self._shards_s(forward_s, backward_s, cards, rounds),
            "imbalance_s": np.zeros_like(forward_s),
        }

    def _added_s(self, cards: int) -> float:
        """What every micro-batch after the first adds to the card's shard of the gradients, less what it spares."""
        further = self.traffic.accumulation
        added = further.gradient_passes * self.traffic.gradient_bytes / self.count
        return (added - further.spared_bytes / cards) / self.memory_bytes_per_s

    def _layers_s(self, batch_sizes: Floats, pass_s: Floats, cards: int) -> Floats:
        inside = group_costs(self.link, self.count, cards, 1, self.figures)
        sent = tensor_communication_s(self.traffic, inside, batch_sizes / cards, cards)
        return beside_products_s(sent, pass_s, cards) if self.beside_products else sent

    def _shards_s(self, forward_s: Floats, backward_s: Floats, cards: int, rounds: int) -> Floats:
        """Weights and gradients between the groups, of which every card has its part of each layer."""
        groups = self.count // cards
        if groups == 1:
            return np.zeros_like(forward_s)
        share = part_of(self.traffic, cards)
        exchange = Exchange(
            traffic=share,
            cost=group_costs(self.link, self.count, groups, cards, self.figures),
            loss=overlap_loss(self.link, groups, self.figures),
            pass_s=share.gradient_bytes / self.memory_bytes_per_s,
            passes=self.gradient_passes,
        )
        return sharded_communication_s("fsdp", exchange, forward_s, backward_s, rounds)
