"""The layer table: what each module of the model computes and keeps, by its path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import torch

from advisor.optable.op_table import ALLOCATE, Affine, CheckpointFigures, Layer, through
from advisor.worker.models.checkpointing import repeated_blocks
from advisor.worker.trace.step_pass import Pass


def layer_table(
    model: torch.nn.Module,
    passes: tuple[Pass, Pass],
    figures: Sequence[tuple[Affine, ...]],
    batches: tuple[int, int],
) -> tuple[Layer, ...]:
    """One row for each module that runs operators of its own or holds parameters, in order of execution.

    `activation_bytes` is what the module allocated in forward and left alive for backward.
    """
    flop: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (phase, path, raw), affine in zip(passes[1].recorder.ops, figures, strict=True):
        if phase == "forward":
            flop[path][0] += raw.times * affine[0][0]
            flop[path][1] += raw.times * affine[0][1]
    kept = [_kept_bytes(traced) for traced in passes]
    modules = dict(model.named_modules())
    order = dict.fromkeys([*flop, *kept[1]])
    rows = []
    for path in order:
        module = modules.get(path, model)
        own = own_weight_count(module) if path in modules else 0
        rows.append(
            Layer(
                path=path or "(step)",
                module=type(module).__name__ if path in modules or path == "(model)" else "",
                parameter_count=own,
                flop=(flop[path][0], flop[path][1]),
                activation_bytes=through(batches, kept[0].get(path, 0), kept[1].get(path, 0)),
            )
        )
    return tuple(rows)


def own_weight_count(module: torch.nn.Module) -> int:
    """Weights that a module itself holds: those that packed bytes stand for, where it packs them."""
    packed = getattr(module, "logical_count", None)
    return packed if isinstance(packed, int) else sum(p.numel() for p in module.parameters(recurse=False))


def weight_count(model: torch.nn.Module) -> int:
    """Weights of a whole model, shared ones once."""
    packed = [module for module in model.modules() if isinstance(getattr(module, "logical_count", None), int)]
    bytes_of_them = {id(parameter) for module in packed for parameter in module.parameters(recurse=False)}
    plain = sum(parameter.numel() for parameter in model.parameters() if id(parameter) not in bytes_of_them)
    return plain + sum(own_weight_count(module) for module in packed)


def _kept_bytes(traced: Pass) -> dict[str, int]:
    """Bytes by module path that forward allocated and that live until backward."""
    result: dict[str, int] = defaultdict(int)
    tracker = traced.recorder.tracker
    for event in range(traced.resident_count, traced.backward_start):
        storage = tracker.storages[event]
        if tracker.kinds[event] == ALLOCATE and storage in traced.kept:
            _phase, path, _name = traced.recorder.made_by.get(event, ("forward", "", ""))
            result[path] += traced.kept[storage]
    return result


def block_parameter_bytes(model: torch.nn.Module) -> tuple[float, ...]:
    """Bytes of the parameters of each repeated block, which full sharding would gather as one."""
    blocks = repeated_blocks(model).values()
    return tuple(float(sum(p.numel() * p.element_size() for p in block.parameters())) for block in blocks)


def checkpoint_figures(
    model: torch.nn.Module, passes: tuple[Pass, Pass], layers: Sequence[Layer], batches: tuple[int, int]
) -> CheckpointFigures | None:
    """The repeated blocks' kept activations, inputs and forward work; None without blocks."""
    blocks = repeated_blocks(model)
    inputs = [{path: traced.recorder.input_bytes.get(path, 0) for path in blocks} for traced in passes]
    if not blocks or not any(inputs[0].values()):
        return None
    kept: dict[str, list[float]] = {path: [0.0, 0.0] for path in blocks}
    flop = [0.0, 0.0]
    for layer in layers:
        owner = _owner(layer.path, kept)
        if owner is not None:
            for place in range(2):
                kept[owner][place] += layer.activation_bytes[place]
                flop[place] += layer.flop[place]
    largest = max(kept.values(), key=lambda figures: figures[0] + figures[1] * batches[1])
    return CheckpointFigures(
        block_count=len(blocks),
        kept_bytes=(sum(f[0] for f in kept.values()), sum(f[1] for f in kept.values())),
        largest_block_bytes=(largest[0], largest[1]),
        block_input_bytes=through(batches, sum(inputs[0].values()), sum(inputs[1].values())),
        recomputed_flop=(flop[0], flop[1]),
    )


def _owner(path: str, blocks: dict[str, list[float]]) -> str | None:
    parts = path.split(".")
    return next((name for end in range(1, len(parts) + 1) if (name := ".".join(parts[:end])) in blocks), None)
