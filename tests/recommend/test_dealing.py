"""A global batch dealt out to devices, and devices to machines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.links import Machines
from advisor.core.errors import InputError
from advisor.core.sentences import say
from advisor.recommend.advise_from import recommend
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.dealing import (
    batch_sizes_dealing,
    counts_over,
    left_out_counts,
    require_data_for_batch,
    require_even_nodes,
)
from advisor.recommend.recommendation import batch_advice_on
from tests.recommend.fakes import SPECS, TRANSFORMER, machine, predict_all, workload
from tests.recommend.test_recommend import advise, best_of


def test_every_batch_that_makes_up_the_global_batch_is_tried() -> None:
    assert batch_sizes_dealing(48, 1, 16) == (1, 2, 3, 4, 6, 8, 12, 16, 24, 48)
    assert batch_sizes_dealing(48, 2, 16) == (1, 2, 3, 4, 6, 8, 12, 24)
    assert batch_sizes_dealing(48, 5, 16) == ()


def test_of_many_divisors_some_at_even_ratios_are_tried_among_them_one_the_share_and_the_own_batch() -> None:
    sizes = batch_sizes_dealing(2 * 720_720, 2, 48)  # 240 divisors
    assert len(sizes) <= 25
    assert {1, 48, 720_720} <= set(sizes)


@given(st.integers(1, 10**12), st.integers(1, 64), st.integers(1, 4096))
def test_dealt_batches_make_up_the_share_and_stay_few(global_batch: int, count: int, own: int) -> None:
    sizes = batch_sizes_dealing(global_batch, count, own)
    assert len(sizes) <= 25
    assert all(global_batch % (size * count) == 0 for size in sizes)
    assert list(sizes) == sorted(set(sizes))
    if global_batch % count == 0:
        assert 1 in sizes
        if (global_batch // count) % own == 0:
            assert own in sizes


def test_a_global_batch_beyond_the_data_set_is_refused() -> None:
    require_data_for_batch(None, 10)
    require_data_for_batch(10, 10)
    with pytest.raises(InputError, match="11"):
        require_data_for_batch(11, 10)


def test_one_card_is_offered_the_whole_global_batch_at_once() -> None:
    found = enumerate_candidates(
        workload(batch_size=16), machine(), SPECS, gpu_keys=("rtx3090",), counts=(1, 3), global_batch_size=50
    )
    assert {one.count for one in found} == {1}
    assert {(one.batch_size_per_device, one.gradient_accumulation_steps) for one in found} == {
        (1, 50), (2, 25), (5, 10), (10, 5), (25, 2), (50, 1)
    }  # fmt: skip


def test_counts_that_cannot_share_the_global_batch_are_named_or_refused() -> None:
    assert left_out_counts(None, (1, 3)) == ()
    assert left_out_counts(48, (1, 2, 4, 8)) == ()
    (reason,) = left_out_counts(50, (1, 2, 4, 8))
    assert reason.numbers["counts"] == "4, 8"
    assert "4, 8" in say(reason, "zh")
    with pytest.raises(InputError, match="4, 8") as refused:
        left_out_counts(50, (4, 8))
    assert "48 or 52" in refused.value.remedy


@pytest.mark.parametrize(("counts", "nodes"), [((1, 2, 4, 8), 2), ((1,), 5), ((6, 12), 3), ((1, 2, 4, 8), 1)])
def test_devices_that_spread_evenly_over_machines_pass(counts: tuple[int, ...], nodes: int) -> None:
    require_even_nodes(counts, nodes)


def test_devices_that_do_not_spread_evenly_are_refused_with_counts_that_do() -> None:
    with pytest.raises(InputError, match="4 devices cannot be spread evenly over 3 machines") as refused:
        require_even_nodes((1, 2, 3, 4), 3)
    assert "--counts 3" in refused.value.remedy


@given(st.integers(1, 4096))
def test_the_counts_tried_over_machines_always_spread_evenly(nodes: int) -> None:
    counts = counts_over(nodes)
    assert counts[0] == 1
    require_even_nodes(counts, nodes)


def test_data_parallel_never_leaves_its_machine() -> None:
    over_two = enumerate_candidates(workload(), machine(), SPECS, counts=(2, 4), machines=Machines(2, 1))
    assert {one.strategy for one in over_two if one.count > 1} == {"ddp"}
    many = enumerate_candidates(workload(), machine(), SPECS, counts=(8, 9, 16, 32))
    assert {one.count for one in many if one.strategy == "dp"} == {8, 9}


def test_several_cards_are_also_tried_at_the_batch_that_holds_the_workloads_own() -> None:
    found = enumerate_candidates(workload(batch_size=64), machine(), SPECS, gpu_keys=("rtx3090",))
    assert 64 in {one.count * one.batch_size_per_device for one in found if one.count == 8}


def test_a_global_batch_that_is_held_by_accumulating_is_said_to_be() -> None:
    work, here = workload("fp32"), machine()
    found = enumerate_candidates(work, here, SPECS, gpu_keys=("rtx3090",), counts=(1,), global_batch_size=1024)
    answer = recommend(work, here, predict_all(found, TRANSFORMER, work), specs=SPECS, global_batch_size=1024)
    best = best_of(answer)
    held = next(one for one in best.why if one.code == "why-accumulation-held")
    assert held.figure("steps") * best.batch_size_per_device * best.count == 1024 == held.figure("global_batch")
    assert held.figure("steps") > 1


def test_the_batch_advice_of_a_recommendation_is_that_of_its_card_and_precision() -> None:
    answer = advise(workload("fp16_amp"), TRANSFORMER, keys=("rtx3090", "l40s"))
    best = best_of(answer)
    found = batch_advice_on(best, answer.batch_advice)
    assert found is not None
    assert (found.device_key, found.precision) == (best.device.key, best.precision)
    others = [one for one in answer.batch_advice if one is not found]
    assert others
    assert batch_advice_on(best, others) is None
