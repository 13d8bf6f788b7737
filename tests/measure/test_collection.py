"""What becomes of a worker's events: which samples count, what they add up to, and what is said of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from advisor.core.sentences import Reason
from advisor.hardware.machine import GpuReading, Reading
from advisor.measure.collection import Collection, calibration_key
from advisor.measure.plan import DevicePlan, make_plan
from advisor.measure.steering import Steering
from advisor.protocol.messages import KEEPING_SERIES, Failed, Memory, Sample, StageEnded, WorkerEvent
from advisor.recommend.candidates import enumerate_candidates
from tests.recommend.fakes import gpu, machine, workload

CARD = gpu()
MACHINE = machine(CARD)


def plan(key: str = "cpu", **changes: object) -> DevicePlan:
    plain = DevicePlan(
        key=key,
        name="device",
        torch_device="cpu" if key == "cpu" else "cuda",
        visible=None,
        budget_s=30.0,
        calibration_s=0.0,
        precisions=("fp32",),
        batch_sizes=(8,),
    )
    return msgspec.structs.replace(plain, **changes)


def collection(*events: WorkerEvent, key: str = "cpu", layer_limit: int | None = None, **changes: object) -> Collection:
    steering = Steering(on_cpu=key == "cpu", full_method=False, gpu=None if key == "cpu" else CARD)
    found = Collection(plan(key, **changes), MACHINE, "asked", steering, layer_limit=layer_limit)
    for event in events:
        found.take(event)
    return found


def sample(wall_s: float = 0.1, at_s: float = 0.0, **changes: Any) -> Sample:
    plain = Sample(
        series="step",
        batch_size=8,
        precision="fp32",
        step_count=1,
        wall_s=wall_s,
        device_s=None,
        started_monotonic_s=at_s,
        warm_up=False,
        stage=1,
    )
    return msgspec.structs.replace(plain, **changes)


def steady(count: int = 20, wall_s: float = 0.1, **changes: Any) -> list[Sample]:
    return [sample(wall_s, 10.0 + wall_s * number, **changes) for number in range(count)]


def ended(reason: str = "settled", **changes: Any) -> StageEnded:
    plain = StageEnded(series="step", batch_size=8, precision="fp32", reason=reason, stage=1)
    return msgspec.structs.replace(plain, **changes)


def test_warm_up_is_kept_raw_and_counts_for_nothing() -> None:
    (step,) = collection(sample(9.0, warm_up=True), *steady(), ended()).steps()
    assert len(step.samples) == 21
    assert step.summary is not None
    assert step.summary.median_s == pytest.approx(0.1)
    assert step.summary.stop_reason == "settled"
    assert (step.batch_size, step.precision, step.layer_limit) == (8, "fp32", None)


def test_a_stage_that_was_broken_off_says_so() -> None:
    (step,) = collection(*steady()).steps()
    assert step.summary is not None
    assert step.summary.stop_reason == "interrupted"


def test_warm_up_alone_is_unstable_and_shows_its_last_step() -> None:
    (step,) = collection(sample(9.0, warm_up=True), sample(3.0, warm_up=True)).steps()
    assert step.verdict.kind == "unstable"
    assert step.verdict.reason == Reason.of("measure-only-warm-up")
    assert step.summary is not None
    assert step.summary.median_s == 3.0


@pytest.mark.parametrize(("count", "few"), [(5, True), (6, False)])
def test_fewer_than_six_samples_are_called_few(count: int, few: bool) -> None:
    (step,) = collection(*steady(count), ended()).steps()
    assert ("measure-few-samples" in {caveat.code for caveat in step.caveats}) is few


def test_a_size_without_a_sample_says_why() -> None:
    (step,) = collection(ended("out_of_memory")).steps()
    assert step.verdict.kind == "not_measured"
    assert step.verdict.reason is not None
    assert step.summary is None


@pytest.mark.parametrize(("device_s", "bound"), [(0.089, True), (0.091, False)])
def test_a_device_that_waits_a_tenth_of_the_step_is_launch_bound(device_s: float, bound: bool) -> None:
    (step,) = collection(*steady(device_s=device_s), ended(), key=CARD.uuid or "").steps()
    found = [caveat for caveat in step.caveats if caveat.code == "measure-launch-bound"]
    assert bool(found) is bound
    if bound:
        assert found[0].numbers["waiting_fraction"] == pytest.approx(0.11)
    assert step.device_summary is not None
    assert step.device_summary.median_s == pytest.approx(device_s)


def test_parts_come_from_the_split_steps_where_there_are_any() -> None:
    split = [sample(series="split", parts_s={"forward": share, "backward": 0.06}) for share in (0.01, 0.02, 0.05)]
    (step,) = collection(*steady(parts_s={"forward": 0.09}), *split, ended()).steps()
    assert step.parts_s == {"forward": 0.02, "backward": 0.06}
    (plain,) = collection(*steady(parts_s={"forward": 0.09}), ended()).steps()
    assert plain.parts_s == {"forward": 0.09}


def test_every_batch_precision_and_number_of_blocks_is_a_step_of_its_own() -> None:
    found = collection(*steady(), *steady(batch_size=16), *steady(precision="tf32"))
    found.layer_limit = 1
    for event in steady(figures={"full_blocks": 12.0, "threads": 4.0}):
        found.take(event)
    steps = found.steps()
    assert [(one.batch_size, one.precision, one.layer_limit) for one in steps] == [
        (8, "fp32", None), (16, "fp32", None), (8, "tf32", None), (8, "fp32", 1)
    ]  # fmt: skip
    assert (steps[3].full_layer_count, steps[3].thread_count) == (12, 4)
    assert "measure-part-of-layers" in {caveat.code for caveat in steps[3].caveats}


def test_memory_belongs_to_the_step_of_its_batch() -> None:
    memory = Memory(batch_size=8, precision="fp32", peak_allocated_bytes=123, how="dispatch_tracked")
    (step,) = collection(*steady(), memory).steps()
    assert step.memory == memory


def test_microbenchmarks_are_rates_by_kind_and_size_and_never_steps() -> None:
    sizes = [{"m": 1.0}, {"m": 2.0}]
    events = [
        sample(0.2, series="matmul", batch_size=None, device_s=0.1, figures=figures, stage=3)
        for figures in sizes
        for _ in range(8)
    ]
    events += [sample(0.2, series="launch", batch_size=None, device_s=0.1, stage=4) for _ in range(8)]
    found = collection(*events, ended("noise_settled", series="matmul", batch_size=None, stage=3))
    assert found.steps() == ()
    first, second, launch = found.rates()
    assert (first.kind, first.figures, second.figures) == ("matmul", {"m": 1.0}, {"m": 2.0})
    assert first.summary is not None
    assert first.summary.median_s == 0.1
    assert first.summary.stop_reason == "noise_settled"
    assert launch.summary is not None
    assert launch.summary.median_s == 0.2
    assert launch.summary.stop_reason == "cap"
    assert collection(sample(series="threads", batch_size=None)).rates() == ()


def test_the_device_is_as_good_as_its_weakest_step() -> None:
    noisy = [sample(0.1 * (1 + 0.6 * (number % 2)), number * 0.1, batch_size=16) for number in range(20)]
    found = collection(*steady(), ended(), *noisy, ended(batch_size=16))
    kinds = [step.verdict.kind for step in found.steps()]
    assert kinds[0] == "stable"
    assert kinds[1] not in {"stable", "not_measured"}
    assert found.measurement().verdict.kind == kinds[1]
    also = collection(*steady(), ended(), ended("out_of_memory", batch_size=64))
    assert also.measurement().verdict.kind == "stable"


def test_nothing_measured_says_why() -> None:
    assert collection().measurement().verdict.reason == Reason.of("measure-no-samples")
    skipped = Reason.of("measure-cancelled")
    assert collection(*steady(), skipped=skipped).measurement().verdict.reason == skipped
    failed = Failed(exception="X", text="broken", traceback="")
    assert collection(failed).failures == [failed]


def test_what_was_said_twice_is_said_once() -> None:
    note = Reason.of("measure-few-samples", count=1)
    assert collection(notes=(note, note)).measurement().caveats == (note,)


@pytest.mark.parametrize(("events", "early"), [((ended("out_of_memory"),), "-early"), ((*steady(), ended()), "")])
def test_a_worker_ended_before_a_step_was_timed_only_where_no_other_one_timed_any(
    events: tuple[WorkerEvent, ...], early: str
) -> None:
    found = collection()
    found.deaths.append(Reason.of("measure-worker-killed", device="device"))
    for event in events:  # of the worker that took its place
        found.take(event)
    told = [caveat for caveat in found.measurement().caveats if caveat.code.startswith("measure-worker-")]
    assert told == [Reason.of(f"measure-worker-killed{early}", device="device")]


def test_only_the_end_of_a_long_log_is_kept() -> None:
    found = collection()
    found.log_tail = "x" * 5000 + "end"
    assert len(found.measurement().log_tail) == 4000
    assert found.measurement().log_tail.endswith("end")


def reading(at_s: float, **changes: Any) -> Reading:
    return msgspec.structs.replace(Reading(monotonic_s=at_s), **changes)


def test_readings_count_from_a_little_before_the_first_sample_to_a_little_after_the_last() -> None:
    samples = steady(5)
    found = collection(*samples)
    found.readings += [reading(at_s) for at_s in (9.69, 9.71, 10.79, 10.81)]
    assert [one.monotonic_s for one in found._during(samples)] == [9.71, 10.79]


def test_a_card_without_a_uuid_is_measured_under_the_key_that_its_prediction_has() -> None:
    nameless = msgspec.structs.replace(CARD, uuid=None)
    here = machine(nameless)
    planned = make_plan(workload(), here, budget_s=10.0).devices[-1].key
    assert {planned, nameless.key, GpuReading(uuid=None, index=0).key} == {"gpu0"}
    predicted = enumerate_candidates(workload(), here, {}, gpu_keys=())
    assert planned in {one.device.key for one in predicted}
    assert (here.gpu_of("gpu0"), here.gpu_of("cpu"), MACHINE.gpu_of(CARD.uuid or "")) == (nameless, None, CARD)


def test_a_calibration_holds_until_the_driver_torch_or_the_power_limit_changes() -> None:
    key = calibration_key(MACHINE, CARD.uuid or "")
    assert key == calibration_key(machine(gpu()), CARD.uuid or "")
    assert key != calibration_key(machine(gpu(power_limit_w=300.0)), CARD.uuid or "")
    newer = msgspec.structs.replace(MACHINE.software, torch="9.9")
    assert key != calibration_key(msgspec.structs.replace(MACHINE, software=newer), CARD.uuid or "")
    assert calibration_key(MACHINE, "cpu") == calibration_key(machine(gpu(power_limit_w=300.0)), "cpu")


def test_without_steps_the_device_is_as_good_as_its_microbenchmarks() -> None:
    rates = steady(series="matmul", batch_size=None, figures={"flop": 1e9})
    end = ended(series="matmul", batch_size=None)
    found = collection(*rates, end)
    assert [rate.verdict.kind for rate in found.rates()] == ["stable"]
    assert found.measurement().verdict.kind == "stable"


def test_the_parts_of_a_series_of_warm_up_alone_are_those_of_its_last_step() -> None:
    times = [sample(3.0, warm_up=True, parts_s={"forward": forward_s}) for forward_s in (5.0, 2.0, 1.0)]
    (step,) = collection(*times).steps()
    assert step.parts_s == {"forward": 1.0}


def test_one_step_that_kept_its_memory_is_measured_beside_those_that_gave_it_back() -> None:
    kept = collection(sample(0.05, series=KEEPING_SERIES), ended("budget", series=KEEPING_SERIES)).measurement()
    assert kept.kept_memory is not None
    assert (kept.kept_memory.batch_size, kept.kept_memory.precision) == (8, "fp32")
    assert kept.steps == ()
    assert collection().measurement().kept_memory is None
