"""What a calibration says a step would take: curves by size, and the rates that are missing."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from advisor.catalogue.precisions import Precision
from advisor.cost.measured_step import measured_step
from advisor.cost.operators.measured_rates import MeasuredRates
from advisor.measure.device_rates import rates_of
from advisor.measure.measurement import RateMeasurement, Summary, Verdict
from advisor.optable.op_table import ConvolutionShape, Op, OpTable
from advisor.protocol.messages import Sample
from advisor.workload.workload import Training

TRAINING = Training(precision="fp32", batch_size=8)


def _rate(kind: str, seconds: float, precision: Precision = "fp32", **figures: float) -> RateMeasurement:
    summary = Summary(
        median_s=seconds, low_s=seconds, high_s=seconds, mad_s=0.0, first_quartile_s=seconds, third_quartile_s=seconds,
        sample_count=15, duration_s=1.0, stop_reason="settled", drift_ratio=1.0,
    )  # fmt: skip
    return RateMeasurement(
        kind=kind, precision=precision, figures=figures, samples=(), summary=summary, verdict=Verdict(kind="stable")
    )


BASE = (
    _rate("matmul", 1e-2, flop=1e9, threads=2.0),
    _rate("matmul", 1e-4, flop=1e6, threads=2.0),
    _rate("matmul", 1.0, flop=1e9, threads=1.0),
    _rate("elementwise", 1e-2, bytes=1e8, threads=2.0),
    _rate("host_overhead", 8e-3, links=100.0, threads=2.0),
)


def _op(kind: str, *, element_bytes: int = 4, groups: int | None = None) -> Op:
    shape = None
    if groups is not None:
        shape = ConvolutionShape(
            direction="forward", groups=groups, output_positions=(0.0, 1.0), output_channels_per_group=1,
            input_channels_per_group=1, kernel_elements=9, unit_stride=True, transposed=False,
            data_bytes=(0.0, 1.0), weight_bytes=1.0,
        )  # fmt: skip
    return Op(
        kind=kind, name=kind, phase="forward", element_bytes=element_bytes, kernel_count=1, count=2,  # type: ignore[arg-type]
        flop=(0.0, 1e9), read_bytes=(0.0, 10.0), written_bytes=(0.0, 10.0), convolution=shape,
    )  # fmt: skip


def _table(*ops: Op, tensors: int = 0) -> OpTable:
    return OpTable(
        precision="fp32", ops=ops, parameter_count=0, trainable_parameter_count=tensors * 1_000_000,
        parameter_tensor_count=tensors,
        parameter_bytes=0.0, trainable_parameter_bytes=0.0, gradient_bytes=0.0,
        trainable_tensor_bytes=(4e6,) * tensors, buffer_bytes=0.0, input_bytes=(0.0, 1e6),
        dispatch_count={"forward": 10, "backward": 0}, synchronisation_count=1, gradients_ready=(), memory=None,
    )  # fmt: skip


def _total(table: OpTable, rates: MeasuredRates, precision: Precision = "fp32", *, on_cpu: bool = True) -> float:
    return float(measured_step(table, TRAINING, rates, [1], precision, on_cpu=on_cpu).total_s[0, 0])


def test_a_call_takes_what_its_thread_computes_where_others_keep_it_waiting() -> None:
    def chained(spent_s: tuple[float | None, ...], median_s: float = 8e-3) -> float | None:
        samples = tuple(
            Sample(
                series="host_overhead", batch_size=None, precision="fp32", step_count=1, wall_s=9e-3, device_s=None,
                started_monotonic_s=0.0, warm_up=place < 4, process_cpu_s=one,
            )
            for place, one in enumerate(spent_s)
        )  # fmt: skip
        return rates_of(
            [msgspec.structs.replace(_rate("host_overhead", median_s, links=100.0), samples=samples)]
        ).call_s

    assert chained((1e-3, 4e-4, 4e-4, 4e-4, 2.4e-3)) == pytest.approx(4e-4 / 800)
    assert chained((1e-3, 9e-3), median_s=4e-4) == pytest.approx(4e-4 / 800)
    assert chained((None,)) == pytest.approx(8e-3 / 800)


def test_curves_are_those_of_the_highest_thread_count() -> None:
    rates = rates_of(BASE)
    assert rates.complete
    curve = rates.compute["matmul", "fp32"]
    assert curve.at(np.array([1e9, 1e6, 1e12])) == pytest.approx([1e11, 1e10, 1e11])
    assert curve.at(np.array([10**7.5])) == pytest.approx([10**10.5])


def test_a_calibration_without_products_bandwidth_or_host_is_incomplete() -> None:
    assert not rates_of(BASE[3:]).complete
    assert not rates_of(BASE[:4]).complete
    assert not rates_of(()).complete


def test_series_without_a_figure_say_nothing() -> None:
    empty = RateMeasurement(
        kind="matmul",
        precision="fp32",
        figures={"flop": 1.0},
        samples=(),
        summary=None,
        verdict=Verdict(kind="unstable"),
    )
    assert rates_of((empty, _rate("matmul", 0.0, flop=1e9))).compute == {}


def test_a_step_is_its_operators_and_the_hosts_calls() -> None:
    rates = rates_of(BASE)
    assert rates.call_s == pytest.approx(1e-5)
    assert _total(_table(_op("matmul")), rates) == pytest.approx(2 * 1e-2 + 10 * 1e-5, rel=1e-3)


def test_on_a_gpu_the_host_costs_only_what_the_device_waits_for_it() -> None:
    rates = rates_of((*BASE, _rate("synchronise", 1e-3), _rate("host_to_device", 1e-2, bytes=1e8, pinned=1.0)))
    parts = measured_step(_table(_op("matmul")), TRAINING, rates, [1], "fp32", on_cpu=False)
    assert parts.host_s[0, 0] == pytest.approx(0.0, abs=1e-9)
    assert parts.copy_s[0, 0] == pytest.approx(1e6 / 1e10)
    assert parts.synchronisation_s[0, 0] == pytest.approx(2e-3)


def test_depthwise_convolutions_run_at_their_own_rate() -> None:
    plain = rates_of((*BASE, _rate("convolution", 1e-2, flop=1e9, groups=1.0)))
    slow = rates_of((*BASE, _rate("convolution", 1e-1, flop=1e9, groups=96.0)))
    assert _total(_table(_op("convolution", groups=1)), plain) == pytest.approx(0.02, rel=0.01)
    assert _total(_table(_op("convolution", groups=96)), slow) == pytest.approx(0.2, rel=0.01)
    both = rates_of((*BASE, *(_rate("convolution", 1e-2 * groups, flop=1e9, groups=groups) for groups in (1.0, 9.0))))
    assert _total(_table(_op("convolution", groups=1)), both) == pytest.approx(0.02, rel=0.01)
    assert _total(_table(_op("convolution", groups=9)), both) == pytest.approx(0.18, rel=0.01)


def test_halves_have_their_own_rates_and_fall_back_to_fp32() -> None:
    half = rates_of((*BASE, _rate("matmul", 1e-3, "bf16", flop=1e9)))
    table = _table(_op("matmul", element_bytes=2))
    assert _total(table, half, "bf16_amp") == pytest.approx(2e-3, rel=0.1)
    assert _total(table, half, "fp16_amp") == pytest.approx(2e-3, rel=0.1)
    assert _total(table, half, "fp32") == pytest.approx(2e-2, rel=0.1)
    assert _total(table, rates_of(BASE), "bf16_amp") == pytest.approx(2e-2, rel=0.1)


def test_the_optimizer_costs_bytes_and_tensors() -> None:
    # AdamW over 4e6 numbers in 10 ms; 1e5 numbers in 100 tensors take 1.25 ms, of which the numbers explain 0.25 ms.
    large = _rate("optimizer", 1e-2, bytes=1e8, elements=1e6, tensors=4.0, adamw=1.0)
    small = _rate("optimizer", 1.25e-3, bytes=1e7, elements=1e3, tensors=100.0, adamw=1.0)
    both, alone = rates_of((*BASE, large, small)), rates_of((*BASE, large))
    assert both.optimizer_tensor_s == pytest.approx(1e-5)
    assert alone.optimizer_tensor_s is None
    expected = measured_step(_table(tensors=3), TRAINING, both, [1], "fp32", on_cpu=True).optimizer_s[0, 0]
    assert expected == pytest.approx(3e6 / 4e6 * 1e-2 + 3e-5)


def test_nothing_to_fall_back_on_is_a_bug_that_shows() -> None:
    with pytest.raises(KeyError, match="no rate"):
        measured_step(_table(_op("matmul")), TRAINING, MeasuredRates(), [1], "fp32", on_cpu=True)
