"""The Compare page's numbers: every set-up under the prices as edited, and the ranking of those that are ticked."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from advisor.catalogue.precisions import PRECISIONS, Precision
from advisor.core.units import S_PER_HOUR, Estimate
from advisor.gui.files.given_prices import told_prices
from advisor.gui.settings import Settings
from advisor.predict.prediction import Prediction
from advisor.recommend.prices import Prices, cost_of
from advisor.recommend.ranking import Row, rank, rank_for_compare, score, untrusted_devices
from advisor.recommend.recommendation import Goal, Recommendation, names_set_ups, prediction_of

AS_ASKED = 0
"""In the place of a number of cards: each set-up as the question names it, at its best batch size."""

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord


@dataclass(eq=False, slots=True)
class ComparedSetUp:
    """One row of the table: a prediction, and what a person did with it."""

    prediction: Prediction
    own_cost: Estimate | None
    """As the advice has it, whatever price is typed."""
    pinned: bool = False
    ticked: bool = False
    over_limits: bool = False
    """It passes a limit that the advice was asked to keep, or lacks the figure for it."""


def priced(advice: AdviceRecord, settings: Settings, typed_in: Callable[[str], Mapping[str, float]]) -> AdviceRecord:
    """The advice with the costs that follow from typed prices; itself where they change nothing.

    `typed_in`: prices by device key in a currency.
    What is advised stays: an advice that weighs other prices is another job.
    """
    index = PredictionIndex(advice, told_prices(settings), currency=settings.currency)
    for key, price in typed_in(index.currency).items():
        index.set_price(key, price)
    if all(
        prediction.cost == before.cost for prediction, before in zip(index.predictions, advice.predictions, strict=True)
    ):
        return advice

    def with_cost(chosen: Recommendation | None) -> Recommendation | None:
        own = prediction_of(index.predictions, chosen)
        if chosen is None or own is None:
            return chosen
        return msgspec.structs.replace(chosen, cost=own.cost, currency=own.currency)

    return msgspec.structs.replace(
        advice,
        predictions=index.predictions,
        recommendation=with_cost(advice.recommendation),
        recommendation_local=with_cost(advice.recommendation_local),
    )


class PredictionIndex:
    """All set-ups of an advice by precision and batch; a price changes their cost at once."""

    def __init__(self, advice: AdviceRecord, prices: Prices | None = None, *, currency: str = "") -> None:
        """Index them once; without a price file, what the advice's own costs say is taken for its prices.

        An advice that knew no prices has the costs of the file: it may have been opened since.
        """
        predictions = advice.predictions
        if prices is not None and all(prediction.cost is None for prediction in predictions):
            predictions = tuple(_with_cost(prediction, prices) for prediction in predictions)
        self.set_ups = [ComparedSetUp(prediction, prediction.cost) for prediction in predictions]
        self._best = [self.set_ups[place] for place in advice.best_set_ups]
        self._over_limits: set[tuple[object, ...]] = set()
        for place in advice.over_limits:
            self.set_ups[place].over_limits = True
            self._over_limits.add(advice.predictions[place].set_up)
        self.untrusted = untrusted_devices(advice.measurements)
        advised = advice.recommendation
        self._advised_accumulation = advised.gradient_accumulation_steps if advised is not None else None
        self._by_choice: dict[tuple[Precision, int], list[ComparedSetUp]] = defaultdict(list)
        self._by_device: dict[str, list[ComparedSetUp]] = defaultdict(list)
        self.shown = _of_the_data(self.set_ups, advice)
        """Those whose step is no larger than all data: what no advice takes is not compared either."""
        for set_up in self.shown:
            self._by_choice[set_up.prediction.precision, set_up.prediction.batch_size_per_device].append(set_up)
        for set_up in self.set_ups:
            self._by_device[set_up.prediction.device.key].append(set_up)
        shown = [set_up.prediction for set_up in self.shown]
        present = {prediction.precision for prediction in shown}
        self.precisions = tuple(precision for precision in PRECISIONS if precision in present)
        self.batches = tuple(sorted({prediction.batch_size_per_device for prediction in shown}))
        self.counts = tuple(sorted({prediction.count for prediction in shown}))
        named_currency = next((prediction.currency for prediction in advice.predictions if prediction.currency), None)
        self.currency = prices.currency if prices is not None else named_currency or currency
        self.epochs = advice.workload.training.epochs if names_set_ups(advice.main) else 1
        """Where the time of one is told beside that of the job."""
        self._file = prices
        self.edited_prices: dict[str, float] = {}
        self._own_prices = {key: self._own_price(members) for key, members in self._by_device.items()}

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        """All predictions, with the costs that follow from the prices as edited."""
        return tuple(set_up.prediction for set_up in self.set_ups)

    def is_over_limits(self, prediction: Prediction) -> bool:
        """Whether a set-up, at whatever price, is one of those that the advice found beyond a limit."""
        return prediction.set_up in self._over_limits

    def rows(self, precision: Precision, batch: int, count: int, goal: Goal) -> tuple[Row, ...]:
        """The best set-up of each device in a step like the advised one, ranked; what does not fit comes last."""
        predictions = [set_up.prediction for set_up in self._by_choice.get((precision, batch), [])]
        return rank_for_compare(predictions, precision, batch, count, goal, self.untrusted, self._advised_accumulation)

    def tick_best(self, precision: Precision, batch: int, count: int, goal: Goal) -> None:
        """Tick the best set-up of each device, or what the question names, and nothing else."""
        if count == AS_ASKED:
            named = (self.at_precision(one.prediction, precision, goal) for one in self._best)
            own = {one.prediction.precision for one in self._best}
            best = {id(one.prediction) for one in (self._best if precision in own else named) if one is not None}
        else:
            best = {id(row.prediction) for row in self.rows(precision, batch, count, goal)}
        for set_up in self.set_ups:
            set_up.ticked = id(set_up.prediction) in best

    def best_first(self, goal: Goal) -> list[ComparedSetUp]:
        """All that are shown: what is ticked, then the others, each with the least score first, those without last."""
        scored = [(score(set_up.prediction, goal), set_up) for set_up in self.shown]
        scored.sort(key=lambda pair: (not pair[1].ticked, math.inf if pair[0] is None else pair[0].value))
        return [set_up for _, set_up in scored]

    def ticked(self) -> list[ComparedSetUp]:
        """What is ticked, in the table's own order."""
        return [set_up for set_up in self.set_ups if set_up.ticked]

    def ranked(self, set_ups: Iterable[ComparedSetUp], goal: Goal) -> tuple[Row, ...]:
        """Any set-ups from best to worst; those that do not fit come last, each with a place of its own."""
        chosen = [set_up.prediction for set_up in set_ups]
        rows = rank([prediction for prediction in chosen if prediction.fits is not False], goal, self.untrusted)
        placed = {id(row.prediction) for row in rows}
        rest = [prediction for prediction in chosen if id(prediction) not in placed]
        tail = [
            Row(prediction=prediction, place=len(rows) + number, tied=False, trusted=True)
            for number, prediction in enumerate(rest, start=1)
        ]
        return (*rows, *tail)

    def at_precision(self, prediction: Prediction, precision: Precision, goal: Goal) -> ComparedSetUp | None:
        """The same device, count and batch at another precision: the same strategy, else the best; None: not there."""
        same = [
            other
            for other in self._by_choice.get((precision, prediction.batch_size_per_device), [])
            if other.prediction.device.key == prediction.device.key and other.prediction.count == prediction.count
        ]
        alike = [other for other in same if other.prediction.differs_at_most_by(prediction, "precision")]
        scored = [(score(other.prediction, goal), other) for other in alike or same]
        values = [(estimate.value, place) for place, (estimate, _) in enumerate(scored) if estimate is not None]
        return scored[min(values)[1]][1] if values else None

    def price_per_hour(self, device_key: str) -> float | None:
        """Of one device: as edited, else from the price file, else as the advice's own cost says."""
        return self.edited_prices.get(device_key, self._own_prices.get(device_key))

    def _own_price(self, members: Sequence[ComparedSetUp]) -> float | None:
        device = members[0].prediction.device
        if self._file is not None:
            return self._file.devices.get(device.key, self._file.devices.get(device.spec_key or ""))
        # The cost of a rented card is its price times its hours: read back from any of its set-ups.
        priced = (member.prediction for member in members if member.prediction.cost is not None)
        timed = next((prediction for prediction in priced if prediction.job_s is not None), None)
        if timed is None or timed.cost is None or timed.job_s is None or device.local:
            return None
        return timed.cost.value / timed.job_s.value * S_PER_HOUR / timed.count

    def set_price(self, device_key: str, price_per_hour: float | None) -> None:
        """Take another price of one device's hour; None: the price that it had."""
        if price_per_hour is None:
            self.edited_prices.pop(device_key, None)
        else:
            self.edited_prices[device_key] = price_per_hour
        for set_up in self._by_device.get(device_key, []):
            cost = set_up.own_cost
            if price_per_hour is not None:
                cost = cost_of(set_up.prediction, self._prices(device_key, price_per_hour))
            set_up.prediction = msgspec.structs.replace(
                set_up.prediction, cost=cost, currency=self.currency if cost is not None else None
            )

    def _prices(self, device_key: str, price_per_hour: float) -> Prices:
        return Prices(
            currency=self.currency,
            date="",
            devices={device_key: price_per_hour},
            electricity_per_kwh=self._file.electricity_per_kwh if self._file is not None else None,
        )

    def reset_prices(self) -> None:
        """Every device costs again what it did."""
        for key in list(self.edited_prices):
            self.set_price(key, None)

    def has_cost(self) -> bool:
        """Whether any prediction knows its cost."""
        return any(set_up.prediction.cost is not None for set_up in self.set_ups)

    def has_energy(self) -> bool:
        """Whether any prediction knows its energy."""
        return any(set_up.prediction.energy_j is not None for set_up in self.set_ups)


