"""How long a training command goes on where it counts steps: `--max_steps 1000`, `max_iters=600000`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

_OF_THE_JOB = frozenset(
    {
        "max_steps", "max_iters", "max_iter", "train_iters", "num_iters", "num_iterations", "max_train_steps",
        "max_update", "max_updates", "total_iters", "total_steps", "num_train_steps", "num_training_steps",
        "train_steps", "training_steps", "steps", "iterations",
    }
)  # fmt: skip
"""Of Hugging Face's and Lightning's trainers, nanoGPT, Megatron-LM, llm.c, Diffusers, fairseq and torchtitan."""
_OF_AN_EPOCH = frozenset({"max_steps_per_epoch", "steps_per_epoch"})
"""Of torchtune and Keras: the job is as many epochs of them as the command says beside it."""
_OF_MORE = frozenset({"total_batch_size", "max_tokens", "batch_size_tokens"})
"""What says how much an optimizer step takes in words that are no batch of samples, or not always one."""
_MOST = 10**12


class JobLength(NamedTuple):
    """Optimizer steps, and what they come to."""

    steps: int
    each_epoch: bool
    """Whether they are one epoch's; else the whole job's, which then are written as one epoch."""
    global_batch_size: int | None
    """Samples of one optimizer step over all devices; None: the command does not tell it."""

    @property
    def samples(self) -> int | None:
        """Of the epoch that is written."""
        return None if self.global_batch_size is None else self.steps * self.global_batch_size


def says_steps(name: str, value: str) -> bool:
    """Whether a flag counts steps, or says by `-1` or 0 that nothing counts them."""
    return name in _OF_THE_JOB | _OF_AN_EPOCH and (value in {"-1", "0"} or _steps(value) is not None)


def job_length(
    flags: Sequence[tuple[str, str]], settings: Mapping[str, object], global_batch: int | None, devices: int | None
) -> JobLength | None:
    """What the last of the flags that count steps says; None where none does.

    A step's samples are as told, else each device's batch, accumulated, on as many as the command starts; unknown where
    it names no batch, or not on how many devices, or says in other words what a step takes.
    """
    counted = [(name, steps) for name, value in flags if says_steps(name, value) if (steps := _steps(value))]
    if not counted:
        return None
    name, steps = counted[-1]
    batch, passes = settings.get("batch_size"), settings.get("gradient_accumulation_steps", 1)
    if global_batch is None and devices and isinstance(batch, int) and isinstance(passes, int):
        global_batch = None if {name for name, _ in flags} & _OF_MORE else batch * passes * devices
    return JobLength(steps, name in _OF_AN_EPOCH, global_batch or None)


def _steps(value: str) -> int | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if number.is_integer() and 0 < number <= _MOST else None
