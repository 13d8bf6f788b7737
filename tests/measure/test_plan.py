"""What is planned for which device, and which batch sizes the trace makes of it."""

from __future__ import annotations

import itertools

import msgspec
import pytest

from advisor.core.errors import InputError
from advisor.hardware.machine import Cpu, Gpu, HostMemory, Machine, MigInstance, Software
from advisor.measure.batch_choice import choose, ladder
from advisor.measure.plan import cpu_precisions, make_plan
from advisor.workload.workload import Data, NumbersModel, TemplateModel, Training, Workload, with_training

CPU = Cpu(
    name="Processor", architecture="x86_64", physical_core_count=4, logical_core_count=8, usable_core_count=8,
    cgroup_core_limit_count=None, max_clock_hz=None, instruction_sets=("avx2",),
)  # fmt: skip
CARD = Gpu(uuid="GPU-1", index=0, vendor="nvidia", name="Card", memory_total_bytes=24 << 30, memory_free_bytes=20 << 30)
MACHINE = Machine(
    cpu=CPU,
    memory=HostMemory(total_bytes=64 << 30, available_bytes=32 << 30, cgroup_limit_bytes=None),
    software=Software(os="Linux", python="3.11"),
)
WORKLOAD = Workload(
    name="mlp",
    model=TemplateModel(template="mlp", layers=(4, 10, 3)),
    data=Data(samples=1000),
    training=Training(precision="fp32", batch_size=16),
)


@pytest.fixture(autouse=True)
def _no_thread_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def _with(*gpus: Gpu) -> Machine:
    return msgspec.structs.replace(MACHINE, gpus=gpus)


def test_the_budget_is_shared_among_all_devices() -> None:
    plan = make_plan(WORKLOAD, _with(CARD), budget_s=30)
    assert [device.key for device in plan.devices] == ["cpu", "GPU-1"]
    assert sum(device.budget_s for device in plan.devices) == pytest.approx(30)
    assert all(0 < device.calibration_s < device.budget_s / 2 for device in plan.devices)
    assert not plan.full_method
    assert make_plan(WORKLOAD, MACHINE, budget_s=60).full_method


def test_a_batch_and_the_worker_around_it_take_less_than_what_the_worker_is_ended_at() -> None:
    (cpu,) = make_plan(WORKLOAD, MACHINE, budget_s=30).devices
    assert cpu.memory_limit_bytes == int(0.9 * MACHINE.memory.available_bytes) - 2**30


def test_a_gpu_is_chosen_by_its_uuid_in_the_worker_and_the_processor_sees_none() -> None:
    cpu, gpu = make_plan(WORKLOAD, _with(CARD), budget_s=30).devices
    assert (cpu.torch_device, cpu.visible) == ("cpu", "")
    assert (gpu.torch_device, gpu.visible) == ("cuda", "GPU-1")
    assert gpu.memory_limit_bytes is not None
    assert gpu.memory_limit_bytes < (20 << 30)


def test_alike_gpus_are_represented_by_one_where_time_is_short() -> None:
    cards = [msgspec.structs.replace(CARD, uuid=f"GPU-{index}", index=index) for index in range(8)]
    plan = make_plan(WORKLOAD, _with(*cards), budget_s=30)
    skipped = [device for device in plan.devices if device.skipped is not None]
    assert len(skipped) >= 5
    assert {device.skipped.code for device in skipped if device.skipped} == {"measure-like-another"}
    assert make_plan(WORKLOAD, _with(*cards), budget_s=120).devices[-1].skipped is None


def test_unlike_gpus_come_before_a_second_of_the_same_kind() -> None:
    cards = [msgspec.structs.replace(CARD, uuid=f"GPU-{index}", index=index) for index in range(3)]
    other = msgspec.structs.replace(CARD, uuid="GPU-x", index=3, name="Other")
    plan = make_plan(WORKLOAD, _with(*cards, other), budget_s=25)
    assert [device.key for device in plan.devices if device.skipped is None] == ["cpu", "GPU-0", "GPU-x"]


