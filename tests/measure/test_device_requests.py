"""What one device is asked, in which order, with how much time, and at which batch sizes."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from advisor.core.sentences import Reason
from advisor.cost.memory.need import tensor_bytes
from advisor.hardware.machine import Reading
from advisor.measure.collection import Collection
from advisor.measure.device_requests import DeviceRequests, block_count_of
from advisor.measure.device_workers import DeviceWorkers
from advisor.measure.plan import DevicePlan, make_plan
from advisor.measure.steering import Steering
from advisor.optable.op_table import Layer, OpTable
from advisor.optable.saved_tables import saved_tables
from advisor.protocol.messages import (
    ImportRequest,
    LoaderRequest,
    MeasureRequest,
    MicrobenchmarkRequest,
    Request,
    Sample,
    TraceRequest,
)
from advisor.workload.workload import Data, NumbersModel, TemplateModel, Training, Workload
from advisor.workload.workload_file import load_workload
from tests.cost.small_tables import matmul, table
from tests.recommend.fakes import gpu, machine

CARD = gpu()
MACHINE = machine(CARD)
WORKLOAD = Workload(
    name="asked",
    model=TemplateModel(template="mlp", layers=(4, 10, 3)),
    data=Data(samples=1000),
    training=Training(precision="fp32", batch_size=16),
)


NUMBERS = NumbersModel(parameters=1000, flop_per_sample=1e6, activation_bytes_per_sample=1e3)
SLACK_S = 3.0
"""A busy machine takes its time between two requests."""


def requests(
    workload: Workload = WORKLOAD, *, left_s: float = 100.0, traced: bool = True, **changes: Any
) -> DeviceRequests:
    """Of a card, so that nothing has to be started to be asked."""
    plain = DevicePlan(
        key=CARD.uuid or "",
        name="card",
        torch_device="cuda",
        visible=CARD.uuid,
        budget_s=left_s,
        calibration_s=0.0,
        precisions=("fp32", "tf32"),
        batch_sizes=(1, 8, 64),
    )
    device = msgspec.structs.replace(plain, **changes)
    plan = make_plan(workload, MACHINE, budget_s=30)
    steering = Steering(on_cpu=False, full_method=False, gpu=CARD)
    return DeviceRequests(
        plan=plan,
        device=device,
        collection=Collection(device, MACHINE, "asked", steering),
        workers=DeviceWorkers(device, threading.Event()),
        tables={"fp32": table(matmul((0.0, 8.0), 64, 64))} if traced else {},
        trace=("fp32",),
        deadline_s=time.monotonic() + left_s,
    )


def asked(found: DeviceRequests) -> list[Request]:
    return [request for request in found if not isinstance(request, ImportRequest)]


def test_steps_are_asked_in_the_order_of_precisions_at_the_planned_sizes() -> None:
    first, second = asked(requests())
    assert isinstance(first, MeasureRequest)
    assert isinstance(second, MeasureRequest)
    assert [one.workload.training.precision for one in (first, second)] == ["fp32", "tf32"]
    assert first.batch_sizes == (1, 8, 64)
    assert first.budget_s == pytest.approx(0.85 * 99.3, abs=SLACK_S)
    assert second.budget_s == pytest.approx(99.3, abs=SLACK_S)


def test_a_second_precision_is_measured_at_the_ends_and_near_the_wanted_size() -> None:
    sizes = (1, 4, 12, 20, 64)
    second = asked(requests(batch_sizes=sizes))[1]
    assert isinstance(second, MeasureRequest)
    assert second.batch_sizes == (1, 12, 64)


def test_a_second_precision_is_left_out_where_no_time_is_left() -> None:
    assert len(asked(requests(left_s=2.0))) == 1


def test_the_trace_is_asked_only_where_it_is_missing() -> None:
    first = asked(requests(traced=False))[0]
    assert isinstance(first, TraceRequest)
    assert first.precisions == ("fp32",)
    assert not any(isinstance(request, TraceRequest) for request in asked(requests()))


@pytest.mark.parametrize(("left_s", "planned", "given"), [(100.7, 5.0, 5.0), (100.7, 80.0, 40.0), (1.0, 8.0, 1.0)])
def test_calibration_takes_its_share_and_no_more_than_four_tenths_of_what_is_left(
    left_s: float, planned: float, given: float
) -> None:
    numbers = msgspec.structs.replace(WORKLOAD, model=NUMBERS)
    found = asked(requests(numbers, left_s=left_s, calibration_s=planned, thread_counts=(1, 4, 2)))
    (request,) = found
    assert isinstance(request, MicrobenchmarkRequest)
    assert request.budget_s == pytest.approx(given, abs=0.4 * SLACK_S if given == 40.0 else 1e-9)
    assert request.thread_counts == (4, 2, 1)


def test_a_model_of_numbers_has_no_steps_and_says_so() -> None:
    numbers = msgspec.structs.replace(WORKLOAD, model=NUMBERS)
    found = requests(numbers)
    assert asked(found) == []
    assert [caveat.code for caveat in found.collection.caveats] == ["measure-numbers-cannot-run"]


@pytest.mark.parametrize(("pressures", "threads"), [((0.9,) * 3, (1,)), ((0.24,) * 3, (2, 4)), ((None, None), (2, 4))])
def test_on_a_crowded_machine_one_thread_is_tried(
    pressures: tuple[float | None, ...], threads: tuple[int, ...]
) -> None:
    found = requests(thread_counts=(2, 4))
    found.collection.readings += [
        Reading(monotonic_s=float(place), cpu_pressure_fraction=pressure) for place, pressure in enumerate(pressures)
    ]
    first = asked(found)[0]
    assert isinstance(first, MeasureRequest)
    assert first.thread_counts == threads


def test_only_the_last_readings_tell_whether_the_machine_is_crowded() -> None:
    found = requests(thread_counts=(2, 4))
    pressures = [0.9] * 20 + [0.0] * 10
    found.collection.readings += [
        Reading(monotonic_s=float(place), cpu_pressure_fraction=pressure) for place, pressure in enumerate(pressures)
    ]
    first = asked(found)[0]
    assert isinstance(first, MeasureRequest)
    assert first.thread_counts == (2, 4)


def asked_of_the_loader(
    found: DeviceRequests, *, alive: bool = True, before: tuple[DevicePlan, ...] = ()
) -> list[Request]:
    """What is asked after the steps, as if some of them had been timed."""
    for size in (1, 8, 64, 400):
        found.collection.take(
            Sample(
                series="step", batch_size=size, precision="fp32", step_count=1, wall_s=0.1, device_s=None,
                started_monotonic_s=0.0, warm_up=False,
            )
        )  # fmt: skip
    own = msgspec.structs.replace(found.plan.devices[0], key=found.device.key)
    found.plan = msgspec.structs.replace(found.plan, devices=(*before, own))
    worker: Any = SimpleNamespace(alive=alive)
    found.workers._current = worker
    return [request for request in asked(found) if isinstance(request, LoaderRequest)]


def test_the_loader_is_timed_once_at_the_smallest_the_jobs_and_a_large_batch() -> None:
    (request,) = asked_of_the_loader(requests())
    assert isinstance(request, LoaderRequest)
    assert request.batch_sizes == (1, 16, 128)


def test_the_loader_is_not_timed_again_for_a_second_device_or_by_a_dead_worker() -> None:
    assert asked_of_the_loader(requests(), alive=False) == []
    second = requests()
    first = msgspec.structs.replace(second.device, key="first")
    assert asked_of_the_loader(second, before=(first,)) == []
    left_out = msgspec.structs.replace(first, skipped=Reason.of("measure-cancelled"))
    assert len(asked_of_the_loader(requests(), before=(left_out,))) == 1


BERT = load_workload("bert_base_sst2")


def calibrated(flop_per_s: float, **changes: Any) -> DeviceRequests:
    """BERT on a device of so many FLOP/s, a terabyte a second and 10 µs a call."""
    tables = saved_tables(BERT)  # before the time begins to run
    found = requests(BERT, traced=False, precisions=("fp32",), **changes)
    found.tables.update(tables)
    series = (
        ("matmul", 1e9 / flop_per_s, {"flop": 1e9}),
        ("elementwise", 1e-3, {"bytes": 1e9}),
        ("host_overhead", 4e-3, {"links": 100.0}),
    )
    for kind, seconds, figures in series:
        one = Sample(
            series=kind, batch_size=None, precision="fp32", step_count=1, wall_s=seconds, device_s=None,
            started_monotonic_s=0.0, warm_up=False, figures=figures,
        )  # fmt: skip
        for _ in range(15):
            found.collection.take(one)
    return found


def measured(found: DeviceRequests) -> list[MeasureRequest]:
    return [request for request in found if isinstance(request, MeasureRequest)]


def test_after_a_calibration_no_batch_is_measured_that_the_memory_does_not_hold() -> None:
    (free,) = measured(calibrated(1e13))
    smallest, largest = free.batch_sizes[0], free.batch_sizes[-1]
    assert smallest < BERT.training.batch_size < largest
    assert set(free.expected_step_s) == set(free.batch_sizes)
    assert free.expected_step_s[largest] > 1.5 * free.expected_step_s[smallest]
    table = saved_tables(BERT)["fp32"]
    need = {size: tensor_bytes(table, BERT.training, "fp32", size, looped=False) for size in (1, smallest, largest)}
    limit = int((need[smallest] + need[largest]) / 2)
    (tight,) = measured(calibrated(1e13, memory_limit_bytes=limit))
    assert smallest < tight.batch_sizes[-1] < largest
    assert tensor_bytes(table, BERT.training, "fp32", tight.batch_sizes[-1], looped=False) <= limit
    none = calibrated(1e13, memory_limit_bytes=int(need[1]) - 1)
    assert measured(none) == []
    (caveat,) = none.collection.caveats
    assert caveat.code == "measure-does-not-fit"
    assert caveat.figure("need_bytes") == need[1]


def test_parts_of_a_model_too_long_for_the_time_share_it_alike() -> None:
    one, two = measured(calibrated(1e11, left_s=8.7))
    assert (one.layer_limit, two.layer_limit) == (1, 2)
    assert one.batch_sizes == two.batch_sizes
    assert one.budget_s == pytest.approx(4.0, abs=0.5 * SLACK_S)
    assert two.budget_s == pytest.approx(8.0, abs=SLACK_S)  # the first spent nothing


def with_layers(*paths: str) -> OpTable:
    rows = tuple(
        Layer(path=path, module="Linear", parameter_count=1, flop=(0.0, 1.0), activation_bytes=(0.0, 1.0))
        for path in paths
    )
    return msgspec.structs.replace(table(matmul((0.0, 8.0), 64, 64)), layers=rows)


def test_blocks_are_the_longest_numbered_list_of_modules() -> None:
    paths = [f"encoder.layer.{number}.linear" for number in range(12)]
    assert block_count_of(with_layers(*paths, "head.0", "head.1", *paths)) == 12
    assert block_count_of(with_layers("embedding", "head")) is None
