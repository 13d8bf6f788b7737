"""Layers that are alike: which of a model's lists repeat, and the model with a few of each repeated group left.

Marks tell where in a pass each of these groups begins, forward and backward.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, pairwise
from typing import Any, NamedTuple, Self

import torch
from torch import nn

from advisor.optable.op_table import Phase
from advisor.worker.trace.ops.raw_op import RawOp, tensors_in
from advisor.worker.trace.recorder import Recorder

HEAD_GROUPS = 2
SECOND_GROUP = HEAD_GROUPS - 1
"""Kept at the beginning: those between them and the kept ones at the end are copies of the second."""
_TAIL_GROUPS = 2
_TAIL_GROUPS_OF_SHARED = 3
"""Kept at the end, the last of which differ: going backward, the last has no gradient from a group behind it, and
where groups share parameters, the one before it is the first that adds to theirs."""
_FEWEST_GROUPS = 6
_LONGEST_PERIOD = 8
"""Layers of one group, where kinds alternate."""
_PLACES = ("layer_idx", "layer_id", "layer_index", "layer_number", "block_idx", "idx")
"""Attributes that hold a layer's place, which no operator depends on by itself."""
_SEVERAL_OUTPUTS = ("out_indices", "out_features", "_out_indices")


class LayerRun(NamedTuple):
    """Groups of layers at the end of one list, each like the one before it."""

    layers: nn.Module
    """The list that holds them."""
    path: str
    start: int
    """Layers before the first group, unlike the others."""
    period: int
    group_count: int
    tail_count: int = _TAIL_GROUPS
    """Groups that are kept at the end."""

    @property
    def kept_count(self) -> int:
        """Groups that are left of the shortened list."""
        return HEAD_GROUPS + self.tail_count

    @property
    def copied_groups(self) -> range:
        """Groups of the whole list that are copies of the second."""
        return range(HEAD_GROUPS, self.group_count - self.tail_count)

    def full_layer(self, short_layer: int, full_group: int) -> int:
        """Place in the whole list of a layer of the shortened one, where its group becomes `full_group`."""
        if short_layer < self.start:
            return short_layer
        return self.start + full_group * self.period + (short_layer - self.start) % self.period

    def group_of(self, short_layer: int) -> int | None:
        """Which group a layer of the shortened list is of; None before the first."""
        return None if short_layer < self.start else (short_layer - self.start) // self.period

    def full_group(self, short_group: int) -> int:
        """The group of the whole list that a kept group is."""
        return short_group if short_group < HEAD_GROUPS else short_group + self.group_count - self.kept_count


def layer_runs(model: nn.Module) -> tuple[LayerRun, ...]:
    """The model's lists of repeated layers, outermost ones only; none where its configuration takes outputs of several.

    Alike are layers of the same modules, with parameters of the same shapes and types and the same plain settings, that
    stand in the same lists of places which the module that runs them has: some go by the number of a layer.
    """
    config = getattr(model, "config", None)
    if any(len(getattr(config, name, None) or ()) > 1 for name in _SEVERAL_OUTPUTS):
        return ()
    runs: list[LayerRun] = []
    for path, module in model.named_modules():
        inside = any(path.startswith(f"{run.path}.") for run in runs)
        if inside or not isinstance(module, nn.ModuleList | nn.Sequential) or len(module) < _FEWEST_GROUPS:
            continue
        run = _run(path, module, model.get_submodule(path.rpartition(".")[0]))
        if run is not None:
            runs.append(run)
    return tuple(runs)