@pytest.mark.parametrize(
    ("change", "code"),
    [({"usable": False}, "measure-gpu-unusable"), ({"hidden_from_cuda": True}, "measure-gpu-hidden")],
)
def test_a_gpu_that_cannot_run_is_in_the_plan_with_its_reason(change: dict[str, bool], code: str) -> None:
    plan = make_plan(WORKLOAD, _with(msgspec.structs.replace(CARD, **change)), budget_s=30)
    cpu, gpu = plan.devices
    assert gpu.skipped is not None
    assert gpu.skipped.code == code
    assert (cpu.budget_s, gpu.budget_s) == (30, 0)


def test_each_mig_instance_is_a_device() -> None:
    instances = tuple(
        MigInstance(uuid=f"MIG-{index}", name="1g.10gb", memory_total_bytes=10 << 30, memory_free_bytes=9 << 30)
        for index in range(2)
    )
    plan = make_plan(WORKLOAD, _with(msgspec.structs.replace(CARD, mig_instances=instances)), budget_s=60)
    assert [(device.key, device.visible) for device in plan.devices[1:]] == [("MIG-0", "MIG-0"), ("MIG-1", "MIG-1")]


def test_devices_are_asked_for_by_name_uuid_or_index() -> None:
    machine = _with(CARD)
    for asked, keys in (
        (["cpu"], ["cpu"]),
        (["GPU-1"], ["GPU-1"]),
        (["0"], ["GPU-1"]),
        (["0", "cpu"], ["cpu", "GPU-1"]),
    ):
        assert [device.key for device in make_plan(WORKLOAD, machine, budget_s=30, devices=asked).devices] == keys
    with pytest.raises(InputError, match="no such device"):
        make_plan(WORKLOAD, machine, budget_s=30, devices=["GPU-2"])


def test_a_budget_below_a_second_is_refused() -> None:
    with pytest.raises(InputError, match="--budget"):
        make_plan(WORKLOAD, MACHINE, budget_s=0.5)


def test_what_torch_cannot_run_is_replaced_and_said() -> None:
    odd = with_training(WORKLOAD, optimizer="lamb", compile=True, optimizer_bits=8)
    plan = make_plan(odd, MACHINE, budget_s=30)
    assert plan.workload.training.optimizer == "adamw"
    assert not plan.workload.training.compile
    codes = {note.code for note in plan.devices[0].notes}
    assert codes == {"measure-lamb-as-adamw", "measure-compile-not-applied", "measure-optimizer-bits-not-applied"}


@pytest.mark.parametrize(
    ("wanted", "sets", "precisions", "code"),
    [
        ("fp32", (), ("fp32",), None),
        ("tf32", (), ("fp32",), "measure-cpu-tf32-is-fp32"),
        ("fp16_amp", ("avx2",), ("fp32",), "measure-cpu-half-as-fp32"),
        ("fp16_amp", ("avx512_bf16",), ("fp32", "bf16_amp"), "measure-cpu-fp16-as-bf16"),
        ("bf16_amp", ("amx_bf16",), ("bf16_amp", "fp32"), None),
        ("bf16", ("avx512_bf16",), ("bf16", "fp32"), None),
    ],
)
def test_a_processor_measures_what_it_can_compute(
    wanted: str, sets: tuple[str, ...], precisions: tuple[str, ...], code: str | None
) -> None:
    cpu = msgspec.structs.replace(CPU, instruction_sets=sets)
    found, notes = cpu_precisions(wanted, cpu)  # type: ignore[arg-type]
    assert found == precisions
    assert [note.code for note in notes] == ([] if code is None else [code])


def test_a_users_thread_setting_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert make_plan(WORKLOAD, MACHINE, budget_s=30).devices[0].thread_counts == (1, 2)


def test_a_model_of_numbers_has_no_batch_sizes_to_try() -> None:
    model = NumbersModel(parameters=1e6, flop_per_sample=1e9, activation_bytes_per_sample=1e6)
    plan = make_plan(msgspec.structs.replace(WORKLOAD, model=model), MACHINE, budget_s=30)
    assert plan.devices[0].batch_sizes == ()


def test_the_ladder_has_the_sizes_people_use() -> None:
    assert ladder(50) == (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)


