"""Passes that make up the workload's batch where it does not fit."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.predict.prediction import Prediction
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.smaller_candidates import best_pass, candidates_in_smaller_passes, candidates_that_make_up
from advisor.workload.workload import Workload
from tests.recommend.fakes import SPECS, TRANSFORMER, machine, predict_all, workload


def test_a_batch_that_a_card_does_not_hold_is_made_up_of_smaller_ones() -> None:
    work = workload(gradient_accumulation_steps=2)
    own = work.training.batch_size
    found = enumerate_candidates(work, machine(), SPECS, gpu_keys=("l40s",), counts=(1, 4), local=False)
    known = [
        msgspec.structs.replace(one, fits=one.batch_size_per_device < own)
        for one in predict_all(found, TRANSFORMER, work)
    ]
    made = candidates_that_make_up(work, known, lambda _: None)
    assert {(one.count, one.strategy) for one in made} == {(1, "single"), (4, "ddp")}
    assert {one.batch_size_per_device for one in made} == {own // 2}
    samples = {(one.count, one.batch_size_per_device * one.gradient_accumulation_steps) for one in made}
    assert samples == {(1, 2 * own), (4, 2 * own), (4, 4 * own), (4, 8 * own)}, (
        "cards whose link is slow gain by rarer steps"
    )
    fitting = [msgspec.structs.replace(one, fits=True) for one in known]
    assert candidates_that_make_up(work, fitting, lambda _: None) == ()


@pytest.mark.parametrize(
    ("own", "fits", "passes"),
    [
        (97, 20, (16, 6)),
        (97, 2, (2, 48)),
        (97, 1, (1, 97)),
        (100_000, 150, (125, 800)),
        (7, 4, (3, 2)),
        (12, 11, (6, 2)),
    ],
)
def test_passes_come_as_near_to_the_batch_as_half_of_what_fits_allows(
    own: int, fits: int, passes: tuple[int, int]
) -> None:
    work = workload(batch_size=own, samples=10**6)
    found = enumerate_candidates(work, machine(), SPECS, gpu_keys=("l40s",), counts=(1,), local=False)
    unfit = [msgspec.structs.replace(one, fits=False) for one in predict_all(found, TRANSFORMER, work)]
    tried = [one for one in unfit if one.batch_size_per_device > fits]
    made = candidates_that_make_up(work, tried, lambda _: fits)
    assert {(one.batch_size_per_device, one.gradient_accumulation_steps) for one in made} == {passes}


def test_what_passes_make_up_is_bounded_by_each_cards_share_of_the_data() -> None:
    work = workload(batch_size=4000, samples=5000)
    found = enumerate_candidates(work, machine(), SPECS, gpu_keys=("l40s",), counts=(8,), local=False)
    known = [
        msgspec.structs.replace(one, fits=one.batch_size_per_device <= 250)
        for one in predict_all(found, TRANSFORMER, work)
    ]
    made = candidates_that_make_up(work, known, lambda _: None)
    assert {(one.batch_size_per_device, one.gradient_accumulation_steps) for one in made} == {(208, 3)}


def test_where_one_cards_memory_holds_no_sample_one_is_tried_and_where_it_is_unknown_none() -> None:
    work = workload(batch_size=1000)
    found = enumerate_candidates(work, machine(), SPECS, gpu_keys=("l40s",), counts=(1,), local=False)
    unfit = [msgspec.structs.replace(one, fits=False) for one in predict_all(found, TRANSFORMER, work)]
    assert {one.batch_size_per_device for one in candidates_that_make_up(work, unfit, lambda _: 0)} == {1}
    assert candidates_that_make_up(work, unfit, lambda _: None) == ()


@given(st.integers(1, 20_000), st.integers(1, 20_000))
def test_the_best_pass_is_the_best_of_all_sizes_over_half_of_what_fits(whole: int, limit: int) -> None:
    most = min(whole, limit)
    every = range(most // 2 + 1, most + 1)
    assert best_pass(whole, most) == max(every, key=lambda size: (whole // size * size, size))


def _alone(work: Workload) -> list[Prediction]:
    """What one card is looked at with, of which half the workload's batch fits."""
    found = enumerate_candidates(work, machine(), SPECS, gpu_keys=("l40s",), counts=(1,), local=False)
    half = work.training.batch_size // 2
    return [
        msgspec.structs.replace(one, fits=one.batch_size_per_device <= half)
        for one in predict_all(found, TRANSFORMER, work)
    ]


def test_where_kept_gradients_leave_no_room_for_the_passes_smaller_ones_are_tried_until_some_fit() -> None:
    work = workload(batch_size=16)
    known = _alone(work)
    sizes = []
    further = candidates_that_make_up(work, known, lambda _: None)
    while further:
        sizes += [(one.batch_size_per_device, one.gradient_accumulation_steps) for one in further]
        made = predict_all(further, TRANSFORMER, work)
        known += [msgspec.structs.replace(one, fits=one.batch_size_per_device <= 4) for one in made]
        further = candidates_in_smaller_passes(work, known)
    assert list(dict.fromkeys(sizes)) == [(8, 2), (4, 4)], "at every precision"


def test_passes_that_no_size_holds_end_at_one_sample() -> None:
    work = workload(batch_size=16)
    known = _alone(work)
    further = candidates_that_make_up(work, known, lambda _: None)
    while further:
        made = predict_all(further, TRANSFORMER, work)
        known += [msgspec.structs.replace(one, fits=False) for one in made]
        further = candidates_in_smaller_passes(work, known)
    assert {one.batch_size_per_device for one in known if one.gradient_accumulation_steps > 1} == {8, 4, 2, 1}


def test_passes_that_fit_or_may_fit_are_not_made_smaller() -> None:
    work = workload(batch_size=16)
    known = _alone(work)
    for fits in (True, None):
        made = predict_all(candidates_that_make_up(work, known, lambda _: None), TRANSFORMER, work)
        unsure = [msgspec.structs.replace(one, fits=fits) for one in made]
        assert candidates_in_smaller_passes(work, [*known, *unsure]) == ()
    assert candidates_in_smaller_passes(work, known) == (), "nothing was made up yet"
