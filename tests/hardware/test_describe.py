"""A machine in lines: every field, every refusal with its reason, nothing private, nothing that acts as markup."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from msgspec.structs import replace

from advisor.hardware.describe import machine_lines
from advisor.hardware.detect import detect_machine
from advisor.hardware.machine import Machine
from tests.fake_nvml.stub import GIVEN_SCENARIOS

if TYPE_CHECKING:
    from tests.fake_nvml.stub import NvmlStub

pytestmark = pytest.mark.needs_compiler


def found(stub: NvmlStub, scenario: str) -> Machine:
    stub.use(scenario)
    return detect_machine()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scenario", GIVEN_SCENARIOS)
def test_every_refused_field_is_told_with_its_reason(
    nvml_stub: NvmlStub, scenario: str, language: Literal["en", "zh"]
) -> None:
    machine = found(nvml_stub, scenario)
    lines = machine_lines(machine, language)
    refusals = [*machine.cpu.refusals, *(refusal for gpu in machine.gpus for refusal in gpu.refusals)]
    word = {"en": ": unknown: ", "zh": "：未知："}[language]
    assert sum(word in line for line in lines) == len(refusals)
    assert len([line for line in lines if line.startswith("  - ")]) == len(machine.notices)


def test_the_figures_of_a_card_are_told_with_units(nvml_stub: NvmlStub) -> None:
    text = "\n".join(machine_lines(found(nvml_stub, "a100_8"), "en"))
    for words in ("memory, total: 80.0 GiB", "clock, highest: 1.41 GHz", "power limit: 400 W", "temperature: 40 °C"):
        assert words in text
    assert "GPU 0 and GPU 1: NVLink through NVSwitch" in text


def test_the_text_names_no_user_and_no_path_of_theirs(nvml_stub: NvmlStub) -> None:
    text = "\n".join(machine_lines(found(nvml_stub, "mixed_3090_4090_1060"), "en"))
    assert str(Path.home()) not in text
    assert getpass.getuser() not in text.split()


def test_no_control_character_of_a_name_is_told(nvml_stub: NvmlStub) -> None:
    lines = machine_lines(found(nvml_stub, "undecodable"), "en")
    assert all(character.isprintable() for line in lines for character in line)


def test_cores_that_are_unknown_are_told_so_and_the_others_counted(nvml_stub: NvmlStub) -> None:
    machine = found(nvml_stub, "a100_8")
    cpu = replace(machine.cpu, physical_core_count=None, logical_core_count=12, usable_core_count=7)
    lines = machine_lines(replace(machine, cpu=cpu), "en")
    assert "Cores: unknown physical, 12 logical, 7 usable" in [line.strip() for line in lines]
