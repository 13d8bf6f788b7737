"""What is said of DataParallel beside DDP: a tie, what numbers cannot tell, and a first card that is too full."""

from __future__ import annotations

import msgspec
import pytest

from advisor.core.sentences import say
from advisor.predict.prediction import Prediction
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.comparison import Comparison, Finalist
from advisor.recommend.reasons.parallel import parallel_reasons
from advisor.recommend.reasons.scaling import dp_reasons, host_core_reasons, named_cards, uneven_reasons
from advisor.recommend.reasons.set_up import why
from advisor.recommend.recommendation import Limits
from advisor.workload.workload import NumbersModel, Workload
from tests.recommend.fakes import SPECS, TRANSFORMER, estimate, machine, predict_all, workload


def _comparison(work: Workload) -> Comparison:
    found = enumerate_candidates(work, machine(), SPECS, gpu_keys=("rtx3090",), counts=(1, 2))
    return Comparison(
        workload=work,
        goal="time",
        limits=Limits(),
        specs=SPECS,
        draws={},
        untrusted={},
        global_limit=1024,
        predictions=predict_all(found, TRANSFORMER, work),
    )


def _ddp(comparison: Comparison) -> Prediction:
    return next(
        one
        for one in comparison.predictions
        if (one.strategy, one.count, one.batch_size_per_device) == ("ddp", 2, 16)
        and one.gradient_accumulation_steps == 1
        and one.precision == "fp32"
    )


def _codes(comparison: Comparison, dp: Prediction, ddp: Prediction) -> list[str]:
    reasons = list(dp_reasons(comparison, dp, ddp))
    for reason in reasons:
        assert "{" not in say(reason, "en") + say(reason, "zh")
    return [reason.code for reason in reasons]


def test_two_strategies_that_are_equally_fast_are_said_to_be() -> None:
    comparison = _comparison(workload("fp32"))
    ddp = _ddp(comparison)
    assert "scaling-dp-tied" in _codes(comparison, msgspec.structs.replace(ddp, strategy="dp"), ddp)


def test_numbers_cannot_tell_a_tie_from_a_loss() -> None:
    numbers = NumbersModel(parameters=1e8, flop_per_sample=5e10, activation_bytes_per_sample=2e8)
    comparison = _comparison(msgspec.structs.replace(workload("fp32"), model=numbers))
    ddp = _ddp(comparison)
    found = _codes(comparison, msgspec.structs.replace(ddp, strategy="dp"), ddp)
    assert "scaling-dp-untold" in found
    assert "scaling-dp-tied" not in found


@pytest.mark.parametrize(("fits", "code"), [(True, "scaling-dp-memory"), (False, "scaling-dp-memory-full")])
def test_a_first_card_that_holds_much_more_than_the_others_is_named(fits: bool, code: str) -> None:
    comparison = _comparison(workload("fp32"))
    ddp = _ddp(comparison)
    assert ddp.peak_memory_bytes is not None
    fuller = ddp.peak_memory_bytes.scaled(1.5)
    dp = msgspec.structs.replace(ddp, strategy="dp", peak_memory_bytes=fuller, fits=fits)
    assert code in _codes(comparison, dp, ddp)


def test_nothing_is_said_of_cores_and_unlike_cards_that_nobody_knows() -> None:
    comparison = _comparison(workload("fp32"))
    assert list(host_core_reasons(comparison, _ddp(comparison))) == []
    assert list(uneven_reasons(comparison, _ddp(comparison))) == []
    assert list(uneven_reasons(comparison, None)) == []


def test_alike_cards_are_counted_and_unlike_ones_are_listed() -> None:
    first = _ddp(_comparison(workload("fp32"))).device
    other = msgspec.structs.replace(first, key="other", name="Other")
    assert named_cards([first, other, first]) == f"2 × {first.name} + Other"


@pytest.mark.parametrize(("alone_at", "code"), [(16, "why-count-pays"), (8, "why-count-pays-at-batch")])
def test_a_speed_up_over_a_card_at_another_batch_names_both_batches(alone_at: int, code: str) -> None:
    comparison = _comparison(workload("fp32"))
    ddp = _ddp(comparison)
    alone = next(
        one
        for one in comparison.predictions
        if (one.strategy, one.precision, one.batch_size_per_device) == ("single", "fp32", alone_at)
        and one.gradient_accumulation_steps == 1
        and one.device == ddp.device
    )
    said = {one.code: one for one in parallel_reasons(comparison, Finalist(chosen=ddp, by_count=(alone, ddp)))}
    if alone_at == ddp.batch_size_per_device:
        assert code not in said, "efficiency says the same"
        return
    assert (said[code].figure("batch"), said[code].figure("other_batch")) == (16, 8)
    assert said[code].figure("speed_up_ratio") == pytest.approx(ddp.samples_per_s.value / alone.samples_per_s.value)
    assert said[code].figure("speed_up_ratio") > said["scaling-efficiency"].figure("speed_up_ratio")
    assert "16" in say(said[code], "en")
    assert "16" in say(said[code], "zh")


