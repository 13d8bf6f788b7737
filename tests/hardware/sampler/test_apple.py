"""The GPU of an Apple chip is found on such a machine alone, with the memory that it shares."""

from __future__ import annotations

import platform

import pytest

from advisor.hardware.machine import HostMemory
from advisor.hardware.sampler.pci import find_apple_gpus

MEMORY = HostMemory(total_bytes=16 * 2**30, available_bytes=9 * 2**30, cgroup_limit_bytes=None)


@pytest.mark.parametrize(
    ("system", "machine", "found"),
    [("Darwin", "arm64", True), ("Linux", "arm64", False), ("Darwin", "x86_64", False), ("Linux", "x86_64", False)],
)
def test_only_a_mac_with_a_chip_of_apples_has_its_gpu(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, *, found: bool
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    gpus = find_apple_gpus(MEMORY)
    assert [gpu.vendor for gpu in gpus] == (["apple"] if found else [])
    for gpu in gpus:
        assert gpu.unified_memory
        assert (gpu.memory_total_bytes, gpu.memory_free_bytes) == (16 * 2**30, 9 * 2**30)
