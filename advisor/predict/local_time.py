"""Step times at batch sizes that were not measured, on a device that is here: its own rates bent to its own steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from advisor.catalogue.precisions import PRECISION_FACTS, PRECISIONS, Precision
from advisor.core.sentences import Reason
from advisor.core.units import Basis
from advisor.cost.measured_step import measured_step
from advisor.cost.operators.measured_rates import MeasuredRates
from advisor.cost.step_parts import OWN_PARTS, StepParts
from advisor.measure.device_rates import rates_of
from advisor.measure.measurement import Measurement
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import OpTable, at
from advisor.predict.device_steps import DeviceSteps
from advisor.predict.local_anchors import Anchor, anchors_of
from advisor.predict.ranges.local_range import OTHER_PRECISION_WIDTH, RATES_ONLY_WIDTH, half_widths, octaves_outside
from advisor.protocol.messages import StepPart
from advisor.workload.workload import Training

_PRIOR_WEIGHT = 1e-6
"""Keeps the factors finite where two anchors cannot tell the parts apart."""
_RESIDUAL_FADES_PER_OCTAVE = 0.7
_PARTS: tuple[StepPart, ...] = ("copy", "forward", "backward", "optimizer")


_JOINS = (1.0, 2.0, 4.0)
"""Fixed and growing part one after the other, or more and more side by side (a device that waits for its host)."""
_LEAST_FOR_JOIN = 3
_CLEARLY_LESS, _GOOD_MISFIT = 0.5, 0.03


@dataclass(frozen=True)
class _Fit:
    """t = ((fixed * F)^join + (growing * G)^join)^(1/join)."""

    fixed: float
    growing: float
    join: float


@dataclass(frozen=True)
class _Shape:
    """What a step consists of before it is bent to measurements: parts at each batch size, in any common unit."""

    fixed_s: Floats
    growing_s: Floats
    parts_s: dict[StepPart, Floats]


def predict_local_steps(
    table: OpTable,
    training: Training,
    measurement: Measurement,
    batch_sizes: Sequence[int],
    precision: Precision,
) -> DeviceSteps | None:
    """Steps of one micro-batch and one update on a device from its own measurement; arrays of shape (1, batches).

    The device's calibrated rates give the step's fixed part (host, optimizer, what no batch changes) and its
    growing part; two factors (and how the parts join) fit these to the measured steps, and what is left over is
    interpolated in the logarithm of the batch size. A batch size that was measured keeps its median. The 80 %
    range grows with the distance to the nearest measured batch size, and more beyond the outermost. Where another
    precision was measured, its factors are taken over with a wider range. None where nothing usable was measured.
    """
    rates = rates_of(measurement.rates)
    batches = np.asarray(batch_sizes, dtype=np.float64)
    on_cpu = measurement.device_key == "cpu"
    source = _nearest_precision(measurement, precision)
    if source is None:
        return _from_rates_alone(table, training, rates, batches, precision, on_cpu=on_cpu)
    anchors = anchors_of(measurement, source)
    known = np.asarray([anchor.batch_size for anchor in anchors], dtype=np.float64)
    shape_there = _shape(table, training, rates, known, source, on_cpu=on_cpu)
    shape_here = _shape(table, training, rates, batches, precision, on_cpu=on_cpu)
    times = np.asarray([anchor.step_s for anchor in anchors])
    fit = _fit(shape_there, times)
    residuals = np.log(times / _bent(shape_there, fit))
    total_s = _bent(shape_here, fit) * np.exp(_interpolated(residuals, known, batches))
    misfit = max(float(np.max(np.abs(residuals))), _left_out_error(shape_there, known, times))
    width = half_widths(known, np.asarray([anchor.width_fraction for anchor in anchors]), batches, misfit)
    exact = source == precision
    measured = np.zeros(len(batches), dtype=bool)
    if exact:
        for anchor in anchors:
            here = batches == anchor.batch_size
            total_s[here] = anchor.step_s
            width[here] = anchor.width_fraction
            measured |= here & anchor.whole
    else:
        width = width + OTHER_PRECISION_WIDTH
    parts = _split(anchors, known, batches, shape_there, shape_here, total_s)
    notes = () if exact else (Reason.of("local-other-precision", asked=precision, measured=source),)
    if any(not anchor.whole for anchor in anchors):
        notes = (*notes, Reason.of("local-extended-layers"))
    basis: Basis = "measured" if bool(measured.all()) else "calibrated"
    return _steps(parts, width, measured, basis, notes)


def _nearest_precision(measurement: Measurement, precision: Precision) -> Precision | None:
    """The asked precision if it was measured, else one of the same width, else whatever was."""
    narrow = {name for name, row in PRECISION_FACTS.items() if row.computes_in_half}
    order = sorted(PRECISIONS, key=lambda other: (other != precision, (other in narrow) != (precision in narrow)))
    return next((other for other in order if anchors_of(measurement, other)), None)


def _shape(  # noqa: PLR0913 - what a step's time depends on
    table: OpTable, training: Training, rates: MeasuredRates, batches: Floats, precision: Precision, *, on_cpu: bool
) -> _Shape:
    """The step's parts by the device's rates; by counted work alone where the calibration is incomplete."""
    if not rates.complete:
        return _counted(table, batches)
    here = measured_step(table, training, rates, batches, precision, on_cpu=on_cpu)
    nothing = measured_step(table, training, rates, np.zeros(1), precision, on_cpu=on_cpu)
    fixed = np.full_like(batches, nothing.total_s[0, 0])
    return _Shape(fixed, np.maximum(here.total_s[0] - fixed, 0.0), _parts_of(here, table))


def _counted(table: OpTable, batches: Floats) -> _Shape:
    """Without rates: work that does not depend on the batch against work that does, in bytes and flop alike."""
    fixed = sum(op.count * (op.flop[0] + op.read_bytes[0] + op.written_bytes[0]) for op in table.ops)
    slope = sum(op.count * (op.flop[1] + op.read_bytes[1] + op.written_bytes[1]) for op in table.ops)
    growing = slope * batches
    forward = sum(op.count * at(op.flop, 1.0) for op in table.ops if op.phase == "forward")
    whole = max(1.0, sum(op.count * at(op.flop, 1.0) for op in table.ops))
    share = forward / whole
    parts: dict[StepPart, Floats] = {"forward": share * growing, "backward": (1.0 - share) * growing}
    return _Shape(np.full_like(batches, max(fixed, slope)), growing, parts)


def _parts_of(here: StepParts, table: OpTable) -> dict[StepPart, Floats]:
    """Parts as the worker times them: the host's and the waits' time lies inside forward and backward."""
    calls = max(1, sum(table.dispatch_count.values()))
    share = table.dispatch_count.get("forward", 0) / calls
    waiting = here.host_s[0] + here.synchronisation_s[0]
    return {
        "copy": here.copy_s[0],
        "forward": here.forward_s[0] + share * waiting,
        "backward": here.backward_s[0] + (1.0 - share) * waiting,
        "optimizer": here.optimizer_s[0],
    }


def _bent(shape: _Shape, fit: _Fit) -> Floats:
    fixed, growing = fit.fixed * shape.fixed_s, fit.growing * shape.growing_s
    bent: Floats = np.maximum((fixed**fit.join + growing**fit.join) ** (1.0 / fit.join), 1e-12)
    return bent


def _fit(shape: _Shape, times: Floats) -> _Fit:
    """The join that fits best; a plain sum unless another one leaves clearly less, and with one or two anchors."""
    fits = [_fit_joined(shape, times, join) for join in _JOINS]
    if len(times) < _LEAST_FOR_JOIN:
        return fits[0]
    misfits = [float(np.sqrt(np.mean(np.log(times / _bent(shape, fit)) ** 2))) for fit in fits]
    best = int(np.argmin(misfits))
    return fits[best] if misfits[best] < _CLEARLY_LESS * misfits[0] and misfits[0] > _GOOD_MISFIT else fits[0]


def _fit_joined(shape: _Shape, times: Floats, join: float) -> _Fit:
    """Factors of the two parts by relative least squares, linear in their powers; neither is negative.

    With one anchor both parts have the same factor. Each column is scaled so that it alone explains the times.
    """
    if len(times) == 1:
        plain = max(float((shape.fixed_s[0] ** join + shape.growing_s[0] ** join) ** (1.0 / join)), 1e-30)
        return _Fit(float(times[0]) / plain, float(times[0]) / plain, join)
    parts = np.maximum(np.stack([shape.fixed_s, shape.growing_s], axis=1), 1e-30)
    scale = np.exp(np.mean(np.log(times[:, None] / parts), axis=0))
    rows = (parts * scale / times[:, None]) ** join
    left = np.vstack([rows, np.sqrt(_PRIOR_WEIGHT) * np.eye(2)])
    right = np.concatenate([np.ones(len(times)), np.zeros(2)])
    solved = np.linalg.lstsq(left, right, rcond=None)[0]
    for index in (0, 1):
        if solved[index] < 0.0:  # the other part explains everything
            other = 1 - index
            solved[index] = 0.0
            solved[other] = float(left[:, other] @ right) / float(left[:, other] @ left[:, other])
    factors = scale * np.maximum(solved, 0.0) ** (1.0 / join)
    return _Fit(float(factors[0]), float(factors[1]), join)


def _interpolated(residuals: Floats, known: Floats, batches: Floats) -> Floats:
    """Residuals on a line over log2 of the batch size; they hold for an octave beyond the outermost, then fade."""
    logs, wanted = np.log2(known), np.log2(np.maximum(batches, 1.0))
    inside = np.interp(wanted, logs, residuals)
    return np.asarray(inside * _RESIDUAL_FADES_PER_OCTAVE ** np.maximum(octaves_outside(logs, wanted) - 1.0, 0.0))


def _left_out_error(shape: _Shape, known: Floats, times: Floats) -> float:
    """Median error, as a logarithm, of predicting each inner anchor from the others; 0 with fewer than three."""
    errors = []
    for index in range(1, len(known) - 1):
        others = np.arange(len(known)) != index
        rest = _Shape(shape.fixed_s[others], shape.growing_s[others], {})
        one = _Shape(shape.fixed_s[[index]], shape.growing_s[[index]], {})
        fit = _fit(rest, times[others])
        residuals = np.log(times[others] / _bent(rest, fit))
        guess = _bent(one, fit) * np.exp(_interpolated(residuals, known[others], known[[index]]))
        errors.append(abs(float(np.log(times[index] / guess[0]))))
    return float(np.median(errors)) if errors else 0.0


def _split(  # noqa: PLR0913 - the same anchors seen from two sides
    anchors: Sequence[Anchor], known: Floats, batches: Floats, there: _Shape, here: _Shape, total_s: Floats
) -> dict[str, Floats]:
    """The total divided as the anchors say: each part's factor over the rates, interpolated, then scaled."""
    logs, wanted = np.log2(known), np.log2(np.maximum(batches, 1.0))
    raw: dict[str, Floats] = {}
    for part in _PARTS:
        measured = np.asarray([anchor.parts_s.get(part, 0.0) for anchor in anchors])
        if not measured.any():
            raw[part] = (
                np.zeros_like(batches)
                if any(anchor.parts_s for anchor in anchors)
                else here.parts_s.get(part, np.zeros_like(batches))
            )
            continue
        base = there.parts_s.get(part)
        if base is None or not np.all(base > 0.0) or not np.all(measured > 0.0):
            raw[part] = np.interp(wanted, logs, measured)
            continue
        raw[part] = here.parts_s[part] * np.exp(np.interp(wanted, logs, np.log(measured / base)))
    sum_s = np.sum(list(raw.values()), axis=0)
    busy = np.interp(wanted, logs, [anchor.device_share for anchor in anchors])
    scale = np.where(sum_s > 0.0, busy * total_s / np.where(sum_s > 0.0, sum_s, 1.0), 0.0)
    parts = {part: time_s * scale for part, time_s in raw.items()}
    parts["host"] = total_s - np.sum(list(parts.values()), axis=0)
    return parts


