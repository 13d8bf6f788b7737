"""The one picture of an advice: the whole job's time here and on every candidate, with ranges, ties and prices."""

from __future__ import annotations

import math

from advisor.catalogue.precisions import precision_name
from advisor.core.by_key import firsts
from advisor.core.records import Record
from advisor.core.sentences import Language, sentence, visible
from advisor.core.units import format_seconds, unit_of_seconds, value_of
from advisor.predict.prediction import Prediction
from advisor.present.card_names import device_names, short_name
from advisor.present.set_ups import shown_set_ups, tied_places
from advisor.present.summary import best_by_device
from advisor.present.table_cells import added_names, strategy_name
from advisor.recommend.comparison import counted
from advisor.recommend.ranking import is_trusted, untrusted_devices
from advisor.recommend.recommendation import prediction_of
from advisor.store.advice_record import AdviceRecord

_ROWS = 9
_REFUSED_ROWS = 2
_TICKS, _LEAST_TICKS = 7, 3
_DAY_S, _YEAR_S = 86_400.0, 365.25 * 86_400.0
_ROUND_S = (
    *(digit * 10.0**power for power in range(-6, 0) for digit in (1, 2, 5)),
    *(1.0, 2.0, 5.0, 10.0, 20.0, 30.0),
    *(60.0 * minutes for minutes in (1, 2, 5, 10, 20, 30)),
    *(3600.0 * hours for hours in (1, 2, 5, 10)),
    *(_DAY_S * days for days in (1, 2, 5, 10, 20, 50, 100, 200)),
    *(_YEAR_S * digit * 10.0**power for power in range(4) for digit in (1, 2, 5)),
)
"""Durations that read well on an axis."""


class PictureRow(Record, frozen=True, kw_only=True):
    """One set-up of the picture."""

    prediction: Prediction
    advised: bool
    here: bool
    tied: bool
    """No clear difference to the advised set-up."""
    trusted: bool
    """False: its measurement was disturbed."""

    @property
    def refused(self) -> bool:
        """It does not fit: there is no time to draw."""
        return self.prediction.fits is False or self.prediction.job_s is None


class JobPicture(Record, frozen=True, kw_only=True):
    """The rows, the shortest job first, on one logarithmic axis from `low_s` to `high_s`."""

    rows: tuple[PictureRow, ...]
    low_s: float
    high_s: float
    ticks_s: tuple[float, ...]

    def across(self, time_s: float) -> float:
        """Where a time lies on the axis, from 0 to 1."""
        return math.log(time_s / self.low_s) / math.log(self.high_s / self.low_s)


def job_picture(advice: AdviceRecord) -> JobPicture | None:
    """The set-ups worth a look, this machine's own among them, and the smallest that do not fit; None: no job times."""
    main = advice.main
    shown = [prediction for prediction in shown_set_ups(advice, _ROWS) if prediction.job_s is not None]
    if not shown:
        return None
    shown.sort(key=lambda prediction: value_of(prediction.job_s))
    keys = {prediction.device.key for prediction in shown}
    refused = [
        prediction
        for prediction in best_by_device(advice)
        if prediction.fits is False and prediction.device.key not in keys
    ]
    chosen, ties = prediction_of(advice.predictions, main), tied_places(advice)
    untrusted = untrusted_devices(advice.measurements)
    rows = tuple(
        PictureRow(
            prediction=prediction,
            advised=prediction is chosen,
            here=prediction.device.local,
            tied=(prediction is chosen and bool(ties)) or prediction.device_and_count in ties,
            trusted=prediction.fits is False or is_trusted(prediction, untrusted),
        )
        for prediction in (
            *shown,
            *list(firsts(refused, lambda prediction: prediction.device.key).values())[:_REFUSED_ROWS],
        )
    )
    spans = [prediction.job_s for prediction in shown if prediction.job_s is not None]
    low_s, high_s = min(span.low for span in spans) / 1.15, max(span.high for span in spans) * 1.15
    return JobPicture(rows=rows, low_s=low_s, high_s=high_s, ticks_s=axis_ticks(low_s, high_s))


