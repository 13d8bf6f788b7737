"""What the user fixes is kept, ties are decided by a stated figure, and what fits beyond the batch bound is kept."""

from __future__ import annotations

import msgspec

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.core.sentences import Reason, say
from advisor.core.units import Estimate
from advisor.optable.saved_tables import saved_tables
from advisor.optable.totals import table_from_numbers
from advisor.present.summary import set_up_line
from advisor.recommend.fixed import Fixed
from advisor.recommend.ranking import leaders, rank
from advisor.recommend.recommendation import Goal, Limits
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Data, NumbersModel, Training, Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine
from tests.recommend.test_batch_and_strategy import one


def advised(
    name: str, *keys: str, counts: tuple[int, ...] = (1, 2, 4, 8), goal: Goal = "time", batch: int | None = None
) -> AdviceRecord:
    workload = load_workload(name, overrides={"batch_size": batch})
    request = AdviceRequest(
        workload=workload,
        measure=False,
        gpu_keys=keys or None,
        counts=counts,
        goal=goal,
        fixed=Fixed(batch_size=batch is not None),
    )
    return advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(workload))))


def test_sixteen_cards_hold_what_eight_hold() -> None:
    advice = advised("llama_8b", "h100-sxm", counts=(16,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.count == 16
    assert chosen.strategy in {"zero2", "fsdp"}


def test_the_bound_on_the_batch_is_named_where_nothing_smaller_fits_on_so_many() -> None:
    one_each = load_workload("bert_base_sst2", overrides={"batch_size": 1})
    request = AdviceRequest(workload=one_each, measure=False, gpu_keys=("rtx4090",), counts=(256,))
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(one_each))))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.count == 256
    beyond = next(reason for reason in chosen.why if reason.code == "why-batch-beyond")
    assert beyond.numbers == {
        "batch": 1, "steps": 1, "global_batch": 256, "global_limit": 8, "count": 256, "bound": "growth",
            "lacking": "room",
    }  # fmt: skip


def test_a_fixed_batch_and_precision_that_only_off_loading_holds_are_kept_by_it() -> None:
    model = NumbersModel(parameters=1e9, flop_per_sample=6e12, activation_bytes_per_sample=2.6e9)
    training = Training(precision="bf16_amp", batch_size=4, optimizer="adamw", epochs=1)
    workload = Workload(name="large", model=model, data=Data(samples=1000), training=training)
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx4090",), counts=(1,),
        fixed=Fixed(batch_size=True, precision=True),
    )  # fmt: skip
    tables = {traced: table_from_numbers(model, traced) for traced in sorted(set(TRACE_PRECISIONS.values()))}
    advice = advice_from_facts(request, Facts(machine=machine(), tables=tables))
    whole = [one for one in advice.predictions if (one.strategy, one.precision) == ("single", "bf16_amp")]
    assert {one.fits for one in whole if one.batch_size_per_device in {1, 4}} == {True, False}
    chosen = advice.recommendation
    assert chosen is not None
    assert (chosen.strategy, chosen.precision, chosen.batch_size_per_device) == ("fsdp_offload", "bf16_amp", 4)
    assert "caveat-precision-not-kept" not in {reason.code for reason in advice.caveats}


def test_the_batch_that_the_user_fixes_is_kept_and_a_better_one_is_an_alternative() -> None:
    advice = advised("bert_base_sst2", "rtx4090", counts=(1,), batch=16)
    chosen = advice.recommendation
    assert chosen is not None
    assert (chosen.batch_size_per_device, chosen.gradient_accumulation_steps) == (16, 1)
    assert "why-batch-fixed" in {reason.code for reason in chosen.why}
    freed = [other for other in advice.alternatives if other.reason.code == "alternative-freed"]
    assert len(freed) == 1
    assert freed[0].batch_size_per_device > 16
    assert all(advice.predictions[place].batch_size_per_device == 16 for place in advice.best_set_ups)


def test_more_passes_of_the_batch_that_is_fixed_are_told_as_such() -> None:
    advice = advised("gpt2_small", "rtx4090", counts=(2,), batch=7)
    chosen = advice.recommendation
    assert chosen is not None
    freed = next(other for other in advice.alternatives if other.reason.code == "alternative-freed")
    assert freed.batch_size_per_device == 7
    assert freed.gradient_accumulation_steps > chosen.gradient_accumulation_steps
    assert f"batch size 7 in {freed.gradient_accumulation_steps} passes" in say(freed.reason, "en")
    assert f"批大小 7（累积 {freed.gradient_accumulation_steps} 次）" in say(freed.reason, "zh")


def test_inside_a_tie_of_energies_the_least_expected_one_is_taken_and_said() -> None:
    advice = advised("bert_base_sst2", goal="energy")
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.tied_with
    entered = [advice.predictions[place] for place in advice.best_set_ups]
    least = min(one.energy_j.value for one in entered if one.energy_j is not None)
    said = next(reason for reason in chosen.why if reason.code == "why-tie-energy")
    assert said.numbers["energy_j"] == least


