"""Each number on the Advice page is the exported record's, in the rounding that it is shown in.

Read here anew from the file's JSON and from the words on the screen, without the functions that wrote either.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from PySide6.QtWidgets import QGridLayout, QLabel

from advisor import advise
from advisor.advice import advise_events
from advisor.advice.request import AdviceRequest
from advisor.core.drive import drive
from advisor.core.units import Estimate
from advisor.gui.advised.switches import SwitchesCard
from advisor.gui.pages.advice_page import AdvicePage
from advisor.gui.plots.bars import BarChart
from advisor.gui.plots.curves import CurveChart
from advisor.gui.plots.job_chart import JobChart
from advisor.gui.plots.stacked import Stack, StackChart
from advisor.gui.widgets.boxes import widgets_of
from advisor.gui.widgets.card import Card, KeyFigure
from advisor.present import advice_file
from advisor.recommend.prices import Prices
from advisor.workload.workload_file import load_workload
from tests.gui import fakes
from tests.gui.conftest import renew
from tests.gui.shown_page import shown_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from advisor.core.sentences import Language
    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session
    from advisor.store.advice_record import AdviceRecord

_PRICES = {"rtx3090": 0.31, "rtx4090": 0.45, "h100-sxm": 2.6}
_IN_BASE_UNITS = {
    "yr": 365.25 * 86400,
    "d": 86400,
    "h": 3600,
    "min": 60,
    "s": 1,
    "ms": 1e-3,
    "µs": 1e-6,
    "ns": 1e-9,
    "/s": 1,
    "k/s": 1e3,
    "M/s": 1e6,
    "samples/s": 1,
    "样本/秒": 1,
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "mJ": 1e-3,
    "J": 1,
    "kJ": 1e3,
    "Wh": 3600,
    "kWh": 3.6e6,
    "MWh": 3.6e9,
    "": 1,
}
_SIGNS = "$€¥"
_COLUMNS = ("switch", "gain", "range", "saved", "need")


def priced() -> AdviceRecord:
    request = AdviceRequest(
        workload=load_workload("bert_base_sst2"),
        measure=False,
        gpu_keys=tuple(_PRICES),
        counts=(1, 2),
        goal="cost",
        prices=Prices(currency="EUR", date="2026-11-01", devices=_PRICES),
    )
    return drive(advise_events(request), None)


_MADE: dict[str, Callable[[], AdviceRecord]] = {
    "made up, with measurements": fakes.advice,
    "microseconds": lambda: advise("iris_mlp", measure=False),
    "set-ups": lambda: advise("bert_base_sst2", measure=False, gpus="2x rtx 3090, 1x a100-sxm4-40"),
    "priced": priced,
    "several cards": lambda: advise("gpt2_small", measure=False, gpus="a100-sxm4-80", counts=(1, 2, 4, 8)),
}


@pytest.fixture(scope="module", params=list(_MADE))
def advice(request: pytest.FixtureRequest) -> AdviceRecord:
    return _MADE[request.param]()


def told_number(text: str) -> tuple[float, float]:
    """What a text such as `1.12 kWh` says in base units, and half a step of its last digit."""
    match = re.fullmatch(r"([<−-]?)\s*([$€¥]?)([\d,]+(?:\.\d+)?)\s*(\S*)", text.replace("\u00a0", " ").strip())
    assert match is not None, text
    sign, _currency, digits, unit = match.groups()
    assert unit in _IN_BASE_UNITS, text
    number, scale = float(digits.replace(",", "")), _IN_BASE_UNITS[unit]
    decimals = len(digits.partition(".")[2])
    step = 10.0**-decimals
    if "." not in digits and unit in {"/s", "samples/s", "样本/秒"} and number >= 1000:
        step = 10.0 ** (len(str(int(number))) - 3)  # a rate has three digits that mean something
    return (-1 if sign in {"−", "-"} and sign else 1) * number * scale, 0.5001 * step * scale


def assert_says(text: str, value: float | None, about: str) -> None:
    assert value is not None, (about, text)
    number, half_step = told_number(text)
    if text.startswith("<"):
        assert 0 < value < number, (about, text, value)
    else:
        assert abs(number - value) <= half_step, (about, text, value)


def assert_spans(text: str, estimate: dict[str, Any], about: str) -> None:
    """The ends of a range: the unit may stand once, behind both."""
    low, _, high = text.partition(" – ")
    assert high, (about, text)
    unit = re.sub(r"^[\d.,]+", "", high.strip()).strip()
    with_unit = low if re.search(r"[^\d.,\s$€¥]", low) or low.strip()[0] in _SIGNS else f"{low} {unit}"
    assert_says(with_unit, estimate["low"], f"{about}, low")
    assert_says(high, estimate["high"], f"{about}, high")


def same_set_up(one: dict[str, Any], other: dict[str, Any]) -> bool:
    names = ("count", "strategy", "precision", "batch_size_per_device", "gradient_accumulation_steps")
    return one["device"] == other["device"] and all(one[name] == other[name] for name in names)


def own_prediction(record: dict[str, Any], chosen: dict[str, Any]) -> dict[str, Any]:
    """What is predicted of the advised set-up: of several that differ in what frees memory, the one of its time."""
    found: list[dict[str, Any]] = [
        one for one in record["predictions"] if same_set_up(one, chosen) and one["step_s"] == chosen["step_s"]
    ]
    assert found
    return found[0]


def check_figures(page: AdvicePage, record: dict[str, Any], chosen: dict[str, Any]) -> set[str]:
    """Every key figure against the field of its name; returns which there were."""
    texts, own = page.texts, own_prediction(record, chosen)
    fields = {
        "advice-job": chosen["job_s"],
        "summary-job-inference": chosen["job_s"],
        "advice-step": chosen["step_s"],
        "advice-rate": chosen["samples_per_s"],
        "advice-memory": chosen["peak_memory_bytes"],
        "advice-cost": chosen.get("cost"),
        "advice-energy": own.get("energy_j"),
    }
    by_title = {texts(code): (code, estimate) for code, estimate in fields.items()}
    seen = set()
    for figure in page.findChildren(KeyFigure):
        code, estimate = by_title[figure._name]
        assert figure._shown is not None
        shown, below, chip, _tip = figure._shown
        assert_says(shown, estimate["value"], code)
        assert chip == texts(f"basis-{estimate['basis']}")
        span = next((part for part in below.split(" · ") if " – " in part), "")
        if estimate["low"] != estimate["high"] and span:
            assert_spans(span, estimate, code)
        else:
            assert f"{estimate['low']:.2g}" == f"{estimate['high']:.2g}", (code, below)
        seen.add(code)
    return seen


def check_heading(page: AdvicePage, chosen: dict[str, Any], language: Language) -> None:
    hero = next(one for one in page.findChildren(Card) if one.property("role") == "card-hero")
    begun = page.texts("advice-batch-short", batch="#").partition("#")[0]
    words = [one.text().replace("\u00a0", " ") for one in hero.findChildren(QLabel)]
    (facts,) = (text for text in words if text.startswith(begun))
    assert f"{chosen['batch_size_per_device']:,}" in facts
    if chosen["count"] > 1 or chosen["gradient_accumulation_steps"] > 1:
        assert f"{chosen['global_batch_size']:,}" in facts
    if chosen["gradient_accumulation_steps"] > 1:
        assert page.texts("advice-accumulation", steps=chosen["gradient_accumulation_steps"]) in facts
    heading = hero.accessibleName()
    alone = chosen["count"] == 1 and language == "en"
    assert (" one " in heading) if alone else (str(chosen["count"]) in heading)


def check_picture(page: AdvicePage, record: dict[str, Any]) -> None:
    """Each row's time and price is that of a prediction on that many of that card, with the batch that it names."""
    for chart in page.findChildren(JobChart):
        assert chart._rows
        for row in chart._rows:
            count = int(match[1]) if (match := re.match(r"(\d+) × ", row.name)) else 1
            same = [one for one in record["predictions"] if one["count"] == count and one["job_s"] is not None]
            if not re.match(r"[\d<]", row.text):
                assert any(one["fits"] is False for one in record["predictions"] if one["count"] == count)
                continue
            number, half_step = told_number(row.text)
            near = [one for one in same if abs(one["job_s"]["value"] - number) <= half_step]
            assert near, row.text
            if row.advised:
                chosen = page._chosen
                assert any(one["batch_size_per_device"] == chosen.batch_size_per_device for one in near)
            if row.price:
                cost, half = told_number(row.price)
                assert any(one["cost"] is not None and abs(one["cost"]["value"] - cost) <= half for one in near)