def test_nothing_is_said_of_a_first_card_whose_memory_nobody_solved_for() -> None:
    comparison = _comparison(workload("fp32"))
    ddp = _ddp(comparison)
    dp = msgspec.structs.replace(ddp, strategy="dp", peak_memory_bytes=None, fits=None)
    assert not [code for code in _codes(comparison, dp, ddp) if code.startswith("scaling-dp-memory")]


@pytest.mark.parametrize("asked_alone", [True, False])
def test_more_than_as_many_times_one_card_is_explained_by_the_optimizer_that_is_shared(asked_alone: bool) -> None:
    comparison = _comparison(workload("fp32"))
    chosen = msgspec.structs.replace(_ddp(comparison), efficiency=estimate(1.1, 0.05))
    if not asked_alone:
        comparison = comparison._replace(predictions=(chosen,))
    own_s = chosen.part_s("optimizer")
    alone = msgspec.structs.replace(chosen, count=1, samples_per_s=chosen.samples_per_s.scaled(1 / 2.4))
    reasons = list(parallel_reasons(comparison, Finalist(chosen=chosen, by_count=(alone, chosen))))
    assert [one.code for one in reasons][:2] == ["scaling-optimizer-shared", "why-count-pays"], "the cause comes first"
    said = {one.code: one for one in reasons}
    shared = said["scaling-optimizer-shared"]
    assert shared.figure("optimizer_s") == own_s
    assert shared.figure("alone_optimizer_s") == pytest.approx(own_s if asked_alone else 2 * own_s)
    assert shared.figure("speed_up_ratio") == pytest.approx(2.2)
    assert not [code for code in said if code.startswith("scaling-efficiency")], "no efficiency over 100 % is told"
    assert "more than 2 times" in say(shared, "en")
    assert "这超过 2 倍" in say(shared, "zh")
    assert "%" not in say(shared, "en") + say(shared, "zh")


def test_more_cards_by_another_strategy_than_the_shards_of_fewer_name_both_strategies() -> None:
    comparison = _comparison(workload("fp32"))
    fewer = msgspec.structs.replace(_ddp(comparison), strategy="fsdp")
    chosen = msgspec.structs.replace(_ddp(comparison), count=4, samples_per_s=fewer.samples_per_s.scaled(1.9))
    said = {one.code: one for one in parallel_reasons(comparison, Finalist(chosen=chosen, by_count=(fewer, chosen)))}
    pays = said["why-count-pays-otherwise"]
    assert (pays.numbers["strategy"], pays.numbers["other_strategy"]) == ("ddp", "fsdp")
    assert (pays.figure("count"), pays.figure("fewer")) == (4, 2)
    assert pays.figure("speed_up_ratio") == pytest.approx(1.9)


def test_nothing_is_said_of_a_size_that_nobody_judged() -> None:
    comparison = _comparison(workload("fp32"))
    chosen = msgspec.structs.replace(_ddp(comparison), strategy="fsdp", batch_size_per_device=8)
    split = comparison._replace(predictions=(*comparison.predictions, chosen))
    told = {reason.code for reason in parallel_reasons(split, Finalist(chosen=chosen, by_count=(chosen,)))}
    assert not told & {"why-sharded", "why-sharded-batch"}
    passes = msgspec.structs.replace(chosen, gradient_accumulation_steps=4)
    told = {reason.code for reason in why(split, Finalist(chosen=passes, by_count=(passes,)), ())}
    assert not told & {"why-accumulation", "why-accumulation-own"}


def test_a_first_card_is_held_against_a_card_alone_that_adds_up_as_many_micro_batches() -> None:
    """Gradients that are kept from one micro-batch to the next make a card alone as full as the first of several."""
    comparison = _comparison(workload("fp32"))
    ddp = _ddp(comparison)
    alone = next(one for one in comparison.alone(ddp.device, ddp) if one.batch_size_per_device == 16)
    assert ddp.peak_memory_bytes is not None
    once, twice = (
        msgspec.structs.replace(alone, gradient_accumulation_steps=steps, peak_memory_bytes=estimate(peak_bytes))
        for steps, peak_bytes in ((1, 4e9), (2, 8e9))
    )
    dp = msgspec.structs.replace(
        ddp, strategy="dp", gradient_accumulation_steps=2, peak_memory_bytes=estimate(8e9), fits=True
    )
    codes = _codes(comparison._replace(predictions=(once, twice, ddp)), dp, ddp)
    assert "scaling-dp-memory" not in codes