def test_a_disturbed_measurement_never_beats_a_card_that_it_does_not_reach() -> None:
    card = one(16, 100)
    cpu = msgspec.structs.replace(
        card,
        device=msgspec.structs.replace(card.device, key="cpu", name="CPU", local=True),
        step_s=msgspec.structs.replace(card.step_s, basis="measured"),
        job_s=Estimate(value=125.0, low=115.0, high=135.0, basis="measured"),
    )
    card = msgspec.structs.replace(card, job_s=Estimate(value=100.0, low=90.0, high=110.0, basis="specified"))
    rows = rank([cpu, card], "time", {"cpu": "contended"})
    assert [row.prediction.device.key for row in leaders(rows, "time")] == [card.device.key]


def test_a_tie_of_times_that_read_alike_is_decided_by_none_of_them() -> None:
    advice = advised("iris_mlp", "a100-sxm4-80", "l40s", counts=(1,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.tied_with
    codes = {reason.code for reason in chosen.why}
    assert "why-tie-alike" in codes
    assert "why-tie-time" not in codes
    assert "why-hosts-assumed" not in codes


def test_a_fixed_batch_that_fits_nowhere_is_refused_and_what_would_be_advised_without_it_is_told() -> None:
    advice = advised("llama_8b", "h100-sxm", counts=(8,), batch=4096)
    assert advice.recommendation is None
    codes = [reason.code for reason in advice.caveats]
    assert codes[:2] == ["caveat-batch-not-kept", "alternative-unfixed"]
    assert "caveat-nothing-fits" not in codes
    instead = next(other for other in advice.alternatives if other.reason.code == "alternative-unfixed")
    assert instead.batch_size_per_device < 4096
    kept = [one for one in advice.predictions if one.batch_size_per_device == 4096]
    assert kept
    assert {one.fits for one in kept} == {False}


def test_a_fixed_batch_is_kept_by_sharding_where_one_card_does_not_hold_it() -> None:
    advice = advised("llama_8b", "h100-sxm", counts=(8,), batch=48)
    assert advice.recommendation is not None
    assert advice.recommendation.batch_size_per_device == 48


def test_a_batch_far_beyond_what_fits_is_made_up_of_passes_that_fit() -> None:
    workload = load_workload("vit_base", overrides={"batch_size": 100_000})
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=("rtx4090",), counts=(1, 2))
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(workload))))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.strategy in {"single", "ddp"}
    assert chosen.batch_size_per_device * chosen.gradient_accumulation_steps == 100_000


def test_a_card_without_the_fixed_precision_is_advised_with_the_one_that_stands_in_for_it() -> None:
    workload = load_workload("resnet50", overrides={"precision": "bf16_amp"})
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("v100-sxm2-32",), counts=(1,), fixed=Fixed(precision=True)
    )
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(workload))))
    assert advice.recommendation is not None
    assert advice.recommendation.precision == "fp16_amp"
    assert "caveat-precision-not-kept" not in {reason.code for reason in advice.caveats}


def test_one_card_that_does_not_hold_the_batch_accumulates_to_it() -> None:
    advice = advised("llama_8b_lora", "rtx4090", counts=(1,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.global_batch_size == 4
    assert chosen.batch_size_per_device < 4
    own = next(reason for reason in chosen.why if reason.code == "why-accumulation-own")
    steps, batch = chosen.gradient_accumulation_steps, chosen.batch_size_per_device
    assert own.numbers == {
        "device": "GeForce RTX 4090", "own_batch": 4, "batch": batch, "steps": steps, "samples": steps * batch,
    }  # fmt: skip
    assert "micro-batches of 2, which is 4 samples a step" in say(own, "en")
    assert "2 个大小为 2 的微批，即每步 4 个样本" in say(own, "zh")
    told = {reason.code for reason in chosen.why}
    assert not told & {"why-batch-own-does-not-fit", "why-batch-own-unknown"}, "that it lacks room is said once"


def test_one_card_that_off_loads_is_said_to_and_why() -> None:
    advice = advised("llama_8b_lora", "rtx4090", counts=(1,), batch=4)
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.strategy == "fsdp_offload"
    assert "RTX 4090, FSDP with CPU off-load, batch size 4" in set_up_line(chosen, "en")
    assert "RTX 4090，策略 FSDP（CPU 卸载），批大小 4" in set_up_line(chosen, "zh")
    why = next(reason for reason in chosen.why if reason.code == "why-sharded-batch")
    assert "does not hold a step of batch size 4, so what it does not need at once rests" in say(why, "en")


def test_several_cards_that_split_a_step_are_said_to_and_why() -> None:
    chosen = advised("gpt2_small", "rtx4090", counts=(4,), batch=32).recommendation
    assert chosen is not None
    why = next(reason for reason in chosen.why if reason.code == "why-sharded-batch")
    assert "so it is spread over 4" in say(why, "en")
    assert "分布到 4 张卡上" in say(why, "zh")


def asked(
    name: str, *keys: str, counts: tuple[int, ...] = (1,), samples: int | None = None, **training: object
) -> AdviceRecord:
    """The advice for a workload whose batch size is its own and not fixed."""
    workload = with_training(load_workload(name), **training)
    if samples is not None:
        workload = msgspec.structs.replace(workload, data=msgspec.structs.replace(workload.data, samples=samples))
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=keys, counts=counts)
    return advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(workload))))


