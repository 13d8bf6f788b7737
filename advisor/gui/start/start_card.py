"""The card that a person begins with: a model, the cards to compare with, one large button, and the last advice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QSizePolicy

from advisor.core.sentences import visible
from advisor.gui.start.gpu_chips import GpuChips
from advisor.gui.widgets.boxes import across
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.choice import Choice
from advisor.gui.widgets.labels import ElidedLabel, label

if TYPE_CHECKING:
    from advisor.gui.context import Context

_ROUNDED_S = 5
_LAST_WIDTH = 326
"""Pixels of a line of the last advice: what the card leaves inside its button."""
_BUNDLED, _FILE, _CURRENT = "bundled", "file", "current"


class StartCard(Card):
    """Shows the session's workload; choosing another loads it."""

    def __init__(self, context: Context) -> None:
        """Nothing here reads a file: `wake` does, after the first paint."""
        super().__init__(context.texts("start-title"), role="card-start")
        self._context, self._texts = context, context.texts
        session = self._session = context.session
        texts = self._texts
        self.model = Choice()
        self.model.setAccessibleName(texts("start-model"))
        self.model.setMinimumHeight(34)
        self.model.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.model.activated.connect(self._chosen)
        name = label(texts("start-model"), "muted")
        name.setBuddy(self.model)  # Of a choice a screen reader takes the name from there.
        self.body.addWidget(name)
        self.body.addWidget(self.model)
        line = across(6)
        for code, action in (("menu-open", lambda: context.act("open")), ("start-edit", lambda: context.go("model"))):
            line.addWidget(push(texts(code), action, "link"))
            line.addSpacing(8)
        line.addWidget(ElidedLabel(texts("start-drop"), "muted"), 1)
        self.body.addLayout(line)
        self.body.addSpacing(4)
        self.body.addWidget(label(texts("start-gpus"), "muted"))
        self.chips = GpuChips(context)
        self.body.addWidget(self.chips)
        self.body.addSpacing(4)
        self.button = push(texts("menu-measure"), lambda: context.act("measure"), "large")
        self.body.addWidget(self.button)
        self.predict = push(texts("menu-predict"), lambda: context.act("predict"), "link")
        self.body.addWidget(self.predict)
        self._last = push("", lambda: context.go("advice"), "last")
        self._last.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._last.setVisible(False)
        self.body.addWidget(self._last)
        self.body.addStretch(1)
        self._awake = False
        session.workload_changed.connect(self._show_workload)
        session.advice_changed.connect(self._show_last)
        session.job_started.connect(self._show_state)
        session.job_ended.connect(self._show_state)

    def wake(self) -> None:
        """Fill in what is read from files."""
        if not self._awake:
            self._awake = True
            self.chips.load()
            self._show_workload()
            self._show_last()

    def _show_workload(self) -> None:
        """The list, with what is described now marked in it."""
        if not self._awake:
            return
        from advisor.present.workload_titles import bundled_titles

        session = self._session
        edited = session.workload != session.base
        with QSignalBlocker(self.model):
            self.model.clear()
            for key, title in bundled_titles(self._texts.language).items():
                self.model.addItem(title, (_BUNDLED, key))
            recent = [path for path in self._context.settings.recent_files if not path.endswith(".json")]
            if recent:
                self.model.insertSeparator(self.model.count())
            for path in recent:
                self.model.addItem(visible(Path(path).name), (_FILE, path))
            offered = [self.model.itemData(number) for number in range(self.model.count())]
            references = [data[1] if isinstance(data, tuple) else None for data in offered]
            known = session.reference in references and not edited
            place = references.index(session.reference) if known else -1
            if place < 0 and session.workload is not None:
                name = self._texts.title(session.workload.name)
                self.model.insertItem(0, self._texts("start-edited", name=name) if edited else name, (_CURRENT, ""))
                place = 0
            self.model.setCurrentIndex(place)
        self._show_state()

    def _chosen(self, place: int) -> None:
        data = self.model.itemData(place)
        if not isinstance(data, tuple) or data[0] == _CURRENT:
            return
        kind, reference = data
        if kind == _BUNDLED:
            self._session.load_workload(reference)
        else:
            self._context.open_path(Path(reference))

    def _show_state(self, *_: object) -> None:
        session, texts = self._session, self._texts
        seconds = max(_ROUNDED_S, _ROUNDED_S * round(session.expected_s(measure=True) / _ROUNDED_S))
        self.button.setText(texts("start-measure", seconds=f"{seconds:.0f}"))
        for button in (self.button, self.predict):
            button.setEnabled(not session.busy and session.workload is not None)
            button.setToolTip(texts("job-busy-tip") if session.busy else "")

    def _show_last(self) -> None:
        from advisor.gui.start.local_time import local_moment

        advice = self._session.advice
        chosen = None if advice is None else advice.main
        self._last.setVisible(advice is not None)
        if advice is None:
            return
        from advisor.present.card_names import short_name

        set_up = self._texts("window-unknown")
        if chosen is not None:
            set_up = f"{chosen.count} × {short_name(visible(chosen.device.name))}"
        title, when = self._texts.title(advice.workload.name), local_moment(advice.created_utc)
        about = self._texts("start-last", name=title, when=when)
        metrics, width = self._last.fontMetrics(), self._context.theme.sized(_LAST_WIDTH)
        shown = (metrics.elidedText(line, Qt.TextElideMode.ElideRight, width) for line in (set_up, about))
        self._last.setText("\n".join(shown).replace("&", "&&"))
        self._last.setToolTip(f"{set_up}\n{about}")
