"""Answers a `LoaderRequest`: times passes of torch's data loader as the training script uses it."""

from __future__ import annotations

import math
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from torch.utils.data import DataLoader, Dataset

from advisor.catalogue.loading import STAND_IN_SAMPLES
from advisor.protocol.messages import LoaderPass, LoaderRequest, Progress
from advisor.worker.event_box import EventBox
from advisor.worker.models.batches import collation_of, listed_columns, sample_of
from advisor.worker.models.load_model import LoadedModel, load
from advisor.workload.workload import Workload, with_training

_MOST_SAMPLES = 1_000_000
"""More are not shuffled to be timed."""
_BLOCK_S = 0.02
_READY_BATCHES = 3
_LEAST_BLOCKS = 3


def answer(request: LoaderRequest, box: EventBox) -> None:
    """Time each batch size in this process alone, then with the workload's workers where they can be forked."""
    workload = with_training(request.workload, precision="fp32")  # the loader hands out what was stored
    box.send(Progress(phase="measure-phase-loader", fraction=0.0, detail=workload.name))
    # On the meta device: the weights of the largest model take no memory, the samples are real.
    loaded = load(workload, device="meta", allow_code=request.allow_code, layer_limit=1, tried=False)
    made, own_data = loaded.make_dataset, loaded.make_dataset is not None
    one = loaded.make_batch(1)
    listed = listed_columns(one, loaded.make_batch(2))
    dataset: Any = _Kept(loaded, workload.data.samples, listed) if made is None else made()
    collate = collation_of(one, listed)
    ended = time.monotonic() + request.budget_s
    sizes = [size for size in sorted(set(request.batch_sizes)) if size <= len(dataset)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # more workers than cores is what was asked about
        alone_s = {}
        for number, size in enumerate(sizes):
            left_s = (ended - time.monotonic()) / (len(sizes) - number + 1)
            timed = _timed(_loader(workload, dataset, size, 0, collate), left_s, own_data=own_data)
            alone_s[size] = timed.made_s
            box.send(timed)
        workers, size = workload.data.loader_workers, workload.training.batch_size
        # Until all are at work, each makes two batches: long ones tell enough of it in one process.
        if workers and sys.platform == "linux" and alone_s.get(size, math.inf) * 2 * workers < request.budget_s:
            left_s = ended - time.monotonic()
            box.send(_timed(_loader(workload, dataset, size, workers, collate), left_s, own_data=own_data))


def _loader(
    workload: Workload,
    dataset: Any,  # noqa: ANN401 - the user's own, or kept samples
    batch_size: int,
    worker_count: int,
    collate: Callable[[Sequence[Any]], Any],
) -> DataLoader[Any]:
    """As the training script makes it."""
    return DataLoader(
        dataset,
        batch_size=batch_size,
        shuffle=workload.training.mode != "inference",
        num_workers=worker_count,
        persistent_workers=worker_count > 0,
        multiprocessing_context="fork" if worker_count else None,
        drop_last=True,  # whole batches are timed
        collate_fn=collate,
    )


class _Kept(Dataset[Any]):
    """A few random samples in memory, handed out as if they were the whole data set."""

    def __init__(self, loaded: LoadedModel, sample_count: int, listed: Collection[Any]) -> None:
        batch = loaded.make_batch(STAND_IN_SAMPLES)
        self._samples = [sample_of(batch, place, listed) for place in range(STAND_IN_SAMPLES)]
        self._count = min(sample_count, _MOST_SAMPLES)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Any:  # noqa: ANN401 - a dict or tuple of tensors
        return self._samples[index % len(self._samples)]


def _timed(loader: DataLoader[Any], budget_s: float, *, own_data: bool) -> LoaderPass:
    """Blocks of batches that are dropped as they come; then some that are taken when they lie ready."""
    worker_count = loader.num_workers
    ended = time.monotonic() + budget_s
    batches = _endless(loader)
    next(batches)  # starts the workers
    for _ in range(2 * worker_count):  # what they made meanwhile
        if time.monotonic() < ended:
            next(batches)
    ended = max(ended, time.monotonic() + _LEAST_BLOCKS * _BLOCK_S)  # on a loaded machine they start slowly
    blocks = [_block_s(batches)]
    while time.monotonic() < ended:
        blocks.append(_block_s(batches))
    low_s, made_s, high_s = quartiles(blocks)
    ready_s = _ready_s(batches, made_s) if worker_count else made_s
    return LoaderPass(
        batch_size=loader.batch_size or 1,
        worker_count=worker_count,
        made_s=made_s,
        low_s=low_s,
        high_s=high_s,
        ready_s=min(ready_s, made_s),
        own_data=own_data,
    )


def quartiles(blocks: list[float]) -> tuple[float, float, float]:
    """The quartiles of what blocks took, the median between; those of a few blocks end at the least and the most.

    The statistics module continues the line beyond them: the lower quartile of 1 and 9 ms would lie below zero.
    """
    low, middle, high = statistics.quantiles(blocks, n=4) if len(blocks) > 1 else blocks * 3
    return max(low, min(blocks)), middle, min(high, max(blocks))


def _endless(loader: DataLoader[Any]) -> Iterator[Any]:
    """Epoch after epoch, as a job that starts anew each time."""
    while True:
        yield from loader


def _block_s(batches: Iterator[Any]) -> float:
    """Mean seconds of a batch over a block that is long against the clock."""
    started, count = time.perf_counter(), 0
    while time.perf_counter() - started < _BLOCK_S:
        next(batches)
        count += 1
    return (time.perf_counter() - started) / count


def _ready_s(batches: Iterator[Any], made_s: float) -> float:
    """Seconds to take a batch from workers that had time to make several."""
    taken: list[float] = []
    for _ in range(_READY_BATCHES):
        time.sleep(min(2 * made_s, 0.2))
        started = time.perf_counter()
        next(batches)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)
