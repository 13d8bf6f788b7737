"""Made-up cards, links and steps that the tests of scaling share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.cost.scaling.links import Link
from advisor.cost.scaling.traffic import Traffic, fill_buckets
from advisor.cost.step_parts import StepParts

Floats = NDArray[np.float64]


def spec(**changes: object) -> GpuSpec:
    """A slot card of 2020 with a bridge unless changed."""
    fields: dict[str, object] = {
        "key": "card",
        "name": "Card",
        "nvlink_bytes_per_s": 56e9,
        "nvlink_pairs_only": True,
        "pcie_generation": 4,
        "pcie_lane_count": 16,
        "peer_to_peer": True,
        "source": "made up for tests",
        "checked": "2026-01-01",
    }
    return GpuSpec(**(fields | changes))  # type: ignore[arg-type]


def link(**changes: object) -> Link:
    """A PCIe 4.0 link with peer-to-peer unless changed."""
    fields: dict[str, object] = {
        "type": "pcie_p2p",
        "wire_bytes_per_s": 32e9,
        "pcie_bytes_per_s": 32e9,
        "peer_to_peer": True,
    }
    return Link(**(fields | changes))  # type: ignore[arg-type]


def steps(cards: int = 1, batches: int = 1, *, step_s: float = 0.1, host_s: float = 0.0) -> StepParts:
    """Steps that grow with the batch; a third forward, most of the rest backward."""
    base: Floats = np.full((cards, batches), step_s) * np.arange(1, batches + 1, dtype=np.float64)
    host: Floats = np.full((cards, batches), host_s)
    small = base * 0.01
    return StepParts(
        forward_s=base * 0.3, backward_s=base * 0.6, optimizer_s=base * 0.07, host_s=host, copy_s=small,
        loader_s=small, synchronisation_s=small,
    )  # fmt: skip


def traffic(gradient_bytes: float = 400e6, tensors: int = 100, **changes: object) -> Traffic:
    """Equal gradients that become ready evenly through backward."""
    ready = [(index + 1) / tensors for index in range(tensors)]
    fields: dict[str, object] = {
        "buckets": fill_buckets([gradient_bytes / tensors] * tensors, ready),
        "gradient_bytes": gradient_bytes,
        "parameter_bytes": gradient_bytes / 2,
        "gradient_tensor_count": tensors,
        "buffer_bytes": 0.0,
        "input_bytes": (0.0, 600e3),
        "output_bytes": (0.0, 4e3),
        "layer_count": 24,
        "linear_output_bytes": (0.0, 50e6),
        "boundary_bytes": (0.0, 1e6),
    }
    return Traffic(**(fields | changes))  # type: ignore[arg-type]