def _run(path: str, layers: Any, owner: nn.Module) -> LayerRun | None:  # noqa: ANN401 - a list of modules
    lists = _lists_of_places(owner, len(layers))
    signatures = [(_signature(layer), *(place in places for places in lists)) for place, layer in enumerate(layers)]
    best: LayerRun | None = None
    for period in range(1, min(_LONGEST_PERIOD, len(layers) // _FEWEST_GROUPS) + 1):
        start = len(layers) - period
        while start > 0 and signatures[start - 1] == signatures[start - 1 + period]:
            start -= 1
        start += (len(layers) - start) % period
        run = LayerRun(layers, path, start, period, (len(layers) - start) // period)
        if run.group_count >= _FEWEST_GROUPS and (best is None or _left(run) < _left(best)):
            best = run
    return None if best is None else _with_shared(best, list(layers))


def _lists_of_places(owner: nn.Module, count: int) -> list[set[int]]:
    """Lists of the module and of its configuration that may number some of its layers (`fullatt_block_indexes`)."""
    config = getattr(owner, "config", None)
    values = [*vars(owner).values(), *(vars(config).values() if config is not None else ())]
    lists = [value for value in values if isinstance(value, list | tuple | set) and 0 < len(value) < count]
    return [set(places) for places in lists if all(type(place) is int and 0 <= place < count for place in places)]


def _with_shared(run: LayerRun, layers: Sequence[nn.Module]) -> LayerRun | None:
    """The run, with more groups kept where all share parameters; None where some do, or share whole layers."""
    held = [[id(parameter) for parameter in layer.parameters()] for layer in layers]
    starts = range(run.start, len(layers), run.period)
    groups = [list(chain(*held[start : start + run.period])) for start in starts]
    places = [set(place) for place in zip(*groups, strict=True)]
    shared = list(chain(*(place for place in places if len(place) == 1)))
    own = list(chain(*(place for place in places if len(place) == run.group_count)))
    every = [*shared, *own]
    even = len(shared) * run.group_count + len(own) == len(places) * run.group_count and len({*every}) == len(every)
    if not even or {*own} & {*chain(*held[: run.start])} or len({*map(id, layers)}) < len(layers):
        return None
    return run._replace(tail_count=_TAIL_GROUPS_OF_SHARED) if shared else run


def _left(run: LayerRun) -> int:
    return run.start + run.kept_count * run.period


def _signature(layer: nn.Module) -> tuple[Any, ...]:
    """What makes two layers alike."""
    parts: list[Any] = []
    for name, module in layer.named_modules():
        tensors = [
            (key, tuple(tensor.shape), tensor.dtype, tensor.requires_grad)
            for store in (module._parameters, module._buffers)  # noqa: SLF001 - named_parameters would leave out ties
            for key, tensor in store.items()
            if tensor is not None
        ]
        parts.append((name, type(module).__qualname__, tuple(tensors), _settings(module)))
    return tuple(parts)


def _settings(module: nn.Module) -> tuple[Any, ...]:
    plain = (bool, int, float, str, torch.dtype)
    return tuple(
        sorted(
            (name, repr(value))
            for name, value in vars(module).items()
            if isinstance(value, plain) and not name.startswith("_") and name not in _PLACES
        )
    )


@contextmanager
def shortened(runs: Sequence[LayerRun]) -> Iterator[None]:
    """Inside the block each list holds only its kept groups, renumbered."""
    with ExitStack() as stack:
        for run in runs:
            whole = dict(run.layers._modules)  # noqa: SLF001 - a list's content has no public setter
            layers = list(whole.values())
            head = run.start + HEAD_GROUPS * run.period
            kept = layers[:head] + layers[len(layers) - run.tail_count * run.period :]
            stack.callback(_set_layers, run.layers, whole)
            _set_layers(run.layers, {str(place): layer for place, layer in enumerate(kept)})
        yield


def _set_layers(owner: nn.Module, layers: dict[str, nn.Module | None]) -> None:
    owner._modules.clear()  # noqa: SLF001 - as above
    owner._modules.update(layers)  # noqa: SLF001 - as above


class Mark(NamedTuple):
    """How far a recorder had come when a group began; `group` None: backward as a whole, or the end."""

    run: int | None
    group: int | None
    phase: Phase
    op_count: int
    event_count: int
    gradient_count: int
    dispatch_count: tuple[int, int]
    """Calls so far, forward and backward."""
    synchronisation_count: int
    work: float


def count_copies(ops: list[tuple[Phase, str, RawOp]], marks: Sequence[Mark], runs: Sequence[LayerRun]) -> None:
    """Let the operators of each second group stand for those of its copies as well."""
    for begin, end in pairwise(marks):
        if begin.run is not None and begin.group == SECOND_GROUP:
            times = 1 + len(runs[begin.run].copied_groups)
            for place in range(begin.op_count, end.op_count):
                phase, path, raw = ops[place]
                ops[place] = (phase, path, raw._replace(times=raw.times * times))


class Marks:
    """While active, notes each group's first forward call, and the moment when backward has its output's gradient."""

    def __init__(self, runs: Sequence[LayerRun], recorder: Recorder) -> None:
        """`runs` of a model that is shortened."""
        self._runs, self._recorder = runs, recorder
        self._stack = ExitStack()
        self.recorded: list[Mark] = []

    def note(self, run: int | None, group: int | None, phase: Phase) -> None:
        """Write down where the recorder is."""
        recorder = self._recorder
        self.recorded.append(
            Mark(
                run,
                group,
                phase,
                len(recorder.ops),
                len(recorder.tracker.kinds),
                len(recorder.gradients),
                (recorder.dispatch_count["forward"], recorder.dispatch_count["backward"]),
                recorder.synchronisation_count,
                recorder.backward_work,
            )
        )

    def __enter__(self) -> Self:
        """Hook the first and the last layer of every group."""
        for number, run in enumerate(self._runs):
            layers = list(run.layers.children())
            for group in range(run.kept_count):
                first = layers[run.start + group * run.period]
                last = layers[run.start + (group + 1) * run.period - 1]
                begin = first.register_forward_pre_hook(self._begins(number, group), prepend=True)
                end = last.register_forward_hook(self._ends(number, group))
                self._stack.callback(begin.remove)
                self._stack.callback(end.remove)
        return self

    def __exit__(self, *_: object) -> None:
        """Take the hooks away."""
        self._stack.close()

    def _begins(self, run: int, group: int) -> Any:  # noqa: ANN401 - a hook
        def hook(_module: torch.nn.Module, _inputs: object) -> None:
            if self._recorder.phase == "forward":
                self.note(run, group, "forward")

        return hook

    def _ends(self, run: int, group: int) -> Any:  # noqa: ANN401 - a hook
        def ready(_gradient: torch.Tensor) -> None:
            self.note(run, group, "backward")

        def hook(_module: torch.nn.Module, _inputs: object, output: object) -> None:
            if self._recorder.phase == "forward":
                trained = (tensor for tensor in tensors_in(output) if tensor.requires_grad)
                first = next(trained, None)
                if first is not None:
                    first.register_hook(ready)  # type: ignore[no-untyped-call]

        return hook