def _from_rates_alone(  # noqa: PLR0913 - the same
    table: OpTable, training: Training, rates: MeasuredRates, batches: Floats, precision: Precision, *, on_cpu: bool
) -> DeviceSteps | None:
    """No step was measured: the calibration alone, with a range that says so; None without a calibration."""
    if not rates.complete:
        return None
    here = measured_step(table, training, rates, batches, precision, on_cpu=on_cpu)
    parts: dict[str, Floats] = {name.removesuffix("_s"): values[0] for name, values in here.of_card(0).items()}
    width = np.full_like(batches, RATES_ONLY_WIDTH)
    measured = np.zeros(len(batches), dtype=bool)
    return _steps(parts, width, measured, "calibrated", (Reason.of("local-rates-only"),))


def _steps(
    parts: dict[str, Floats],
    width: Floats,
    measured: np.typing.NDArray[np.bool_],
    basis: Basis,
    notes: tuple[Reason, ...],
) -> DeviceSteps:
    """Named parts (those that are missing take no time) and half widths of the range, each of shape (batches,)."""
    known = {name: parts.get(name.removesuffix("_s"), np.zeros_like(width))[None, :] for name in OWN_PARTS}
    total_s = StepParts(**known).total_s
    return DeviceSteps(
        **known,
        low_s=total_s / (1.0 + width),
        high_s=total_s * (1.0 + width),
        measured=measured[None, :],
        basis=(basis,),
        notes=(notes,),
    )
