"""What was measured on this machine corrects the model: by operator class here, by the user's own step, and elsewhere.

A class factor is measured over predicted seconds of its microbenchmarks, shrunk towards one: few or scattered
microbenchmarks move little. The step factor is what is left on the user's own step. On published runs, one measured
step of one card, applied in full to others, made them worse (11.1 to 12.1 % mean error); half of it in the log helps
a little. Its worth is that a wrong description of the workload shows as a factor of 1.4 to 3: then nothing is
carried over and a note says that description and run disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISIONS, TRACE_PRECISIONS, ComputedPrecision
from advisor.core.sentences import Reason
from advisor.cost.efficiencies import Efficiencies, efficiencies
from advisor.cost.host_time import HOST_SPREAD, HostSpeed, host_of_dispatch
from advisor.cost.operators.device_rates import device_rates, missing_figures
from advisor.cost.operators.device_time import device_seconds
from advisor.cost.step_time import predict_steps
from advisor.cost.traced_step import TracedStep
from advisor.measure.device_rates import rates_of
from advisor.measure.measurement import DOUBTED, Measurement, RateMeasurement, StepMeasurement
from advisor.optable.compiled_table import CompiledTable
from advisor.optable.dispatches import all_dispatches
from advisor.optable.op_table import OpTable, step_flop
from advisor.predict.local.anchors import anchors_of
from advisor.predict.microbenchmark_ops import operators_of, optimizer_bytes
from advisor.predict.prediction import Calibration
from advisor.workload.workload import Training

CLASS_KINDS: dict[str, tuple[str, ...]] = {
    "matmul": ("matmul", "rnn"),
    "convolution": ("convolution",),
    "attention": ("attention",),
    "elementwise": ("elementwise", "norm", "copy", "embedding", "pool", "sort", "other"),
    "reduction": ("softmax", "reduction"),
    "optimizer": ("optimizer",),
}
"""Microbenchmark, and the operator kinds that its factor corrects."""
_FIT_SPREAD = 0.10
"""How far the published fit may be off for a class on one card: standard deviation of the log.

Between what cards and models differ by on published runs (0.07) and what hosts and libraries add to that, of which
microbenchmarks tell a part (0.12 where a class computes, 0.23 where it waits for memory).
"""
_RATE_SPREAD = 0.15
"""How far one microbenchmark may be off as a measure of its whole class."""
_LEAST_S = 30e-6
"""Shorter microbenchmarks tell of launches, not of the class."""
AGREES_WITHIN = 0.2
"""Largest absolute log ratio of a user's step that counts as error of the model, not of the description."""
CARRIED_SHARE = 0.5
"""Share of the log of the step factor that is carried over to other cards."""
_LEAST_CPU_FLOP_PER_S = 5e9
"""No processor is slower than this at products, small ones included."""
_NEGLIGIBLE_SHARE = 0.3
_USABLE = ("stable", "usable", "contended")


def calibrate(
    measurement: Measurement,
    spec: GpuSpec,
    tables: Mapping[ComputedPrecision, CompiledTable],
    training: Training,
) -> Calibration:
    """Factors of one local GPU from its measurement; `tables` are the traces of the precisions that were measured.

    Where the card's figures do not allow a prediction, or nothing usable was measured, the factors are empty and 1.
    """
    figures = efficiencies()
    factors = class_factors(measurement.rates, spec, figures)
    host_s = rates_of(measurement.rates).call_s
    logs, batches = _step_logs(measurement, spec, tables, training, factors, figures)
    step = float(np.exp(np.median(logs))) if logs else 1.0
    elsewhere, notes = carried_over(step)
    return Calibration(
        device_key=measurement.device_key,
        spec_key=spec.key,
        class_factors=factors,
        step_factor=step,
        step_factor_elsewhere=elsewhere,
        host_s_per_dispatch=host_s,
        batch_sizes=tuple(batches),
        notes=notes,
    )


def factors_here(calibration: Calibration) -> dict[str, float]:
    """Factors for `predict_steps` on the calibrated card itself."""
    return {**calibration.class_factors, "step": calibration.step_factor}


def factors_elsewhere(calibrations: Sequence[Calibration]) -> dict[str, float]:
    """Factors for `predict_steps` on cards that are not here: the mean in the log of what each calibration carries."""
    if not calibrations:
        return {}
    logs = [np.log(calibration.step_factor_elsewhere) for calibration in calibrations]
    return {"step": float(np.exp(np.mean(logs)))}


def carried_over(step_factor: float) -> tuple[float, tuple[Reason, ...]]:
    """What of a step factor holds on other cards, and why so much."""
    log = float(np.log(step_factor))
    if abs(log) < AGREES_WITHIN:
        return float(np.exp(CARRIED_SHARE * log)), ()
    code = "predict-run-slower-than-described" if log > 0 else "predict-run-faster-than-described"
    return 1.0, (Reason.of(code, times_ratio=step_factor if log > 0 else 1.0 / step_factor),)


