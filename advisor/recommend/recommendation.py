"""A recommendation: one set-up, why it was chosen, and what would change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.predict.additions import ADDITIONS
from advisor.predict.prediction import Device, Prediction, SetUpFigures
from advisor.predict.time_to_train import TimeToTrain

Goal = Literal["time", "cost", "energy"]
AGAINST = "against-"
"""How the code of a reason begins that holds one of the set-ups a question names against another."""


class BatchAdvice(Record, frozen=True, kw_only=True):
    """The batch sizes that matter on one device at one precision."""

    device_key: str
    """Key of the device, one of which is looked at."""
    precision: Precision
    """What its steps compute in."""
    fused_optimizer_added: bool = False
    """Whether its optimizer steps in torch's fused kernel there, which the workload as read does not ask for."""
    checkpointing_added: bool = False
    """Whether it recomputes activations there, which the workload as read does not ask for."""
    chunked_loss_added: bool = False
    """Whether it computes logits and loss in chunks there, which the workload as read does not ask for."""
    largest_that_fits: int | None
    """With head-room; None: unknown."""
    knee: int | None
    """Smallest batch within 10 % of the best throughput."""
    chosen: int
    """Samples a device to take: the knee, or the workload's own batch size where that is as good."""
    reason: Reason
    """Why `chosen`."""


class Crossover(Record, frozen=True, kw_only=True):
    """From which batch size a GPU beats the CPU, each alone and at its fastest precision."""

    cpu_key: str
    """Key of the CPU: `cpu`."""
    gpu_key: str
    """Key of the GPU, one alone."""
    batch_size: int | None
    """None: no crossover inside what was looked at; `reason` says which side wins."""
    low: int | None
    """Batch size from which the GPU may be ahead; None: the CPU is surely ahead at all that were looked at."""
    high: int | None
    """Batch size from which the GPU is surely ahead; None: that is not sure at the largest looked at."""
    reason: Reason
    """Which side wins, and from where."""


class Recommendation(SetUpFigures, frozen=True, kw_only=True):
    """The set-up to take."""

    node_count: int = 1
    """Machines that the devices are spread over evenly."""
    goal: Goal
    """What it makes small: `time` or `cost` of the job (GPU-hours without a price), or its `energy`."""
    thread_count: int | None = None
    """Threads that the CPU was timed with at the nearest batch size; None: a GPU, or no step was timed on it."""
    tied_with: tuple[Device, ...] = ()
    """Devices whose difference to this one is not clear."""
    time_to_train: tuple[TimeToTrain, ...] = ()
    """To the same loss, with the workload's own global batch held and as advised; empty: nothing to weigh."""
    why: tuple[Reason, ...]
    """What speaks for this set-up, by the figures."""
    would_change_if: tuple[Reason, ...] = ()
    """What else would have been advised, and under which circumstances."""


class Alternative(Record, frozen=True, kw_only=True):
    """A set-up of the Pareto set of time against cost, or one that is tied with the recommended one."""

    device_key: str
    """Key of its device."""
    device_name: str
    """Name of its device."""
    count: int
    """How many of the device, over all machines."""
    strategy: Strategy
    """How the devices share the work, in the words of a prediction."""
    precision: Precision
    """What a step computes in, named as in a workload file."""
    batch_size_per_device: int
    """Samples of one micro-batch on one device."""
    gradient_accumulation_steps: int
    """Micro-batches of one optimizer step."""
    fused_optimizer_added: bool = False
    """Whether its optimizer steps in torch's fused kernel, which the workload as read does not ask for."""
    checkpointing_added: bool = False
    """Whether it recomputes activations, which the workload as read does not ask for: see `predictions`."""
    chunked_loss_added: bool = False
    """Whether it computes logits and loss in chunks, which the workload as read does not ask for."""
    job_s: Estimate | None
    """Seconds of the whole job; None: not known."""
    gpu_hours: Estimate | None
    """Hours of the job times the number of GPUs, 0 on a CPU; None: the job's time is not known."""
    cost: Estimate | None
    """Of the whole job, in the price file's currency; None: without prices, or not known."""
    tied: bool
    """Whether its difference to the recommended set-up is not clear."""
    reason: Reason
    """Why it is listed: nothing is both faster and cheaper, it is tied, or it is better than what the user fixed."""


class Limits(Record, frozen=True, kw_only=True):
    """What may be spent; None: no limit."""

    max_cost: float | None = None
    """Of the whole job, in the price file's currency."""
    max_power_w: float | None = None
    """Board power of all devices together."""
    max_job_s: float | None = None
    """Of the whole job, in seconds."""


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
    over_limits: tuple[int, ...] = ()
    """Those of them that pass a limit on cost, power or hours, or lack the figure for it."""


def rests_on(chosen: Recommendation, prediction: Prediction) -> bool:
    """Whether a recommendation is of this prediction's set-up."""
    # Most are of another device or batch: no whole key is made of those.
    near = prediction.batch_size_per_device == chosen.batch_size_per_device and prediction.count == chosen.count
    return near and prediction.set_up == chosen.set_up


def prediction_of(predictions: Sequence[Prediction], chosen: Recommendation | None) -> Prediction | None:
    """The prediction that a recommendation rests on; None where it is not among them, or nothing is recommended."""
    return (
        None
        if chosen is None
        else next((prediction for prediction in predictions if rests_on(chosen, prediction)), None)
    )


def batch_advice_on(chosen: Recommendation, batch_advice: Sequence[BatchAdvice]) -> BatchAdvice | None:
    """Knee and limit of batch sizes on the recommended device at the recommended precision.

    With what the recommendation adds to free memory, where one device was looked at so, else with nothing added.
    """
    place, added = (chosen.device.key, chosen.precision), _flags(chosen)
    there = [advice for advice in batch_advice if (advice.device_key, advice.precision) == place]
    alike = (one for one in there if _flags(one) == added)
    plain = (one for one in there if not any(_flags(one)))
    return next(alike, next(plain, None))


def _flags(one: Recommendation | BatchAdvice) -> tuple[bool, ...]:
    """What it adds to the workload as read."""
    return tuple(getattr(one, f"{name}_added") for name in ADDITIONS)


def names_set_ups(chosen: Recommendation | None) -> bool:
    """Whether it answers a question that named set-ups, each of which it is held against."""
    return chosen is not None and any(reason.code.startswith(AGAINST) for reason in chosen.why)
