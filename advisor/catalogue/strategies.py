"""How the cards of a job share its work, one row a strategy: what is sharded, and what it asks for."""

from __future__ import annotations

from typing import Literal

from advisor.core.records import Record

Strategy = Literal["single", "dp", "ddp", "zero2", "fsdp", "fsdp_offload", "tp", "pp"]
Held = Literal["parameters", "gradients", "states", "activations"]
"""What a device's memory holds of a step."""


class StrategyFacts(Record, frozen=True, kw_only=True):
    """One way to train on n cards, each of which brings its batch."""

    label: str
    """Short name in every language; empty: said in words."""
    sharded: frozenset[Held] = frozenset()
    """Of which every card holds its n-th part; of the rest a whole copy."""
    effort_rank: int = 0
    """How much it asks of code and operator: 0 a wrapper, 1 shards, 2 shards in the host's memory, 3 a split model."""
    one_process: bool = False
    """One Python process issues the kernels of every card, and none of another host."""
    offloads: bool = False
    """Parameters, gradients and states rest in the host's memory; useful on one card too."""
    has_script: bool = True
    """Whether a launch script can be written for it with torch alone."""
    rewrites: bool = False
    """Whether every model has to be cut up for it by hand: no library holds a plan of it."""

    @property
    def shards(self) -> bool:
        """Whether a card holds less than the whole model."""
        return bool(self.sharded)

    @property
    def splits_model(self) -> bool:
        """Whether it asks for other code of the model, whose layers it splits or deals out."""
        return self.effort_rank > PLAIN_EFFORT and not self.offloads


_STATE = frozenset[Held]({"parameters", "gradients", "states"})
STRATEGY_FACTS: dict[Strategy, StrategyFacts] = {
    "single": StrategyFacts(label="", one_process=True),
    "dp": StrategyFacts(label="DP", one_process=True),
    "ddp": StrategyFacts(label="DDP"),
    "zero2": StrategyFacts(
        label="ZeRO-2",
        sharded=frozenset({"gradients", "states"}),
        effort_rank=1,
    ),
    "fsdp": StrategyFacts(label="FSDP", sharded=_STATE, effort_rank=1),
    "fsdp_offload": StrategyFacts(
        label="FSDP, off-load",
        sharded=_STATE,
        effort_rank=2,
        offloads=True,
    ),
    "tp": StrategyFacts(
        label="TP",
        sharded=_STATE | {"activations"},
        effort_rank=3,
        has_script=False,
    ),
    "pp": StrategyFacts(label="PP", sharded=_STATE, effort_rank=3, has_script=False, rewrites=True),
}
"""zero2: Rajbhandari et al. 2020; fsdp: Zhao et al. 2023 (ZeRO-3); tp: Shoeybi et al. 2019; pp: Narayanan
et al. 2021."""
STRATEGIES: tuple[Strategy, ...] = tuple(STRATEGY_FACTS)
MOST_DEVICES = 4096
"""Cards of a job, beyond which nothing is predicted."""
MOST_TENSOR_CARDS = 8
"""Cards that share each layer: those of one host, whose links are quick. Across hosts nobody splits layers: the groups
shard weights, gradients and states among them there (Narayanan et al. 2021, Megatron-LM; torchtitan's recipes)."""
STRATEGY_LABELS: dict[Strategy, str] = {name: row.label for name, row in STRATEGY_FACTS.items() if row.label}


def tensor_cards(count: int) -> int:
    """Into how many parts `tp` on `count` cards splits each layer: the most that deal the cards out evenly."""
    return max(cards for cards in range(1, MOST_TENSOR_CARDS + 1) if count % cards == 0)


SHARDING: tuple[Strategy, ...] = tuple(name for name, row in STRATEGY_FACTS.items() if row.shards)
PLAIN_EFFORT = 1
"""Of what shards at most: nothing rests in the host's memory, and the model stays whole in its code."""
PLAINLY_SHARDING: tuple[Strategy, ...] = tuple(
    name for name in SHARDING if STRATEGY_FACTS[name].effort_rank <= PLAIN_EFFORT
)
"""What shards among the cards alone and leaves the model's code as it is."""
USUAL_COUNTS = (1, 2, 4, 8)
"""Numbers of cards of one kind that are tried where nothing is said of them."""
