"""What the user fixes is kept, ties are decided by a stated figure, and what fits beyond the batch bound is kept."""

from __future__ import annotations

import msgspec

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.core.sentences import say
from advisor.core.units import Estimate
from advisor.optable.saved_tables import saved_tables
from advisor.optable.totals import table_from_numbers
from advisor.recommend.fixed import Fixed
from advisor.recommend.ranking import leaders, rank
from advisor.recommend.recommendation import Goal
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Data, NumbersModel, Training, Workload
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
    advice = advised("bert_base_sst2", "rtx4090", counts=(256,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.count == 256
    beyond = next(reason for reason in chosen.why if reason.code == "why-batch-beyond")
    assert beyond.numbers == {"batch": 1, "global_batch": 256, "global_limit": 128, "count": 256}


def test_a_fixed_batch_and_precision_that_only_off_loading_holds_are_kept_by_it() -> None:
    model = NumbersModel(parameters=1e9, flop_per_sample=6e12, activation_bytes_per_sample=2.2e9)
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
    advice = advised("iris_mlp", "rtx4090", "l40s", counts=(1,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.tied_with
    codes = {reason.code for reason in chosen.why}
    assert "why-tie-alike" in codes
    assert "why-tie-time" not in codes


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
    assert own.numbers == {"steps": chosen.gradient_accumulation_steps, "own_batch": 4}


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
    told = next(reason for reason in chosen.why if reason.code == "why-communication-network")
    assert "(assumed)" in say(told, "en")
    assert "（假定值）" in say(told, "zh")


def test_what_crosses_a_network_is_told_of_the_network_and_a_named_link_is_not_called_unknown() -> None:
    advice = over_ethernet("1 Gbit Ethernet")
    assert advice.recommendation is not None
    why = {reason.code: reason for reason in advice.recommendation.why}
    assert why["why-communication-network"].numbers["rate_bytes_per_s"] == 125e6
    assert why["why-communication-network"].numbers["origin"] == "stated"
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
