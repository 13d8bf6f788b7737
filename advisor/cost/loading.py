"""How long a step waits for its data: what a loader's pass took, against the step that runs beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from advisor.optable.op_columns import Floats
from advisor.protocol.messages import LoaderPass

End = Literal["low", "value", "high"]
_ENDS: tuple[End, ...] = ("low", "value", "high")


@dataclass(frozen=True, kw_only=True)
class Loading:
    """What a batch costs by its size: arrays over `batch_sizes`, which rise."""

    batch_sizes: Floats
    made_s: dict[End, Floats]
    """From one batch to the next where nothing else holds the loader up."""
    ready_s: dict[End, Floats]
    """What taking a batch costs the training process although it lies ready; in that process alone: all of it."""
    core_s: Floats
    """Of one core, to make a batch."""


def loading_of(
    passes: Sequence[LoaderPass], worker_count: int, *, core_count: int | None = None, on_cpu: bool = False
) -> Loading | None:
    """The loader of a job from passes that were timed here; None where none was.

    Workers share the making of batches as far as there are cores: `core_count` of them here, None on another machine,
    which is taken to have enough. What a pass with workers took beyond that (handing over) counts here alone, and
    taking a batch that is ready where the step runs on the processor itself: a card's loader has a thread for that.
    """
    alone = sorted(
        (timed_pass for timed_pass in passes if timed_pass.worker_count == 0),
        key=lambda timed_pass: timed_pass.batch_size,
    )
    if not alone:
        return None
    share = max(1, min(worker_count, core_count or worker_count))
    made_s = {end: np.array([seconds[end] for seconds in map(_ends, alone)]) / share for end in _ENDS}
    sizes = np.array([float(timed_pass.batch_size) for timed_pass in alone])
    core_s = made_s["value"] * share
    ready_s = {end: made_s[end] * (worker_count == 0) for end in _ENDS}
    timed = next(
        (timed_pass for timed_pass in passes if worker_count and timed_pass.worker_count == worker_count), None
    )
    if timed is not None and core_count is not None:
        own = {end: np.interp(timed.batch_size, sizes, made_s[end]) for end in _ENDS}
        handed = _ends(timed)
        made_s = {end: made_s[end] + max(0.0, handed[end] - float(own[end])) for end in _ENDS}
        ready_s = {end: ready_s[end] + timed.ready_s * on_cpu for end in _ENDS}
    return Loading(batch_sizes=sizes, made_s=made_s, ready_s=ready_s, core_s=core_s)


def _ends(timed_pass: LoaderPass) -> dict[End, float]:
    return {"low": timed_pass.low_s, "value": timed_pass.made_s, "high": timed_pass.high_s}


def waiting_s(
    loading: Loading,
    batches: Floats,
    step_s: Floats,
    end: End = "value",
    *,
    shared_cores: tuple[int, int] | None = None,
) -> Floats:
    """Seconds that a step of `step_s` takes longer for its data; arrays of one shape.

    The loader makes the next batches while a step runs, so the longer of the two sets the pace, and taking a batch
    adds to the step: max(step + ready, made) - step, the law of a two-stage pipeline with one slot between.
    `shared_cores`: threads of a step that runs on the processor itself, and the cores that both have; no core
    does two things at once, so both together take at least their work over the cores.
    """
    ready_s = _at(loading, loading.ready_s[end], batches)
    paced_s = np.maximum(step_s + ready_s, _at(loading, loading.made_s[end], batches))
    if shared_cores is not None:
        threads, cores = shared_cores
        work_s = step_s * min(threads, cores) + _at(loading, loading.core_s, batches)
        paced_s = np.maximum(paced_s, work_s / cores)
    waits: Floats = np.maximum(0.0, paced_s - step_s)
    return waits


def _at(loading: Loading, seconds: Floats, batches: Floats) -> Floats:
    """Between the sizes that were timed on a line; beyond them as much a sample as at the nearest one."""
    sizes = loading.batch_sizes
    inside = np.interp(batches, sizes, seconds)
    beyond = np.maximum(1.0, batches / sizes[-1])
    shares: Floats = inside * beyond
    return shares
