"""Layers that are alike: which of a model's lists repeat, and the model with four of each repeated group left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import nn

KEPT_GROUPS = 4
"""First, second, last but one and last: those between are copies of the second."""
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
        return short_group if short_group < KEPT_GROUPS // 2 else short_group + self.group_count - KEPT_GROUPS


def layer_runs(model: nn.Module) -> tuple[LayerRun, ...]:
    """The model's lists of repeated layers, outermost ones only; none where its configuration takes outputs of several.

    Alike are layers of the same modules, with parameters of the same shapes and types and the same plain settings.
    """
    config = getattr(model, "config", None)
    if any(len(getattr(config, name, None) or ()) > 1 for name in _SEVERAL_OUTPUTS):
        return ()
    found: list[LayerRun] = []
    for path, module in model.named_modules():
        inside = any(path.startswith(f"{run.path}.") for run in found)
        if inside or not isinstance(module, nn.ModuleList | nn.Sequential) or len(module) < _FEWEST_GROUPS:
            continue
        run = _run(path, module)
        if run is not None:
            found.append(run)
    return tuple(found)


def _run(path: str, layers: Any) -> LayerRun | None:  # noqa: ANN401 - a list of modules
    signatures = [_signature(layer) for layer in layers]
    best: LayerRun | None = None
    for period in range(1, min(_LONGEST_PERIOD, len(layers) // _FEWEST_GROUPS) + 1):
        start = len(layers) - period
        while start > 0 and signatures[start - 1] == signatures[start - 1 + period]:
            start -= 1
        start += (len(layers) - start) % period
        run = LayerRun(layers, path, start, period, (len(layers) - start) // period)
        if run.group_count >= _FEWEST_GROUPS and (best is None or _left(run) < _left(best)):
            best = run
    if best is None:
        return None
    held = [parameter for layer in layers for parameter in layer.parameters()]
    return best if len({id(parameter) for parameter in held}) == len(held) else None


def _left(run: LayerRun) -> int:
    return run.start + KEPT_GROUPS * run.period


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
            head = run.start + KEPT_GROUPS // 2 * run.period
            kept = layers[:head] + layers[len(layers) - KEPT_GROUPS // 2 * run.period :]
            stack.callback(_set_layers, run.layers, whole)
            _set_layers(run.layers, {str(place): layer for place, layer in enumerate(kept)})
        yield


def _set_layers(owner: nn.Module, layers: dict[str, nn.Module | None]) -> None:
    owner._modules.clear()  # noqa: SLF001 - as above
    owner._modules.update(layers)  # noqa: SLF001 - as above