def check_split(page: AdvicePage, own: dict[str, Any], stack: Stack) -> None:
    """Where the time of a step goes."""
    whole = own["step_s"]["value"]
    parts = {page.texts(f"step-part-{part['kind']}"): part["duration_s"] for part in own["parts"]}
    assert_says(stack.text, whole, "time split")
    for piece in stack.pieces:
        told, _, share = piece.text.partition(" (")
        assert_says(told, parts[piece.name], piece.name)
        assert abs(float(share.split()[0]) - 100 * parts[piece.name] / whole) <= 0.5001


def check_memory(record: dict[str, Any], chosen: dict[str, Any], stack: Stack) -> None:
    """What one of the advised devices needs at a batch size, and what for."""
    batch, (number, half_step) = int(re.sub(r"\D", "", stack.name)), told_number(stack.text)
    same = [
        one
        for one in record["predictions"]
        if one["device"] == chosen["device"] and one["batch_size_per_device"] == batch and one["peak_memory_bytes"]
    ]
    near = [one for one in same if abs(one["peak_memory_bytes"]["value"] - number) <= half_step]
    sizes = [sorted(part["size_bytes"] for part in one["memory_parts"]) for one in near]
    assert sorted(piece.size for piece in stack.pieces) in sizes, stack.name
    if stack.chosen:
        assert_says(stack.text, chosen["peak_memory_bytes"]["value"], "memory of the advised batch")


