"""Microbenchmarks are taken over exactly while what they depend on stays the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.advice import AdviceRequest
from advisor.advice.facts import Facts, find_facts
from advisor.core.drive import drive
from advisor.hardware.detect import detect_machine
from advisor.measure.measurement import Measurement, Verdict, VerdictKind
from advisor.measure.traces import Traces
from advisor.store.kept_calibrations import calibration_of, keep, reusable, trusted, with_note
from advisor.workload.workload_file import load_workload
from tests.persistence import growing_budgets
from tests.present.recorded import recorded


def measured(kind: VerdictKind = "stable") -> Measurement:
    (found,) = recorded().measurements
    rates = tuple(msgspec.structs.replace(rate, verdict=Verdict(kind=kind)) for rate in found.rates)
    return msgspec.structs.replace(found, rates=rates)


def test_a_trusted_calibration_is_kept_and_found_again(tmp_path: Path) -> None:
    machine = recorded().machine
    keep(tmp_path, machine, (measured(),), {})
    found = reusable(tmp_path, machine)
    assert found == {"cpu": calibration_of(measured())}
    assert not found["cpu"].steps
    assert not found["cpu"].readings


@pytest.mark.parametrize("field", ["torch", "driver"])
def test_another_driver_or_torch_ends_it(tmp_path: Path, field: str) -> None:
    machine = recorded().machine
    keep(tmp_path, machine, (measured(),), {})
    software = msgspec.structs.replace(machine.software, **{field: "99.9"})
    assert reusable(tmp_path, msgspec.structs.replace(machine, software=software)) == {}


def test_another_number_of_cores_or_threads_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = recorded().machine
    keep(tmp_path, machine, (measured(),), {})
    fewer = msgspec.structs.replace(machine.cpu, usable_core_count=machine.cpu.usable_core_count + 7)
    assert reusable(tmp_path, msgspec.structs.replace(machine, cpu=fewer)) == {}
    monkeypatch.setenv("OMP_NUM_THREADS", "77")
    assert reusable(tmp_path, machine) == {}


@pytest.mark.parametrize("kind", ["contended", "throttled", "unstable", "not_measured"])
def test_a_disturbed_calibration_is_not_kept(tmp_path: Path, kind: VerdictKind) -> None:
    assert not trusted(measured(kind).rates)
    keep(tmp_path, recorded().machine, (measured(kind),), {})
    assert reusable(tmp_path, recorded().machine) == {}


def test_what_was_reused_is_said_and_not_kept_again(tmp_path: Path) -> None:
    machine = recorded().machine
    keep(tmp_path, machine, (measured(),), {})
    reused = reusable(tmp_path, machine)
    keep(tmp_path, machine, (with_note(measured(), reused),), reused)
    assert reusable(tmp_path, machine) == reused
    assert "history-calibration-reused" in {caveat.code for caveat in with_note(measured(), reused).caveats}
    assert with_note(measured(), {}) == measured()


def test_without_a_folder_nothing_is_read_or_kept(tmp_path: Path) -> None:
    keep(None, recorded().machine, (measured(),), {})
    assert reusable(None, recorded().machine) == {}
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    keep(tmp_path / "file", recorded().machine, (measured(),), {})
    assert reusable(tmp_path / "file", recorded().machine) == {}


def test_a_run_takes_over_what_an_earlier_one_calibrated(tmp_path: Path) -> None:
    def run(budget_s: float) -> Facts:
        request = AdviceRequest(
            workload=load_workload("iris_mlp"), budget_s=budget_s, devices=("cpu",), data_folder=str(tmp_path)
        )
        return drive(find_facts(request, Traces()))

    machine = detect_machine()
    kept = measured()
    keep(tmp_path, machine, (kept,), {})
    for budget_s in growing_budgets(4):
        (found,) = (one for one in run(budget_s).measurements if one.device_key == "cpu")
        if found.steps:
            break
    assert found.rates == reusable(tmp_path, machine)["cpu"].rates
    assert "history-calibration-reused" in {caveat.code for caveat in found.caveats}
    assert found.steps
