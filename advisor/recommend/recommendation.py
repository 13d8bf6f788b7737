"""A recommendation: one set-up, why it was chosen, and what would change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.predict.prediction import Device, Prediction, SetUpFigures
from advisor.predict.time_to_train import TimeToTrain

Goal = Literal["time", "cost", "energy"]


class BatchAdvice(Record, frozen=True, kw_only=True):
    """The batch sizes that matter on one device at one precision."""

    device_key: str
    precision: Precision
    largest_that_fits: int | None
    """With head-room; None: unknown."""
    knee: int | None
    """Smallest batch within 10 % of the best throughput."""
    chosen: int
    reason: Reason


class Crossover(Record, frozen=True, kw_only=True):
    """From which batch size a GPU beats the CPU; low..high is the range of that batch size."""

    cpu_key: str
    gpu_key: str
    batch_size: int | None
    """None: no crossover inside what was looked at; `reason` says which side wins."""
    low: int | None
    high: int | None
    reason: Reason


class Recommendation(SetUpFigures, frozen=True, kw_only=True):
    """The set-up to take."""

    node_count: int = 1
    """Machines that the devices are spread over evenly."""
    goal: Goal
    thread_count: int | None = None
    tied_with: tuple[Device, ...] = ()
    """Devices whose difference to this one is not clear."""
    time_to_train: tuple[TimeToTrain, ...] = ()
    """To the same loss, with the workload's own global batch held and as advised; empty: nothing to weigh."""
    why: tuple[Reason, ...]
    would_change_if: tuple[Reason, ...] = ()


class Alternative(Record, frozen=True, kw_only=True):
    """A set-up of the Pareto set of time against cost, or one that is tied with the recommended one."""

    device_key: str
    device_name: str
    count: int
    strategy: Strategy
    precision: Precision
    batch_size_per_device: int
    gradient_accumulation_steps: int
    job_s: Estimate | None
    gpu_hours: Estimate | None
    cost: Estimate | None
    tied: bool
    reason: Reason


class Limits(Record, frozen=True, kw_only=True):
    """What may be spent; None: no limit."""

    max_cost: float | None = None
    """Of the whole job, in the price file's currency."""
    max_power_w: float | None = None
    """Board power of all devices together."""
    max_job_s: float | None = None


class Recommendations(Record, frozen=True, kw_only=True):
    """Everything that one recommendation found out; fields as in the advice record."""

    recommendation: Recommendation | None
    recommendation_local: Recommendation | None
    alternatives: tuple[Alternative, ...] = ()
    batch_advice: tuple[BatchAdvice, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    reasons: tuple[Reason, ...] = ()
    """Why the recommended set-up, and what holds for the whole comparison."""
    caveats: tuple[Reason, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    """The predictions with cost and energy filled in."""
    best_set_ups: tuple[int, ...] = ()
    """Places in `predictions` of the set-up that each device and count entered the comparison with."""


def rests_on(chosen: Recommendation, prediction: Prediction) -> bool:
    """Whether a recommendation is of this prediction's set-up."""
    # Most are of another device or batch: no whole key is made of those.
    near = prediction.batch_size_per_device == chosen.batch_size_per_device and prediction.count == chosen.count
    return near and prediction.set_up == chosen.set_up


def prediction_of(predictions: Sequence[Prediction], chosen: Recommendation) -> Prediction | None:
    """The prediction that a recommendation rests on; None where it is not among them."""
    return next((prediction for prediction in predictions if rests_on(chosen, prediction)), None)


def batch_advice_on(chosen: Recommendation, batch_advice: Sequence[BatchAdvice]) -> BatchAdvice | None:
    """Knee and limit of batch sizes on the recommended device at the recommended precision."""
    place = (chosen.device.key, chosen.precision)
    return next((one for one in batch_advice if (one.device_key, one.precision) == place), None)
