"""What explains a set-up of several cards: its link, what it exchanges, the same over another link, unlike cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from advisor.catalogue.precisions import ComputedPrecision
from advisor.cost.scaling.links import Link
from advisor.cost.scaling.traffic import Traffic
from advisor.predict.additions import Added
from advisor.predict.candidate_grid import CandidateGrid
from advisor.predict.computed_precision import computed_precision
from advisor.predict.prediction import Device, Prediction, SetUp


@dataclass(frozen=True, kw_only=True)
class MixedGroup:
    """Some of the unlike cards of a machine, training together by DDP at one batch a card."""

    devices: tuple[Device, ...]
    """Fastest first; a device once for each such card."""
    batch_size: int
    step_s: float
    """Of the slowest, which all wait for."""
    waits_s: tuple[float, ...]
    """What each card waits, in the order of `devices`."""
    samples_per_s: float


class Groups:
    """Answers about predictions of several cards that the predictions themselves don't hold."""

    def __init__(self, grids: Mapping[tuple[Added, ComputedPrecision], CandidateGrid]) -> None:
        """Keep the grids that the predictions came from, by what these add to the workload and what they compute in."""
        self.grids = grids

    def _grid_of(self, prediction: SetUp) -> CandidateGrid | None:
        """The grid of its precision, or of what its shards are cast to."""
        for (added, precision), grid in self.grids.items():
            training, traced = grid.sources.workload.training, grid.sources.tables
            own = precision == computed_precision(prediction, training, traced)
            if added == prediction.added and own and prediction.device.key in grid.rows:
                return grid
        return None

    def link(self, prediction: SetUp) -> Link | None:
        """What joins its cards; None where its precision was not predicted here."""
        grid = self._grid_of(prediction)
        return None if grid is None else grid.link(prediction.device, prediction.count)

    def traffic(self, prediction: Prediction) -> Traffic | None:
        """What its model has to send in a step."""
        grid = self._grid_of(prediction)
        return None if grid is None else grid.traffic

    def host_core_count(self, prediction: Prediction) -> int | None:
        """Cores that its ranks share; None: unknown, or not this machine."""
        grid = self._grid_of(prediction)
        return None if grid is None else grid.host_core_count(prediction.device)

    def assumed_dispatch_s(self, prediction: SetUp) -> float | None:
        """What its host is taken to need for an operator; None where it was measured, or nothing is known of it."""
        grid = self._grid_of(prediction)
        if grid is None:
            return None
        return grid.step.assumed_dispatch_s(grid.spec(prediction.device), grid.sources.figures.assumed)

    def step_over(self, prediction: Prediction, link: Link) -> float | None:
        """Seconds of the same optimizer step over another link."""
        grid = self._grid_of(prediction)
        if grid is None or prediction.batch_size_per_device not in grid.batches:
            return None
        scaled = grid.scaled(
            prediction.gradient_accumulation_steps,
            [link] * len(grid.rows),
            (prediction.strategy,),
            (prediction.count,),
        )
        column = grid.batches.index(prediction.batch_size_per_device)
        return float(scaled.step_s[0, 0, grid.rows[prediction.device.key], column])

    def mixed(
        self, devices: Sequence[Device], precision: ComputedPrecision, accumulation: int
    ) -> tuple[MixedGroup, ...]:
        """Every group of the k fastest of `devices` (a device once for each such card) at every batch tried.

        All cards of a group take the same batch, as DDP deals it out; the weakest link joins them. Empty where a
        device has no step at this precision.
        """
        grid = self.grids.get(((), precision))
        if grid is None or grid.steps is None or any(device.key not in grid.rows for device in devices):
            return ()
        counts = range(1, len(devices) + 1)
        link = grid.weakest_link(devices, len(devices))
        scaled = grid.scaled(accumulation, [link] * len(grid.rows), ("ddp",), counts)
        by_row = {grid.rows[device.key]: device for device in devices}
        groups = []
        for column, batch in enumerate(grid.batches):
            alone = scaled.step_s[0, 0, :, column]
            cards = sorted((grid.rows[device.key] for device in devices), key=lambda row: float(alone[row]))
            for place, count in enumerate(counts):
                steps = {row: float(scaled.step_s[0, place, row, column]) for row in cards[:count]}
                together = sorted(cards[:count], key=steps.__getitem__)
                slowest_s = steps[together[-1]]
                if np.isfinite(slowest_s):
                    groups.append(
                        MixedGroup(
                            devices=tuple(by_row[row] for row in together),
                            batch_size=batch,
                            step_s=slowest_s,
                            waits_s=tuple(slowest_s - steps[row] for row in together),
                            samples_per_s=count * batch * accumulation / slowest_s,
                        )
                    )
        return tuple(groups)
