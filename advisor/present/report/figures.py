"""The six figures under the report's headline, each with its range and basis, in the words of the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from advisor.core.money import format_cost
from advisor.core.sentences import Language, sentence
from advisor.core.units import (
    Estimate,
    format_bytes,
    format_energy,
    format_rate,
    format_seconds,
    in_one_unit,
)
from advisor.recommend.recommendation import Recommendation, prediction_of
from advisor.store.advice_record import AdviceRecord


def key_figures(advice: AdviceRecord, main: Recommendation, language: Language) -> list[dict[str, str]]:
    """Job, step, rate, memory, cost or device time, energy; unknown is said, never left out."""

    def figure(code: str, estimate: Estimate | None, formatter: Callable[[float], str]) -> dict[str, str]:
        label = sentence(code, language)
        if estimate is None:
            return {"label": label, "value": sentence("unknown", language), "range": ""}
        basis = sentence(f"basis-{estimate.basis}", language)
        written = in_one_unit(estimate, formatter)
        spread = f"{written(estimate.low)} – {written(estimate.high)} · {basis}"
        return {"label": label, "value": written(estimate.value), "range": spread}

    prediction, infers = prediction_of(advice.predictions, main), advice.workload.training.mode == "inference"
    figures = [
        figure("summary-job-inference" if infers else "advice-job", main.job_s, format_seconds),
        figure("advice-step", main.step_s, format_seconds),
        figure("advice-rate", main.samples_per_s, format_rate),
        figure("advice-memory", main.peak_memory_bytes, format_bytes),
    ]
    if main.cost is not None:
        figures.append(
            figure("advice-cost", main.cost, partial(format_cost, currency=main.currency, language=language))
        )
    else:
        device_time = main.job_s.scaled(main.count) if main.job_s is not None else None
        figures.append(figure("report-device-time", device_time, format_seconds))
    energy_j = prediction.energy_j if prediction is not None else None
    figures.append(figure("advice-energy", energy_j, format_energy))
    if energy_j is None:
        figures[-1]["range"] = sentence("report-energy-unknown", language)
    return figures
