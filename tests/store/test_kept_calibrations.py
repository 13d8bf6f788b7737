"""Microbenchmarks of one run serve the next under the same conditions, and a history that fails costs only that."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from advisor.measure.measurement import Measurement, RateMeasurement, Verdict, VerdictKind
from advisor.store.history import FILE_NAME, History
from advisor.store.kept_calibrations import keep, reusable, trusted, with_note
from tests.predict.test_local_time import RATES
from tests.present.fakes import calibration, machine


def rates(*kinds: VerdictKind) -> tuple[RateMeasurement, ...]:
    return tuple(replace(RATES[0], verdict=Verdict(kind=kind)) for kind in kinds)


def calibrated(*kinds: VerdictKind) -> Measurement:
    return replace(calibration(), rates=rates(*kinds), workload_name="w", log_tail="of this run alone")


def test_what_was_calibrated_serves_the_next_run_and_says_since_when(tmp_path: Path) -> None:
    keep(tmp_path, machine(), [calibrated("stable")], {})
    found = reusable(tmp_path, machine())
    assert list(found) == ["cpu"]
    assert (found["cpu"].rates, found["cpu"].workload_name, found["cpu"].log_tail) == (rates("stable"), None, "")
    told = with_note(calibrated("stable"), found).caveats[-1]
    assert (told.code, told.numbers["date"]) == ("history-calibration-reused", "2026-11-21")
    assert with_note(calibrated("stable"), {}) == calibrated("stable")
    assert reusable(tmp_path, machine(torch="2.14.0")) == {}


def test_what_was_reused_or_disturbed_is_not_kept_again(tmp_path: Path) -> None:
    keep(tmp_path, machine(), [calibrated("stable")], {"cpu": calibration()})
    keep(tmp_path, machine(), [calibrated("stable", "contended")], {})
    assert not (tmp_path / FILE_NAME).exists()
    keep(None, machine(), [calibrated("stable")], {})
    assert reusable(None, machine()) == {}


@pytest.mark.parametrize(
    ("kinds", "trust"),
    [
        ((), False),
        (("not_measured",), False),
        (("stable", "usable", "stable", "stable", "unstable"), True),
        (("stable", "usable", "stable", "unstable"), False),
        (("stable", "stable", "stable", "stable", "stable", "throttled"), False),
    ],
)
def test_a_calibration_is_trusted_where_nearly_all_of_it_is_stable_and_nothing_disturbed(
    kinds: tuple[VerdictKind, ...], trust: bool
) -> None:
    assert trusted(rates(*kinds)) is trust


def test_a_calibration_that_this_version_cannot_read_is_passed_over_for_an_older_one(tmp_path: Path) -> None:
    keep(tmp_path, machine(), [calibrated("stable")], {})
    with History(tmp_path) as history:
        history.keep_calibration(calibrated("usable"), machine())
        head = history._store.entries("calibration")[0].head
        history._store.add("calibration", head, b'{"of": "another version"}', "2026-11-22T08:00:00Z")
        found = history.calibration("cpu", machine())
    assert found is not None
    assert found.rates == rates("usable")


def test_a_history_that_fails_costs_only_the_reuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path, machine(), [calibrated("stable")], {})

    def refused(*_: object) -> None:
        message = "disk I/O error"
        raise sqlite3.OperationalError(message)

    monkeypatch.setattr("advisor.store.history_store.Store.add", refused)
    keep(tmp_path, machine(torch="2.14.0"), [calibrated("stable")], {})
    assert reusable(tmp_path, machine(torch="2.14.0")) == {}
    assert list(reusable(tmp_path, machine())) == ["cpu"]
    monkeypatch.setattr("advisor.store.history_store.Store.entries", refused)
    assert reusable(tmp_path, machine()) == {}