def check_charts(page: AdvicePage, record: dict[str, Any], chosen: dict[str, Any]) -> None:
    """Memory by batch, the time split, strategies and curves."""
    own = own_prediction(record, chosen)
    for stack in (one for chart in page.findChildren(StackChart) for one in chart._stacks):
        if stack.name == page.texts("advice-step"):
            check_split(page, own, stack)
        else:
            check_memory(record, chosen, stack)
    rates = {one["samples_per_s"]["value"] for one in record["predictions"]}
    steps = {one["step_s"]["value"] for one in record["predictions"]}
    for bar in (one for chart in page.findChildren(BarChart) for one in chart._rows if one.estimate is not None):
        assert bar.estimate is not None
        assert bar.estimate.value in ({chosen["samples_per_s"]["value"]} if bar.chosen else rates)
        assert_says(bar.text, bar.estimate.value, bar.name)
    for curve in (one for chart in page.findChildren(CurveChart) for one in chart._curves):
        assert {point.estimate.value for point in curve.points} <= rates | steps


def lines_of(card: SwitchesCard) -> Iterator[tuple[str, list[str]]]:
    """The name of each switch, and its cells."""
    grid = next(one for one in card.findChildren(QGridLayout) if one.columnCount() == len(_COLUMNS))
    for line in range(1, grid.rowCount()):
        places = [grid.itemAtPosition(line, column) for column in range(len(_COLUMNS))]
        inside = [place.widget() or place.layout() for place in places if place is not None]
        widgets = [one for part in inside if part is not None for one in widgets_of(part)]
        words = [one.text() for one in widgets if isinstance(one, QLabel)]
        yield words[0], words[1:]


def check_switches(page: AdvicePage, record: dict[str, Any]) -> None:
    for card in page.findChildren(SwitchesCard):
        ordered = sorted(record["switches"], key=lambda one: -(one["gain"]["value"] if one["gain"] else 0.0))
        told = list(lines_of(card))
        assert len(told) == len(ordered)
        for (name, (gain, span, saved, need)), switch in zip(told, ordered, strict=True):
            for text, value in (
                (gain, switch["gain"] and switch["gain"]["value"]),
                (saved, switch["saved_bytes"]),
                (need, switch["peak_memory_bytes"] and switch["peak_memory_bytes"]["value"]),
            ):
                if value is None:
                    assert text == "–", (name, text)
                else:
                    assert_says(text, round(value) if text is saved else value, name)
            if switch["gain"]:
                assert_spans(span, switch["gain"], name)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_number_on_the_advice_page_is_that_of_the_exported_record(
    advice: AdviceRecord, window: MainWindow, session: Session, tmp_path: Path, qtbot: QtBot, language: Language
) -> None:
    window.settings.store("language", language)
    renew(window)
    path = tmp_path / "advice.json"
    advice_file.write("json", advice, path, language)
    record = json.loads(path.read_text(encoding="utf-8"))
    session.set_advice(advice)
    page = shown_page(window, "advice", AdvicePage, qtbot)
    for local, field in ((False, "recommendation"), (True, "recommendation_local")):
        chosen = record[field]
        if chosen is None:
            continue
        page._choose(local)
        qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
        seen = check_figures(page, record, chosen)
        assert {"advice-job", "advice-step", "advice-rate", "advice-memory"} <= seen
        assert ("advice-cost" in seen) == (chosen.get("cost") is not None)
        check_heading(page, chosen, language)
        check_picture(page, record)
        check_charts(page, record, chosen)
        if not local:
            check_switches(page, record)


def test_a_figure_that_is_not_the_records_is_found_out(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    made = fakes.advice()
    record = json.loads(advice_file.encode("json", made, "en"))
    session.set_advice(made)
    page = shown_page(window, "advice", AdvicePage, qtbot)
    chosen = record["recommendation"]
    check_figures(page, record, chosen)
    step = Estimate(**{**chosen["step_s"], "value": chosen["step_s"]["value"] * 1.02})
    assert made.recommendation is not None
    other = msgspec.structs.replace(made.recommendation, step_s=step)
    session.set_advice(msgspec.structs.replace(made, recommendation=other))
    qtbot.waitUntil(lambda: not page.filling, timeout=120_000)
    with pytest.raises(AssertionError):
        check_figures(page, record, chosen)
