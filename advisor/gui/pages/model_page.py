"""What is to be trained: four sources, the settings as a form, and what is known of the model while it is typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from advisor.core.errors import UserFacingError
from advisor.gui.context import Context
from advisor.gui.dialogs.save_path import ask_save_path
from advisor.gui.model_preview import ModelTracer
from advisor.gui.models.form_fields import fields_of
from advisor.gui.models.kept_words import kept_words
from advisor.gui.pages.fixed_row import FixedRow
from advisor.gui.pages.model_known import KnownOfModel
from advisor.gui.pages.model_sources import PresetSource, SourcesCard, source_place
from advisor.gui.pages.page import GAP, Page, ViewState
from advisor.gui.widgets.boxes import REST, beside, clear, down, put
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.form import Form
from advisor.gui.widgets.notice import Notice
from advisor.workload.workload import Data, Training

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
        self._reference = self.session.described.reference
        self._source = source_place(self._described().get("model", {}), self._reference)
        self._from_form = False
        self._narrow = False
        self.add_action(self.texts("model-save"), self._save)
        self.add_job_actions()
        self._tracer = ModelTracer.of(self.session)
        self._known = KnownOfModel(self.texts, self._tracer)
        self._tracer.changed.connect(self._show_preview)
        self.session.described.changed.connect(self._workload_changed)
        self.session.described.validity_changed.connect(self._show_preview)
        self._left, self._right, self._below = down(GAP), down(GAP), down(GAP)
        put(self.body, (beside(GAP, (self._left, 6), (self._right, 5)), 1), self._below, (None, 0))
        self._build_right()
        self._build_left()
        self._show_kept()

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
        table: dict[str, Any] = msgspec.to_builtins(self.session.described.workload) or {}
        return table

    def _build_left(self) -> None:
        """The sources and the forms, a card in each turn of the event loop: together they take a tenth of a second."""
        clear(self._left)
        clear(self._right_forms)
        clear(self._below)
        self.session.described.forget_invalid()
        self._cards: dict[str, Card] = {}
        self._forms: dict[str, tuple[str, Form]] = {}
        self._left.addStretch(0 if self._narrow else 1)
        described, base = self._described(), msgspec.to_builtins(self.session.described.base) or {}
        training = fields_of(Training)
        first = [field for name in _FIRST_SETTINGS for field in training if field.name == name]
        others = [field for field in training if field.name not in _FIRST_SETTINGS]
        forms = zip(_FORMS, ("training", "data", "training"), (first, list(fields_of(Data)), others), strict=True)
        self._sources_card = SourcesCard(self.context, self._source)
        self._left.insertWidget(0, self._sources_card, 1 if self._narrow else 0)
        steps: list[Callable[[], None]] = [
            *self._sources_card.steps(described.get("model", {}), self.session.described.reference),
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
        forms: list[QWidget] = [form for _section, form in self._forms.values()]
        cards = [self._sources_card, *forms[:1], *([self._fixed] if forms else []), *forms[1:], self._known.layer_table]
        chain = [widget for card in cards for widget in (card, *card.findChildren(QWidget)) if self._takes_tab(widget)]
        for first, second in pairwise(chain):
            QWidget.setTabOrder(first, second)

    def _takes_tab(self, widget: QWidget) -> bool:
        """The list that a choice opens is a window of its own."""
        return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.window() is self.window()

    def _connect_sources(self) -> None:
        sources = self._sources_card
        sources.preset.chosen.connect(self.session.described.load)
        sources.hub.chosen.connect(self._choose_config)
        sources.python.chosen.connect(self._use_python)
        sources.form.changed.connect(self._model_edited)
        sources.opened.connect(partial(setattr, self, "_source"))

    def _place_form(self, form: Form, code: str) -> None:
        """In its place from the start, as fields are styled by where they are; seen when it is whole."""
        card = self._cards[code] = Card(self.texts(code))
        card.hide()
        card.body.addWidget(form)
        if code == _FORMS[0]:
            self._fixed = FixedRow(self.texts, self.session)
            card.body.addWidget(self._fixed)
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
        self.session.described.judge_field(field, allowed=allowed)

    def _build_right(self) -> None:
        known, self._problems, self._right_forms = self._known, down(GAP), down(GAP)
        first = (self._problems, known.untraced, known.figure_row, known.assumptions)
        put(self._right, *first, (known.layer_card, _ALL), self._right_forms, REST)

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
            layout.removeWidget(self._known.layer_card)
        if narrow:
            self.body.insertWidget(self.body.count() - 1, self._known.layer_card, 1)
        else:
            self._right.insertWidget(self._right.indexOf(self._right_forms), self._known.layer_card, _ALL)
        self.body.setStretch(0, 0 if narrow else 1)
        # Beside each other lie the forms then, and both end where the lower one does.
        for column, grows in ((self._right, self._known.assumptions), (self._left, self._sources_card)):
            column.setStretchFactor(grows, 1 if narrow else 0)
            column.setStretch(column.count() - 1, 0 if narrow else 1)
        for code in self._cards:
            self._place_card(code)

    def changeEvent(self, event: QEvent) -> None:
        """Whoever comes back to the window may have mended the Python file elsewhere."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._tracer.follow_file()

    def _use_python(self, name: str) -> None:
        self.context.open_path(Path(name).expanduser())
        self._tracer.follow()  # The same file again, now that it may run, is no other workload.

    def _choose_config(self, reference: str) -> None:
        self.session.described.load(reference, allow_hub=self._sources_card.allow_hub.isChecked())

    def _model_edited(self, model: dict[str, Any]) -> None:
        described = self._described()
        before = described.get("model", {}).get("source")
        described["model"] = model
        if before not in {"template", "numbers"}:
            described["name"] = self.texts("model-unnamed")  # What was there before is no name for this.
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
        from advisor.workload.kept_settings import reread

        clear(self._problems)
        try:
            workload = reread(described, field)
        except UserFacingError as error:
            text, remedy = self.texts.error(error)
            words = (self._by_name(text.removeprefix("workload: ")), self._by_name(remedy))
            self._problems.addWidget(Notice(words, role="danger"))
            self.session.described.judge_field(_WHOLE, allowed=False)
            return
        self.session.described.judge_field(_WHOLE, allowed=True)
        self._from_form = True
        self.session.described.edit(workload, field)
        self._from_form = False

    def _by_name(self, text: str) -> str:
        """The text with the settings called as on this page, and not as in a file."""

        def name(match: re.Match[str]) -> str:
            return self.texts.optional(f"field-{match[1].replace('_', '-')}") or match[0]

        return re.sub(r'["“](?:training|data|model)\.(\w+)["”]', name, text)

    def _workload_changed(self) -> None:
        if not self._from_form:
            self.show_described()
        self._show_preview()

    def show_described(self) -> None:
        """Show in every field what is described, whatever was typed: after undo, another preset, a saved advice."""
        self._show_kept()
        described, base = self._described(), msgspec.to_builtins(self.session.described.base) or {}
        model, reference = described.get("model", {}), self.session.described.reference
        if reference and reference != self._reference:
            self._source = source_place(model, reference)
        self._reference = reference
        if len(self._forms) < len(_FORMS):
            self._build_left()
            return
        self.session.described.forget_invalid()
        self._fixed.show_current()
        self._sources_card.show_current(model, reference)
        self._sources_card.show_source(self._source)
        for section, form in self._forms.values():
            form.show_values(described.get(section, {}), base.get(section, {}))

    def _show_kept(self) -> None:
        clear(self._problems)
        words = kept_words(self.session.described.now, self.texts)
        if words:
            self._problems.addWidget(Notice(words, role="hero"))

    def go_to_invalid(self) -> None:
        """Put the cursor where something stands that is not allowed."""
        forms = self._forms.values()
        editors = {f"{section}.{name}": form.editor(name) for section, form in forms for name in form.names}
        for editor in [editors[name] for name in sorted(self.session.described.invalid) if name in editors][:1]:
            editor.setFocus()
            self.scroll_area.ensureWidgetVisible(editor)

    def _show_preview(self) -> None:
        workload, texts = self.session.described.workload, self.texts
        self.subtitle.set_full_text(texts.title(workload.name) if workload else texts("watch-no-workload"))
        self._known.show(workload, allowed=not self.session.described.invalid)

    def _save(self) -> None:
        from advisor.core.file_writing import write_atomically
        from advisor.workload.toml_text import workload_to_toml

        workload = self.session.described.workload
        path = ask_save_path(self, self.texts("model-save"), "workload.toml") if workload is not None else None
        if workload is None or path is None:
            return
        try:
            write_atomically(path, workload_to_toml(workload).encode())
        except UserFacingError as error:
            self._problems.addWidget(Notice(self.texts.error(error), role="danger"))
        else:
            self.tell_saved(None, path)
