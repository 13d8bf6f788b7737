"""Where the wall time of a job goes, from its workload and a predicted step, and what to change first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from advisor.core.records import Record
from advisor.core.sentences import Arguments, Reason
from advisor.predict.prediction import Prediction
from advisor.workload.workload import passes_over_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.workload.workload import Workload

LOUD_SHARE = 0.15
"""Share of the wall time from which something that is not training is worth a sentence."""
CALM_VALIDATION_SHARE = 0.05
RARE_READ_STEPS = 100

WallKind = Literal["training", "validation", "loss_reads", "loader", "copy", "launch", "communication", "imbalance"]


class WallPart(Record, frozen=True, kw_only=True):
    """A share of the job's wall time."""

    kind: WallKind
    """What the time is spent on."""
    duration_s: float
    """Seconds of the whole job."""
    share_fraction: float
    """Of the whole, from 0 to 1."""


class WallSplit(Record, frozen=True, kw_only=True):
    """The whole job (or the whole log) in parts that add up, and what to change, largest gain first."""

    total_s: float
    """Seconds of the whole."""
    parts: tuple[WallPart, ...]
    """They add up to the whole."""
    changes: tuple[Reason, ...] = ()
    """What to change, the largest gain first."""


def steps_of(workload: Workload, prediction: Prediction) -> int:
    """Optimizer steps of the whole job; the last, smaller batch of an epoch counts as one."""
    per_epoch = math.ceil(workload.data.samples / prediction.global_batch_size)
    return max(1, round(per_epoch * passes_over_data(workload.training)))


def validation_pass_s(workload: Workload, prediction: Prediction) -> float:
    """Seconds of one pass over the validation rows: forward, loader, copy and forward's share of the launches."""
    parts = {part.kind: part.duration_s for part in prediction.parts}
    forward, backward = parts.get("forward", 0.0), parts.get("backward", 0.0)
    share = forward / (forward + backward) if forward + backward > 0 else 1 / 3
    waiting = parts.get("host", 0.0) * share + parts.get("loader", 0.0) + parts.get("copy", 0.0)
    batches = math.ceil(workload.data.validation_samples / prediction.global_batch_size)
    return batches * (forward + waiting)


def validation_s(workload: Workload, prediction: Prediction) -> float:
    """Seconds that validation adds to the whole job; with no interval given it runs once an epoch."""
    if workload.data.validation_samples == 0 or workload.training.mode != "training":
        return 0.0
    steps, every = steps_of(workload, prediction), workload.training.evaluate_every_steps
    passes = steps // every if every else math.ceil(workload.training.epochs)
    return passes * validation_pass_s(workload, prediction)


def validation_share(workload: Workload, prediction: Prediction) -> float | None:
    """Validation's share of the job's wall time; None where there is none."""
    validating = validation_s(workload, prediction)
    training = steps_of(workload, prediction) * prediction.step_s.value
    return validating / (validating + training) if validating > 0 else None


def split_wall_time(workload: Workload, prediction: Prediction) -> WallSplit:
    """The wall time of the whole job by what takes it."""
    steps = steps_of(workload, prediction)
    seconds = {part.kind: part.duration_s * steps for part in prediction.parts}
    waits: dict[WallKind, float] = {
        "validation": validation_s(workload, prediction),
        "loss_reads": seconds.get("synchronisation", 0.0),
        "loader": seconds.get("loader", 0.0),
        "copy": seconds.get("copy", 0.0),
        "launch": seconds.get("host", 0.0),
        "communication": seconds.get("communication", 0.0),
        "imbalance": seconds.get("imbalance", 0.0),
    }
    computing = sum(seconds.get(kind, 0.0) for kind in ("forward", "backward", "optimizer"))
    return split_of({"training": computing, **waits}, tuple(_changes(workload, prediction, waits)))


def split_of(seconds: dict[WallKind, float], changes: tuple[Reason, ...]) -> WallSplit:
    """A split from seconds by kind; parts of no length are left out, the longest comes first."""
    total = sum(seconds.values())
    parts = [
        WallPart(kind=kind, duration_s=duration, share_fraction=duration / total)
        for kind, duration in sorted(seconds.items(), key=lambda entry: -entry[1])
        if duration > 0
    ]
    return WallSplit(total_s=total, parts=tuple(parts), changes=changes)


def _changes(workload: Workload, prediction: Prediction, waits: dict[WallKind, float]) -> Iterator[Reason]:
    """What to change, each with the seconds it saves, the largest gain first."""
    gains: list[tuple[float, Reason]] = []
    training = steps_of(workload, prediction) * prediction.step_s.value
    total = training + waits["validation"]
    reasonable = calm_interval(training, validation_pass_s(workload, prediction), steps_of(workload, prediction))
    every = workload.training.evaluate_every_steps
    if every and reasonable > every and waits["validation"] / total >= LOUD_SHARE:
        saved = waits["validation"] * (1 - every / reasonable)
        numbers: Arguments = {"every_steps": every, "better_steps": reasonable, "gain_s": saved}
        gains.append((saved, Reason.of("wall-validate-less", **numbers, share_fraction=waits["validation"] / total)))
    reads = waits["loss_reads"]
    if workload.training.read_loss_every == 1 and reads / total >= CALM_VALIDATION_SHARE:
        saved = reads * (1 - 1 / RARE_READ_STEPS)
        gains.append((saved, Reason.of("wall-read-less", better_steps=RARE_READ_STEPS, gain_s=saved)))
    if waits["loader"] / total >= CALM_VALIDATION_SHARE:
        workers = workload.data.loader_workers
        gains.append((waits["loader"], Reason.of("wall-load-faster", workers=workers, gain_s=waits["loader"])))
    if waits["launch"] / total >= LOUD_SHARE:
        gains.append((waits["launch"], Reason.of("wall-launch-less", gain_s=waits["launch"])))
    if waits["communication"] / total >= LOUD_SHARE and prediction.strategy == "ddp":  # shards are sent in every pass
        numbers = {
            "gain_s": waits["communication"] / 2,
            "share_fraction": waits["communication"] / total,
            "steps": 2 * prediction.gradient_accumulation_steps,
            "batch": 2 * prediction.global_batch_size,
        }
        gains.append((waits["communication"] / 2, Reason.of("wall-synchronise-less", **numbers)))
    return iter([reason for _, reason in sorted(gains, key=lambda entry: -entry[0])])


def calm_interval(training_s: float, pass_s: float, steps: int) -> int:
    """Steps between validations at which they take 5 % of the wall time: two figures, never beyond the job."""
    if pass_s <= 0 or training_s <= 0:
        return steps
    passes = training_s * CALM_VALIDATION_SHARE / (1 - CALM_VALIDATION_SHARE) / pass_s
    interval = math.ceil(steps / max(passes, 1.0))
    digits = max(0, len(str(interval)) - 2)
    unit = int(10**digits)
    return min(steps, math.ceil(interval / unit) * unit)
