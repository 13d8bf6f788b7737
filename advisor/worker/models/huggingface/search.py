"""Which inputs a model's forward asks for: its own complaints name them, until it runs on what is made."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from linecache import getlines
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._guards import detect_fake_mode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from advisor.worker.causes import value_was_asked
from advisor.worker.models.foreign import Network
from advisor.worker.models.huggingface.documented import documented_inputs
from advisor.worker.models.huggingface.kinds import named_parameters
from advisor.worker.models.huggingface.sets import Made
from advisor.worker.models.huggingface.sizes import resized_batches, retyped_batches
from advisor.worker.replaced import replaced
from advisor.workload.workload import Workload

Place = tuple[str, tuple[tuple[str, int], ...]]
_SAMPLES = 2
"""Of a tried batch: with one alone, a size of one would fit many places."""
_MOST_RUNS = 60
"""Forward passes of one search."""
_MOST_OPERATORS = 25_000
"""Of all its passes together: about half a minute of fakes. A model of many layers is not run sixty times."""
_ENOUGH_OPERATORS = 10_000
"""Of one pass: what came so far runs; a decoder that writes word after word would go on for minutes."""
_MOST_CHANGES = 10
_OF_TORCH = str(Path(torch.__file__).parent) + os.sep
_WAYS = 6
"""Ways to make one input that are tried."""
_LINES_OF_A_CONDITION = 4
"""Before the line that raises."""
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w+")
_WORDS = "input_ids"
_NOT_INPUTS = frozenset(
    {"self", "kwargs", "return_dict", "use_cache", "past_key_values", "labels", "output_attentions"}
)


class Complaint(NamedTuple):
    """What forward raised, and how far it had come."""

    error: Exception
    operators: int


class _CameFar(BaseException):
    """Enough operators ran; no model's own handler of exceptions takes it."""