def _with_cost(prediction: Prediction, prices: Prices) -> Prediction:
    cost = cost_of(prediction, prices)
    return msgspec.structs.replace(prediction, cost=cost, currency=None if cost is None else prices.currency)


def _of_the_data(set_ups: Sequence[ComparedSetUp], advice: AdviceRecord) -> list[ComparedSetUp]:
    """Those that take no more samples a step than there are, than the workload's own step or than what is advised."""
    workload, advised = advice.workload, advice.main
    own = workload.training.global_batch_size
    most = max(workload.data.samples, own, advised.global_batch_size if advised is not None else own)
    return [set_up for set_up in set_ups if set_up.prediction.global_batch_size <= most] or list(set_ups)


def figure_of(prediction: Prediction, goal: Goal) -> Estimate | None:
    """What the bars show for a goal: throughput for time, else the cost or the energy of the job."""
    if goal == "cost":
        return prediction.cost
    return prediction.energy_j if goal == "energy" else prediction.samples_per_s


def precision_orders(
    index: PredictionIndex, ticked: Sequence[ComparedSetUp], goal: Goal
) -> dict[Precision, list[tuple[int, Prediction]]]:
    """At each precision the ticked set-ups' counterparts from best to worst, each with its place in `ticked`.

    What is tied stands in the order of `ticked`: two devices change places only where their difference is clear.
    """
    orders: dict[Precision, list[tuple[int, Prediction]]] = {}
    for precision in index.precisions:
        numbered: dict[int, tuple[int, ComparedSetUp]] = {}
        for number, set_up in enumerate(ticked):
            other = index.at_precision(set_up.prediction, precision, goal)
            if other is not None and other.prediction.fits is not False:
                numbered.setdefault(id(other), (number, other))
        origin = {id(other.prediction): number for number, other in numbered.values()}
        rows = index.ranked([other for _, other in numbered.values()], goal)
        rows = tuple(sorted(rows, key=lambda row: (row.place, origin[id(row.prediction)])))
        orders[precision] = [(origin[id(row.prediction)], row.prediction) for row in rows]
    return orders
