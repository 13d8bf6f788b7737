"""Two runs side by side, and one run's predictions against what was measured in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.gui.advice_figures import PRECISION_NAMES, short_name
from advisor.gui.models.table_model import Column, TableModel
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.table import Table
from advisor.sentences import visible

if TYPE_CHECKING:
    from advisor.gui.context import Context
    from advisor.measure.measurement import StepMeasurement
    from advisor.predict.prediction import Prediction
    from advisor.report.advice_record import Advice


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One line: what it is, and both runs' values as text."""

    name: str
    first: str
    second: str
    differs: bool


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A measured batch size and what was predicted for it."""

    device_name: str
    step: StepMeasurement
    predicted: Prediction


def compare(first: Advice, second: Advice, context: Context) -> list[Compared]:
    """What a person would look for: machine, software, workload, and the advice with its figures."""
    texts = context.texts

    def facts(advice: Advice) -> list[tuple[str, str]]:
        chosen, here = advice.recommendation, advice.recommendation_local
        software = advice.machine.software
        return [
            (texts("history-when"), advice.created_utc[:16].replace("T", " ")),
            (texts("history-workload"), advice.workload.name),
            (texts("page-machine"), _machine(advice)),
            (texts("history-software"), f"driver {software.driver or '–'} · torch {software.torch or '–'}"),
            (texts("advice-best-of-all"), _chosen(chosen, context)),
            (texts("advice-job"), texts.duration(chosen.job_s.value if chosen and chosen.job_s else None)),
            (texts("advice-rate"), texts.rate(chosen.samples_per_s.value if chosen else None)),
            (texts("advice-on-this-machine"), _chosen(here, context)),
            (texts("history-job-here"), texts.duration(here.job_s.value if here and here.job_s else None)),
            (texts("history-rate-here"), texts.rate(here.samples_per_s.value if here else None)),
        ]

    return [
        Compared(name=name, first=visible(one), second=visible(two), differs=one != two)
        for (name, one), (_same, two) in zip(facts(first), facts(second), strict=True)
    ]


def _machine(advice: Advice) -> str:
    names = [short_name(gpu.name) for gpu in advice.machine.gpus] or ["–"]
    return f"{short_name(advice.machine.cpu.name or 'CPU')} · {', '.join(names)}"


def _chosen(chosen: object, context: Context) -> str:
    from advisor.recommend.recommendation import Recommendation

    if not isinstance(chosen, Recommendation):
        return "–"
    batch = context.texts("advice-batch-row", batch=chosen.batch_size_per_device)
    return f"{chosen.count} × {short_name(chosen.device.name)} · {batch} · {PRECISION_NAMES[chosen.precision]}"


def compared_card(first: Advice, second: Advice, context: Context) -> Card:
    """Two runs in two columns; what differs is bold."""
    texts = context.texts
    card = Card(texts("history-compared"))

    def bold(one: Compared) -> bool:
        return one.differs

    model: TableModel[Compared] = TableModel(
        [
            Column(title="", text=lambda one: one.name),
            Column(title=texts("history-first"), text=lambda one: one.first, bold=bold),
            Column(title=texts("history-second"), text=lambda one: one.second, bold=bold),
        ]
    )
    model.show(compare(first, second, context))
    card.body.addWidget(Table(model, texts("history-compared"), visible_rows=10, wide=(1, 2)))
    card.hug()
    return card


def checks_of(advice: Advice) -> list[Checked]:
    """Every measured batch size beside the prediction of the same set-up."""
    found = []
    for measurement in advice.measurements:
        for step in measurement.steps:
            predicted = next(
                (
                    one
                    for one in advice.predictions
                    if one.device.key == measurement.device_key
                    and one.count == 1
                    and one.precision == step.precision
                    and one.batch_size_per_device == step.batch_size
                    and one.gradient_accumulation_steps == 1
                ),
                None,
            )
            if predicted is not None and step.summary is not None:
                found.append(Checked(device_name=measurement.device_name, step=step, predicted=predicted))
    return found


def measured_card(advice: Advice, context: Context) -> Card | None:
    """Predicted against measured in one run; None where nothing was measured."""
    texts, checks = context.texts, checks_of(advice)
    if not checks:
        return None
    card = Card(texts("history-measured-title"))
    card.add_to_header(label(visible(advice.workload.name), "muted"))

    def measured_s(one: Checked) -> float:
        assert one.step.summary is not None
        return one.step.summary.median_s

    def error(one: Checked) -> float:
        return one.predicted.step_s.value / measured_s(one) - 1

    model: TableModel[Checked] = TableModel(
        [
            Column(title=texts("column-device"), text=lambda one: short_name(visible(one.device_name))),
            Column(title=texts("column-precision"), text=lambda one: PRECISION_NAMES[one.step.precision]),
            Column(
                title=texts("column-batch"),
                text=lambda one: str(one.step.batch_size),
                order=lambda one: one.step.batch_size,
                number=True,
            ),
            Column(
                title=texts("history-measured"),
                text=lambda one: texts.duration(measured_s(one)),
                order=measured_s,
                number=True,
            ),
            Column(
                title=texts("column-predicted"),
                text=lambda one: texts.duration(one.predicted.step_s.value),
                tip=lambda one: texts.span(one.predicted.step_s, texts.duration),
                order=lambda one: one.predicted.step_s.value,
                number=True,
            ),
            Column(
                title=texts("column-error"), text=lambda one: f"{100 * error(one):+.1f} %", order=error, number=True
            ),
            Column(title=texts("column-basis"), text=lambda one: texts.basis(one.predicted.step_s)),
        ]
    )
    model.show(checks)
    card.body.addWidget(Table(model, texts("history-measured-title"), visible_rows=9))
    card.hug()
    return card
