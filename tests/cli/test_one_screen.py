"""The default answer is one screen of 80 columns, and what it leaves out is in the details."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Generator, Iterable
from pathlib import Path

import msgspec
import pytest

from advisor.catalogue.precisions import TracePrecision
from advisor.cli import run
from advisor.core.sentences import Language, Names, Reason, say, sentence
from advisor.measure.events import RunnerEvent
from advisor.measure.traces import Traces
from advisor.optable.op_table import OpTable
from advisor.present.one_screen import memory_cell, one_screen
from advisor.present.summary import summarise
from advisor.workload.workload import Workload, traced_as
from advisor.workload.workload_file import bundled_names
from tests.present.fakes import advice

BY_ENERGY = ("bert_base_sst2", "llama_7b_pretraining", "llama_8b", "llama_8b_qlora")
ASKED = (
    *(
        [name, *goal]
        for name in bundled_names()
        for goal in ([], ["--goal", "energy"])
        if not goal or name in BY_ENERGY
    ),
    *([name, "--gpus", "rtx4090", "--counts", "1"] for name in ("llama_8b_lora", "llama_8b_qlora", "rnn_characters")),
    *([name, "--gpus", "h100-sxm", "--counts", "16"] for name in ("llama_1b_qlora", "rnn_characters")),
    ["gpt2_small", "--gpus", "h100-sxm", "--counts", "16", "--nodes", "2"],
    ["unet_vgg16", "--goal", "cost"],
    ["iris_mlp", "--max-hours", "1"],
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is looked at, not read by a program."""
        return True


_TABLES: dict[tuple[object, ...], dict[TracePrecision, OpTable]] = {}


@pytest.fixture
def _traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was traced for one question is there for the next on the same model, whose lines are what counts here."""

    make = Traces.make

    def remembered(
        traces: Traces, workload: Workload, precisions: Iterable[TracePrecision]
    ) -> Generator[RunnerEvent, None, dict[TracePrecision, OpTable]]:
        key = (traced_as(workload), tuple(precisions))
        if key not in _TABLES:
            _TABLES[key] = yield from make(traces, workload, key[1])
        return _TABLES[key]

    monkeypatch.setattr(Traces, "make", remembered)


@pytest.mark.usefixtures("_traced_once")
@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_a_default_answer_is_at_most_forty_lines_of_eighty_columns(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    kept = tmp_path / "advice.json"
    asks = (["--predict", *asked, "--no-history", "--json", str(kept)], ["--open", str(kept)])
    for language, ask in zip(("en", "zh"), asks, strict=True):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        assert run([*ask, "--language", language, "--quiet"]) == 0
        lines = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).splitlines()
        assert len(lines) <= 40
        assert lines[-1].endswith("--details")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_not_among_the_figures_that_decide_is_in_the_details(language: Language) -> None:
    made = advice()
    short, whole = one_screen(made, language), summarise(made, language)
    assert set(short.figures) < set(whole.figures)
    labels = {label for label, _ in short.figures}
    assert {sentence("summary-step", language), sentence("summary-memory", language)} <= labels
    assert sentence("summary-parameters", language) not in labels


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_machine_that_is_not_compared_is_one_remark_and_the_details_have_both_causes(language: Language) -> None:
    causes = (Reason.of("driver-absent"), Reason.of("predict-cpu-not-measured"))
    warned = Reason.of("caveat-no-prices")
    made = msgspec.structs.replace(advice(), caveats=(*causes, warned))
    title = sentence("summary-caveats", language)
    (beware,) = (section.sentences for section in one_screen(made, language).sections if section.title == title)
    assert beware == (say(warned, language), sentence("summary-not-here", language))
    assert {say(cause, language) for cause in causes} <= {
        text for section in summarise(made, language).sections for text in section.sentences
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_cause_alone_is_told_in_its_own_words(language: Language) -> None:
    cause = Reason.of("driver-absent")
    made = msgspec.structs.replace(advice(), caveats=(cause,))
    assert any(say(cause, language) in section.sentences for section in one_screen(made, language).sections)


@pytest.mark.parametrize(("need", "text"), [(8.0, "8.00 of 22.5 GiB"), (0.25, "256 MiB of 22.5 GiB")])
def test_a_unit_that_both_sizes_have_is_said_once(need: float, text: str) -> None:
    one = next(each for each in advice().predictions if each.peak_memory_bytes is not None)
    assert one.peak_memory_bytes is not None
    size = msgspec.structs.replace(one.peak_memory_bytes, value=need * 2**30, low=need * 2**30, high=need * 2**30)
    capacity = 24 * 2**30
    held = msgspec.structs.replace(one, peak_memory_bytes=size, memory_capacity_bytes=capacity, fits=True)
    assert memory_cell(held, "en") == text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_true_of_nearly_every_advice_waits_for_the_details(language: Language) -> None:
    made = advice()
    assert made.recommendation is not None
    always = (Reason.of("change-price"), Reason.of("change-measure", devices=Names(names=("A", "B"))))
    chosen = msgspec.structs.replace(made.recommendation, would_change_if=always)
    made = msgspec.structs.replace(made, recommendation=chosen)
    title = sentence("summary-change", language)
    assert title not in {section.title for section in one_screen(made, language).sections}
    (whole,) = (section.sentences for section in summarise(made, language).sections if section.title == title)
    assert whole == tuple(say(reason, language) for reason in always)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_caveats_that_could_overturn_the_advice_are_shown_whatever_else_there_is(language: Language) -> None:
    room = Reason.of("caveat-memory-range", device="A", high_bytes=9e9, capacity_bytes=8e9, odds_fraction=0.3)
    bare = Reason.of("workload-no-head", built="`A`", other="`B`")
    others = [Reason.of("caveat-no-prices"), Reason.of("caveat-nothing-fits-here")]
    title = sentence("summary-caveats", language)
    for caveats, shown in (((*others, room), (room, others[0])), ((*others, room, bare), (room, bare, others[0]))):
        made = msgspec.structs.replace(advice(), caveats=caveats)
        (told,) = (one.sentences for one in one_screen(made, language).sections if one.title == title)
        assert told == tuple(say(reason, language) for reason in shown)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_memory_of_a_host_that_nobody_named_is_told_where_the_advice_rests_on_it(language: Language) -> None:
    made = advice()
    assert made.recommendation is not None
    assumed = Reason.of("memory-host-assumed", need_bytes=108e9, room_bytes=192e9)
    others = tuple(Reason.of("why-only-asked", device=name) for name in "ABCD")
    chosen = msgspec.structs.replace(made.recommendation, why=(*others, assumed))
    made = msgspec.structs.replace(made, recommendation=chosen, reasons=chosen.why)
    (told,) = (
        one.sentences for one in one_screen(made, language).sections if one.title == sentence("summary-why", language)
    )
    assert told[0] == say(assumed, language)
