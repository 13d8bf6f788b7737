"""The processor: real on this machine, and from recorded files of others."""

from __future__ import annotations

import math
import os
from pathlib import Path
from types import SimpleNamespace

import psutil  # noqa: TID251 - the test replaces what the sampler asks
import pytest

from advisor.hardware.sampler.cgroups import CgroupLimits
from advisor.hardware.sampler.processors import find_cpu, usable_cores

ARM = """\
processor\t: 0
BogoMIPS\t: 243.75
Features\t: fp asimd evtstrm aes asimdhp asimddp sve bf16 i8mm
CPU implementer\t: 0x41
CPU part\t: 0xd40

processor\t: 1
Features\t: sve2
"""


def with_cpuinfo(root: Path, text: str) -> Path:
    (root / "proc").mkdir()
    (root / "proc" / "cpuinfo").write_text(text, encoding="utf-8")
    return root


def test_this_machine_has_a_processor_and_its_unknown_fields_have_reasons() -> None:
    cpu = find_cpu(CgroupLimits())
    assert cpu.logical_core_count == os.cpu_count()
    assert 1 <= cpu.usable_core_count <= (os.cpu_count() or 1)
    refused = {refusal.field for refusal in cpu.refusals}
    for field in ("name", "physical_core_count", "logical_core_count", "max_clock_hz"):
        assert (getattr(cpu, field) is None) == (field in refused)


def test_an_arm_processor_without_a_name_is_named_by_its_part(tmp_path: Path) -> None:
    cpu = find_cpu(CgroupLimits(), with_cpuinfo(tmp_path, ARM))
    assert cpu.name == "ARM implementer 0x41 part 0xd40"
    assert cpu.instruction_sets == ("asimd", "asimdhp", "asimddp", "bf16", "i8mm", "sve")


def test_the_name_holds_no_control_characters(tmp_path: Path) -> None:
    cpu = find_cpu(CgroupLimits(), with_cpuinfo(tmp_path, "processor : 0\nmodel name : A\x1b[31m   CPU\x07\n"))
    assert cpu.name == "A[31m CPU"


@pytest.mark.parametrize(("answer", "known"), [(None, None), (0, None), (10_000, None), (3, None), (2, 2), (1, 1)])
def test_physical_cores_that_make_no_sense_are_unknown_and_not_guessed(
    monkeypatch: pytest.MonkeyPatch, answer: int | None, known: int | None
) -> None:
    monkeypatch.setattr(psutil, "cpu_count", lambda logical=True: 2 if logical else answer)
    cpu = find_cpu(CgroupLimits())
    assert cpu.physical_core_count == known
    assert any(refusal.field == "physical_core_count" for refusal in cpu.refusals) == (known is None)


@pytest.mark.parametrize(
    ("logical", "affinity", "limit", "usable"),
    [(8, 8, None, 8), (8, 4, None, 4), (8, 8, 1.5, 2), (8, 2, 6.0, 2), (8, 8, 0.1, 1), (None, None, None, 1)],
)
def test_usable_cores_are_the_least_of_affinity_limit_and_count(
    logical: int | None, affinity: int | None, limit: float | None, usable: int
) -> None:
    assert usable_cores(logical, affinity, limit) == usable


@pytest.mark.parametrize(("megahertz", "clock_hz"), [(3500.0, 3.5e9), (0.0, None), (-1.0, None), (math.inf, None)])
def test_a_clock_that_no_processor_has_is_unknown(
    monkeypatch: pytest.MonkeyPatch, megahertz: float, clock_hz: float | None
) -> None:
    answer = SimpleNamespace(current=megahertz, min=0.0, max=megahertz)
    monkeypatch.setattr(psutil, "cpu_freq", lambda: answer)
    assert find_cpu(CgroupLimits()).max_clock_hz == clock_hz
