"""What a step is made of, in seconds and in bytes: the parts that add up to a prediction."""

from __future__ import annotations

from typing import Literal, get_args

from advisor.core.records import Record

PartKind = Literal[
    "forward",
    "backward",
    "optimizer",
    "host",
    "copy",
    "loader",
    "synchronisation",
    "communication",
    "imbalance",
]
PART_KINDS: tuple[PartKind, ...] = get_args(PartKind)


class Part(Record, frozen=True, kw_only=True):
    """A share of the step; the parts of a prediction add up to its `step_s.value`."""

    kind: PartKind
    duration_s: float


class MemoryPart(Record, frozen=True, kw_only=True):
    """A share of the peak memory."""

    kind: Literal[
        "parameters",
        "gradients",
        "optimizer",
        "activations",
        "workspace",
        "context",
        "fragmentation",
        "communication",
    ]
    size_bytes: float
