"""Steps of single devices: timed here where they were, else from the spec table; what is unknown says why."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.core.sentences import Reason
from advisor.core.units import Basis
from advisor.cost.efficiencies import Efficiencies
from advisor.cost.step_time import StepGrid, predict_steps
from advisor.cost.traced_step import TracedStep
from advisor.optable.op_columns import Floats
from advisor.predict.calibration import factors_elsewhere, factors_here
from advisor.predict.device_steps import DeviceSteps, from_grid
from advisor.predict.loader import with_loader
from advisor.predict.local.step_time import predict_local_steps
from advisor.predict.prediction import Device
from advisor.predict.ranges.deviation import share_slopes
from advisor.predict.ranges.envelope import card_outside, outside_envelope
from advisor.predict.ranges.step_range import step_band
from advisor.predict.sources import Sources


def single_device_steps(
    step: TracedStep, devices: Sequence[Device], batches: Sequence[int], sources: Sources
) -> dict[str, DeviceSteps | Reason]:
    """Steps of every device by its key, or the reason why there are none."""
    answers: dict[str, DeviceSteps | Reason] = {}
    from_spec: list[tuple[Device, GpuSpec]] = []
    for device in devices:
        measurement = sources.measurements.get(device.key)
        if measurement is not None:
            timed = predict_local_steps(step.compiled.table, step.training, measurement, batches, step.precision)
            if timed is not None:
                answers[device.key] = timed
                continue
        spec = sources.spec_of(device)
        if spec is not None:
            from_spec.append((device, spec))
        elif device.key == "cpu":
            answers[device.key] = Reason.of("predict-cpu-not-measured")
        else:
            answers[device.key] = Reason.of("predict-unknown-card", device=device.name)
    answers |= _specified(step, from_spec, batches, sources)
    answers_by_device = {device: answers[device.key] for device in devices}
    return {
        device.key: steps if isinstance(steps, Reason) else with_loader(steps, device, batches, sources)
        for device, steps in answers_by_device.items()
    }


def _specified(
    step: TracedStep, cards: Sequence[tuple[Device, GpuSpec]], batches: Sequence[int], sources: Sources
) -> dict[str, DeviceSteps | Reason]:
    """All cards of the table in one grid; a card with a calibration of its own has its own factors."""
    plain = [(device, spec) for device, spec in cards if device.key not in sources.calibrations]
    groups = [(plain, None)] + [
        ([(device, spec)], sources.calibrations[device.key])
        for device, spec in cards
        if device.key in sources.calibrations
    ]
    elsewhere = factors_elsewhere(tuple(sources.calibrations.values()))
    answers: dict[str, DeviceSteps | Reason] = {}
    for members, calibration in groups:
        if not members:
            continue
        specs = [spec for _, spec in members]
        factors = factors_here(calibration) if calibration is not None else elsewhere
        predicted = partial(predict_steps, step, specs, batches, factors=factors)
        grid = predicted(figures=sources.figures)

        def seconds(figures: Efficiencies, ask: partial[StepGrid] = predicted) -> Floats:
            return ask(figures=figures).total_s

        slopes = share_slopes(seconds, grid.total_s, [spec.published_as for spec in specs], sources.figures)
        band = step_band(step, specs, grid.host_s / grid.total_s, slopes, sources.figures)
        outside = outside_envelope(step.compiled, step.training, sources.figures)
        for row, (device, spec) in enumerate(members):
            refusal = grid.refusals[row]
            notes = (*card_outside(spec, sources.figures), *outside)
            basis: Basis = "specified" if calibration is None else "calibrated"
            answers[device.key] = refusal if refusal is not None else from_grid(grid, band, row, basis, notes)
    return answers
