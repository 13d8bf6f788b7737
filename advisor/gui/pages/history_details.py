"""What lies below the list of runs: one of them predicted against measured, or two side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from advisor.core.sentences import labelled, visible
from advisor.core.units import Estimate
from advisor.gui.context import Context
from advisor.gui.local_time import local_moment
from advisor.gui.models.table_model import Column, estimates, figures
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.table_card import TableCard
from advisor.present.card_names import short_name
from advisor.present.checked_steps import CheckedStep, batch_text, checked_steps
from advisor.present.comparison import FigureDifference, SettingDifference, StepDifference, compare
from advisor.present.summary import asked_line
from advisor.present.table_cells import added_names, batch_of
from advisor.recommend.recommendation import prediction_of

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

_FIGURE_CODES = {
    "step_s": "advice-step",
    "job_s": "advice-job",
    "samples_per_s": "advice-rate",
    "peak_memory_bytes": "advice-memory",
    "cost": "advice-cost",
}


def measured_card(advice: AdviceRecord, context: Context) -> Card | None:
    """Predicted against measured in one run; None where nothing was measured."""
    texts, checks = context.texts, checked_steps(advice)
    if not checks:
        return None
    predicted = [checked for checked in checks if checked.predicted is not None]
    judged: list[Column[CheckedStep]] = [
        estimates(
            texts("column-predicted"),
            lambda checked: checked.predicted.step_s if checked.predicted else None,
            texts.duration,
            texts,
        ),
        figures(texts("column-error"), lambda checked: checked.error_fraction, lambda error: f"{100 * error:+.1f} %"),
    ]
    columns: list[Column[CheckedStep]] = [
        Column(title=texts("column-device"), text=lambda checked: short_name(visible(checked.device_name))),
        Column(title=texts("column-precision"), text=lambda checked: texts.precision(checked.step.precision)),
        Column(
            title=texts("column-batch"),
            text=lambda checked: batch_text(checked.step, texts.language),
            order=lambda checked: checked.step.batch_size,
            number=True,
        ),
        figures(texts("history-measured"), lambda checked: checked.summary.median_s, texts.duration),
        *(judged if predicted else ()),
        Column(title=texts("column-verdict"), text=lambda checked: texts.verdict(checked.step.verdict.kind)),
    ]
    return TableCard(
        texts("history-measured-title" if predicted else "history-only-measured-title"),
        columns,
        checks,
        note=context.texts.title(advice.workload.name),
        below=texts("history-checks-note") if len(predicted) < len(checks) else "",
        visible_rows=9,
    )


def compared_cards(first: AdviceRecord, second: AdviceRecord, context: Context) -> list[QWidget]:
    """What was set differently, and which figures and step times really differ; `first` is the earlier run."""
    comparison = compare(first, second)
    cards: list[QWidget] = [
        _figures_card(first, second, context, same_set_up=comparison.same_set_up, rows=comparison.figures)
    ]
    settings = (*_asked_differently(first, second, context), *comparison.settings)
    if settings:
        cards.append(_settings_card(settings, context))
    if comparison.steps:
        cards.append(_steps_card(comparison.steps, context))
    return cards


def _figures_card(
    first: AdviceRecord,
    second: AdviceRecord,
    context: Context,
    *,
    same_set_up: bool,
    rows: tuple[FigureDifference, ...],
) -> Card:
    texts = context.texts

    def name(difference: FigureDifference) -> str:
        place = texts("advice-on-this-machine" if difference.local else "advice-best-of-all")
        return labelled(place, texts(_FIGURE_CODES[difference.field]), texts.language)

    chosen = (first.recommendation, second.recommendation, first.recommendation_local, second.recommendation_local)
    # Costs in two currencies are not compared, so that there is one at most.
    currency = next(
        (
            recommendation.currency
            for recommendation in chosen
            if recommendation is not None and recommendation.currency
        ),
        None,
    )

    def figure_text(difference: FigureDifference, estimate: Estimate | None) -> str:
        return "–" if estimate is None else _shown(difference, estimate.value, currency, context)

    def span(difference: FigureDifference, estimate: Estimate | None) -> str:
        return texts.span(estimate, lambda value: _shown(difference, value, currency, context))

    def run(code: str, which: Callable[[FigureDifference], Estimate | None]) -> Column[FigureDifference]:
        return Column(
            title=texts(code),
            text=lambda difference: figure_text(difference, which(difference)),
            tip=lambda difference: span(difference, which(difference)),
            number=True,
        )

    columns = [
        Column(title=texts("history-figure"), text=name),
        run("history-first", lambda difference: difference.first),
        run("history-second", lambda difference: difference.second),
        *_verdict_columns(context),
    ]
    note = texts("history-same" if same_set_up else "history-other")
    below = texts("history-clear-tip")
    card = TableCard(texts("history-compared"), columns, rows, note=note, below=below, visible_rows=10)
    for line, (code, advice) in enumerate((("history-first", first), ("history-second", second)), start=1):
        when = local_moment(advice.created_utc)
        parts = (texts(code), when, texts.title(advice.workload.name), _set_up(advice, context))
        card.body.insertWidget(line, label("  ·  ".join(parts), wrap=True, selectable=True))
    return card


def _asked_differently(first: AdviceRecord, second: AdviceRecord, context: Context) -> Iterator[SettingDifference]:
    """What was asked for, in words, where both runs kept it and it is not the same."""
    if first.asked is not None and second.asked is not None and first.asked != second.asked:
        before, after = (asked_line(advice, context.texts.language) for advice in (first, second))
        yield SettingDifference(field="asked", first=before or None, second=after or None)


def asked_label(advice: AdviceRecord, context: Context) -> QWidget | None:
    """What a run was asked for; None where all was as usual."""
    texts = context.texts
    asked = asked_line(advice, texts.language)
    return label(labelled(texts("summary-asked"), asked, texts.language), wrap=True, selectable=True) if asked else None


def _settings_card(rows: tuple[SettingDifference, ...], context: Context) -> Card:
    texts = context.texts

    def name(difference: SettingDifference) -> str:
        last = difference.field.rpartition(".")[2]
        title = texts.optional(f"field-{last.replace('_', '-')}") if difference.field.startswith("workload.") else None
        title = texts("summary-asked") if difference.field == "asked" else title
        return title or visible(difference.field)

    columns: list[Column[SettingDifference]] = [
        Column(title=texts("history-setting"), text=name, tip=lambda difference: visible(difference.field)),
        Column(title=texts("history-first"), text=lambda difference: visible(difference.first or "–")),
        Column(title=texts("history-second"), text=lambda difference: visible(difference.second or "–")),
    ]
    return TableCard(texts("history-settings"), columns, rows, wide=(1, 2))


def _steps_card(rows: tuple[StepDifference, ...], context: Context) -> Card:
    texts = context.texts

    def device(difference: StepDifference) -> str:
        prediction = difference.of
        name = f"{prediction.count} × {short_name(visible(prediction.device.name))}"
        strategy = texts.short_strategy(prediction.strategy, trains=prediction.trains)
        return name if prediction.strategy == "single" else f"{name} · {strategy}"

    columns: list[Column[StepDifference]] = [
        Column(title=texts("column-device"), text=device),
        Column(title=texts("column-precision"), text=lambda difference: texts.precision(difference.of.precision)),
        figures(texts("column-batch"), lambda difference: difference.of.batch_size_per_device, str),
        estimates(texts("history-first"), lambda difference: difference.first, texts.duration, texts),
        estimates(texts("history-second"), lambda difference: difference.second, texts.duration, texts),
        *_verdict_columns(context),
        Column(
            title=texts("column-basis"),
            text=lambda difference: texts("basis-measured" if difference.measured else "history-predicted"),
        ),
    ]
    note = texts("history-steps-clear", clear=sum(row.clear for row in rows), total=len(rows))
    return TableCard(texts("history-steps"), columns, rows, note=note)


def _verdict_columns(context: Context) -> list[Column[Any]]:
    """How a figure or a step changed from the first run to the second, and whether that is clear."""
    texts = context.texts
    return [
        Column(
            title=texts("history-ratio"),
            text=lambda difference: _ratio(difference.ratio),
            order=lambda difference: difference.ratio,
            number=True,
            bold=lambda difference: difference.clear,
        ),
        Column(
            title=texts("history-clear"),
            text=lambda difference: "–" if difference.ratio is None else texts("yes" if difference.clear else "no"),
            bold=lambda difference: difference.clear,
            header_tip=texts("history-clear-tip"),
        ),
    ]


def _shown(difference: FigureDifference, value: float, currency: str | None, context: Context) -> str:
    texts = context.texts
    others: dict[str, Callable[[float], str]] = {
        "samples_per_s": texts.rate,
        "peak_memory_bytes": texts.size,
        "cost": lambda amount: texts.money(amount, currency),
    }
    return others.get(difference.field, texts.duration)(value)


def _ratio(ratio: float | None) -> str:
    return "–" if ratio is None else f"× {ratio:.2f}"


def _set_up(advice: AdviceRecord, context: Context) -> str:
    """All that tells the advised set-ups of two runs apart."""
    texts, chosen = context.texts, advice.recommendation
    if chosen is None:
        return texts("summary-nothing")
    own = prediction_of(advice.predictions, chosen)
    device = f"{chosen.count} × {short_name(visible(chosen.device.name))}"
    parts = [device, texts("advice-batch-row", batch=batch_of(chosen)), texts.precision(chosen.precision)]
    if chosen.strategy != "single":
        parts.insert(1, texts.short_strategy(chosen.strategy, trains=own is None or own.trains))
    return " · ".join((*parts, *added_names(chosen.added, texts.language)))
