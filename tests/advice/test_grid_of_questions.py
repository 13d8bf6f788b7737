"""Over generated questions: what is advised fits, nothing in the table clearly beats it, sentences say its numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from advisor.core.sentences import Reason, say
from advisor.predict.prediction import Prediction
from advisor.recommend.ranking import score
from advisor.recommend.recommendation import prediction_of
from advisor.store.advice_record import AdviceRecord
from tests.advice.questions import answered, question

COUNT = int(os.environ.get("ADVISOR_QUESTIONS", "24"))
"""How many questions are asked; a nightly run asks a thousand."""
_COUNT_REASONS = {"why-count-knee", "why-count-no-gain", "change-count"}
_NOT_OF_THE_TABLE = {
    "launch_s", "train_low_s", "train_high_s", "host_s", "gradient_bytes", "nvlink_step_s", "saved_bytes", "limit_s",
    "room_bytes", "ddp_communication_s",
}  # fmt: skip
"""Sums and figures of other sources, which no row holds as such; rates (`_per_s`) are data sheets'."""


@pytest.fixture(scope="module", params=range(COUNT))
def advice(request: pytest.FixtureRequest) -> AdviceRecord:
    return answered(question(request.param))


def entered(advice: AdviceRecord) -> list[Prediction]:
    return [advice.predictions[place] for place in advice.best_set_ups]


def reasons(advice: AdviceRecord) -> Iterator[Reason]:
    main = advice.recommendation
    yield from (*advice.reasons, *advice.caveats)
    if main is not None:
        yield from (*main.why, *main.would_change_if)


def test_what_is_advised_fits_by_its_own_table(advice: AdviceRecord) -> None:
    for chosen in (advice.recommendation, advice.recommendation_local):
        if chosen is not None:
            row = prediction_of(advice.predictions, chosen)
            assert row is not None
            assert row.fits is not False
            assert (row.step_s, row.job_s, row.peak_memory_bytes) == (
                chosen.step_s,
                chosen.job_s,
                chosen.peak_memory_bytes,
            )


def test_nothing_is_refused_without_a_sentence(advice: AdviceRecord) -> None:
    if advice.recommendation is None:
        codes = {caveat.code for caveat in advice.caveats}
        assert codes & {"caveat-nothing-fits", "caveat-no-candidate-in-limits", "predict-missing-figures"}


def test_nothing_in_the_table_clearly_beats_the_advice_without_a_reason(advice: AdviceRecord) -> None:
    chosen = advice.recommendation
    if chosen is None:
        return
    row = prediction_of(advice.predictions, chosen)
    assert row is not None
    own = score(row, chosen.goal)
    codes = {reason.code for reason in (*chosen.why, *chosen.would_change_if)}
    for rival in entered(advice):
        found = score(rival, chosen.goal)
        if own is None or found is None or found.high >= own.low:
            continue
        assert rival.count > chosen.count, (rival.device.key, rival.count)
        assert codes & _COUNT_REASONS, (rival.device.key, rival.count, codes)


def test_every_number_of_a_sentence_is_the_tables(advice: AdviceRecord) -> None:
    known = sorted(_figures(advice))
    for reason in reasons(advice):
        assert say(reason, "en")
        assert say(reason, "zh")
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
        if one.memory_capacity_bytes is not None:
            found.add(one.memory_capacity_bytes)
    return found


def test_every_ratio_of_a_sentence_is_that_of_two_rows(advice: AdviceRecord) -> None:
    chosen = advice.recommendation
    row = None if chosen is None else prediction_of(advice.predictions, chosen)
    if chosen is None or row is None:
        return
    rate = row.samples_per_s.value
    by_code = {reason.code: reason.numbers for reason in reasons(advice)}
    own = [one for one in entered(advice) if one.device.key == chosen.device.key]
    if numbers := by_code.get("scaling-efficiency"):
        assert row.efficiency is not None
        assert numbers["speed_up_ratio"] == pytest.approx(row.count * row.efficiency.value)
        alone = [one for one in advice.predictions if _alike_but_alone(one, row)]
        for one in alone:
            assert numbers["speed_up_ratio"] == pytest.approx(rate / one.samples_per_s.value, rel=1e-6)
    for code in ("why-count-pays", "why-count-pays-otherwise"):
        if numbers := by_code.get(code):
            fewer = next(one for one in own if one.count == numbers["fewer"])
            assert numbers["speed_up_ratio"] == pytest.approx(rate / fewer.samples_per_s.value)
    if numbers := by_code.get("change-count"):
        more = next(one for one in own if one.count == numbers["count"])
        assert numbers["gain_ratio"] == pytest.approx(more.samples_per_s.value / rate)


def test_every_lead_of_a_sentence_is_that_of_two_rows(advice: AdviceRecord) -> None:
    chosen = advice.recommendation
    row = None if chosen is None else prediction_of(advice.predictions, chosen)
    if chosen is None or row is None:
        return
    rate = row.samples_per_s.value
    by_code = {reason.code: reason.numbers for reason in reasons(advice)}
    for code in ("why-fastest", "why-cheapest", "why-least-energy"):
        if numbers := by_code.get(code):
            mine = score(row, chosen.goal)
            scores = [score(one, chosen.goal) for one in entered(advice)]
            assert mine is not None
            ratios = [one.value / mine.value for one in scores if one is not None]
            assert any(numbers["advantage_ratio"] == pytest.approx(ratio) for ratio in ratios)
    for code in ("why-batch-knee", "why-batch-limited"):
        if numbers := by_code.get(code):
            curve = [one for one in advice.predictions if _on_the_same_curve(one, row)]
            before = next(one for one in curve if one.batch_size_per_device == numbers["own_batch"])
            assert numbers["gain_ratio"] == pytest.approx(rate / before.samples_per_s.value)


def _on_the_same_curve(one: Prediction, row: Prediction) -> bool:
    return (one.device, one.count, one.strategy, one.precision, one.gradient_accumulation_steps) == (
        row.device, row.count, row.strategy, row.precision, row.gradient_accumulation_steps,
    )  # fmt: skip


def _alike_but_alone(one: Prediction, row: Prediction) -> bool:
    """One such device whole, at the same batch and accumulation: what a reader compares a speed-up with."""
    return (one.device, one.count, one.strategy, one.precision, one.batch_size_per_device) == (
        row.device, 1, "single", row.precision, row.batch_size_per_device,
    ) and one.gradient_accumulation_steps == row.gradient_accumulation_steps  # fmt: skip
