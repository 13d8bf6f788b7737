"""WSL, containers, Jetson and laptops with two GPUs: each is told in a sentence of its own, in both languages."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.core.sentences import Language, Reason, say
from advisor.hardware.describe import machine_lines
from advisor.hardware.machine import Machine

MACHINES = Path(__file__).resolve().parents[1] / "recorded" / "machines"
TOLD: dict[str, tuple[str, str]] = {
    "synthetic_host_wsl": ("machine-wsl", "Linux"),
    "synthetic_host_container_limited": ("machine-core-limit", "2"),
    "synthetic_stub_container_lost": ("driver-container-lost-gpu", ""),
    "synthetic_stub_jetson": ("gpu-unified-memory", "Orin"),
    "synthetic_stub_gb10": ("gpu-unified-memory", "GB10"),
    "synthetic_stub_vgpu": ("gpu-shared-by-others", "GRID"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TOLD)
def test_each_surrounding_has_its_sentence_on_the_machines_page(name: str, language: Language) -> None:
    machine = msgspec.json.decode((MACHINES / f"{name}.json").read_bytes(), type=Machine)
    code, word = TOLD[name]
    notice = next(one for one in machine.notices if one.code == code)
    said = say(notice, language)
    assert word in said
    assert any(said in line for line in machine_lines(machine, language))


def test_a_container_with_limits_tells_cores_and_memory() -> None:
    path = MACHINES / "synthetic_host_container_limited.json"
    machine = msgspec.json.decode(path.read_bytes(), type=Machine)
    assert machine.software.container
    assert {one.code for one in machine.notices} >= {"machine-core-limit", "machine-memory-limit"}
    assert machine.cpu.usable_core_count < (machine.cpu.logical_core_count or 0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_sleeping_card_of_a_laptop_is_said_to_have_been_woken(language: Language) -> None:
    said = say(Reason.of("driver-gpu-was-asleep", gpu_count=1), language)
    assert said
    assert said != say(Reason.of("driver-gpu-asleep"), language)


def test_the_versions_of_libraries_are_told_and_a_missing_one_is_said_to_be_missing() -> None:
    machine = msgspec.json.decode((MACHINES / "synthetic_host_wsl.json").read_bytes(), type=Machine)
    there = msgspec.structs.replace(
        machine.software, torch="2.9.1", torch_cuda=None, transformers="5.1.2", driver="580.1", cuda_driver="13.0"
    )
    gone = msgspec.structs.replace(there, torch=None, transformers=None, driver=None, cuda_driver=None)
    texts = ["\n".join(machine_lines(msgspec.structs.replace(machine, software=one), "en")) for one in (there, gone)]
    assert "Driver 580.1, CUDA of the driver 13.0, torch 2.9.1 (built without CUDA), transformers 5.1.2" in texts[0]
    assert "Driver none, CUDA of the driver none, torch none, transformers none" in texts[1]
