"""Processor power from energy counters: sums of packages, overflow, and silence where they may not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from advisor.hardware.sampler.host import PackagePower

if TYPE_CHECKING:
    from pathlib import Path


def zone(root: Path, name: str, kind: str, energy_uj: int, range_uj: int = 262_143_328_850) -> Path:
    folder = root / "sys/class/powercap" / name
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{kind}\n", encoding="utf-8")
    (folder / "max_energy_range_uj").write_text(f"{range_uj}\n", encoding="utf-8")
    counter = folder / "energy_uj"
    counter.write_text(f"{energy_uj}\n", encoding="utf-8")
    return counter


def starting(root: Path, monkeypatch: pytest.MonkeyPatch) -> PackagePower:
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    return PackagePower(root)


def test_packages_are_summed_and_their_parts_are_not_counted_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counters = [zone(tmp_path, f"intel-rapl:{index}", f"package-{index}", 1_000_000) for index in range(2)]
    zone(tmp_path, "intel-rapl:0:0", "core", 500)
    zone(tmp_path, "intel-rapl:2", "psys", 500)
    power = starting(tmp_path, monkeypatch)
    counters[0].write_text("61000000", encoding="utf-8")
    counters[1].write_text("31000000", encoding="utf-8")
    assert power.watts(102.0) == pytest.approx(45.0)


def test_a_counter_that_runs_over_goes_on_from_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = zone(tmp_path, "intel-rapl:0", "package-0", 9_000_000, range_uj=10_000_000)
    power = starting(tmp_path, monkeypatch)
    counter.write_text("4000000", encoding="utf-8")
    assert power.watts(101.0) == pytest.approx(5.0)


def test_without_readable_counters_the_power_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert starting(tmp_path, monkeypatch).watts(101.0) is None
    counter = zone(tmp_path, "intel-rapl:0", "package-0", 1)
    power = starting(tmp_path, monkeypatch)
    counter.unlink()
    assert power.watts(101.0) is None
    assert power.watts(102.0) is None


def test_a_span_too_short_to_mean_anything_is_not_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zone(tmp_path, "intel-rapl:0", "package-0", 1)
    assert starting(tmp_path, monkeypatch).watts(100.001) is None
