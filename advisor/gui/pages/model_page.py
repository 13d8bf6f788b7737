"""What is to be trained: four sources, the settings as a form, and what is known of the model while it is typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from advisor.core.errors import UserFacingError
from advisor.core.sentences import visible
from advisor.core.units import format_quantity
from advisor.gui.context import Context
from advisor.gui.dialogs.save_path import ask_save_path
from advisor.gui.model_preview import ModelTracer, Preview
from advisor.gui.models.form_fields import fields_of
from advisor.gui.models.table_model import Column, TableModel, figures
from advisor.gui.pages.model_sources import PresetSource, SourcesCard, source_place
from advisor.gui.pages.page import GAP, Page, ViewState
from advisor.gui.widgets.boxes import REST, across, clear, down, put
from advisor.gui.widgets.card import Card, FigureRow, KeyFigure
from advisor.gui.widgets.form import Form
from advisor.gui.widgets.labels import label, tell
from advisor.gui.widgets.notice import Notice, Trouble, bulleted
from advisor.gui.widgets.table import Table
from advisor.gui.widgets.table_card import GrowingCard
from advisor.optable.op_table import Layer, at
from advisor.present.card_names import short_name
from advisor.workload.assumptions import assumed_reason
from advisor.workload.workload import Data, PythonModel, Training, Workload

_WHOLE = "workload"
"""Stands for a contradiction between fields that are allowed by themselves."""
_FORMS = ("model-training-title", "model-data-title", "model-more-title")
_NARROW_WIDTH = 1240
"""Of the page, in pixels: below it the layers lie under the forms, where their names have room."""
_ALL = 99
"""Of the room that is left, beside what is free below: where the layers take no more, it is that."""
_LONG_COLUMNS = 3
"""Fields beside each other at most in the form of what is seldom changed."""
_FIRST_SETTINGS = ("precision", "batch_size", "epochs", "optimizer", "gradient_accumulation_steps", "attention")


class ModelPage(Page):
    """Every edit goes through the one loader, so that window, flags and files refuse the same things."""

    def __init__(self, context: Context) -> None:
        """Show the session's workload."""
        super().__init__(context, context.texts("page-model"))
        self._reference = self.session.reference
        self._source = source_place(self._described().get("model", {}), self._reference)
        self._from_form = False
        self._narrow = False
        self.add_action(self.texts("model-save"), self._save)
        self.add_job_actions()
        self._tracer = ModelTracer.of(self.session)
        self._tracer.changed.connect(self._show_preview)
        self.session.workload_changed.connect(self._workload_changed)
        self.session.validity_changed.connect(self._show_preview)
        self._left, self._right, self._below = down(GAP), down(GAP), down(GAP)
        put(self.body, (across(GAP, (self._left, 6), (self._right, 5)), 1), self._below, (None, 0))
        self._build_right()
        self._build_left()

    def view_state(self) -> ViewState:
        """Which source stands open, and for which workload."""
        return {"source": self._source, "reference": self._reference}

    def restore(self, state: ViewState) -> None:
        """Open the same source, unless another workload came by another one."""
        if state["source"] != self._source and state["reference"] == self._reference:
            self._source = state["source"]
            self._build_left()

    def _described(self) -> dict[str, Any]:
        """The workload as a file has it; empty for none."""
        table: dict[str, Any] = msgspec.to_builtins(self.session.workload) or {}
        return table

    def _build_left(self) -> None:
        """The sources and the forms, a card in each turn of the event loop: together they take a tenth of a second."""
        clear(self._left)
        clear(self._right_forms)
        clear(self._below)
        self.session.forget_invalid()
        self._cards: dict[str, Card] = {}
        self._forms: dict[str, tuple[str, Form]] = {}
        self._left.addStretch(0 if self._narrow else 1)
        described, base = self._described(), msgspec.to_builtins(self.session.base) or {}
        training = fields_of(Training)
        first = [field for name in _FIRST_SETTINGS for field in training if field.name == name]
        others = [field for field in training if field.name not in _FIRST_SETTINGS]
        forms = zip(_FORMS, ("training", "data", "training"), (first, list(fields_of(Data)), others), strict=True)
        self._sources_card = SourcesCard(self.context, self._source)
        self._left.insertWidget(0, self._sources_card, 1 if self._narrow else 0)
        steps: list[Callable[[], None]] = [
            *self._sources_card.steps(described.get("model", {}), self.session.reference),
            self._connect_sources,
        ]
        for code, section, fields in forms if described else ():
            form = Form(
                self.texts,
                fields,
                described.get(section, {}),
                columns=_LONG_COLUMNS if code == _FORMS[-1] else 2,
                base=base.get(section, {}),
                at_once=False,
            )
            steps += [
                partial(self._place_form, form, code),
                *form.steps(),
                partial(self._open_form, form, code, section),
            ]
        steps += [self._order_tabs, self._tracer.follow]
        self.in_turns(steps, now=False)

    def _order_tabs(self) -> None:
        """Tab goes as one reads: the sources, the forms in their order, and then the layers."""
        cards = [self._sources_card, *(form for _section, form in self._forms.values()), self._layer_table]
        chain = [widget for card in cards for widget in (card, *card.findChildren(QWidget)) if self._takes_tab(widget)]
        for first, second in pairwise(chain):
            QWidget.setTabOrder(first, second)

    def _takes_tab(self, widget: QWidget) -> bool:
        """The list that a choice opens is a window of its own."""
        return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.window() is self.window()

    def _connect_sources(self) -> None:
        sources = self._sources_card
        sources.preset.chosen.connect(self.session.load_workload)
        sources.hub.chosen.connect(self._choose_config)
        sources.python.chosen.connect(self._use_python)
        sources.form.changed.connect(self._model_edited)
        sources.opened.connect(partial(setattr, self, "_source"))

    def _place_form(self, form: Form, code: str) -> None:
        """In its place from the start, as fields are styled by where they are; seen when it is whole."""
        card = self._cards[code] = Card(self.texts(code))
        card.hide()
        card.body.addWidget(form)
        self._place_card(code)

    def _place_card(self, code: str) -> None:
        """All in the left column, or beside the sources and below them, so that no column is much the longer one."""
        card = self._cards[code]
        for layout in (self._left, self._right_forms, self._below):
            layout.removeWidget(card)
        if not self._narrow or code == _FORMS[0]:
            self._left.insertWidget(self._left.count() - 1, card)
        elif code == _FORMS[1]:
            self._right_forms.addWidget(card)
        else:
            self._below.addWidget(card)

    def _open_form(self, form: Form, code: str, section: str) -> None:
        form.changed.connect(lambda name, value: self._edited(section, name, value))
        form.judged.connect(lambda name, allowed: self._judge(f"{section}.{name}", allowed=allowed))
        self._cards[code].show()
        self._forms[code] = (section, form)

    def _judge(self, field: str, *, allowed: bool) -> None:
        if not allowed:
            clear(self._problems)  # What it said of other fields was of what stood here before.
        self.session.judge_field(field, allowed=allowed)

    def _build_right(self) -> None:
        self._problems, self._untraced = down(GAP), Trouble(self.texts("model-trace-failed"))
        self._figures = {name: KeyFigure(self.texts(f"model-{name}")) for name in ("parameters", "flop", "memory")}
        figures = FigureRow(list(self._figures.values()), least_width=128, spacing=GAP)
        self._assumptions = Card(self.texts("model-assumptions"))
        self._assumed = down(8)
        self._assumptions.put(self._assumed, REST)
        card = self._layer_card = GrowingCard(self.texts("model-layers-title"))
        self._layer_state = label("", "muted")
        card.add_to_header(self._layer_state)
        self._layers = TableModel(self._layer_columns())
        self._layer_table = Table(
            self._layers, self.texts("model-layers-title"), visible_rows=14, optional=(1, 2), grows=True
        )
        # A layer's own name stands at the end of its path.
        self._layer_table.setTextElideMode(Qt.TextElideMode.ElideLeft)
        card.hold(self._layer_table)
        self._layer_note = label("", "muted", wrap=True)
        card.put(self._layer_note)
        self._right_forms = down(GAP)
        put(
            self._right,
            self._problems,
            self._untraced,
            figures,
            self._assumptions,
            (card, _ALL),
            self._right_forms,
            REST,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The layers lie beside the forms where their names have room, else below over the whole width."""
        super().resizeEvent(event)
        for presets in self.findChildren(PresetSource):
            presets.fit()
        narrow = event.size().width() < _NARROW_WIDTH
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for layout in (self._right, self.body):
            layout.removeWidget(self._layer_card)
        if narrow:
            self.body.insertWidget(self.body.count() - 1, self._layer_card, 1)
        else:
            self._right.insertWidget(self._right.indexOf(self._right_forms), self._layer_card, _ALL)
        self.body.setStretch(0, 0 if narrow else 1)
        # Beside each other lie the forms then, and both end where the lower one does.
        for column, grows in ((self._right, self._assumptions), (self._left, self._sources_card)):
            column.setStretchFactor(grows, 1 if narrow else 0)
            column.setStretch(column.count() - 1, 0 if narrow else 1)
        for code in self._cards:
            self._place_card(code)

    def _layer_columns(self) -> list[Column[Layer]]:
        texts = self.texts
        return [
            Column(
                title=texts("model-layer"),
                text=lambda layer: visible(layer.path),
                tip=lambda layer: visible(f"{layer.path}\n{layer.module}"),
            ),
            figures(texts("model-parameters"), lambda layer: layer.parameter_count, texts.count),
            figures(
                texts("model-layer-flop"),
                lambda layer: at(layer.flop, self._batch()),
                lambda flop: format_quantity(flop, "FLOP"),
            ),
            figures(texts("model-layer-memory"), lambda layer: at(layer.activation_bytes, self._batch()), texts.size),
        ]

    def _batch(self) -> int:
        return self.session.workload.training.batch_size if self.session.workload else 1

    def _use_python(self, name: str) -> None:
        self.context.open_path(Path(name).expanduser())
        self._tracer.follow()  # The same file again, now that it may run, is no other workload.

    def _choose_config(self, reference: str) -> None:
        self.session.load_workload(reference, allow_hub=self._sources_card.allow_hub.isChecked())

    def _model_edited(self, model: dict[str, Any]) -> None:
        described = self._described()
        described["model"] = model
        described.setdefault("name", self.texts("model-unnamed"))
        if model["source"] == "numbers" or model.get("template") == "mlp":
            for length in ("sequence_length", "image_size"):
                described.get("data", {}).pop(length, None)
        self._take(described, "model")

    def _edited(self, section: str, name: str, value: object) -> None:
        described = self._described()
        part = described.setdefault(section, {})
        if value is None:
            part.pop(name, None)
        else:
            part[name] = value
        self._take(described, f"{section}.{name}")

    def _take(self, described: dict[str, Any], field: str) -> None:
        """Read the edited description as any other; what is wrong is told at the right, the last good one stays."""
        from advisor.workload.workload_file import load_workload

        folder = described.pop("source_folder", None)
        described.pop("assumed", None)
        clear(self._problems)
        try:
            workload = load_workload(described)
        except UserFacingError as error:
            text, remedy = self.texts.error(error)
            words = (self._by_name(text.removeprefix("workload: ")), self._by_name(remedy))
            self._problems.addWidget(Notice(words, role="danger"))
            self.session.judge_field(_WHOLE, allowed=False)
            return
        self.session.judge_field(_WHOLE, allowed=True)
        self._from_form = True
        if folder is not None:
            workload = msgspec.structs.replace(workload, source_folder=folder)
        self.session.edit_workload(workload, field)
        self._from_form = False

    def _by_name(self, text: str) -> str:
        """The text with the settings called as on this page, and not as in a file."""

        def name(match: re.Match[str]) -> str:
            return self.texts.optional(f"field-{match[1].replace('_', '-')}") or match[0]

        return re.sub(r"`(?:training|data|model)\.(\w+)`", name, text)

    def _workload_changed(self) -> None:
        if not self._from_form:
            self.show_described()
        self._show_preview()

    def show_described(self) -> None:
        """Show in every field what is described, whatever was typed: after undo, another preset, a saved advice."""
        clear(self._problems)
        described, base = self._described(), msgspec.to_builtins(self.session.base) or {}
        model, reference = described.get("model", {}), self.session.reference
        if reference and reference != self._reference:
            self._source = source_place(model, reference)
        self._reference = reference
        if len(self._forms) < len(_FORMS):
            self._build_left()
            return
        self.session.forget_invalid()
        self._sources_card.show_current(model, reference)
        self._sources_card.show_source(self._source)
        for section, form in self._forms.values():
            form.show_values(described.get(section, {}), base.get(section, {}))

    def go_to_invalid(self) -> None:
        """Put the cursor where something stands that is not allowed."""
        forms = self._forms.values()
        editors = {f"{section}.{name}": form.editor(name) for section, form in forms for name in form.names}
        for editor in [editors[name] for name in sorted(self.session.invalid) if name in editors][:1]:
            editor.setFocus()
            self.scroll_area.ensureWidgetVisible(editor)

    def _show_preview(self) -> None:
        workload, texts = self.session.workload, self.texts
        self.subtitle.set_full_text(texts.title(workload.name) if workload else texts("watch-no-workload"))
        preview = self._tracer.preview()
        self._show_figures(preview, workload)
        self._show_assumptions(preview, workload)
        self._layers.show(preview.layers if preview is not None else ())
        problem = self._tracer.problem
        self._untraced.tell(() if problem is None else texts.problem(problem))
        if preview is None and self._tracer.busy:
            state, note = texts("model-tracing"), ""
        elif preview is not None and preview.layers:
            state, note = texts("model-layer-count", count=len(preview.layers), batch=self._batch()), ""
        else:
            state, note = "", texts("model-no-layers") if preview is not None else ""
        self._layer_state.setText(state)
        tell(self._layer_note, note)
        self._layer_card.setVisible(bool(state or note))
        self._layer_table.setVisible(bool(preview is not None and preview.layers))

    def _show_figures(self, preview: Preview | None, workload: Workload | None) -> None:
        texts = self.texts
        if self.session.invalid or preview is None or workload is None:
            why = texts("model-figures-invalid") if self.session.invalid else ""  # known is what was allowed last
            for figure in self._figures.values():
                figure.show_figure("…" if self._tracer.busy and not why else "–", why)
            return
        trained = preview.trainable_parameter_count
        below = texts("model-all-trained")
        if trained is not None and trained != preview.parameter_count:
            below = texts("model-trained", count=texts.count(trained))
        self._figures["parameters"].show_figure(texts.count(preview.parameter_count), below)
        flop = preview.flop_per_sample
        work = "–" if flop is None else format_quantity(flop, "FLOP")
        self._figures["flop"].show_figure(work, texts("model-flop-below"))
        need = preview.memory_bytes
        at_batch = texts("advice-batch-row", batch=workload.training.batch_size)
        work = texts.size(need.value) if need else "–"
        self._figures["memory"].show_figure(work, at_batch, tip=texts.span(need, texts.size))

    def _show_assumptions(self, preview: Preview | None, workload: Workload | None) -> None:
        clear(self._assumed)
        assumed = None if workload is None else assumed_reason(workload)
        words = [] if assumed is None else [self.texts.say(assumed)]
        if workload is not None and isinstance(workload.model, PythonModel):
            asked = self._tracer.needs_consent  # Below the figures that are missing for it, and not below all forms.
            words = [self.texts("model-needs-consent" if asked else "model-python-runs"), *words]
        device = "" if preview is None else preview.memory_device
        of_device = self.texts("model-memory-of", device=short_name(visible(device))) if device else ""
        for text in (*words, of_device or self.texts("model-memory-assumption")):
            self._assumed.addLayout(bulleted(text, "muted"))

    def _save(self) -> None:
        from advisor.core.file_writing import write_atomically
        from advisor.workload.toml_text import workload_to_toml

        workload = self.session.workload
        path = ask_save_path(self, self.texts("model-save"), "workload.toml") if workload is not None else None
        if workload is None or path is None:
            return
        try:
            write_atomically(path, workload_to_toml(workload).encode())
        except UserFacingError as error:
            self._problems.addWidget(Notice(self.texts.error(error), role="danger"))
        else:
            self.tell_saved(None, path)
