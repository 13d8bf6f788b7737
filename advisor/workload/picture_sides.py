"""Which sides the pictures of a model have: told, as its configuration was made for, or assumed."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.workload.workload import Workload

ASSUMED_SIDE = 224
"""Pixels of a picture's side where neither the user nor the configuration tells one."""
_PARTS_THAT_SEE = ("vision_config", "backbone_config")


def sides_in_config(config: Mapping[str, object]) -> tuple[int, int] | None:
    """Height and width that a configuration, or the part of it that sees, was made for."""
    parts = (config, *(config.get(name) for name in _PARTS_THAT_SEE))
    found = (two_sides(part.get("image_size")) for part in parts if isinstance(part, Mapping))
    return next((sides for sides in found if sides is not None), None)


def two_sides(size: object) -> tuple[int, int] | None:
    """Height and width of a configuration's `image_size`: one side of a square, or both, listed or by their names."""
    match size:
        case int() if size > 0:
            return (size, size)
        case [int(height), int(width)] if min(height, width) > 0:
            return (height, width)
        case {"height": int(height), "width": int(width)} if min(height, width) > 0:
            return (height, width)
        case _:
            return None


def sides_of_pictures(configured: tuple[int, int] | None, workload: Workload) -> tuple[int, int]:
    """Height and width: the workload's square, else those that were `configured`, which no assumed one replaces."""
    side = workload.data.image_size
    if configured is not None and (side is None or "data.image_size" in workload.assumed):
        return configured
    side = side or ASSUMED_SIDE
    return (side, side)