@pytest.mark.parametrize("highest", [1, 2, 3, 4, 6, 8, 12, 16, 24, 48])
def test_the_ladder_ends_with_a_highest_size_that_is_a_rung(highest: int) -> None:
    assert ladder(highest)[-1] == highest


def test_a_small_model_is_measured_from_one_sample_to_far_beyond_its_batch() -> None:
    choice = choose(
        wanted=16, most=10_000, budget_s=20, expected_s=lambda _: 3e-4, fits=lambda _: True, block_count=None
    )
    assert choice is not None
    assert choice.batch_sizes[0] == 1
    assert 16 in choice.batch_sizes
    assert choice.batch_sizes[-1] == 1024
    assert len(choice.batch_sizes) == 5


def test_no_batch_is_larger_than_the_data() -> None:
    choice = choose(wanted=120, most=120, budget_s=20, expected_s=lambda _: 3e-4, fits=lambda _: True, block_count=None)
    assert choice is not None
    assert choice.batch_sizes[-1] == 120


def test_a_large_model_is_measured_at_three_small_sizes() -> None:
    choice = choose(
        wanted=16,
        most=10_000,
        budget_s=20,
        expected_s=lambda size: 0.2 + 0.4 * size,
        fits=lambda _: True,
        block_count=12,
    )
    assert choice is not None
    assert choice.layer_limits == (None,)
    assert len(choice.batch_sizes) >= 3
    assert max(choice.batch_sizes) < 16


def test_a_model_too_slow_for_the_budget_is_measured_in_parts() -> None:
    choice = choose(
        wanted=8, most=10_000, budget_s=20, expected_s=lambda size: 4.0 * size, fits=lambda _: True, block_count=24
    )
    assert choice is not None
    assert choice.layer_limits == (1, 2)


def test_a_slow_model_without_blocks_is_tried_at_its_smallest_sizes() -> None:
    choice = choose(
        wanted=8, most=10_000, budget_s=20, expected_s=lambda size: 9.0 * size, fits=lambda _: True, block_count=None
    )
    assert choice is not None
    assert choice.batch_sizes == (1, 2, 3)


def test_a_small_model_with_little_time_is_measured_at_sizes_far_apart_up_to_its_own() -> None:
    choice = choose(
        wanted=100, most=10**6, budget_s=0.6, expected_s=lambda size: 5e-3 + 1e-5 * size, fits=lambda _: True,
        block_count=12,
    )  # fmt: skip
    assert choice is not None
    assert choice.layer_limits == (None,)
    assert (choice.batch_sizes[0], choice.batch_sizes[-1]) == (1, 100)
    assert len(choice.batch_sizes) == 3


def test_nothing_is_chosen_where_not_even_one_sample_fits() -> None:
    assert (
        choose(wanted=8, most=100, budget_s=20, expected_s=lambda _: 1.0, fits=lambda _: False, block_count=None)
        is None
    )


def test_sizes_that_do_not_fit_are_not_tried() -> None:
    choice = choose(
        wanted=64, most=10_000, budget_s=20, expected_s=lambda _: 1e-3, fits=lambda size: size <= 6, block_count=None
    )
    assert choice is not None
    assert max(choice.batch_sizes) <= 6


@pytest.mark.parametrize("wanted", [3, 24, 100])
def test_the_wanted_size_takes_the_place_of_its_nearest(wanted: int) -> None:
    found = choose(
        wanted=wanted, most=10**6, budget_s=1e6, expected_s=lambda _: 1e-3, fits=lambda _: True, block_count=None
    )
    assert found is not None
    sizes = found.batch_sizes
    assert wanted in sizes
    assert (sizes[0], len(sizes)) == (1, 5)
    steps = [after / before for before, after in itertools.pairwise(sizes)]
    even = (sizes[-1] / sizes[0]) ** (1 / 4)
    assert all(even / 3 < step < even * 3 for step in steps)


def test_nothing_of_a_users_code_runs_unless_it_was_allowed() -> None:
    assert not make_plan(WORKLOAD, MACHINE, budget_s=30).allow_code
    assert make_plan(WORKLOAD, MACHINE, budget_s=30, allow_code=True).allow_code