def row_name(row: PictureRow, names: dict[str, str]) -> str:
    """The device without its maker's name, with its count where there are several; `names` by device key."""
    return counted(row.prediction.count, names[row.prediction.device.key])


def row_names(advice: AdviceRecord) -> dict[str, str]:
    """Short names of all devices by key, made safe to show."""
    return {key: short_name(visible(name)) for key, name in device_names(advice.predictions).items()}


def row_detail(row: PictureRow, advice: AdviceRecord, language: Language) -> str:
    """Batch and strategy of a row, and its precision where that is not the advised one."""
    prediction, main = row.prediction, advice.main
    steps = prediction.gradient_accumulation_steps
    batch = sentence("picture-batch", language, batch=f"{prediction.batch_size_per_device:,}")
    parts = [f"{batch} × {steps}" if steps > 1 else batch]
    if main is None or prediction.precision != main.precision:
        parts.append(precision_name(prediction.precision, language))
    if prediction.strategy != "single":
        parts.append(strategy_name(prediction.strategy, language, short=True))
    parts += added_names(prediction.added, language)
    if advice.is_over_limits(prediction):
        parts.append(sentence("picture-over-limits", language))
    return " · ".join(parts)


def legend(picture: JobPicture, language: Language) -> tuple[str, ...]:
    """What filled dots, the bracket and dashed lines mean, where there are any; and what several devices share."""
    codes = ["picture-legend"]
    codes += ["picture-legend-tie"] if sum(row.tied for row in picture.rows) > 1 else []
    codes += ["picture-legend-disturbed"] if not all(row.trusted for row in picture.rows) else []
    said = [sentence(code, language) for code in codes]
    samples = next((row.prediction.global_batch_size for row in picture.rows if row.advised), None)
    others = [row.prediction for row in picture.rows if not row.advised]
    several = {other.global_batch_size for other in others if other.count > 1}
    if several == {samples}:
        said.append(sentence("picture-legend-shared", language, samples=f"{samples:,}"))
    return tuple(said)


def axis_ticks(low_s: float, high_s: float) -> tuple[float, ...]:
    """Round durations between two times, evenly spread on a logarithmic axis; at most about seven."""
    inside = [time_s for time_s in _ROUND_S if low_s <= time_s <= high_s]
    if len(inside) < _LEAST_TICKS:
        inside = _between_round(low_s, high_s)
    apart = math.log(high_s / low_s) / _TICKS
    kept: list[float] = []
    for time_s in inside:
        if not kept or math.log(time_s / kept[-1]) >= apart:
            kept.append(time_s)
    return tuple(kept)


def _between_round(low_s: float, high_s: float) -> list[float]:
    """Round steps of the unit, of either end's, where the times lie so near that hardly a round one is between."""
    return max((_steps_of(unit_of_seconds(end_s), low_s, high_s) for end_s in (low_s, high_s)), key=len)


def _steps_of(unit_s: float, low_s: float, high_s: float) -> list[float]:
    wished = (high_s - low_s) / _LEAST_TICKS / unit_s
    power = 10.0 ** math.floor(math.log10(wished))
    step = max(digit * power for digit in (1, 2, 5) if digit * power <= wished or digit == 1)
    first, last = math.ceil(low_s / unit_s / step), math.floor(high_s / unit_s / step)
    places = (float(f"{step * place:.9g}") * unit_s for place in range(first, last + 1))
    return [time_s for time_s in places if low_s <= time_s <= high_s and _is_told_whole(time_s)]


def _is_told_whole(time_s: float) -> bool:
    """Whether the text says all of it: 26 hours would be 1.08 days."""
    return math.isclose(float(tick_text(time_s).partition(" ")[0]) * unit_of_seconds(time_s), time_s, rel_tol=1e-6)


def tick_text(time_s: float) -> str:
    """A round duration: `10 s`, `2 h`."""
    number, _, unit = format_seconds(time_s).rpartition(" ")
    return f"{float(number.replace(',', '')):g} {unit}"