def test_a_batch_that_nothing_divides_is_made_up_to_just_below_it() -> None:
    advice = asked("llama_8b_lora", "rtx4090", counts=(1, 8), batch_size=97)
    chosen = advice.recommendation
    assert chosen is not None
    assert (chosen.count, chosen.batch_size_per_device, chosen.gradient_accumulation_steps) == (8, 2, 48)
    own = next(reason for reason in chosen.why if reason.code == "why-accumulation-own")
    assert own.numbers["samples"] == 96


def served(parameters: float, batch: int, *keys: str, counts: tuple[int, ...] = (1,)) -> AdviceRecord:
    """The advice for inference with a model of so many parameters."""
    model = NumbersModel(parameters=parameters, flop_per_sample=6 * parameters, activation_bytes_per_sample=1e8)
    training = Training(precision="fp32", batch_size=batch, mode="inference")
    workload = Workload(name="served", model=model, data=Data(samples=1_000_000), training=training)
    tables = {traced: table_from_numbers(model, traced) for traced in sorted(set(TRACE_PRECISIONS.values()))}
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=keys, counts=counts)
    return advice_from_facts(request, Facts(machine=machine(), tables=tables))


def test_inference_takes_what_fits_and_accumulates_nothing() -> None:
    advice = served(1e8, 100_000, "rtx4090")
    assert {one.gradient_accumulation_steps for one in advice.predictions} == {1}
    chosen = advice.recommendation
    assert chosen is not None
    assert 1 < chosen.batch_size_per_device < 1560, "the least that is tried of so many"
    assert "why-accumulation-own" not in {reason.code for reason in chosen.why}


def test_what_is_made_up_on_several_cards_never_goes_beyond_the_data_set() -> None:
    advice = asked("vit_base", "rtx4090", counts=(1, 2, 8), samples=5000, batch_size=4000)
    made = [one for one in advice.predictions if one.gradient_accumulation_steps > 4]
    assert {one.count for one in made} >= {1, 2}
    assert all(one.global_batch_size <= 5000 for one in made if one.fits)
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.global_batch_size <= 5000


def test_nothing_is_said_to_be_beyond_a_card_that_was_not_judged_so() -> None:
    advice = asked("vit_base", "rtx4090", counts=(1, 8), batch_size=64, gradient_accumulation_steps=8)
    chosen = advice.recommendation
    assert chosen is not None
    judged = {one.fits for one in advice.predictions if one.batch_size_per_device == 64 and one.count == chosen.count}
    assert judged == {True}
    assert "why-accumulation-own" not in {reason.code for reason in chosen.why}


def held(global_batch_size: int, *, batch: int | None = None) -> AdviceRecord:
    name = "llama_8b" if batch is None else "llama_8b_lora"
    workload = load_workload(name, overrides={"batch_size": batch})
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx4090",), counts=(1, 2, 4, 8),
        global_batch_size=global_batch_size, fixed=Fixed(batch_size=batch is not None),
    )  # fmt: skip
    return advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(workload))))


def test_a_global_batch_that_was_asked_for_is_kept_by_sharded_set_ups_too() -> None:
    advice = held(96)
    sharded = [one for one in advice.predictions if one.strategy not in {"single", "dp", "ddp"}]
    assert sharded
    assert {one.global_batch_size for one in advice.predictions} == {96}
    chosen = advice.recommendation
    assert chosen is not None
    codes = {reason.code for reason in chosen.why}
    assert {"why-sharded", "why-batch-held", "why-accumulation-held"} <= codes


def test_a_fixed_batch_makes_up_the_global_batch_that_was_asked_for() -> None:
    advice = held(96, batch=2)
    chosen = advice.recommendation
    assert chosen is not None
    assert (chosen.batch_size_per_device, chosen.global_batch_size) == (2, 96)
    assert "caveat-batch-not-kept" not in {reason.code for reason in advice.caveats}


