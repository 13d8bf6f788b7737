"""The Compare page's numbers: an index of all predictions, so that a switch re-ranks a handful and not thousands."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from advisor.catalogue.precisions import PRECISIONS
from advisor.recommend.ranking import rank_for_compare, untrusted_devices

if TYPE_CHECKING:
    from advisor.catalogue.precisions import Precision
    from advisor.core.units import Estimate
    from advisor.predict.prediction import Prediction
    from advisor.recommend.ranking import Row
    from advisor.recommend.recommendation import Goal
    from advisor.store.advice_record import AdviceRecord


class PredictionIndex:
    """All predictions of an advice by precision, batch and count."""

    def __init__(self, advice: AdviceRecord) -> None:
        """Index them once."""
        self.predictions = advice.predictions
        self._untrusted = untrusted_devices(advice.measurements)
        self._by_choice: dict[tuple[Precision, int], list[Prediction]] = defaultdict(list)
        for one in advice.predictions:
            self._by_choice[one.precision, one.batch_size_per_device].append(one)
        present = {one.precision for one in advice.predictions}
        self.precisions = tuple(precision for precision in PRECISIONS if precision in present)
        self.batches = tuple(sorted({one.batch_size_per_device for one in advice.predictions}))
        self.counts = tuple(sorted({one.count for one in advice.predictions}))

    def rows(self, precision: Precision, batch: int, count: int, goal: Goal) -> tuple[Row, ...]:
        """The best set-up of each device, ranked; what does not fit comes last."""
        found = self._by_choice.get((precision, batch), [])
        return rank_for_compare(found, precision, batch, count, goal, self._untrusted)

    def has_cost(self) -> bool:
        """Whether any prediction knows its cost."""
        return any(one.cost is not None for one in self.predictions)

    def has_energy(self) -> bool:
        """Whether any prediction knows its energy."""
        return any(one.energy_j is not None for one in self.predictions)


def figure_of(one: Prediction, goal: Goal) -> Estimate | None:
    """What the bars show for a goal: throughput for time, else the cost or the energy of the job."""
    if goal == "cost":
        return one.cost
    return one.energy_j if goal == "energy" else one.samples_per_s
