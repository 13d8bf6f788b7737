"""How the cards of a machine reach each other: by links, a switch, PCIe or the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Machine
from tests.fake_nvml.stub import SCENARIOS, NvmlStub

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs_compiler


def detect(stub: NvmlStub, scenario: str | Path) -> Machine:
    stub.use(scenario)
    return detect_machine()


def test_a_mesh_of_nvlinks_is_told_from_a_switch(nvml_stub: NvmlStub) -> None:
    machine = detect(nvml_stub, "v100_mesh_4")
    assert {link.kind for link in machine.links} == {"nvlink"}
    assert {gpu.nvlink_count for gpu in machine.gpus} == {6}


def test_links_whose_far_side_the_driver_does_not_tell_are_not_taken_for_a_switch(
    nvml_stub: NvmlStub, tmp_path: Path
) -> None:
    scenario = tmp_path / "untold.txt"
    told = (SCENARIOS / "a100_8.txt").read_text(encoding="utf-8")
    scenario.write_text(f"fault nvmlDeviceGetNvLinkRemoteDeviceType 3\n{told}", encoding="utf-8")
    assert {link.kind for link in detect(nvml_stub, scenario).links} == {"nvlink"}


def test_cards_without_peer_to_peer_reach_each_other_through_the_host(nvml_stub: NvmlStub) -> None:
    kinds = {
        (link.first_index, link.second_index): link.kind for link in detect(nvml_stub, "mixed_3090_4090_1060").links
    }
    assert kinds == {(0, 1): "pcie_host", (0, 2): "pcie_p2p", (1, 2): "pcie_host"}
