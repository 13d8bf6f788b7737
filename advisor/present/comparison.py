"""Two advices side by side: what was different in machine and workload, and which times really differ."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from advisor.catalogue.precisions import Precision
from advisor.core.records import Record
from advisor.core.units import Estimate, around
from advisor.measure.measurement import Measurement
from advisor.predict.prediction import Prediction
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord

Figure = Literal["step_s", "job_s", "samples_per_s", "peak_memory_bytes", "cost"]
"""What two recommendations are held against each other by."""


class SettingDifference(Record, frozen=True, kw_only=True):
    """A field of workload, machine or software that is not the same in both, as text; None: not there."""

    field: str
    """Path in the record, such as `workload.training.batch_size`."""
    first: str | None
    second: str | None


class Difference(Record, frozen=True, kw_only=True):
    """A figure of the first advice and of the second; None: unknown there."""

    first: Estimate | None
    second: Estimate | None

    @property
    def ratio(self) -> float | None:
        """Second over first; None where one is unknown or zero."""
        if self.first is None or self.second is None or self.first.value == 0:
            return None
        return self.second.value / self.first.value

    @property
    def clear(self) -> bool:
        """Whether the two ranges do not touch: only then is there a difference to speak of."""
        return self.first is not None and self.second is not None and not self.first.overlaps(self.second)


class FigureDifference(Difference, frozen=True, kw_only=True):
    """One figure of both recommendations."""

    field: Figure
    local: bool
    """Of the best set-up on the machine itself, rather than of all candidates."""


class StepDifference(Difference, frozen=True, kw_only=True):
    """The step time of one set-up that both advices looked at."""

    of: Prediction
    """The set-up, as the second advice has it."""
    measured: bool
    """Timed in both runs; otherwise predicted in at least one."""


class RunComparison(Record, frozen=True, kw_only=True):
    """Everything two advices can be compared by."""

    settings: tuple[SettingDifference, ...]
    same_set_up: bool
    """Whether both advise the same device, count, strategy, precision and batch."""
    figures: tuple[FigureDifference, ...]
    steps: tuple[StepDifference, ...]
    """The clearest first; measured ones before predicted ones."""


def compare(first: AdviceRecord, second: AdviceRecord) -> RunComparison:
    """The differences of two advices, a pure function of them; equal advices differ in nothing."""
    steps = _steps(first, second)
    return RunComparison(
        settings=tuple(_settings(first, second)),
        same_set_up=_set_up(first) == _set_up(second),
        figures=(
            *_figures(first.recommendation, second.recommendation, local=False),
            *_figures(first.recommendation_local, second.recommendation_local, local=True),
        ),
        steps=tuple(
            sorted(
                steps,
                key=lambda difference: (
                    not difference.measured,
                    not difference.clear,
                    -abs((difference.ratio or 0.0) - 1),
                ),
            )
        ),
    )


def _settings(first: AdviceRecord, second: AdviceRecord) -> list[SettingDifference]:
    sides = [
        dict(_flat("workload", msgspec.to_builtins(advice.workload))) | _surroundings(advice)
        for advice in (first, second)
    ]
    rows = ((field, sides[0].get(field), sides[1].get(field)) for field in sides[0] | sides[1])
    return [
        SettingDifference(field=field, first=before, second=after) for field, before, after in rows if before != after
    ]


def _surroundings(advice: AdviceRecord) -> dict[str, str]:
    """What of a machine bears on its speed; free memory, load and the moment do not tell two machines apart."""
    machine = advice.machine
    surroundings = dict(_flat("machine.software", msgspec.to_builtins(machine.software)))
    surroundings["machine.cpu.name"] = str(machine.cpu.name)
    surroundings["machine.cpu.usable_core_count"] = str(machine.cpu.usable_core_count)
    surroundings["machine.memory.total_bytes"] = str(machine.memory.total_bytes)
    for gpu in machine.gpus:
        surroundings[f"machine.gpus[{gpu.index}].name"] = gpu.name
        surroundings[f"machine.gpus[{gpu.index}].power_limit_w"] = str(gpu.power_limit_w)
    surroundings["advisor_version"] = advice.advisor_version
    return surroundings


def _flat(path: str, value: object) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [row for key, item in value.items() for row in _flat(f"{path}.{key}", item)]
    return [(path, str(value))] if value is not None else []


def _set_up(advice: AdviceRecord) -> tuple[object, ...] | None:
    return None if advice.recommendation is None else advice.recommendation.set_up


def _figures(
    first: Recommendation | None, second: Recommendation | None, *, local: bool
) -> tuple[FigureDifference, ...]:
    currencies_differ = first is not None and second is not None and first.currency != second.currency
    pairs = ((name, getattr(first, name, None), getattr(second, name, None)) for name in get_args(Figure))
    return tuple(
        FigureDifference(field=name, local=local, first=before, second=after)
        for name, before, after in pairs
        if (before or after) and not (name == "cost" and currencies_differ)
    )


def _steps(first: AdviceRecord, second: AdviceRecord) -> list[StepDifference]:
    before = {item.set_up: item for item in first.predictions}
    timed = [_timed(advice.measurements) for advice in (first, second)]
    differences = []
    for item in second.predictions:
        other = before.get(item.set_up)
        if other is None:
            continue
        place = (item.device.key, item.precision, item.batch_size_per_device)
        alone = item.count == 1 and item.gradient_accumulation_steps == 1
        medians = [side.get(place) if alone else None for side in timed]
        by_medians = medians[0] is not None and medians[1] is not None
        differences.append(
            StepDifference(
                of=item,
                # A disturbed measurement is the prediction's own figure, and has its wider range.
                measured=by_medians or (other.measured and item.measured),
                first=medians[0] if by_medians else other.step_s,
                second=medians[1] if by_medians else item.step_s,
            )
        )
    return differences


def _timed(measurements: tuple[Measurement, ...]) -> dict[tuple[str, Precision, int], Estimate]:
    """Medians with the interval of the median, by device, precision and batch size."""
    medians = {}
    for measurement in measurements:
        for step in measurement.steps:
            summary = step.summary
            # Some of the model's blocks alone are no step of the model.
            whole = step.layer_limit is None
            if summary is not None and whole and step.verdict.kind in {"stable", "usable"}:
                median = around(summary.median_s, summary.low_s, summary.high_s, "measured")
                medians[measurement.device_key, step.precision, step.batch_size] = median
    return medians
