"""The recorded accuracy that the window and the report tell is that of the committed fit and of `docs/accuracy.md`."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from advisor.cost.efficiencies import efficiencies
from advisor.predict.accuracy_record import DOCUMENT, HeldOut, accuracy_record
from advisor.present.accuracy_lines import accuracy_details, accuracy_line
from tests.accuracy.fitted_steps import fitted_steps, scored
from tools.accuracy_file import figures_digest, groups_of, runs_digest
from tools.fitting.fit import StepSet

PAGE = Path(__file__).parents[2] / DOCUMENT
_NAMES: tuple[tuple[HeldOut, str], ...] = (
    ("none", "In-sample"),
    ("gpu", "Leave-one-GPU-out"),
    ("model", "Leave-one-model-out"),
    ("source", "Leave-one-source-out"),
    ("generation", "Leave-one-generation-out"),
)


def test_the_record_holds_what_the_committed_fit_predicts_today() -> None:
    figures, measured = efficiencies(), fitted_steps()
    steps = scored(measured, StepSet(measured, figures).predicted_s(figures.fitted), figures)
    record, groups = accuracy_record(), groups_of(steps)
    assert len(groups) > 8
    for grouped_by, found in groups:
        kept = record.score("none", grouped_by, found.group)
        assert kept is not None, (grouped_by, found.group)
        assert kept.run_count == found.step_count
        assert kept.mean_error_fraction == pytest.approx(found.mean_error_fraction, abs=2e-3)
        assert kept.covered_fraction == pytest.approx(found.covered_fraction, abs=0.02)
    assert len(record.scores) == 5 * len(groups)


def test_the_record_and_the_page_were_written_from_todays_figures_and_runs() -> None:
    remedy = "run `python tools/write_accuracy_docs.py`"
    assert accuracy_record().figures_digest == figures_digest(efficiencies()), remedy
    assert accuracy_record().runs_digest == runs_digest(fitted_steps()), remedy


def test_another_figure_run_card_or_operator_gives_another_digest() -> None:
    steps, figures = fitted_steps()[:3], efficiencies()
    fitted = replace(figures.fitted, copy=figures.fitted.copy + 0.001)
    assert figures_digest(replace(figures, fitted=fitted)) != figures_digest(figures)
    first = steps[0]
    table = replace(first.compiled.table, gradient_bytes=first.compiled.table.gradient_bytes + 4.0)
    others = (
        dataclasses.replace(first, measured_s=first.measured_s * 1.01),
        dataclasses.replace(first, spec=replace(first.spec, power_w=123.0)),
        dataclasses.replace(first, compiled=dataclasses.replace(first.compiled, table=table)),
    )
    digests = {runs_digest((other, *steps[1:])) for other in (first, *others)}
    assert len(digests) == 4


@pytest.mark.parametrize(("held_out", "name"), _NAMES)
def test_the_record_and_the_page_tell_the_same_figures(held_out: HeldOut, name: str) -> None:
    told = re.search(rf"\| {name} \| (\d+) \| ([\d.]+) \| ([\d.]+) \| [^|]+ \| ([\d.]+) \|", PAGE.read_text("utf-8"))
    kept = accuracy_record().score(held_out)
    assert told is not None
    assert kept is not None
    assert kept.run_count == int(told[1])
    found = (kept.mean_error_fraction, kept.median_error_fraction, kept.covered_fraction)
    for fraction, text in zip(found, told.groups()[1:], strict=True):
        assert f"{100 * fraction:.1f}" == text


def test_a_precision_has_the_same_error_in_the_record_as_on_the_page() -> None:
    table = PAGE.read_text("utf-8").partition("## By precision")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")][2:]
    assert len(rows) > 4
    for precision, runs, in_sample, _, by_card, _, by_model, *_ in rows:
        kept = [accuracy_record().score(held_out, "precision", precision) for held_out, _ in _NAMES[:3]]
        told = [f"{100 * one.mean_error_fraction:.1f}" for one in kept if one is not None]
        assert told == [in_sample, by_card, by_model], precision
        assert {one.run_count for one in kept if one is not None} == {int(runs)}


def test_the_line_tells_the_errors_of_the_page_in_both_languages() -> None:
    text = PAGE.read_text("utf-8")
    errors = [re.search(rf"\| {name} \| \d+ \| ([\d.]+) \|", text) for _, name in _NAMES[1:3]]
    for line in (accuracy_line("en"), accuracy_line("zh")):
        assert line is not None
        assert all(wanted is not None and f"{wanted[1]} %" in line for wanted in errors)
        assert DOCUMENT in line


def test_a_precision_or_card_without_published_runs_is_said_to_have_none() -> None:
    with_runs = accuracy_details(["fp32"], "8.0", "en")
    without = accuracy_details(["default"], "6.1", "en")
    assert len(with_runs) == len(without) == 3
    assert all("no published run" not in line for line in with_runs)
    assert all("no published run" in line for line in without[1:])
