"""What the tables of kept runs and of verified predictions show, and the record above them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout

from advisor.core.sentences import visible
from advisor.gui.local_time import local_moment
from advisor.gui.models.table_model import Column, estimates, figures
from advisor.gui.pages.page import GAP
from advisor.gui.texts import Texts
from advisor.gui.widgets.boxes import row
from advisor.gui.widgets.card import Card, KeyFigure
from advisor.gui.widgets.table_card import TableCard
from advisor.present.card_names import short_name
from advisor.present.switched_on import switched_on
from advisor.store.history import Run, TrackRecord, Truth
from advisor.workload.workload import Training

OPTIONAL_COLUMNS = (3, 6, 4)
"""Of runs, the precision, the basis and the batch go in turn where the window is narrow for its letters."""


def record_row(record: TrackRecord, texts: Texts) -> QHBoxLayout:
    """How right the predictions were here, in key figures."""
    numbers = {
        "verified": str(record.count),
        "inside": f"{100 * record.inside_fraction:.0f} %",
        "error": f"{100 * record.median_error_fraction:.1f} %",
    }
    shown = [KeyFigure(texts(f"history-{name}"), numbers[name], texts(f"history-{name}-below")) for name in numbers]
    return row(*shown, spacing=GAP)


def run_columns(texts: Texts) -> list[Column[Run]]:
    """When, what, on what, how long, and where that comes from."""
    return [
        Column(title=texts("history-when"), text=lambda run: local_moment(run.created_utc)),
        Column(title=texts("history-workload"), text=lambda run: _workload(run, texts)),
        Column(title=texts("column-device"), text=lambda run: _set_up(run, texts)),
        Column(title=texts("column-precision"), text=lambda run: texts.precision(run.head.precision)),
        figures(texts("column-batch"), lambda run: run.head.batch_size_per_device, str),
        estimates(texts("column-job"), lambda run: run.head.job_s, texts.duration, texts),
        Column(
            title=texts("column-basis"),
            text=lambda run: _basis(run, texts),
            tip=lambda run: texts("history-with-measurements" if run.head.measured else "history-predicted"),
        ),
    ]


def ledger_card(ledger: Sequence[Truth], texts: Texts) -> Card:
    """Each verified prediction beside what came true."""
    columns: list[Column[Truth]] = [
        Column(title=texts("history-when"), text=lambda truth: local_moment(truth.created_utc)),
        Column(title=texts("history-workload"), text=lambda truth: texts.title(truth.workload_name)),
        Column(
            title=texts("column-device"),
            text=lambda truth: f"{truth.count} × {short_name(visible(truth.device_name))}",
        ),
        figures(texts("column-batch"), lambda truth: truth.batch_size_per_device, str),
        estimates(texts("column-predicted"), lambda truth: truth.predicted_step_s, texts.duration, texts),
        figures(texts("history-actual"), lambda truth: truth.actual_step_s, texts.duration),
        Column(
            title=texts("column-error"),
            text=lambda truth: f"{100 * truth.error_fraction:+.1f} %",
            order=lambda truth: abs(truth.error_fraction),
            number=True,
        ),
        Column(
            title=texts("history-in-range"),
            text=lambda truth: texts("history-not-counted" if truth.disturbed else "yes" if truth.inside else "no"),
            tip=lambda truth: texts.say(truth.disturbed) if truth.disturbed else "",
        ),
    ]
    return TableCard(texts("history-ledger"), columns, ledger, wide=(1, 2))


def _basis(run: Run, texts: Texts) -> str:
    """Where the job's time comes from, and that its run was cancelled."""
    if run.head.device_name is None:
        return texts("history-no-advice")
    basis = texts.basis(run.head.job_s)
    return texts("history-cancelled", basis=basis) if run.head.interrupted else basis


def _workload(run: Run, texts: Texts) -> str:
    """Its name, and what of it is trained where that is not all of it, unless the name says so."""
    head, name = run.head, texts.title(run.head.workload_name)
    training = Training(
        precision=head.precision, batch_size=1, trainable=head.trainable, quantization=head.quantization
    )
    method = switched_on(training, texts.language)
    return name if not method or method.casefold() in name.casefold() else f"{name} · {method}"


def _set_up(run: Run, texts: Texts) -> str:
    head = run.head
    if head.device_name is None or head.count is None:
        return "–"
    name = f"{head.count} × {short_name(visible(head.device_name))}"
    if head.strategy in {None, "single"}:
        return name
    return f"{name} · {texts.short_strategy(head.strategy)}"
