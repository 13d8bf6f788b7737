"""What asks for more than the advice, of the code or of cards: named where it is clearly better, or faster."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from advisor.catalogue.strategies import Strategy
from advisor.core.sentences import say
from advisor.predict.prediction import Prediction
from advisor.predict.time_to_train import CriticalBatch
from advisor.recommend.advise_from import recommend
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.comparison import Comparison
from advisor.recommend.fixed import Fixed
from advisor.recommend.reasons.turning_points import would_change_if
from advisor.recommend.recommendation import Goal, Limits, Recommendations
from advisor.recommend.switches import lighter_changes
from advisor.workload.workload import with_training
from tests.recommend.fakes import SPECS, TRANSFORMER, estimate, machine, predict_all, workload
from tests.recommend.test_recommend import advise, best_of, codes


def faster(one: Prediction, ratio: float) -> Prediction:
    """The same set-up in a fraction of the time."""
    assert one.job_s is not None
    return msgspec.structs.replace(
        one,
        step_s=one.step_s.scaled(1 / ratio),
        job_s=one.job_s.scaled(1 / ratio),
        samples_per_s=one.samples_per_s.scaled(ratio),
    )


def split_or_sharded(ratio: float, **options: object) -> Recommendations:
    """Eight cards that shard a model, or split it by tensors in a fraction of the time."""
    here, work = machine(), workload("fp16_amp")
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("l40s",), counts=(8,), strategies=("zero2", "tp"), local=False
    )
    known = predict_all(found, TRANSFORMER, work)
    split = [faster(one, ratio) if one.strategy == "tp" else one for one in known]
    return recommend(work, here, split, specs=SPECS, **options)  # type: ignore[arg-type]


def test_what_asks_for_more_changes_to_the_code_is_named_where_it_is_clearly_faster() -> None:
    best = best_of(split_or_sharded(5.0))
    assert best.strategy == "zero2"
    (told,) = [reason for reason in best.would_change_if if reason.code == "change-strategy"]
    assert (told.numbers["strategy"], told.numbers["device"]) == ("tp", "8 × L40S")
    assert told.figure("advantage_ratio") > 2
    assert "takes" in say(told, "en")
    assert "change-strategy" not in codes(best_of(split_or_sharded(1.05)).would_change_if)


@pytest.mark.parametrize(("gain", "told"), [(1.05, True), (1.02, False)])
def test_by_energy_a_split_model_that_takes_less_is_named_though_the_ranges_touch(gain: float, *, told: bool) -> None:
    here, work = machine(), workload("fp16_amp")
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("l40s",), counts=(8,), strategies=("zero2", "pp"), local=False
    )
    known = [
        msgspec.structs.replace(one, energy_j=estimate(1e6 / gain if one.strategy == "pp" else 1e6))
        for one in predict_all(found, TRANSFORMER, work)
    ]
    comparison = Comparison(
        workload=work, goal="energy", limits=Limits(), specs=SPECS, draws={}, untrusted={}, global_limit=4096,
        predictions=tuple(known),
    )  # fmt: skip
    chosen = next(one for one in known if one.strategy == "zero2")
    reasons = [one for one in would_change_if(comparison, chosen, (), (), ()) if one.code == "change-strategy"]
    assert [(one.numbers["goal"], one.numbers["strategy"]) for one in reasons] == ([("energy", "pp")] if told else [])
    assert all("1.05 times the energy of 8 × L40S with pipeline parallel" in say(one, "en") for one in reasons)


def test_limits_are_not_blamed_for_what_only_changes_to_the_code_would_reach() -> None:
    best = best_of(split_or_sharded(5.0, limits=Limits(max_power_w=1e6)))
    assert "change-strategy" in codes(best.would_change_if)
    assert not {"change-limits-batch", "change-limits-batch-at"} & set(codes(best.would_change_if))


def test_another_precision_is_not_advised_for_what_a_harder_strategy_gains() -> None:
    # FP32 fits split alone, in half the time of the shards that hold FP16 AMP.
    here, work = machine(), workload("fp16_amp")
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("l40s",), counts=(8,), strategies=("zero2", "tp"), local=False
    )
    known = [
        faster(one, 50.0) if one.strategy == "tp" else one
        for one in predict_all(found, TRANSFORMER, work)
        if (one.precision, one.strategy) != ("fp32", "zero2")
    ]
    best = best_of(recommend(work, here, known, specs=SPECS))
    assert (best.precision, best.strategy) == ("fp16_amp", "zero2")
    assert "change-strategy" in codes(best.would_change_if)


def test_what_stands_in_for_a_precision_that_a_card_lacks_is_not_left_for_slower_replicas_in_fp32() -> None:
    # FP16 AMP stands in for BF16 AMP. Its replicas hold a few samples, its shards many: these are far quicker.
    here, work = machine(), workload("bf16_amp")
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("v100-sxm2-32",), counts=(8,), strategies=("ddp", "zero2"), local=False
    )
    known = [
        msgspec.structs.replace(one, fits=one.batch_size_per_device <= (2 if one.strategy == "ddp" else 32))
        for one in predict_all(found, TRANSFORMER, work)
    ]
    assert {one.precision for one in known} == {"fp16_amp", "fp32"}
    best = best_of(recommend(work, here, known, specs=SPECS))
    assert (best.precision, best.strategy) == ("fp16_amp", "zero2")


def test_where_only_the_hosts_memory_holds_a_step_checkpointing_in_the_cards_own_is_looked_at() -> None:
    here, work = machine(), workload("fp16_amp")
    (found, *_) = enumerate_candidates(work, here, SPECS, gpu_keys=("l40s",), counts=(8,), local=False)
    (chosen,) = predict_all((found,), TRANSFORMER, work)
    (change,) = lighter_changes(work, chosen)
    assert (change.strategy, change.workload.training.activation_checkpointing) == ("fsdp", "full")
    assert [one.strategy for one in lighter_changes(work, None)] == ["single"]
    assert list(lighter_changes(change.workload, chosen)) == [], "it has it already"


def test_nothing_is_clearly_better_for_a_goal_whose_figure_of_the_advice_is_unknown() -> None:
    here, work = machine(), workload("fp16_amp")
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("l40s",), counts=(8,), strategies=("zero2", "tp"), local=False
    )
    known = predict_all(found, TRANSFORMER, work)
    split = tuple(faster(one, 5.0) if one.strategy == "tp" else one for one in known)
    chosen = next(one for one in split if one.strategy == "zero2")
    assert chosen.energy_j is None
    goals: tuple[tuple[Goal, bool], ...] = (("time", True), ("energy", False))
    for goal, told in goals:
        comparison = Comparison(
            workload=work, goal=goal, limits=Limits(), specs=SPECS, draws={}, untrusted={}, global_limit=4096,
            predictions=split,
        )  # fmt: skip
        assert ("change-strategy" in codes(would_change_if(comparison, chosen, (), (), ()))) is told


def test_if_only_time_counted_the_fastest_of_all_that_take_more_hours_is_named() -> None:
    answer = advise(workload("fp32"), replace(TRANSFORMER, gradient_bytes=2.4e9), goal="energy")
    best = best_of(answer)
    (told,) = [one for one in best.would_change_if if one.code.startswith("change-count-batch")]
    shown = [answer.predictions[place] for place in answer.best_set_ups]
    fastest = max(shown, key=lambda one: one.samples_per_s.value)
    assert fastest.device != best.device
    assert (told.numbers["device"], told.numbers["count"]) == (fastest.device.name, fastest.count)
    assert told.figure("gain_ratio") == pytest.approx(fastest.samples_per_s.value / best.samples_per_s.value)


def split_and_shards_of_any_size(max_job_s: float, **options: object) -> Recommendations:
    """Eight cards that split a model six times as quickly as they shard it, of which shards gain by larger steps."""
    here, work = machine(), workload("fp16_amp")
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("l40s",), counts=(8,), strategies=("zero2", "pp"), local=False
    )
    bound = 8 * work.training.global_batch_size

    def shaped(one: Prediction) -> Prediction:
        if one.strategy == "pp":
            return faster(one, 6.0)
        return faster(one, 3.0) if one.global_batch_size > bound else one

    known = [shaped(one) for one in predict_all(found, TRANSFORMER, work)]
    limits = Limits(max_job_s=max_job_s)
    return recommend(work, here, known, specs=SPECS, limits=limits, **options)  # type: ignore[arg-type]


def test_a_limit_that_only_a_split_model_keeps_is_kept_by_larger_steps_of_shards_first() -> None:
    free = split_and_shards_of_any_size(1e9).recommendation
    assert free is not None
    assert free.strategy == "zero2"
    assert free.job_s is not None
    best = best_of(split_and_shards_of_any_size(free.job_s.value / 2))
    assert best.strategy == "zero2"
    assert best.global_batch_size > 8 * workload().training.global_batch_size
    (told,) = [one for one in best.why if one.code == "why-batch-beyond"]
    assert "nothing as plain keeps the limits with less" in say(told, "en")


def test_a_precision_that_fits_in_larger_steps_alone_comes_before_another_that_is_slower() -> None:
    here, work = machine(), workload("fp16_amp")
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("l40s",), counts=(8,), strategies=("zero2",), precisions=("fp16_amp", "tf32"),
        local=False,
    )  # fmt: skip
    bound = 8 * work.training.global_batch_size
    known = [
        msgspec.structs.replace(one, fits=one.precision == "tf32" or one.global_batch_size > bound)
        for one in predict_all(found, TRANSFORMER, work)
    ]
    best = best_of(recommend(work, here, known, specs=SPECS))
    assert best.precision == "fp16_amp"
    (told,) = [one for one in best.why if one.code == "why-batch-beyond"]
    assert "nothing smaller fits" in say(told, "en")
    bounded = CriticalBatch(low=64, high=256, given=True)
    assert best_of(recommend(work, here, known, specs=SPECS, critical_batch=bounded)).precision == "tf32"


def test_a_bound_on_the_batch_that_the_user_knows_is_kept_by_splitting_the_model() -> None:
    free = best_of(split_and_shards_of_any_size(1e9))
    assert free.job_s is not None
    known = CriticalBatch(low=64, high=256, given=True)
    best = best_of(split_and_shards_of_any_size(free.job_s.value / 2, critical_batch=known))
    assert (best.strategy, best.global_batch_size <= 128) == ("pp", True)


@pytest.mark.parametrize(
    ("strategy", "training", "code"),
    [
        ("pp", {}, "caveat-no-script-pipeline"),
        ("tp", {"trainable": "lora", "quantization": "nf4", "weights_bits": 4}, "caveat-no-script-quantised-split"),
        ("tp", {"trainable": "lora"}, None),
        ("fsdp", {"trainable": "lora", "quantization": "nf4", "weights_bits": 4}, None),
    ],
)
def test_an_advice_says_once_that_no_script_splits_a_model_so_and_what_does(
    strategy: Strategy, training: dict[str, object], code: str | None
) -> None:
    here, work = machine(), with_training(workload("fp16_amp"), **training)
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("l40s",), counts=(4,), strategies=(strategy,), local=False
    )
    advised = recommend(work, here, predict_all(found, TRANSFORMER, work), specs=SPECS)
    assert best_of(advised).strategy == strategy
    told = [one for one in codes(advised.caveats) if one.startswith("caveat-no-script")]
    assert told == ([] if code is None else [code])


def _over_a_slow_link(**options: object) -> tuple[Recommendations, Prediction]:
    """Eight cards whose step is as long for one sample each as for sixteen, and the set-up that is advised of them."""
    here, work = machine(), workload("fp16_amp", batch_size=1, samples=10**6)
    found = enumerate_candidates(work, here, SPECS, gpu_keys=("l40s",), counts=(8,), strategies=("fsdp",), local=False)
    known = [
        faster(one, one.global_batch_size / one.samples_per_s.value)
        for one in predict_all(found, TRANSFORMER, work)
        if one.precision == "fp16_amp"
    ]
    answer = recommend(work, here, known, specs=SPECS, **options)  # type: ignore[arg-type]
    best = best_of(answer)
    return answer, next(one for one in known if one.global_batch_size == best.global_batch_size)


def test_larger_steps_that_only_the_bound_on_the_batch_forbids_are_named_with_their_gain() -> None:
    answer, advised = _over_a_slow_link()
    assert advised.global_batch_size == 8
    (told,) = [one for one in best_of(answer).would_change_if if one.code == "change-global-batch"]
    assert (told.numbers["samples"], told.numbers["batch"], told.numbers["advised_samples"]) == (64, 8, 8)
    assert told.figure("gain_ratio") == pytest.approx(8.0, rel=0.15)
    assert "64 samples a step" in say(told, "en")
    assert "FSDP" in say(told, "zh")


def test_a_bound_on_the_batch_that_the_user_gave_is_not_questioned() -> None:
    for given in (
        {"global_batch_size": 8},
        {"critical_batch": CriticalBatch(low=8, high=8, given=True)},
        {"fixed": Fixed(batch_size=True)},
    ):
        answer, _ = _over_a_slow_link(**given)
        assert "change-global-batch" not in codes(best_of(answer).would_change_if), given
