"""What CUDA_VISIBLE_DEVICES hides: by number, by UUID, by nonsense, and where numbers cannot be matched."""

from __future__ import annotations

import pytest

from advisor.hardware.machine import Gpu, MigInstance
from advisor.hardware.visible_devices import hidden_indices

ALIKE = [
    Gpu(uuid=f"GPU-{letter * 8}-0000", index=index, vendor="nvidia", name="NVIDIA A40", pcie_bus=bus)
    for index, (letter, bus) in enumerate([("a", "00000000:01:00.0"), ("b", "00000000:41:00.0"), ("c", None)])
]
MIXED = [
    Gpu(uuid="GPU-11111111-0000", index=0, vendor="nvidia", name="NVIDIA GeForce GTX 1060 6GB", pcie_bus="0:01"),
    Gpu(uuid="GPU-44444444-0000", index=1, vendor="nvidia", name="NVIDIA GeForce RTX 4090", pcie_bus="0:41"),
]
SPLIT = [
    Gpu(
        uuid="GPU-99999999-0000",
        index=0,
        vendor="nvidia",
        name="NVIDIA A100-PCIE-40GB",
        mig_instances=(
            MigInstance(uuid="MIG-12345678-0000", name="x", memory_total_bytes=None, memory_free_bytes=None),
        ),
    )
]


def hidden(setting: str | None, gpus: list[Gpu], **more: str) -> tuple[set[int], bool]:
    environment = dict(more) if setting is None else {"CUDA_VISIBLE_DEVICES": setting, **more}
    indices, ambiguous = hidden_indices(gpus, environment)
    return set(indices), ambiguous


@pytest.mark.parametrize(
    ("setting", "indices"),
    [
        (None, set()),
        ("GPU-aaaaaaaa", {1, 2}),
        ("GPU-aaaaaaaa-0000,GPU-cccccccc", {1}),
        ("gpu-BBBBBBBB", {0, 2}),
        ("GPU-", {0, 1, 2}),
        ("", {0, 1, 2}),
        ("-1", {0, 1, 2}),
        ("NoDevFiles", {0, 1, 2}),
        ("9", {0, 1, 2}),
        ("GPU-aaaaaaaa,GPU-aaaaaaaa", {0, 1, 2}),
        ("GPU-bbbbbbbb,nonsense,GPU-aaaaaaaa", {0, 2}),
    ],
)
def test_the_list_is_read_as_cuda_reads_it(setting: str | None, indices: set[int]) -> None:
    assert hidden(setting, ALIKE) == (indices, False)


def test_numbers_of_like_cards_follow_the_bus() -> None:
    gpus = [gpu for gpu in ALIKE if gpu.pcie_bus]
    assert hidden("1", gpus) == ({0}, False)
    assert hidden("0, 1", gpus) == (set(), False)


def test_numbers_of_unlike_cards_are_ambiguous_unless_ordered_by_bus() -> None:
    assert hidden("0", MIXED) == (set(), True)
    assert hidden("0", MIXED, CUDA_DEVICE_ORDER="PCI_BUS_ID") == ({1}, False)
    assert hidden("GPU-44444444", MIXED) == ({0}, False)


def test_a_mig_instance_shows_its_card() -> None:
    assert hidden("MIG-12345678-0000", SPLIT) == (set(), False)
    assert hidden("MIG-87654321-0000", SPLIT) == ({0}, False)


def test_cards_of_others_are_never_hidden_by_it() -> None:
    assert hidden("", [Gpu(uuid=None, index=0, vendor="amd", name="AMD GPU")]) == (set(), False)


def test_like_cards_are_told_by_their_name_however_many_there_are() -> None:
    assert hidden("0", [ALIKE[0]]) == (set(), False)
    twice = [*MIXED, MIXED[1]]
    assert hidden("0", twice) == (set(), True)
