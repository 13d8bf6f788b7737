"""What one run of the main job is asked for."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.links import Machines
from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import USUAL_COUNTS
from advisor.core.records import Record
from advisor.cost.scaling.links import parse_interconnect
from advisor.predict.time_to_train import CriticalBatch
from advisor.protocol.budgets import MEASURING_S
from advisor.recommend.batch_size import MAX_GLOBAL_BATCH_GROWTH
from advisor.recommend.candidates import table_keys
from advisor.recommend.dealing import require_data_for_batch
from advisor.recommend.fixed import FREE, Fixed
from advisor.recommend.prices import Prices
from advisor.recommend.recommendation import Goal, Limits
from advisor.workload.workload import Workload


class AdviceRequest(Record, frozen=True, kw_only=True):
    """One run of the main job."""

    workload: Workload
    measure: bool = True
    budget_s: float = MEASURING_S
    devices: tuple[str, ...] | None = None
    """Measure only these (`cpu`, a UUID or an index); None: all."""
    gpu_keys: tuple[str, ...] | None = None
    """Candidates of the spec table; None: the usual five."""
    extra_specs: tuple[GpuSpec, ...] = ()
    counts: tuple[int, ...] = USUAL_COUNTS
    """Numbers of devices that are tried, of each kind that `card_counts` does not name."""
    card_counts: dict[str, tuple[int, ...]] = {}
    """Numbers of cards that are tried of the cards with these keys: set-ups that are compared as they are named."""
    precisions: tuple[Precision, ...] | None = None
    goal: Goal = "time"
    prices: Prices | None = None
    limits: Limits = msgspec.field(default_factory=Limits)
    global_batch_size: int | None = None
    fixed: Fixed = FREE
    """Which of the workload's settings the user demands; the others are where the search begins."""
    critical_batch: CriticalBatch | None = None
    """Where larger global batches stop saving steps, if known; None: a default range."""
    host_memory_bytes: float | None = None
    """Of each machine with GPUs; None: this machine's for itself, elsewhere an assumption that is said."""
    switches: bool = False
    """Also trace what each switch that changes the operators would bring; the others are always predicted."""
    interconnect: str | None = None
    node_count: int | None = None
    """Machines there are; None: as many as the cards take, eight in each."""
    allow_code: bool = False
    data_folder: str | None = None
    """Where microbenchmarks, traces and replays of earlier runs are kept for reuse; None: neither read nor kept."""

    @property
    def machines(self) -> Machines:
        """As told, which the most of the cards fill: fewer stand in as few as hold them."""
        return Machines.holding(self.every_count, self.node_count)

    @property
    def every_count(self) -> tuple[int, ...]:
        """The numbers of cards that are asked for, of one card or another; ascending."""
        if not self.card_counts:
            return self.counts
        return tuple(sorted({count for counts in self.card_counts.values() for count in counts}))

    def counts_of(self, key: str) -> tuple[int, ...]:
        """The numbers that are tried of a device, by its key."""
        return self.card_counts.get(key, self.counts)


def known_specs(request: AdviceRequest) -> Mapping[str, GpuSpec]:
    """The spec table and the cards that the request brings."""
    return {**spec_table(), **{spec.key: spec for spec in request.extra_specs}}


def growth_of(request: AdviceRequest) -> float:
    """How far the global batch may grow: as far as by default, and to the workload's own on each card asked for.

    A workload's batch is that of one card. Who asks for 64 cards means to give each of them one: held to less, they
    would step after every few samples, and most counts that were asked for could not be advised for a large model,
    which is described with one or two samples a card.
    """
    return max(MAX_GLOBAL_BATCH_GROWTH, float(max(request.every_count)))


def check(request: AdviceRequest) -> None:
    """Refuse at once what no measurement could mend: an unknown card or link, a batch beyond the data.

    Raises InputError.
    """
    require_data_for_batch(request.global_batch_size, request.workload.data.samples)
    specs = known_specs(request)
    for key in table_keys(specs, request.gpu_keys):
        parse_interconnect(request.interconnect or "", specs[key])
