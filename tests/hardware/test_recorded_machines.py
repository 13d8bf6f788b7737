"""The recorded machines: enough of them, all readable, and the synthetic ones what their tool writes today."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from advisor.hardware.describe import machine_lines
from advisor.hardware.machine import Machine
from tools import make_machines

FOLDER = Path(__file__).resolve().parents[1] / "recorded" / "machines"
FILES = sorted(FOLDER.glob("*.json"))
DEPENDS_ON_SURROUNDINGS = {"synthetic_stub_container_lost"}
"""Detected differently inside and outside a container."""


def test_there_are_at_least_forty_machines_and_synthetic_ones_say_so(
    record_property: Callable[[str, object], None],
) -> None:
    assert len(FILES) >= 40
    assert {path.name.split("_")[0] for path in FILES} == {"real", "synthetic"}
    real = sum(path.name.startswith("real") for path in FILES)
    record_property("figure", f"{len(FILES)} machines, {real} of them real")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_machine_is_read_whole_and_written_again_unchanged(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    machine = msgspec.json.decode(text, type=Machine)
    assert make_machines.text_of(machine) == text
    assert machine_lines(machine, "en")
    assert machine_lines(machine, "zh")


def test_the_synthetic_machines_are_what_the_tool_writes() -> None:
    for name, machine in make_machines.described_machines().items():
        assert make_machines.text_of(machine) == (FOLDER / f"{name}.json").read_text(encoding="utf-8"), name


@pytest.mark.needs_compiler
def test_the_machines_of_the_stub_are_what_detection_finds_today(
    nvml_libraries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_NVML", "")
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    for name, machine in make_machines.stub_machines(nvml_libraries).items():
        if name not in DEPENDS_ON_SURROUNDINGS:
            assert make_machines.text_of(machine) == (FOLDER / f"{name}.json").read_text(encoding="utf-8"), name


def test_an_unknown_field_or_a_wrong_type_is_refused_with_its_path() -> None:
    text = (FOLDER / "synthetic_rtx4090_x2.json").read_text(encoding="utf-8")
    with pytest.raises(msgspec.ValidationError, match=r"gpus\[0\]\.power_limit_w"):
        msgspec.json.decode(text.replace('"power_limit_w": 450', '"power_limit_w": "450"', 1), type=Machine)
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(text.replace('"schema_version"', '"schema_versio"', 1), type=Machine)