class _Counting(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the operators that run, and ends a pass of more than enough."""

    count = 0

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the operator returns
        self.count += 1
        if self.count > _ENOUGH_OPERATORS:
            raise _CameFar
        return func(*args, **(kwargs or {}))


def _tried(module: Network, made: Made) -> tuple[Complaint | None, int]:
    """What forward raises on a small batch, and how many operators ran.

    None where it runs, as one that reads values under fakes does.
    """
    counting = _Counting()  # type: ignore[no-untyped-call]
    try:
        with torch.no_grad(), _quiet():
            batch = _with_values(module, made)
            with counting:
                module(**batch)
    except _CameFar:
        return None, counting.count
    except Exception as error:  # noqa: BLE001 - whatever a library's forward raises, it did not run
        said = None if value_was_asked(error) else Complaint(error, counting.count)
        return said, counting.count
    return None, counting.count


def _with_values(module: Network, made: Made) -> dict[str, Tensor]:
    """The batch, where the module is; values are known where the fake tensors of a trace keep them, to be read."""
    mode = detect_fake_mode()
    if mode is None:
        place = next(module.parameters(), torch.empty(0)).device
        return {name: tensor.to(place) for name, tensor in made(_SAMPLES).items()}
    if getattr(mode, "values", "none") == "none":
        return made(_SAMPLES)
    with _disable_current_modes(), _undrawn():
        batch = made(_SAMPLES)
    converter = mode.fake_tensor_converter
    return {name: converter.from_real_tensor(mode, tensor, make_constant=True) for name, tensor in batch.items()}


def _undrawn() -> contextlib.AbstractContextManager[None]:
    """Pictures and sounds are all ones: what runs does not depend on them, and to draw them takes longer than to run.

    Not zeros, which some models take for pictures that are none.
    """
    return replaced(torch, randn=torch.ones)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Torch logs at length what a fake tensor refuses: here it only says what to try next."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


class Search:
    """Adds what forward complains of, one input after the other, or gives it the size that the complaint names."""

    def __init__(self, module: Network, workload: Workload) -> None:
        """`module`: built, on fakes or for real."""
        self._module, self._workload = module, workload
        self._names = [name for name in named_parameters(module) if name not in _NOT_INPUTS]
        self._tried: dict[Hashable, Complaint | None] = {}
        self.furthest: Made | None = None
        """The batch that forward came furthest on, where it ran on none."""
        self._came = -1
        self._operators = 0

    def batch(self, starts: Iterable[Made]) -> Made | None:
        """The first batch that runs, each start with what is asked for beside it; None where none was found."""
        for start in starts:
            complete = self._completed(start)
            if complete is not None or self._is_over():
                return complete
        return None

    def _is_over(self) -> bool:
        return len(self._tried) >= _MOST_RUNS or self._operators >= _MOST_OPERATORS

    def complaint(self, made: Made) -> Complaint | None:
        """What forward says of a batch, which is tried once; None where it runs."""
        key = frozenset((name, tensor.shape, tensor.dtype) for name, tensor in made(1).items())
        if key not in self._tried:
            said, operators = _tried(self._module, made)
            self._tried[key] = said
            self._operators += operators
            if said is not None and said.operators > self._came:
                self.furthest, self._came = made, said.operators
        return self._tried[key]

    def _completed(self, made: Made) -> Made | None:
        said = self.complaint(made)
        seen: set[Place] = set()
        for _ in range(_MOST_CHANGES):
            if said is None:
                return made
            seen.add(place_of(said.error))
            step = self._further(made, said, seen)
            if step is None:
                return None
            made, said = step
        return made if said is None else None

    def _further(self, made: Made, said: Complaint, seen: set[Place]) -> tuple[Made, Complaint | None] | None:
        """The batch with one more input, or one of another size, that gets forward on to a complaint not yet `seen`."""
        for changed in self._changed(made, said.error):
            if self._is_over():
                return None
            then = self.complaint(changed)
            if then is None or (then.operators >= said.operators and place_of(then.error) not in seen):
                return changed, then
        return None

    def _changed(self, made: Made, error: Exception) -> Iterator[Made]:
        resized = (other for other in resized_batches(made, error) if not self._cuts_samples(made, other))
        return chain(self._wider(made, error), retyped_batches(made, error), resized)

    def _cuts_samples(self, made: Made, other: Made) -> bool:
        """Whether samples of words would be shorter than they are said to be: another step than the one described."""
        data = self._workload.data
        if data.sequence_length is None or "data.sequence_length" in self._workload.assumed:
            return False
        before, after = (batch(1).get(_WORDS) for batch in (made, other))
        if before is None or after is None:
            return False
        return after.shape[-1] < data.sequence_length <= before.shape[-1]

    def _wider(self, made: Made, error: Exception) -> Iterator[Made]:
        given = made(1)
        for name in asked_for(error, self._names):
            if name not in given:
                for make in islice(documented_inputs(self._module, name, self._workload), _WAYS):
                    yield _with(made, name, make)


def _with(made: Made, name: str, make: Callable[[int], Tensor]) -> Made:
    return lambda batch_size: {**made(batch_size), name: make(batch_size)}


def place_of(error: BaseException) -> Place:
    """Where and why forward ended: another place, or other words beside the numbers, is progress."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_OF_TORCH)]  # a layer may be called many times
    ends = (*own[-1:], *frames[-1:])
    return _DIGITS.sub("0", str(error)[:200]), tuple((frame.filename, frame.lineno or 0) for frame in ends)


def asked_for(error: BaseException, names: list[str]) -> list[str]:
    """Inputs that a complaint points at: named by it, or read as None where forward ended, the surest first."""
    text = str(error)
    words = {word.lower() for word in _WORD.findall(text)}
    inputs = [name for name in names if name.lower() in words]
    for frame, line in reversed(_frames(error.__traceback__)):
        empty = {name for name in _WORD.findall(line) if frame.f_locals.get(name, frame) is None}
        missing = [name for name in names if name in empty]
        passed_on = [name for name in names if any(name.endswith(f"_{part}") for part in empty)]
        inputs += [name for name in dict.fromkeys([*missing, *passed_on]) if name not in inputs]
    return inputs


def _frames(trace: TracebackType | None) -> list[tuple[FrameType, str]]:
    """Each frame with the whole statement that it stopped in; one that raises with what it was raised for."""
    frames = []
    for (frame, _), summary in zip(traceback.walk_tb(trace), traceback.extract_tb(trace), strict=True):
        lines, first = getlines(summary.filename), (summary.lineno or 1) - 1
        said = "".join(lines[first : summary.end_lineno])
        if said.lstrip().startswith("raise "):
            said = "".join(lines[max(0, first - _LINES_OF_A_CONDITION) : first]) + said
        frames.append((frame, said))
    return frames
