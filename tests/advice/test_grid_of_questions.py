"""Four hundred generated questions: what is advised fits, nothing in its table clearly beats it, sentences say its
numbers, and the command line ends as it is documented to.

Sixty are asked by themselves, all of them in a nightly run (`pytest -m nightly`); `ADVISOR_QUESTIONS` asks others:
so many (`1000`), or a slice of them (`200:300`).
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import msgspec
import pytest

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.cli.advising import ending
from advisor.cli.commands import run
from advisor.predict.prediction import Prediction
from advisor.recommend.ranking import score
from advisor.recommend.recommendation import prediction_of
from advisor.store import json_file
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import NumbersModel
from tests.advice import rules
from tests.advice.questions import Question, answered, question
from tests.advice.rules import reasons

_FIRST, _, _LAST = os.environ.get("ADVISOR_QUESTIONS", "0:400").rpartition(":")
BY_THEMSELVES = 60
DOCUMENTED_WITHOUT_ADVICE = 6
"""The exit code where nothing could be recommended, as documented: of its own, since the code could change its own."""
TYPED_EACH = 5
"""Every so many questions is also typed: a file and flags, through the command line."""
_NOT_OF_THE_TABLE = {
    "launch_s", "train_low_s", "train_high_s", "host_s", "gradient_bytes", "nvlink_step_s", "saved_bytes", "limit_s",
    "room_bytes", "ddp_communication_s",
    "alone_optimizer_s", "waiting_s", "least_job_s", "start_s", "saved_s",
}  # fmt: skip
"""Sums and figures of other sources, which no row holds as such; rates (`_per_s`) are data sheets'."""


def seeds(step: int = 1) -> list[object]:
    """All seeds; those beyond the first sixty wait for the night."""
    late = pytest.mark.nightly
    return [
        pytest.param(seed, marks=late if seed >= BY_THEMSELVES and "ADVISOR_QUESTIONS" not in os.environ else ())
        for seed in range(int(_FIRST or 0), int(_LAST), step)
    ]


@pytest.fixture(scope="module", params=seeds())
def asked(request: pytest.FixtureRequest) -> Question:
    return question(request.param)


@pytest.fixture(scope="module")
def advice(asked: Question) -> AdviceRecord:
    return answered(asked)


def entered(advice: AdviceRecord) -> list[Prediction]:
    return [advice.predictions[place] for place in advice.best_set_ups]


def test_what_is_advised_fits_by_its_own_table(advice: AdviceRecord) -> None:
    assert list(rules.not_fitting(advice)) == []


def test_what_is_advised_keeps_limits_and_what_is_fixed(asked: Question, advice: AdviceRecord) -> None:
    assert list(rules.past_limits(asked, advice)) == []


def test_nothing_in_the_table_clearly_beats_the_advice_without_a_reason(asked: Question, advice: AdviceRecord) -> None:
    assert list(rules.beaten(asked, advice)) == []


def test_refusals_wide_ranges_and_efficiencies_over_one_are_explained(advice: AdviceRecord) -> None:
    assert list(rules.unfounded(advice)) == []


def test_the_figures_of_every_row_hang_together(asked: Question, advice: AdviceRecord) -> None:
    assert list(rules.broken_rows(asked, advice)) == []


def test_every_sentence_can_be_said_in_both_languages(advice: AdviceRecord) -> None:
    assert list(rules.unsayable(advice)) == []


def test_the_record_is_read_back_as_it_was_written(advice: AdviceRecord) -> None:
    assert json_file.decode(json_file.encode(advice), "advice") == advice


def test_an_advice_ends_with_0_and_none_with_6(advice: AdviceRecord) -> None:
    nothing = advice.recommendation is None and advice.recommendation_local is None
    assert ending(advice, measured=False, interrupted=False) == (DOCUMENTED_WITHOUT_ADVICE if nothing else 0)
    assert ending(advice, measured=True, interrupted=True) == 4