def test_what_is_not_kept_is_not_laid_to_the_limits() -> None:
    workload = load_workload("llama_8b_lora", overrides={"batch_size": 97})
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx4090",), counts=(1,), fixed=Fixed(batch_size=True),
        limits=Limits(max_power_w=1e6),
    )  # fmt: skip
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(workload))))
    assert advice.recommendation is None
    codes = {reason.code for reason in advice.caveats}
    assert "caveat-batch-not-kept" in codes
    assert "caveat-nothing-in-limits" not in codes


def test_a_batch_that_only_a_less_exact_precision_holds_is_said_not_to_fit() -> None:
    work = with_training(load_workload("vit_base"), precision="fp32", batch_size=192)
    request = AdviceRequest(
        workload=work, measure=False, gpu_keys=("rtx4090",), counts=(1,), fixed=Fixed(batch_size=True),
        host_memory_bytes=1e9,
    )  # fmt: skip
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(work))))
    alone = [one for one in advice.predictions if (one.strategy, one.batch_size_per_device) == ("single", 192)]
    assert {one.precision: one.fits for one in alone} == {"fp32": False, "tf32": False, "bf16_amp": True}
    assert advice.recommendation is None
    assert "caveat-batch-not-kept" in {reason.code for reason in advice.caveats}


def test_one_sample_is_tried_before_the_hosts_memory_is_said_to_lack() -> None:
    work = with_training(load_workload("llama_8b"), batch_size=100_000)
    request = AdviceRequest(
        workload=work, measure=False, gpu_keys=("rtx4090",), counts=(1,), host_memory_bytes=1e9
    )  # fmt: skip
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(work))))
    told = {reason.code for reason in advice.caveats}
    assert {"caveat-nothing-fits-host", "memory-host-given-short"} <= told
    alone = {one.precision for one in advice.predictions if one.batch_size_per_device == 1}
    assert alone == {one.precision for one in advice.predictions}


def test_inference_is_spread_over_desktop_cards_where_none_holds_it_and_over_no_laptops() -> None:
    advice = served(1e10, 1, "l4", "rtx4060-laptop", counts=(1, 2, 4))
    counts = {
        key: {one.count for one in advice.predictions if one.device.key == key} for key in ("l4", "rtx4060-laptop")
    }
    assert counts == {"l4": {1, 2, 4}, "rtx4060-laptop": {1}}


def test_a_laptop_that_is_asked_for_several_times_is_said_to_be_one() -> None:
    several = asked("vit_base", "rtx4090-laptop", counts=(2, 4))
    told = several.caveats[0]
    assert told.code == "scaling-lone-card-not-kept"
    assert "judged as one card, not as the 2, 4" in say(told, "en")
    assert "按一张卡评估" in say(told, "zh")
    assert "scaling-lone-card" in {one.code for one in asked("vit_base", "rtx4090-laptop", counts=(1, 2)).caveats}
    alone = {one.code for one in asked("vit_base", "rtx4090-laptop", counts=(1,)).caveats}
    assert not {code for code in alone if code.startswith("scaling-lone-card")}


def over_ethernet(words: str | None) -> AdviceRecord:
    workload = load_workload("resnet50")
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx4090",), counts=(4,), node_count=4,
        interconnect=words,
    )  # fmt: skip
    return advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(workload))))


def test_a_network_that_nobody_stated_is_called_assumed() -> None:
    chosen = over_ethernet(None).recommendation
    assert chosen is not None
    told = next(reason for reason in chosen.why if reason.code == "why-communication-machines")
    assert "(assumed)" in say(told, "en")
    assert "（假定值）" in say(told, "zh")
    assert "gradients cross" in say(told, "en")
    split = Reason.of(told.code, **{**told.numbers, "strategy": "tp"})
    assert "weights and gradients cross" in say(split, "en")


def test_what_crosses_a_network_is_told_of_the_network_and_a_named_link_is_not_called_unknown() -> None:
    advice = over_ethernet("1 Gbit Ethernet")
    assert advice.recommendation is not None
    why = {reason.code: reason for reason in advice.recommendation.why}
    assert why["why-communication-machines"].numbers["rate_bytes_per_s"] == 125e6
    assert why["why-communication-machines"].numbers["origin"] == "stated"
    assert "why-communication-no-nvlink" not in why
    assert "change-link" not in {reason.code for reason in advice.recommendation.would_change_if}
    codes = {reason.code for reason in advice.caveats}
    assert "caveat-wide-known-link" in codes
    assert "caveat-wide-link" not in codes


def test_strict_fp32_is_told_where_tf32_would_gain_alone() -> None:
    launch_bound, dense = (
        advised("iris_mlp", "h100-sxm", counts=(1,)),
        advised("unet_vgg16", "a100-sxm4-40", counts=(1,)),
    )
    told = [{reason.code for reason in one.recommendation.why} for one in (launch_bound, dense) if one.recommendation]
    assert [("why-fp32-is-strict" in codes) for codes in told] == [False, True]
