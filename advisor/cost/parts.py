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
    """`host`: what issuing kernels from the host adds; `copy`: to and from the device; `loader`: waiting for data;
    `synchronisation`: points where the host waits for the device; `communication`: between devices, where nothing
    hides it; `imbalance`: waiting for slower devices or pipeline stages. The others are a step's phases."""
    duration_s: float
    """Seconds of one optimizer step."""


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
    """`optimizer`: its states; `activations`: what forward keeps, and temporary tensors; `workspace`: of
    libraries' kernels; `context`: of driver and process; `fragmentation`: what the allocator wastes;
    `communication`: buffers between devices. On a CPU `activations` are all tensors of the step."""
    size_bytes: float
    """Bytes on one device at the moment of the peak."""