@pytest.mark.parametrize("seed", seeds(TYPED_EACH))
def test_the_command_line_ends_as_documented_and_says_the_same(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = question(seed)
    if not isinstance(asked.request.workload.model, NumbersModel):
        asked = question(seed + 1)
    code = run([*typed(asked, tmp_path), "--json", str(tmp_path / "out.json"), "--no-history", "--quiet"])
    printed = capsys.readouterr()
    assert "Traceback" not in printed.err
    workload = asked.request.workload
    if workload.training.batch_size > workload.data.samples:
        assert code == 2
        assert "`data.samples` is" in printed.err
        return
    found = json.loads((tmp_path / "out.json").read_text())
    nothing = found["recommendation"] is None and found["recommendation_local"] is None
    assert code == (DOCUMENTED_WITHOUT_ADVICE if nothing else 0)
    assert ("No set-up could be recommended" in printed.out) is nothing
    if not asked.machine.gpus:  # else the question is another machine's
        own = answered(asked).recommendation
        told = found["recommendation"]
        assert (told is None) is (own is None)
        if own is not None and own.device.key != "cpu":
            assert told["step_s"] == pytest.approx(msgspec.to_builtins(own.step_s))


def typed(asked: Question, folder: Path) -> list[str]:
    """A question as somebody would type it: a workload file, a price file and flags."""
    request = asked.request
    model, data, training = (
        msgspec.to_builtins(part) for part in (request.workload.model, request.workload.data, request.workload.training)
    )
    tables = {"model": model, "data": data, "training": training}
    (folder / "asked.toml").write_text(_toml({"name": request.workload.name}, tables))
    flags = ["--predict", str(folder / "asked.toml"), "--goal", request.goal]
    flags += ["--counts", ",".join(map(str, request.counts))]
    flags += [] if request.node_count is None else ["--nodes", str(request.node_count)]
    if request.gpu_keys is not None:
        flags += ["--gpus", ",".join(request.gpu_keys)]
    if request.prices is not None:
        prices = msgspec.to_builtins(request.prices)
        (folder / "prices.toml").write_text(_toml(prices, {"devices": prices.pop("devices")}))
        flags += ["--prices", str(folder / "prices.toml")]
    given = (
        ("--global-batch", request.global_batch_size),
        ("--batch", training["batch_size"] if request.fixed.batch_size else None),
        ("--precision", training["precision"] if request.fixed.precision else None),
        ("--max-hours", None if request.limits.max_job_s is None else request.limits.max_job_s / 3600),
        ("--max-power", request.limits.max_power_w),
        ("--max-cost", request.limits.max_cost),
        ("--host-memory", None if request.host_memory_bytes is None else request.host_memory_bytes / 2**30),
    )
    return flags + [text for flag, value in given if value is not None for text in (flag, str(value))]


def _toml(plain: dict[str, object], tables: dict[str, dict[str, object]]) -> str:
    lines = [*_lines(plain)]
    for name, fields in tables.items():
        lines += [f"[{name}]", *_lines(fields)]
    return "\n".join(lines) + "\n"


def _lines(fields: dict[str, object]) -> list[str]:
    return [f"{name} = {json.dumps(value)}" for name, value in fields.items() if value is not None]


def test_every_number_of_a_sentence_is_the_tables(advice: AdviceRecord) -> None:
    known = sorted(_figures(advice))
    for reason in reasons(advice):
        if reason.code == "predict-untimed-memory":  # of a card without a clock, which has no row
            continue
        for name, value in reason.numbers.items():
            measured = name.endswith(("_s", "_bytes", "_j")) and not name.endswith("_per_s")
            if isinstance(value, float) and measured and name not in _NOT_OF_THE_TABLE:
                assert any(abs(value - one) <= 1e-9 * abs(one) for one in known), (reason.code, name, value)


def _figures(advice: AdviceRecord) -> set[float]:
    found: set[float] = set()
    for one in advice.predictions:
        for estimate in (one.step_s, one.job_s, one.peak_memory_bytes, one.energy_j):
            if estimate is not None:
                found |= {estimate.value, estimate.low, estimate.high}
        found |= {part.duration_s for part in one.parts}
        found |= {value for note in one.notes for value in note.numbers.values() if isinstance(value, float)}
        found |= {one.usable_memory_bytes} if one.usable_memory_bytes is not None else set()
    return found


def test_every_ratio_of_a_sentence_is_that_of_two_rows(advice: AdviceRecord) -> None:
    chosen = advice.recommendation
    row = None if chosen is None else prediction_of(advice.predictions, chosen)
    if chosen is None or row is None:
        return
    rate = row.samples_per_s.value
    by_code = {reason.code: reason.numbers for reason in (*chosen.why, *chosen.would_change_if)}
    own = [one for one in entered(advice) if one.device.key == chosen.device.key]
    efficiencies = ("scaling-efficiency", "scaling-efficiency-sharded", "scaling-optimizer-shared")
    if numbers := next((by_code[code] for code in efficiencies if code in by_code), None):
        assert row.efficiency is not None
        assert numbers["speed_up_ratio"] == pytest.approx(row.count * row.efficiency.value)
        alone = [one for one in advice.predictions if _alike_but_alone(one, row)]
        for one in alone:
            assert numbers["speed_up_ratio"] == pytest.approx(rate / one.samples_per_s.value, rel=1e-6)
    for code in ("why-count-pays", "why-count-pays-at-batch", "why-count-pays-otherwise"):
        if numbers := by_code.get(code):
            fewer = next(one for one in own if one.count == numbers["fewer"])
            assert numbers["speed_up_ratio"] == pytest.approx(rate / fewer.samples_per_s.value)
    if numbers := by_code.get("change-precision-same"):
        gains = {
            PRECISION_LABELS[one.precision]: one.samples_per_s.value / rate
            for one in advice.predictions
            if one.differs_at_most_by(row, "precision")
            and one.gradient_accumulation_steps == row.gradient_accumulation_steps
        }
        assert numbers["gain_ratio"] == pytest.approx(gains[str(numbers["precision"])], rel=1e-6)
    if numbers := by_code.get("change-count-batch") or by_code.get("change-count-batch-at"):
        named = [
            one for one in entered(advice) if (one.device.name, one.count) == (numbers["device"], numbers["count"])
        ]
        fastest = max(named, key=lambda one: one.samples_per_s.value)
        assert fastest.global_batch_size == numbers.get("samples", row.global_batch_size)
        assert fastest.batch_size_per_device == numbers["batch"]
        assert numbers["gain_ratio"] == pytest.approx(max(one.samples_per_s.value for one in named) / rate)


def test_every_lead_of_a_sentence_is_that_of_two_rows(advice: AdviceRecord) -> None:
    chosen = advice.recommendation
    row = None if chosen is None else prediction_of(advice.predictions, chosen)
    if chosen is None or row is None:
        return
    rate = row.samples_per_s.value
    by_code = {reason.code: reason.numbers for reason in (*chosen.why, *chosen.would_change_if)}
    for code in ("why-fastest", "why-cheapest", "why-fewest-hours", "why-least-energy"):
        if numbers := by_code.get(code):
            mine = score(row, chosen.goal)
            scores = [score(one, chosen.goal) for one in entered(advice)]
            assert mine is not None
            ratios = [one.value / mine.value for one in scores if one is not None]
            assert any(numbers["advantage_ratio"] == pytest.approx(ratio) for ratio in ratios)
    for code in ("why-batch-knee", "why-batch-knee-within", "why-batch-limited"):
        if numbers := by_code.get(code):
            curve = [one for one in advice.predictions if _on_the_same_curve(one, row)]
            before = next(one for one in curve if one.batch_size_per_device == numbers["own_batch"])
            assert numbers["gain_ratio"] == pytest.approx(rate / before.samples_per_s.value)
            if code != "why-batch-limited":
                most = numbers.get("allowed_batch", math.inf)
                assert isinstance(most, int | float)
                larger = [one for one in curve if one.fits is not False and one.batch_size_per_device <= most]
                assert max(one.samples_per_s.value for one in larger) <= 1.1 * rate * (1 + 1e-9)


def _on_the_same_curve(one: Prediction, row: Prediction) -> bool:
    return (one.device, one.count, one.strategy, one.precision, one.gradient_accumulation_steps) == (
        row.device, row.count, row.strategy, row.precision, row.gradient_accumulation_steps,
    )  # fmt: skip


def _alike_but_alone(one: Prediction, row: Prediction) -> bool:
    """One such device whole, at the same batch and accumulation: what a reader compares a speed-up with."""
    return (one.device, one.count, one.strategy, one.precision, one.batch_size_per_device) == (
        row.device, 1, "single", row.precision, row.batch_size_per_device,
    ) and one.gradient_accumulation_steps == row.gradient_accumulation_steps  # fmt: skip