def host_speed(measurement: Measurement, figures: Efficiencies | None = None) -> HostSpeed:
    """The host of a measured device as far as its calibration tells, feeding a card; the rest stays unknown.

    Measured on the CPU, an operator lacks its launch on a card, which is added; a wait for a card was not measured.
    """
    rates = rates_of(measurement.rates)
    assumed = (figures or efficiencies()).assumed
    on_cpu = measurement.device_key == "cpu"
    waits_s = None if on_cpu else rates.synchronise_s
    if rates.call_s is None:
        return HostSpeed(synchronisation_s=waits_s)
    return host_of_dispatch(rates.call_s + (assumed.host_launch_s if on_cpu else 0.0), assumed, waits_s)


def pass_floor_s(measurement: Measurement, table: OpTable) -> float:
    """Seconds in which this processor issues one forward and backward of the model that `table` traces, at least.

    Its quickest measured step, less what that computes, and a launch for each operator: a card on the same host waits
    for the same Python. 0 where no step was timed whole on the CPU, or where compute is not negligible, or where a
    disturbed one took longer than Python may: what others cost a step is none of its Python.
    """
    whole = [
        step
        for step in measurement.steps
        if step.precision == "fp32"
        and step.layer_limit is None
        and step.summary is not None
        and {"forward", "backward"} <= set(step.parts_s)
    ]
    if measurement.device_key != "cpu" or not whole:
        return 0.0
    step = min([step for step in whole if step.verdict.kind not in DOUBTED] or whole, key=_undisturbed_s)
    share = (step.parts_s["forward"] + step.parts_s["backward"]) / sum(step.parts_s.values())
    taken_s = share * _undisturbed_s(step)
    computed_s = step_flop(table, step.batch_size) / _LEAST_CPU_FLOP_PER_S
    if computed_s >= _NEGLIGIBLE_SHARE * taken_s:
        return 0.0
    calls, assumed = float(all_dispatches(table, step.batch_size)), efficiencies().assumed
    usual_s = calls * (rates_of(measurement.rates).call_s or assumed.host_s_per_dispatch) + assumed.host_pass_s
    if step.verdict.kind in DOUBTED and taken_s - computed_s > HOST_SPREAD * usual_s:
        return 0.0
    # What ran on the processor itself launched nothing.
    return taken_s - computed_s + calls * assumed.host_launch_s


def _undisturbed_s(step: StepMeasurement) -> float:
    """A step's time without the waits that other programs cost: wall or processor time, whichever is less."""
    assert step.summary is not None
    spent = [sample.process_cpu_s for sample in step.samples if not sample.warm_up and sample.process_cpu_s is not None]
    return min(step.summary.median_s, float(np.median(spent))) if spent else step.summary.median_s


def class_factors(rates: Sequence[RateMeasurement], spec: GpuSpec, figures: Efficiencies) -> dict[str, float]:
    """Measured over predicted time by operator kind, shrunk towards one by how much was measured."""
    logs: dict[str, list[float]] = {}
    for rate in rates:
        predicted = _predicted_s(rate, spec, figures)
        if predicted is None or rate.summary is None or rate.summary.median_s < _LEAST_S:
            continue
        logs.setdefault(rate.kind, []).append(float(np.log(rate.summary.median_s / predicted)))
    factors: dict[str, float] = {}
    for kind, values in logs.items():
        weight = _FIT_SPREAD**2 / (_FIT_SPREAD**2 + _RATE_SPREAD**2 / len(values))
        for corrected in CLASS_KINDS[kind]:
            factors[corrected] = float(np.exp(weight * np.median(values)))
    return factors


def _predicted_s(rate: RateMeasurement, spec: GpuSpec, figures: Efficiencies) -> float | None:
    """Seconds of a microbenchmark by the published fit; None where it is none of the classes."""
    if rate.verdict.kind not in _USABLE or missing_figures(spec, rate.precision) is not None:
        return None
    rates = device_rates([spec], rate.precision, figures)
    moved = optimizer_bytes(rate)
    if moved is not None:
        return moved / float(rates.bandwidth_bytes_per_s[0] * figures.fitted.elementwise)
    operators = operators_of(rate)
    if operators is None:
        return None
    busy = device_seconds(operators, rates, np.ones((1, 1)), figures, channels_last=False)
    return float(busy.forward[0, 0] + busy.backward[0, 0])


def _step_logs(  # noqa: PLR0913 - one question
    measurement: Measurement,
    spec: GpuSpec,
    tables: Mapping[ComputedPrecision, CompiledTable],
    training: Training,
    factors: Mapping[str, float],
    figures: Efficiencies,
) -> tuple[list[float], list[int]]:
    """Logs of measured over predicted steps, and their batch sizes."""
    host = host_speed(measurement, figures)
    logs: list[float] = []
    batches: list[int] = []
    for precision in PRECISIONS:
        anchors = [anchor for anchor in anchors_of(measurement, precision) if anchor.whole]
        table = tables.get(precision)
        if not anchors or table is None or table.table.precision != TRACE_PRECISIONS[precision]:
            continue
        sizes = [anchor.batch_size for anchor in anchors]
        step = TracedStep(compiled=table, training=training, precision=precision, host=host)
        grid = predict_steps(step, [spec], sizes, factors=factors, figures=figures)
        if grid.refusals[0] is not None:
            continue
        logs += [float(np.log(anchor.step_s / grid.total_s[0, index])) for index, anchor in enumerate(anchors)]
        batches += sizes
    return logs, batches
