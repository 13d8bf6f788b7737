"""Predicted against measured in one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.sentences import visible
from advisor.gui.models.table_model import Column, estimates, figures
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.table_card import TableCard
from advisor.present.card_names import short_name
from advisor.present.checked_steps import CheckedStep, batch_text, checked_steps

if TYPE_CHECKING:
    from advisor.gui.context import Context
    from advisor.store.advice_record import AdviceRecord


def measured_card(advice: AdviceRecord, context: Context) -> Card | None:
    """Predicted against measured in one run; None where nothing was measured."""
    texts, checks = context.texts, checked_steps(advice)
    if not checks:
        return None
    predicted = [one for one in checks if one.predicted is not None]
    judged: list[Column[CheckedStep]] = [
        estimates(
            texts("column-predicted"),
            lambda one: one.predicted.step_s if one.predicted else None,
            texts.duration,
            texts,
        ),
        figures(texts("column-error"), lambda one: one.error_fraction, lambda error: f"{100 * error:+.1f} %"),
    ]
    columns: list[Column[CheckedStep]] = [
        Column(title=texts("column-device"), text=lambda one: short_name(visible(one.device_name))),
        Column(title=texts("column-precision"), text=lambda one: PRECISION_LABELS[one.step.precision]),
        Column(
            title=texts("column-batch"),
            text=lambda one: batch_text(one.step, texts.language),
            order=lambda one: one.step.batch_size,
            number=True,
        ),
        figures(texts("history-measured"), lambda one: one.summary.median_s, texts.duration),
        *(judged if predicted else ()),
        Column(title=texts("column-verdict"), text=lambda one: texts.verdict(one.step.verdict.kind)),
    ]
    return TableCard(
        texts("history-measured-title" if predicted else "history-only-measured-title"),
        columns,
        checks,
        note=context.texts.title(advice.workload.name),
        below=texts("history-checks-note") if len(predicted) < len(checks) else "",
        visible_rows=9,
    )
