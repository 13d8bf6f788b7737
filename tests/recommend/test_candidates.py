"""Which set-ups are worth predicting."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.gpu_spec import is_laptop
from advisor.catalogue.links import Machines
from advisor.catalogue.precisions import PRECISIONS, Precision
from advisor.catalogue.spec_table import spec_table
from advisor.core.errors import InputError
from advisor.core.units import Estimate
from advisor.cost.operators.device_rates import missing_figures
from advisor.predict.prediction import Prediction
from advisor.recommend.candidates import (
    DEFAULT_GPU_KEYS,
    batch_sizes_around,
    enumerate_candidates,
    local_gpu_groups,
)
from advisor.recommend.precisions import (
    at_least_as_exact,
    autocast_for,
    precisions_of_cpu,
    precisions_of_gpu,
    sensible_precisions,
    stand_in,
)
from advisor.recommend.smaller_candidates import sharded_candidates
from advisor.workload.workload import HuggingFaceModel, with_training
from tests.recommend.fakes import CPU, SPECS, TRANSFORMER, gpu, machine, predict_all, workload


@given(st.integers(1, 1_000_000))
def test_twelve_batch_sizes_hold_the_workloads_own(batch_size: int) -> None:
    sizes = batch_sizes_around(batch_size)
    assert len(sizes) == 12
    assert batch_size in sizes
    assert list(sizes) == sorted(set(sizes))
    assert 1 <= sizes[0] <= sizes[-1] <= 1_000_000


def test_of_a_single_sample_the_sizes_that_people_use_are_tried() -> None:
    assert batch_sizes_around(1) == (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 256)


def test_a_batch_size_at_the_limit_is_joined_by_smaller_ones_of_its_own_order() -> None:
    sizes = batch_sizes_around(1_000_000)
    assert sizes[0] == 15_600
    assert {100_000, 200_000, 300_000, 400_000, 600_000, 750_000} <= set(sizes)


def test_by_default_the_machines_devices_and_five_cards_are_tried_one_to_eight_times() -> None:
    found = enumerate_candidates(workload(), machine(gpu()), SPECS)
    assert {one.device.key for one in found} == {"cpu", "GPU-00000000", *DEFAULT_GPU_KEYS}
    assert {one.count for one in found if one.device.key == "rtx4090"} == {1, 2, 4, 8}
    assert {one.count for one in found if one.device.local} == {1}
    assert {one.strategy for one in found if one.count == 1} == {"single"}
    assert {one.strategy for one in found if one.count > 1} == {"dp", "ddp"}


def test_a_precision_that_a_card_lacks_is_left_out() -> None:
    found = enumerate_candidates(workload("tf32"), machine(), SPECS)
    assert "tf32" not in {one.precision for one in found if one.device.key == "v100-sxm2-32"}
    assert "tf32" in {one.precision for one in found if one.device.key == "rtx3090"}


def test_alike_local_gpus_join_and_mig_slices_stand_alone() -> None:
    four = machine(*(gpu(index) for index in range(3)), gpu(3, mig_enabled=True), gpu(4, usable=False))
    assert [len(group) for group in local_gpu_groups(four)] == [3, 1]
    found = enumerate_candidates(workload(), four, SPECS, gpu_keys=())
    assert {one.count for one in found if one.device.key == "GPU-00000000"} == {1, 2, 3}
    assert {one.count for one in found if one.device.key == "GPU-00000003"} == {1}


def test_a_gpu_that_hides_its_uuid_is_named_by_its_index() -> None:
    found = enumerate_candidates(workload(), machine(gpu(uuid=None)), SPECS, gpu_keys=())
    assert {one.device.key for one in found} == {"cpu", "gpu0"}


def test_an_unknown_gpu_key_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="rtx9999") as refused:
        enumerate_candidates(workload(), machine(), SPECS, gpu_keys=("rtx9999",))
    assert "rtx4090" in refused.value.remedy


def test_a_global_batch_is_held_exactly_by_accumulation() -> None:
    found = enumerate_candidates(workload(batch_size=16), machine(), SPECS, global_batch_size=96)
    assert found
    totals = {one.batch_size_per_device * one.count * one.gradient_accumulation_steps for one in found}
    assert totals == {96}
    assert any(one.gradient_accumulation_steps > 1 for one in found)


def test_ddp_at_the_workloads_batch_is_also_tried_with_more_accumulation() -> None:
    found = enumerate_candidates(workload(gradient_accumulation_steps=2), machine(), SPECS)
    steps = {one.gradient_accumulation_steps for one in found if one.strategy == "ddp"}
    assert steps == {1, 2, 4, 8}, "two cards and more may also take over what one accumulates"
    assert {one.gradient_accumulation_steps for one in found if one.strategy == "dp"} == {1, 2}


def test_only_what_is_asked_for_is_enumerated() -> None:
    found = enumerate_candidates(
        workload(), machine(gpu()), SPECS, gpu_keys=("rtx4090", "rtx4090"), counts=(2,), precisions=("fp32",),
        batch_sizes=(8,), strategies=("ddp",), local=False,
    )  # fmt: skip
    assert [(one.device.key, one.count, one.strategy) for one in found] == [("rtx4090", 2, "ddp")]


def test_no_counts_give_no_candidates() -> None:
    assert enumerate_candidates(workload(), machine(), SPECS, counts=()) == ()


def test_sharding_is_tried_only_where_nothing_fits() -> None:
    work = workload()
    candidates = enumerate_candidates(work, machine(gpu()), SPECS, gpu_keys=("a100-sxm4-40", "rtx3090"))
    physics = TRANSFORMER.__class__(memory_fixed_bytes=30e9)
    further = sharded_candidates(work, predict_all(candidates, physics, work))
    assert {one.device.key for one in further} == {"rtx3090", "GPU-00000000"}
    assert {one.strategy for one in further if one.count == 1} == {"fsdp_offload"}
    assert {"zero2", "fsdp", "tp", "pp"} <= {one.strategy for one in further if one.count > 1}
    assert {one.count for one in further if one.device.local} == {1}
    assert {one.batch_size_per_device for one in further} == {1, 2, 4, 8, work.training.batch_size}


@pytest.mark.parametrize("own_steps", [1, 2])
def test_what_is_off_loaded_is_tried_with_four_times_the_micro_batches_on_one_card_too(own_steps: int) -> None:
    work = workload(gradient_accumulation_steps=own_steps)
    found = enumerate_candidates(work, machine(), SPECS, gpu_keys=("rtx3090",), counts=(1, 2), local=False)
    known = [msgspec.structs.replace(one, fits=False) for one in predict_all(found, TRANSFORMER, work)]
    further = sharded_candidates(work, known, (1, 2))
    for count in (1, 2):
        passes = {
            one.gradient_accumulation_steps for one in further if (one.strategy, one.count) == ("fsdp_offload", count)
        }
        assert {own_steps, 4 * own_steps} <= passes


@pytest.mark.parametrize(("config", "counts"), [({"num_attention_heads": 12}, {2, 4}), ({"n_head": 32}, {2, 4, 8, 16})])
def test_layers_are_not_split_over_more_cards_than_deal_out_their_heads(
    config: dict[str, object], counts: set[int]
) -> None:
    work = msgspec.structs.replace(workload(), model=HuggingFaceModel(config=config))
    candidates = enumerate_candidates(work, machine(), SPECS, gpu_keys=("l40s",), local=False)
    known = [msgspec.structs.replace(one, fits=False) for one in predict_all(candidates, TRANSFORMER, work)]
    further = sharded_candidates(work, known, (1, 2, 4, 8, 16))
    assert {one.count for one in further if one.strategy == "tp"} == counts
    assert {one.count for one in further if one.strategy == "fsdp"} == {2, 4, 8, 16}


@pytest.mark.parametrize(("each", "counts"), [(16, {8, 16, 128}), (8, {8, 16, 128}), (4, set())])
def test_layers_are_split_among_the_cards_of_one_host_alone(each: int, counts: set[int]) -> None:
    work = msgspec.structs.replace(workload(), model=HuggingFaceModel(config={"num_attention_heads": 128}))
    candidates = enumerate_candidates(
        work, machine(), SPECS, gpu_keys=("l40s",), counts=(8, 16, 17, 128), machines=Machines(32, each), local=False
    )
    known = [msgspec.structs.replace(one, fits=False) for one in predict_all(candidates, TRANSFORMER, work)]
    further = sharded_candidates(work, known, (8, 16, 17, 128), machines=Machines(32, each))
    assert {one.count for one in further if one.strategy == "tp"} == counts


def test_a_count_whose_copies_do_not_fit_is_sharded_though_one_card_holds_the_model() -> None:
    work = workload()
    candidates = enumerate_candidates(work, machine(), SPECS, gpu_keys=("l40s",), counts=(1, 2, 4), local=False)
    known = [msgspec.structs.replace(one, fits=one.count == 1) for one in predict_all(candidates, TRANSFORMER, work)]
    further = sharded_candidates(work, known, (1, 2, 4, 8))
    assert {one.count for one in further} == {2, 4}
    assert {one.strategy for one in further} >= {"zero2", "fsdp"}


def test_where_whole_copies_may_run_out_of_memory_sharding_is_tried_beside_them() -> None:
    work = workload()
    own = work.training.batch_size
    candidates = enumerate_candidates(work, machine(), SPECS, gpu_keys=("l40s",), counts=(1, 2, 4), local=False)

    def needing(made: Prediction, high: float) -> Prediction:
        need = Estimate(value=high * 0.9, low=high * 0.8, high=high, basis="specified")
        return msgspec.structs.replace(made, fits=True, peak_memory_bytes=need, memory_capacity_bytes=48 * 2.0**30)

    known = [
        needing(one, 47e9 if one.count == 4 and one.batch_size_per_device < own else 60e9)
        for one in predict_all(candidates, TRANSFORMER, work)
    ]
    further = sharded_candidates(work, known, (1, 2, 4, 8))
    assert {one.count for one in further} == {2, 4}, "one card cannot shard, eight were not tried"
    assert {one.strategy for one in further} == {"zero2", "fsdp"}, "neither off-loaded nor split in pieces"
    risky = {one.batch_size_per_device for one in known if one.count == 4 and one.may_run_out}
    assert {one.batch_size_per_device for one in further if one.count == 4} >= {*risky, own}
    roomy = [needing(one, 47e9 if one.batch_size_per_device <= own else 60e9) for one in known]
    assert sharded_candidates(work, roomy, (1, 2, 4, 8)) == ()


def test_precisions_follow_the_card_and_its_compute_capability() -> None:
    wanted: tuple[Precision, ...] = ("fp32", "tf32", "bf16_amp", "fp16_amp", "fp16")
    assert precisions_of_gpu(SPECS["v100-sxm2-32"], wanted) == ("fp32", "fp16_amp", "fp16")
    assert precisions_of_gpu(None, wanted) == ("fp32",)
    assert precisions_of_gpu(None, wanted, "7.5") == ("fp32", "fp16_amp", "fp16")
    assert precisions_of_gpu(None, wanted, "9.0") == wanted
    assert precisions_of_gpu(None, ("tf32",)) == ("fp32",)


def test_weights_of_sixteen_bits_are_those_that_a_card_has_where_no_gradient_can_vanish() -> None:
    wanted: tuple[Precision, ...] = ("bf16_true", "fp32")
    assert precisions_of_gpu(SPECS["v100-sxm2-32"], wanted, forward_alone=True) == ("fp16_true", "fp32")
    assert precisions_of_gpu(SPECS["v100-sxm2-32"], wanted) == ("fp32",)
    assert precisions_of_gpu(SPECS["rtx4090"], wanted, forward_alone=True) == wanted


def test_a_cpu_gets_bf16_only_with_instructions_for_it() -> None:
    plain = msgspec.structs.replace(CPU, instruction_sets=("avx2",))
    assert precisions_of_cpu(CPU, ("fp16_amp",)) == ("fp32", "bf16_amp")
    assert precisions_of_cpu(plain, ("fp16_amp",)) == ("fp32",)
    assert precisions_of_cpu(CPU, ("fp32", "tf32")) == ("fp32",)


def test_the_workloads_precision_comes_first_and_none_less_exact_may_stand_in() -> None:
    assert sensible_precisions(workload("bf16_amp")) == ("bf16_amp", "fp32", "tf32")
    assert sensible_precisions(workload("fp16")) == ("fp16", "fp32", "tf32", "fp16_amp")
    for asked in PRECISIONS:
        assert at_least_as_exact("fp32", asked)
        assert at_least_as_exact(asked, asked)
    assert not at_least_as_exact("tf32", "fp32")
    assert at_least_as_exact("bf16_amp", "fp16_amp")


@pytest.mark.parametrize(("key", "half"), [("l4", "bf16_amp"), ("a100-sxm4-40", "bf16_amp"), ("t4", "fp16_amp")])
def test_who_trains_in_fp32_is_told_of_bf16_where_the_card_computes_in_it(key: str, half: Precision) -> None:
    plain = workload("fp32")
    assert sensible_precisions(plain) == ("fp32", "tf32", "bf16_amp")
    assert precisions_of_gpu(spec_table()[key], sensible_precisions(plain))[-1] == half
    assert autocast_for(plain, spec_table()[key]) == half


@pytest.mark.parametrize(
    ("name", "half"),
    [("float16", "fp16_amp"), ("torch.float16", "fp16_amp"), ("bfloat16", "bf16_amp"), ("", "bf16_amp")],
)
def test_a_model_published_in_fp16_is_told_of_fp16(name: str, half: Precision) -> None:
    model = HuggingFaceModel(config={"model_type": "opt", "torch_dtype": name})
    published = msgspec.structs.replace(workload("fp32"), model=model)
    assert sensible_precisions(published) == ("fp32", "tf32", half)
    assert autocast_for(published, spec_table()["h100-sxm"]) == half


def test_inference_is_judged_on_one_card_since_copies_exchange_nothing() -> None:
    serving = with_training(workload(), mode="inference")
    assert {one.count for one in enumerate_candidates(serving, machine(), SPECS)} == {1}


def test_the_precision_asked_for_stands_for_itself_else_the_nearest_that_is_no_less_exact() -> None:
    assert stand_in(("fp32", "tf32", "bf16_amp"), "tf32") == "tf32"
    assert stand_in(("fp32", "bf16_amp"), "tf32") == "fp32"
    assert stand_in(("bf16_amp",), "fp32") is None


def test_a_batch_that_does_not_make_up_the_global_one_in_whole_passes_is_left_out() -> None:
    found = enumerate_candidates(
        workload(), machine(), SPECS, counts=(1, 2), batch_sizes=(7, 32, 48, 96), global_batch_size=96
    )
    tried = {(one.count, one.batch_size_per_device, one.gradient_accumulation_steps) for one in found}
    assert tried == {(1, 32, 3), (1, 48, 2), (1, 96, 1), (2, 48, 1)}


def test_a_card_whose_tensor_cores_rate_nobody_told_is_compared_in_no_other_precision_than_the_one_asked_for() -> None:
    assert precisions_of_gpu(spec_table()["rtx5090d"], ("bf16_amp", "fp32", "tf32")) == ("bf16_amp",)
    assert precisions_of_gpu(spec_table()["rtx5090d"], ("fp32", "tf32", "bf16_amp")) == ("fp32",)
    for precision in ("bf16_amp", "fp16_amp", "tf32", "default", "fp8"):
        told = missing_figures(spec_table()["rtx5090d"], precision)
        assert told is not None
        assert (told.code, told.numbers["fields"]) == ("predict-missing-figures", "fp16_flop_per_s")
    assert missing_figures(spec_table()["rtx5090d"], "fp32") is None


def test_a_laptop_has_one_card_and_so_has_a_chip_with_the_processors_memory() -> None:
    specs = spec_table()
    laptops = tuple(key for key, spec in specs.items() if is_laptop(spec.name))
    assert {specs[key].name for key in laptops} == {
        spec.name for spec in specs.values() if spec.name.endswith(" Laptop")
    }
    assert not is_laptop("RTX PRO 6000 Blackwell Max-Q"), "a desktop's card"
    assert all(map(is_laptop, ("NVIDIA GeForce RTX 2080 with Max-Q Design", "Quadro P5000 Mobile")))
    alone = (*laptops, "dgx-spark")
    found = enumerate_candidates(workload(), machine(), specs, gpu_keys=(*alone, "rtx4090"), counts=(2, 4), local=False)
    assert {one.count for one in found if one.device.key in alone} == {1}
    assert {one.count for one in found if one.device.key == "rtx4090"} == {2, 4}
