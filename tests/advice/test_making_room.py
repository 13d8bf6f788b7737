"""What may run out of memory gives way to what surely holds and costs next to nothing, and the reason says so."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.core.sentences import say
from advisor.predict.prediction import Prediction
from advisor.present.one_screen import one_screen
from advisor.present.script.launch_script import render
from advisor.present.summary import summarise
from advisor.recommend.fixed import Fixed
from advisor.recommend.recommendation import batch_advice_on, prediction_of
from advisor.recommend.strategy import WORTH_ACCUMULATING_FRACTION
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import with_training
from tests.advice.test_lightened import GPT2, TRACES, alone, answered, card

SIZES = (5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 14.0, 17.0, 21.0)
"""Gigabytes of one card after the other, from where GPT-2 needs checkpointing to where it needs nothing."""


@pytest.fixture(scope="module", autouse=True)
def _worker_ends() -> Iterator[None]:
    yield
    TRACES.close()


@pytest.fixture(scope="module")
def answers() -> dict[float, AdviceRecord]:
    return {gigabytes: answered(GPT2, card(gigabytes * 1e9), counts=(1, 2)) for gigabytes in SIZES}


def chosen_of(advice: AdviceRecord) -> Prediction | None:
    return prediction_of(advice.predictions, advice.recommendation)


def roomy_within_a_tie(advice: AdviceRecord, chosen: Prediction) -> list[Prediction]:
    """What surely holds on as many of the same card, asks for no more, trains on as much, and is hardly slower."""
    own = PRECISION_FACTS[chosen.precision].exactness_rank
    return [
        one
        for one in advice.predictions
        if one.device_and_count == chosen.device_and_count
        and one.fits
        and not one.may_run_out
        and one.effort_rank <= chosen.effort_rank
        and PRECISION_FACTS[one.precision].exactness_rank == own
        and min(GPT2.training.global_batch_size, chosen.global_batch_size) <= one.global_batch_size
        and one.global_batch_size <= chosen.global_batch_size
        and one.samples_per_s.value >= WORTH_ACCUMULATING_FRACTION * chosen.samples_per_s.value
    ]


def test_nothing_that_may_run_out_is_advised_beside_what_surely_holds_within_a_tie_of_its_speed(
    answers: dict[float, AdviceRecord],
) -> None:
    without = 0
    for gigabytes, advice in answers.items():
        plain = chosen_of(alone(GPT2, card(gigabytes * 1e9)))
        without += plain is not None and plain.may_run_out
        for place in advice.best_set_ups:
            shown = advice.predictions[place]
            assert not shown.may_run_out or not roomy_within_a_tie(advice, shown), (gigabytes, shown.set_up)
    assert without, "with nothing added some of these cards may run out of memory"


def test_a_loss_in_chunks_is_taken_for_its_room_and_the_reason_gives_its_figures(
    answers: dict[float, AdviceRecord],
) -> None:
    roomy = [one for one in answers.values() if _codes(one) & {"why-chunked-loss-room"}]
    assert roomy
    for advice in roomy:
        chosen = chosen_of(advice)
        assert chosen is not None
        assert chosen.peak_memory_bytes is not None
        assert not chosen.may_run_out
        reason = next(one for one in advice.reasons if one.code == "why-chunked-loss-room")
        assert reason.figure("high_bytes") > reason.figure("capacity_bytes") >= reason.figure("most_bytes")
        assert reason.figure("most_bytes") == chosen.peak_memory_bytes.high
        assert reason.figure("speed_ratio") >= WORTH_ACCUMULATING_FRACTION
        assert advice.workload.training.chunked_loss
        assert "the loss in chunks" in summarise(advice, "en").headline
        assert "¹" not in one_screen(advice, "en").tables[0].rows[0][0], "the first row is what the headline says"
        assert not {code for code in _caveats(advice) if code.startswith("caveat-memory-range")}
        assert "chunk_loss(model)" in render(advice)
        for language in ("en", "zh"):
            assert say(reason, language)


def test_what_changes_what_is_learned_is_never_taken_for_room(answers: dict[float, AdviceRecord]) -> None:
    for advice in answers.values():
        kept = {"activation_checkpointing": "none", "chunked_loss": False}
        assert with_training(advice.workload, **kept) == GPT2


def test_a_fixed_batch_stays_as_it_is_where_room_is_made() -> None:
    found = [answered(GPT2, card(gigabytes * 1e9), fixed=Fixed(batch_size=True)) for gigabytes in (8.0, 9.0, 10.0)]
    advised = [one.recommendation for one in found if one.recommendation is not None]
    assert any(one.chunked_loss_added for one in advised)
    assert {one.batch_size_per_device for one in advised} == {GPT2.training.batch_size}


def test_more_memory_never_lowers_the_largest_batch_that_fits(answers: dict[float, AdviceRecord]) -> None:
    before: dict[tuple[object, ...], int] = {}
    for advice in answers.values():
        plain = {one.precision: one for one in reversed(advice.batch_advice)}  # what adds nothing stands first
        for precision, told in plain.items():
            assert told.largest_that_fits is not None
            assert told.largest_that_fits >= before.get((precision,), 0)
            before[precision,] = told.largest_that_fits
        assert before


def test_the_batch_advice_of_what_makes_room_is_of_that_room(answers: dict[float, AdviceRecord]) -> None:
    limits = []
    for advice in answers.values():
        chosen = advice.recommendation
        assert chosen is not None
        found = batch_advice_on(chosen, advice.batch_advice)
        as_read = msgspec.structs.replace(chosen, checkpointing_added=False, chunked_loss_added=False)
        plain = batch_advice_on(as_read, advice.batch_advice)
        assert found is not None
        assert plain is not None
        alone = any(
            one.count == 1 and one.strategy == "single" and one.added == chosen.added for one in advice.predictions
        )
        shown = (chosen.checkpointing_added, chosen.chunked_loss_added) if alone else (False, False)
        assert (found.checkpointing_added, found.chunked_loss_added) == shown
        if alone and chosen.added:
            assert found.largest_that_fits is not None
            assert found.largest_that_fits >= chosen.batch_size_per_device
            limits.append((found.largest_that_fits, plain.largest_that_fits or 0))
    assert limits
    assert all(roomy > cramped for roomy, cramped in limits)


def _codes(advice: AdviceRecord) -> set[str]:
    return {one.code for one in advice.reasons}


def _caveats(advice: AdviceRecord) -> set[str]:
    return {one.code for one in advice.caveats}
