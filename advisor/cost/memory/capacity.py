"""What of a card's nominal memory a process can have, and what its context takes of that."""

from __future__ import annotations

GIB = float(2**30)
_CONTEXT_BYTES = {7: 0.40 * GIB, 8: 0.40 * GIB, 9: 0.55 * GIB, 10: 0.60 * GIB, 12: 0.55 * GIB}
"""CUDA context with lazily loaded kernels of torch, cuBLAS and cuDNN, by major compute capability."""
_CONTEXT_UNKNOWN_BYTES = 0.5 * GIB
KERNELS_LAZY_FROM_YEAR = 2023
"""PyTorch loads kernels as they are used since it is built with CUDA 11.7, as 2.0 is throughout."""
WHOLE_CONTEXT_BYTES = 1.6 * GIB
"""CUDA context of PyTorch before: what lies beside the allocator's segments in out-of-memory messages of an RTX 3090
(22.05 GiB reserved and 46 MiB free of 23.70). Cards of other architectures load as many kernels."""
_RESERVED_FRACTION = 1 / 16
"""Share of a card's nominal memory that a process never gets: what the driver keeps, error correction beside GDDR
(one byte in sixteen), kernels loaded whole by older software. With the context it leaves an RTX 3090's allocator
22.10 GiB: as much as out-of-memory messages show for it (22.05 GiB reserved and 46 MiB free of 23.70)."""


def usable_bytes(capacity_bytes: float) -> float:
    """What of a card's nominal memory a process can take, its CUDA context included."""
    return capacity_bytes * (1 - _RESERVED_FRACTION)


def context_bytes(compute_capability: str | None) -> float:
    """Bytes that the CUDA context holds outside the allocator, by architecture (`8.6`)."""
    major = int(compute_capability.split(".")[0]) if compute_capability else 0
    return _CONTEXT_BYTES.get(major, _CONTEXT_UNKNOWN_BYTES)
