"""Layers that are alike: which of a model's lists repeat, and the model with a few of each repeated group left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import nn

HEAD_GROUPS = 2
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
    found: list[LayerRun] = []
    for path, module in model.named_modules():
        inside = any(path.startswith(f"{run.path}.") for run in found)
        if inside or not isinstance(module, nn.ModuleList | nn.Sequential) or len(module) < _FEWEST_GROUPS:
            continue
        run = _run(path, module, model.get_submodule(path.rpartition(".")[0]))
        if run is not None:
            found.append(run)
    return tuple(found)


def _run(path: str, layers: Any, owner: nn.Module) -> LayerRun | None:  # noqa: ANN401 - a list of modules
    lists = _lists_of_places(owner, len(layers))
    signatures = [(_signature(layer), *(place in one for one in lists)) for place, layer in enumerate(layers)]
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
    return [set(one) for one in lists if all(type(place) is int and 0 <= place < count for place in one)]


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
