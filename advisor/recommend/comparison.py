"""What a comparison was made with, handed to everything that explains its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from advisor.catalogue.links import USUAL_MACHINES, Machines
from advisor.recommend.fixed import FREE, Fixed, kept_by
from advisor.recommend.precisions import at_least_as_exact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.cost.scaling.links import Link
    from advisor.measure.measurement import VerdictKind
    from advisor.predict.groups import Groups
    from advisor.predict.prediction import Device, Prediction, SetUp
    from advisor.predict.time_to_train import CriticalBatch
    from advisor.protocol.messages import LoaderPass
    from advisor.recommend.energy import PowerDraw
    from advisor.recommend.recommendation import Goal, Limits
    from advisor.workload.workload import Workload


class Comparison(NamedTuple):
    """The question, its limits, and every prediction that was looked at."""

    workload: Workload
    goal: Goal
    limits: Limits
    specs: Mapping[str, GpuSpec]
    draws: Mapping[str, PowerDraw]
    untrusted: Mapping[str, VerdictKind]
    global_limit: int
    predictions: tuple[Prediction, ...]
    groups: Groups | None = None
    """Answers about set-ups of several cards; None: predictions that came from elsewhere."""
    local_cards: tuple[Device, ...] = ()
    """This machine's usable GPUs, a device once for each card."""
    held_global_batch: int | None = None
    """The global batch that every set-up has to keep; None: it may grow to `global_limit`."""
    machines: Machines = USUAL_MACHINES
    """That several cards from the table stand in; local ones stand in this one."""
    fixed: Fixed = FREE
    loader: tuple[LoaderPass, ...] = ()
    """Passes of the job's data loader that were timed here; none: what loading takes is not known."""
    critical_batch: CriticalBatch | None = None
    """As the user knows it; None: a default range."""
    has_prices: bool = False
    """Whether prices were given, of whichever cards."""
    as_named: bool = False
    """Whether the question names set-ups, so many of this card against so many of that: each is told of."""

    @property
    def bound_is_assumed(self) -> bool:
        """Whether only for want of a trial no step may hold more samples than `global_limit`."""
        known = self.critical_batch is not None and self.critical_batch.given
        return self.held_global_batch is None and not known

    @property
    def exact_enough(self) -> tuple[Prediction, ...]:
        """The predictions at least as exact as asked, of which alone anything is advised."""
        asked = self.workload.training.precision
        return tuple(prediction for prediction in self.predictions if at_least_as_exact(prediction.precision, asked))

    @property
    def kept(self) -> tuple[Prediction, ...]:
        """Those of them that keep what the user fixed."""
        return kept_by(self.fixed, self.exact_enough, self.workload.training, self.held_global_batch)

    @property
    def devices(self) -> dict[str, Device]:
        """Every device that was looked at, by its key."""
        return {prediction.device.key: prediction.device for prediction in self.predictions}

    def spec_of(self, device: Device) -> GpuSpec | None:
        """The spec row of a device; None for a CPU and for unknown cards."""
        return self.specs.get(device.spec_key or "")

    def link_of(self, set_up: SetUp) -> Link | None:
        """What joins the cards of a set-up; None for one card, and where that was not predicted here."""
        return self.groups.link(set_up) if self.groups is not None and set_up.count > 1 else None

    def crosses_network(self, set_up: SetUp) -> bool:
        """Whether its cards stand in several machines."""
        link = self.link_of(set_up)
        return link is not None and set_up.count > link.node_size_count

    def alone(self, device: Device, alike: SetUp) -> list[Prediction]:
        """The set-ups on one such device without others, otherwise like another: every batch size and accumulation."""
        return [
            prediction
            for prediction in self.predictions
            if prediction.device == device
            and prediction.strategy == "single"
            and prediction.precision == alike.precision
            and prediction.added == alike.added
        ]


class Finalist(NamedTuple):
    """The best set-up of one device, and the best of each count that it was chosen from (ascending)."""

    chosen: Prediction
    by_count: tuple[Prediction, ...]


def counted(count: int, name: str) -> str:
    """Alike cards by name: `2 × GeForce RTX 3090`; one without its number."""
    return name if count == 1 else f"{count} × {name}"


def set_up_name(prediction: Prediction) -> str:
    """The cards of a set-up."""
    return counted(prediction.count, prediction.device.name)


def fixed_s(prediction: Prediction, curve: Sequence[Prediction]) -> float:
    """Seconds of a step that do not grow with its batch: launching kernels, synchronising, the optimizer.

    From the slope to the nearest other batch size of the same set-up in `curve`, the next larger one where there is
    one; never below zero or beyond the step.
    """
    step, size = prediction.step_s.value, prediction.batch_size_per_device
    alike = (other for other in curve if other.differs_at_most_by(prediction, "batch_size_per_device"))
    others = [other for other in alike if other.batch_size_per_device != size]
    if not others:
        return prediction.part_s("host", "synchronisation")
    near = min(others, key=lambda other: (other.batch_size_per_device < size, abs(other.batch_size_per_device - size)))
    slope = (near.step_s.value - step) / (near.batch_size_per_device - size)
    return min(step, max(0.0, step - max(0.0, slope) * size))
