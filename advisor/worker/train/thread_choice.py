"""Which number of threads trains this model fastest on the processor: tried in turn, A B A B."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import torch

from advisor.catalogue.precisions import Precision
from advisor.worker.event_box import EventBox
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.stages import Stage, sample_of
from advisor.worker.train.training_step import TrainingStep

_TRIAL_S = 0.12
_LONGEST_STEP_S = 0.12
_ROUNDS = 3
_GAIN = 0.97
"""More threads must save 3 %: fewer are steadier, as waiting threads spin beside a busy neighbour."""


def fastest_thread_count(  # noqa: PLR0913 - one trial in its surroundings
    step: TrainingStep, device: TorchDevice, counts: Sequence[int], batch_size: int, precision: Precision, box: EventBox
) -> int:
    """The best of `counts` (rising), each block sent as a sample of the series `threads`.

    Where a step is longer than 0.12 s every count helps and a trial would cost too much: the highest is taken.
    """
    step.set_batch_size(batch_size)
    step()
    torch.set_num_threads(counts[-1])
    probe_s = device.time_block(step, 1).wall_s
    if probe_s > _LONGEST_STEP_S:
        return counts[-1]
    times: dict[int, list[float]] = {count: [] for count in counts}
    for _ in range(_ROUNDS):
        for count in counts:
            torch.set_num_threads(count)
            step()
            block = device.time_block(step, max(1, int(_TRIAL_S / len(counts) / probe_s)))
            times[count].append(block.wall_s)
            trial = Stage("threads", precision, 0.0, batch_size, {"threads": float(count)})
            box.send(sample_of(trial, None, block, warm_up=False))
    best = counts[0]
    for count in counts[1:]:
        if statistics.median(times[count]) < _GAIN * statistics.median(times[best]):
            best = count
    return best
