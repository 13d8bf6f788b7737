"""Step times at batch sizes that were not measured, on a device that is here: its own rates bent to its own steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from advisor.catalogue.precisions import PRECISION_FACTS, PRECISIONS, ComputedPrecision
from advisor.core.sentences import Names, Reason
from advisor.core.units import Basis
from advisor.cost.measured_step import measured_step
from advisor.cost.operators.measured_rates import MeasuredRates
from advisor.cost.step_parts import OWN_PARTS, StepParts
from advisor.measure.device_rates import rates_of
from advisor.measure.measurement import Measurement
from advisor.optable.dispatches import all_dispatches, dispatches
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import OpTable, at
from advisor.predict.device_steps import DeviceSteps
from advisor.predict.local.anchors import Anchor, anchors_of, disproved_batches
from advisor.predict.local.two_parts import COUNTED, RATES, TwoParts, fit_to
from advisor.predict.ranges.local_range import OTHER_PRECISION_WIDTH, RATES_ONLY_WIDTH, half_widths, octaves_outside
from advisor.protocol.messages import STEP_PARTS, StepPart
from advisor.workload.workload import Training

_RESIDUAL_FADES_PER_OCTAVE = 0.7


@dataclass(frozen=True)
class _Shape:
    """What a step consists of before it is bent to measurements: parts at each batch size, in any common unit."""

    whole: TwoParts
    parts_s: dict[StepPart, Floats]


class _ByRates(NamedTuple):
    """A workload's steps as a device's own rates tell them."""

    table: OpTable
    training: Training
    rates: MeasuredRates
    on_cpu: bool

    def step(self, batches: Floats, precision: ComputedPrecision) -> StepParts:
        return measured_step(self.table, self.training, self.rates, batches, precision, on_cpu=self.on_cpu)


def predict_local_steps(
    table: OpTable,
    training: Training,
    measurement: Measurement,
    batch_sizes: Sequence[int],
    precision: ComputedPrecision,
) -> DeviceSteps | None:
    """Steps of one micro-batch and one update on a device from its own measurement; arrays of shape (1, batches).

    The device's calibrated rates give the step's fixed part (host, optimizer, what no batch changes) and its
    growing part; two factors (and how the parts join) fit these to the measured steps, and what is left over is
    interpolated in the logarithm of the batch size. A batch size that was measured keeps its median. The 80 % range
    grows with the distance to the nearest measured batch size, and more beyond the outermost; at sizes that were not
    measured it is no narrower than what the measured ones leave open of the two factors. Where another precision was
    measured, its factors are taken over with a wider range. None where nothing usable was measured.
    """
    on_cpu = measurement.device_key == "cpu"
    by_rates = _ByRates(table, training, rates_of(measurement.rates), on_cpu)
    batches = np.asarray(batch_sizes, dtype=np.float64)
    source = _nearest_precision(measurement, precision)
    if source is None:
        return _from_rates_alone(by_rates, batches, precision)
    anchors = anchors_of(measurement, source)
    timed_batches = np.asarray([anchor.batch_size for anchor in anchors], dtype=np.float64)
    shape_there = _shape(by_rates, timed_batches, source)
    shape_here = _shape(by_rates, batches, precision)
    times = np.asarray([anchor.step_s for anchor in anchors])
    errors = np.asarray([anchor.log_error for anchor in anchors])
    fit = fit_to(shape_there.whole, times, errors)
    residuals = np.log(times / fit.seconds(shape_there.whole))
    total_s = fit.seconds(shape_here.whole) * np.exp(_interpolated(residuals, timed_batches, batches))
    misfit = max(float(np.max(np.abs(residuals))), _left_out_error(shape_there.whole, timed_batches, times, errors))
    own = np.asarray([anchor.width_fraction for anchor in anchors])
    width = half_widths(timed_batches, own, batches, misfit, fit.log_error(shape_here.whole))
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
    total_s = np.where(measured, total_s, _as_a_larger_batch_at_most(batches, total_s))
    parts = _split(anchors, timed_batches, batches, shape_there, shape_here, total_s)
    notes = () if exact else (Reason.of("local-other-precision", asked=precision, measured=source),)
    if any(not anchor.whole for anchor in anchors):
        notes = (*notes, Reason.of("local-extended-layers"))
    disproved = disproved_batches(measurement, source)
    if disproved:
        notes = (*notes, Reason.of("local-disproved", sizes=Names(names=tuple(map(str, disproved)))))
    basis: Basis = "measured" if bool(measured.all()) else "calibrated"
    return _steps(parts, width, measured, basis, notes)


def _nearest_precision(measurement: Measurement, precision: ComputedPrecision) -> ComputedPrecision | None:
    """The asked precision if it was measured, else one of the same width, else whatever was."""
    narrow = {name for name, row in PRECISION_FACTS.items() if row.computes_in_half}
    order = sorted(PRECISIONS, key=lambda other: (other != precision, (other in narrow) != (precision in narrow)))
    return next((other for other in order if anchors_of(measurement, other)), None)


def _shape(by_rates: _ByRates, batches: Floats, precision: ComputedPrecision) -> _Shape:
    """The step's parts by the device's rates; by counted work alone where the calibration is incomplete."""
    table = by_rates.table
    if not by_rates.rates.complete:
        return _counted(table, batches)
    here, nothing = by_rates.step(batches, precision), by_rates.step(np.zeros(1), precision)
    fixed = np.full_like(batches, nothing.total_s[0, 0])
    whole = TwoParts(fixed, np.maximum(here.total_s[0] - fixed, 0.0), RATES)
    return _Shape(whole, _parts_of(here, table, batches))


def _counted(table: OpTable, batches: Floats) -> _Shape:
    """Without rates: work that does not depend on the batch against work that does, in bytes and flop alike."""
    fixed = sum(op.count * (op.flop[0] + op.read_bytes[0] + op.written_bytes[0]) for op in table.ops)
    slope = sum(op.count * (op.flop[1] + op.read_bytes[1] + op.written_bytes[1]) for op in table.ops)
    growing = slope * batches
    forward = sum(op.count * at(op.flop, 1.0) for op in table.ops if op.phase == "forward")
    whole = max(1.0, sum(op.count * at(op.flop, 1.0) for op in table.ops))
    share = forward / whole
    parts: dict[StepPart, Floats] = {"forward": share * growing, "backward": (1.0 - share) * growing}
    return _Shape(TwoParts(np.full_like(batches, max(fixed, slope)), growing, COUNTED), parts)


def _parts_of(here: StepParts, table: OpTable, batches: Floats) -> dict[StepPart, Floats]:
    """Parts as the worker times them: the host's and the waits' time lies inside forward and backward."""
    share = dispatches(table, "forward", batches) / np.maximum(1.0, all_dispatches(table, batches))
    waiting = here.host_s[0] + here.synchronisation_s[0]
    return {
        "copy": here.copy_s[0],
        "forward": here.forward_s[0] + share * waiting,
        "backward": here.backward_s[0] + (1.0 - share) * waiting,
        "optimizer": here.optimizer_s[0],
    }


def _interpolated(residuals: Floats, timed_batches: Floats, batches: Floats) -> Floats:
    """Residuals on a line over log2 of the batch size; they hold for an octave beyond the outermost, then fade."""
    logs, wanted = np.log2(timed_batches), np.log2(np.maximum(batches, 1.0))
    inside = np.interp(wanted, logs, residuals)
    return np.asarray(inside * _RESIDUAL_FADES_PER_OCTAVE ** np.maximum(octaves_outside(logs, wanted) - 1.0, 0.0))


def _as_a_larger_batch_at_most(batches: Floats, step_s: Floats) -> Floats:
    """Steps of which none takes longer than one of more samples: rates that others disturbed would have it so."""
    rising = np.argsort(batches, kind="stable")
    least = np.empty_like(step_s)
    least[rising] = np.minimum.accumulate(step_s[rising][::-1])[::-1]
    return least


def _left_out_error(parts: TwoParts, timed_batches: Floats, times: Floats, noise: Floats) -> float:
    """Median error, as a logarithm, of predicting each inner anchor from the others; 0 with fewer than three."""
    errors = []
    for index in range(1, len(timed_batches) - 1):
        others = np.flatnonzero(np.arange(len(timed_batches)) != index)
        rest, left_out = parts.at(others), parts.at([index])
        fit = fit_to(rest, times[others], noise[others])
        residuals = np.log(times[others] / fit.seconds(rest))
        guess = fit.seconds(left_out) * np.exp(_interpolated(residuals, timed_batches[others], timed_batches[[index]]))
        errors.append(abs(float(np.log(times[index] / guess[0]))))
    return float(np.median(errors)) if errors else 0.0


def _split(  # noqa: PLR0913 - the same anchors seen from two sides
    anchors: Sequence[Anchor], timed_batches: Floats, batches: Floats, there: _Shape, here: _Shape, total_s: Floats
) -> dict[str, Floats]:
    """The total divided as the anchors say: each part's factor over the rates, interpolated, then scaled."""
    logs, wanted = np.log2(timed_batches), np.log2(np.maximum(batches, 1.0))
    raw: dict[str, Floats] = {}
    for part in STEP_PARTS:
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


def _from_rates_alone(by_rates: _ByRates, batches: Floats, precision: ComputedPrecision) -> DeviceSteps | None:
    """No step was measured: the calibration alone, with a range that says so; None without a calibration."""
    if not by_rates.rates.complete:
        return None
    here = by_rates.step(batches, precision)
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
    named_parts = {name: parts.get(name.removesuffix("_s"), np.zeros_like(width))[None, :] for name in OWN_PARTS}
    total_s = StepParts(**named_parts).total_s
    return DeviceSteps(
        **named_parts,
        low_s=total_s / (1.0 + width),
        high_s=total_s * (1.0 + width),
        measured=measured[None, :],
        basis=(basis,),
        notes=(notes,),
    )
