"""Other batch sizes of a device that was measured, from measurements whose truth is known."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from advisor.catalogue.precisions import Precision
from advisor.core.sentences import Names, Reason
from advisor.measure.measurement import Measurement, RateMeasurement, StepMeasurement, Summary, Verdict, VerdictKind
from advisor.optable.op_table import MatmulShape, Op, OpTable, Phase
from advisor.predict.device_steps import DeviceSteps
from advisor.predict.local.anchors import anchors_of
from advisor.predict.local.step_time import predict_local_steps
from advisor.protocol.messages import Sample
from advisor.workload.workload import Training

TRAINING = Training(precision="fp32", batch_size=16)
PARTS = ("forward_s", "backward_s", "optimizer_s", "host_s", "copy_s", "synchronisation_s")
RATE = 1e11


def _op(phase: Phase, flop_per_sample: float) -> Op:
    shape = MatmulShape(batch=(1.0, 0.0), m=(0.0, 128.0), n=(768.0, 0.0), k=(768.0, 0.0))
    return Op(
        kind="matmul", name="mm", phase=phase, element_bytes=4, kernel_count=1, count=10,
        flop=(0.0, flop_per_sample), read_bytes=(2.4e6, 4e5), written_bytes=(0.0, 4e5), matmul=shape,
    )  # fmt: skip


TABLE = OpTable(
    precision="fp32",
    ops=(_op("forward", 1.5e8), _op("backward", 3e8)),
    parameter_count=600_000,
    trainable_parameter_count=600_000,
    parameter_tensor_count=20,
    parameter_bytes=2.4e6,
    trainable_parameter_bytes=2.4e6,
    gradient_bytes=2.4e6,
    trainable_tensor_bytes=(1.2e5,) * 20,
    buffer_bytes=0.0,
    input_bytes=(0.0, 1e4),
    dispatch_count={"forward": 100, "backward": 200},
    synchronisation_count=0,
    gradients_ready=(),
    memory=None,
)


def _summary(median_s: float, width: float = 0.01, count: int = 15) -> Summary:
    return Summary(
        median_s=median_s, low_s=median_s * (1 - width), high_s=median_s * (1 + width), mad_s=0.0,
        first_quartile_s=median_s, third_quartile_s=median_s, sample_count=count, duration_s=1.0,
        stop_reason="settled", drift_ratio=1.0,
    )  # fmt: skip


def _rate(kind: str, seconds: float, **figures: float) -> RateMeasurement:
    return RateMeasurement(
        kind=kind,
        precision="fp32",
        figures=figures,
        samples=(),
        summary=_summary(seconds),
        verdict=Verdict(kind="stable"),
    )


RATES = (
    _rate("matmul", 2.0 * 512**3 / RATE, flop=2.0 * 512**3),
    _rate("matmul", 2.0 * 128**3 / (RATE / 2), flop=2.0 * 128**3),
    _rate("elementwise", 1e8 / 2e10, bytes=1e8),
    _rate("host_overhead", 32 * 8 * 2e-6, links=32.0),
    _rate("optimizer", 0.01, elements=1e6, tensors=8.0, bytes=2.24e8, adamw=1.0),
    _rate("optimizer", 0.001, elements=1e3, tensors=64.0, bytes=1.8e6, adamw=1.0),
)


def _step(
    batch: int,
    seconds: float,
    *,
    precision: Precision = "fp32",
    kind: VerdictKind = "stable",
    blocks: tuple[int, int] | None = None,
    device_s: float | None = None,
) -> StepMeasurement:
    return StepMeasurement(
        batch_size=batch,
        precision=precision,
        thread_count=1,
        layer_limit=None if blocks is None else blocks[0],
        full_layer_count=None if blocks is None else blocks[1],
        samples=(),
        summary=_summary(seconds),
        device_summary=None if device_s is None else _summary(device_s),
        parts_s={"copy": 0.0, "forward": 0.3 * seconds, "backward": 0.6 * seconds, "optimizer": 0.1 * seconds},
        memory=None,
        verdict=Verdict(kind=kind),
    )


def _measured(*steps: StepMeasurement, rates: tuple[RateMeasurement, ...] = RATES, key: str = "cpu") -> Measurement:
    return Measurement(
        device_key=key, device_name="device", created_utc="", workload_name="w", environment=None, steps=steps,
        rates=rates, verdict=Verdict(kind="stable"),
    )  # fmt: skip


def _predict(measurement: Measurement, *batches: int, precision: Precision = "fp32") -> DeviceSteps:
    steps = predict_local_steps(TABLE, TRAINING, measurement, batches, precision)
    assert steps is not None
    return steps


TRUTHS: dict[str, Callable[[float], float]] = {
    "a line": lambda batch: 2e-3 + 5e-2 * batch,
    "host bound at first": lambda batch: (3e-2**4 + (6e-2 * batch / 8) ** 4) ** 0.25,
    "slower beyond the cache": lambda batch: 1e-2 + 4e-2 * batch * (1.0 + 0.15 / (1.0 + np.exp(-(batch - 12)))),
    "better filled at large batches": lambda batch: 5e-3 + 5e-2 * batch**0.93,
    "hardly growing": lambda batch: 3e-4 + 1e-7 * batch,
}


@pytest.mark.parametrize("name", TRUTHS)
def test_batch_sizes_between_the_measured_ones_are_within_ten_percent_and_in_range(name: str) -> None:
    truth = TRUTHS[name]
    measurement = _measured(*(_step(batch, truth(batch)) for batch in (1, 4, 16, 64)))
    held = [2, 3, 6, 8, 12, 24, 32, 48]
    steps = _predict(measurement, *held)
    errors = steps.total_s[0] / [truth(batch) for batch in held] - 1.0
    assert np.max(np.abs(errors)) <= 0.10
    assert np.median(np.abs(errors)) <= 0.04
    inside = (steps.low_s[0] <= [truth(batch) for batch in held]) & (
        steps.high_s[0] >= [truth(batch) for batch in held]
    )
    assert inside.mean() >= 0.8
    assert not steps.measured.any()
    assert steps.basis == ("calibrated",)


@pytest.mark.parametrize("name", TRUTHS)
def test_one_octave_beyond_the_measured_ones_is_within_fifteen_percent(name: str) -> None:
    truth = TRUTHS[name]
    steps = _predict(_measured(*(_step(batch, truth(batch)) for batch in (2, 8, 16))), 1, 32)
    assert np.max(np.abs(steps.total_s[0] / [truth(1), truth(32)] - 1.0)) <= 0.15


def test_a_measured_batch_size_keeps_its_median_and_interval() -> None:
    steps = _predict(_measured(_step(4, 0.2), _step(16, 0.7)), 4, 16)
    assert list(steps.total_s[0]) == [0.2, 0.7]
    assert steps.measured.all()
    assert steps.basis == ("measured",)
    assert steps.high_s[0, 0] == pytest.approx(0.2 * 1.01)


def test_parts_add_up_to_the_step() -> None:
    for measurement in (_measured(_step(4, 0.2), _step(16, 0.7)), _measured()):
        steps = _predict(measurement, 1, 4, 9, 100)
        np.testing.assert_allclose(sum(getattr(steps, part) for part in PARTS), steps.total_s, rtol=1e-9)
        assert all((getattr(steps, part) >= -1e-12).all() for part in PARTS)


def test_the_measured_split_is_kept() -> None:
    steps = _predict(_measured(_step(4, 0.2), _step(16, 0.7)), 4)
    assert steps.backward_s[0, 0] == pytest.approx(0.12)
    assert steps.host_s[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_time_in_which_a_gpu_waits_is_the_hosts() -> None:
    gpu = _measured(_step(4, 0.2, device_s=0.12), _step(16, 0.7, device_s=0.7), key="GPU-1")
    steps = _predict(gpu, 4, 16)
    assert steps.host_s[0] == pytest.approx([0.08, 0.0])


def test_the_range_grows_with_the_distance_to_what_was_measured() -> None:
    steps = _predict(_measured(*(_step(batch, 0.05 * batch + 0.01) for batch in (2, 8, 16))), 16, 24, 32, 64, 256)
    width = (steps.high_s / steps.total_s)[0]
    assert (np.diff(width) > 0).all()


def test_series_that_cannot_be_trusted_have_wider_ranges_and_throttled_ones_say_nothing() -> None:
    stable = _predict(_measured(_step(4, 0.2), _step(16, 0.7)), 8)
    contended = _predict(_measured(_step(4, 0.2, kind="contended"), _step(16, 0.7, kind="contended")), 8)
    assert contended.high_s[0, 0] - contended.low_s[0, 0] > stable.high_s[0, 0] - stable.low_s[0, 0]
    assert anchors_of(_measured(_step(4, 0.2, kind="throttled")), "fp32") == ()


@pytest.mark.parametrize("kind", ["contended", "unstable"])
def test_a_disturbed_step_that_took_longer_than_a_larger_batch_is_left_out_and_said_to_be(kind: VerdictKind) -> None:
    disturbed = _measured(_step(1, 2.5, kind=kind), _step(6, 0.674, kind=kind), _step(16, 0.7), _step(64, 2.4))
    assert [anchor.batch_size for anchor in anchors_of(disturbed, "fp32")] == [6, 16, 64]
    steps = _predict(disturbed, 1, 6)
    assert steps.total_s[0, 0] < 0.674
    assert steps.measured.tolist() == [[False, True]]
    (note,) = [note for note in steps.notes[0] if note.code == "local-disproved"]
    assert note.numbers["sizes"] == Names(names=("1",))


def test_no_step_is_predicted_to_take_longer_than_one_of_more_samples() -> None:
    large, small = 2.0 * 2048**3, 2.0 * 512**3
    slow_when_small = _rate("matmul", large / RATE, flop=large), _rate("matmul", 1.0, flop=small)
    disturbed = msgspec.structs.replace(_measured(_step(256, 0.18)), rates=(*slow_when_small, *RATES[2:]))
    steps = _predict(disturbed, 256, 16, 64, 1)
    rising = steps.total_s[0][[3, 1, 2, 0]]
    assert (np.diff(rising) >= 0).all()
    assert rising[-1] == 0.18


def test_a_step_that_nobody_disturbed_is_kept_though_a_larger_batch_took_less() -> None:
    odd = _measured(_step(4, 0.9), _step(16, 0.7))
    assert [anchor.batch_size for anchor in anchors_of(odd, "fp32")] == [4, 16]
    assert all(note.code != "local-disproved" for note in _predict(odd, 4).notes[0])


def test_first_steps_alone_of_a_batch_size_tell_its_order_of_magnitude_and_bend_no_other() -> None:
    cold = Verdict(kind="unstable", reason=Reason.of("measure-only-warm-up"))
    first = msgspec.structs.replace(_step(16, 1.6), summary=_summary(1.6, 0.0, count=1), verdict=cold)
    steps = _predict(_measured(_step(4, 0.2), _step(8, 0.4), first), 16, 1024)
    without = _predict(_measured(_step(4, 0.2), _step(8, 0.4)), 16, 1024)
    assert steps.high_s[0, 0] > 1.5 * steps.total_s[0, 0]
    assert steps.total_s[0, 1] == pytest.approx(without.total_s[0, 1], rel=0.3)


def _crowded(threads: int, cpu_s: float, reason: Reason | None = None) -> Measurement:
    """Steps of 0.2 s wall time at batch size 4, in whose way others were."""
    sample = Sample(
        series="step", batch_size=4, precision="fp32", step_count=1, wall_s=0.2, device_s=None,
        started_monotonic_s=0.0, warm_up=False, process_cpu_s=cpu_s,
    )  # fmt: skip
    step = msgspec.structs.replace(_step(4, 0.2, kind="contended"), samples=(sample,), thread_count=threads)
    return _measured(msgspec.structs.replace(step, verdict=Verdict(kind="contended", reason=reason)))


def test_a_crowded_run_reaches_down_to_the_processor_time() -> None:
    assert _predict(_crowded(1, 0.1), 4).low_s[0, 0] < 0.1


@pytest.mark.parametrize("share", [0.9, 0.5, 0.18])
def test_a_crowded_run_of_several_threads_holds_every_time_that_it_may_take_alone(share: float) -> None:
    low_s = _predict(_crowded(2, 2 * 0.2 * share), 4).low_s[0, 0]
    assert low_s <= 0.2 * share**2  # the threads were scheduled independently, and each operator waited for both
    assert low_s >= 0.2 * share**2 / 1.3


def test_runs_of_one_model_on_a_quiet_and_on_a_crowded_machine_have_ranges_that_meet() -> None:
    quiet = _predict(_measured(_step(4, 0.2)), 4)
    for share in (0.8, 0.5, 0.2):
        for power in (1, 1.5, 2):  # how much the threads waited for one another
            crowded_s = 0.2 / share**power
            sample = msgspec.structs.replace(
                _crowded(2, 1.0).steps[0].samples[0], wall_s=crowded_s, process_cpu_s=2 * crowded_s * share
            )
            step = msgspec.structs.replace(_step(4, crowded_s, kind="contended"), samples=(sample,), thread_count=2)
            crowded = _predict(_measured(step), 4)
            assert crowded.low_s[0, 0] <= quiet.high_s[0, 0]


def test_what_others_took_bounds_how_crowded_a_run_was() -> None:
    unknown = _predict(_crowded(8, 0.4), 4)
    shared = _predict(_crowded(8, 0.4, Reason.of("measure-cpu-shared", foreign_cores=0.5)), 4)
    pressed = _predict(_crowded(8, 0.4, Reason.of("measure-cpu-pressure", pressure_fraction=0.1)), 4)
    assert unknown.low_s[0, 0] < shared.low_s[0, 0] < pressed.low_s[0, 0]
    assert shared.low_s[0, 0] <= 0.2 * 0.8**2
    assert pressed.low_s[0, 0] <= 0.2 * 0.9**2


def test_a_single_measured_batch_size_scales_the_rates() -> None:
    plain = _predict(_measured(), 4, 8).total_s[0]
    steps = _predict(_measured(_step(4, 3.0 * plain[0])), 8)
    assert steps.total_s[0, 0] == pytest.approx(3.0 * plain[1], rel=0.01)


def test_another_precision_is_taken_over_with_a_note_and_a_wider_range() -> None:
    measurement = _measured(_step(4, 0.2), _step(16, 0.7))
    same, other = _predict(measurement, 8), _predict(measurement, 8, precision="tf32")
    assert other.notes[0][0].code == "local-other-precision"
    assert other.high_s[0, 0] / other.total_s[0, 0] > same.high_s[0, 0] / same.total_s[0, 0] + 0.15
    assert not other.measured.any()


def test_blocks_measured_in_part_are_extended_along_a_line() -> None:
    def part(batch: int, layers: int) -> StepMeasurement:
        return _step(batch, (0.1 + 0.05 * layers) * batch, blocks=(layers, 12))

    measurement = _measured(*(part(batch, layers) for batch in (1, 2) for layers in (1, 2)))
    steps = _predict(measurement, 1, 2)
    assert steps.total_s[0] == pytest.approx([0.7, 1.4])
    assert not steps.measured.any()
    assert steps.basis == ("calibrated",)
    assert any(note.code == "local-extended-layers" for note in steps.notes[0])


def test_one_number_of_blocks_alone_gives_a_wide_range() -> None:
    steps = _predict(_measured(_step(1, 0.2, blocks=(1, 12))), 1)
    assert steps.total_s[0, 0] == pytest.approx(0.2 * 13 / 2)
    assert steps.high_s[0, 0] >= 1.4 * steps.total_s[0, 0]


def test_the_calibration_alone_gives_a_wide_range_and_says_so() -> None:
    steps = _predict(_measured(), 4)
    assert steps.notes[0][0].code == "local-rates-only"
    assert steps.high_s[0, 0] >= 1.4 * steps.total_s[0, 0]


def test_steps_without_a_calibration_still_predict_their_neighbours() -> None:
    truth = TRUTHS["a line"]
    steps = _predict(_measured(*(_step(batch, truth(batch)) for batch in (1, 4, 16)), rates=()), 8)
    assert steps.total_s[0, 0] == pytest.approx(truth(8), rel=0.10)


def test_nothing_measured_predicts_nothing() -> None:
    assert predict_local_steps(TABLE, TRAINING, _measured(rates=()), [4], "fp32") is None


def test_without_rates_and_without_timed_parts_backward_is_to_forward_as_its_flop() -> None:
    step = msgspec.structs.replace(_step(16, 0.9), parts_s={})
    steps = _predict(_measured(step, rates=()), 32, 64)
    assert steps.backward_s[0] == pytest.approx(2.0 * steps.forward_s[0])
    assert (steps.forward_s > 0).all()


@pytest.mark.parametrize(("asked", "source"), [("fp16_amp", "bf16_amp"), ("tf32", "fp32")])
def test_a_precision_that_was_not_timed_is_told_from_one_of_the_same_width(asked: Precision, source: Precision) -> None:
    timed = _measured(_step(4, 0.2), _step(4, 0.1, precision="bf16_amp"))
    steps = _predict(timed, 4, precision=asked)
    assert [note.numbers["measured"] for note in steps.notes[0]] == [source]


def test_a_sample_without_any_time_tells_nothing_of_a_crowd() -> None:
    crowded = _crowded(1, 0.1)
    step = crowded.steps[0]
    nothing = msgspec.structs.replace(step.samples[0], wall_s=0.0)
    both = _measured(msgspec.structs.replace(step, samples=(nothing, *step.samples)))
    assert _predict(both, 4).low_s[0, 0] == _predict(crowded, 4).low_s[0, 0]
