"""The card that a person begins with: a model, the cards to compare with, one large button, and the last advice."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from advisor.catalogue.strategies import USUAL_COUNTS
from advisor.core.sentences import visible
from advisor.gui.context import Context
from advisor.gui.jobs.told_log import SUFFIXES as LOG_SUFFIXES
from advisor.gui.start.gpu_chips import GpuChips
from advisor.gui.widgets.boxes import REST, across, down, put
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.choice import Choice
from advisor.gui.widgets.labels import ElidedLabel, label

_ROUNDED_S = 5
_LAST_WIDTH = 326
"""Pixels of a line of the last advice: what the card leaves inside its button."""
_MOST_WIDTH = 560
"""Pixels of the large button."""
_TWO_COLUMNS = 900
"""Pixels of a card from which on the buttons stand beside what is asked for."""
_ALL_BUT_NOTHING = 1000
"""Of the room: the buttons take it as far as they may, and only what is left is empty."""
_EACH = 0
"""In the place of the most cards of a kind: each has a number of its own."""
_CURRENT = ""
"""What the entry of a workload that is no other entry's stands for; the others: a bundled name, or a path."""


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
        self.chips = GpuChips(context)
        self.most = Choice()
        self.most.setAccessibleName(texts("start-most"))
        self.most.setToolTip(texts("start-most-tip"))
        # Words without arguments: to count in them, Fluent would be imported before the first paint.
        offered = ((texts(f"start-most-{count}"), count) for count in USUAL_COUNTS)
        numbered = bool(context.settings.card_counts)
        self.most.offer(
            (*offered, (texts("start-most-each"), _EACH)), _EACH if numbered else context.settings.most_cards
        )
        self.chips.changed.connect(self._show_most)
        self.most.activated.connect(self._most_chosen)
        self.button = push(texts("menu-measure"), lambda: context.act("measure"), "large")
        self.predict = push(texts("menu-predict"), lambda: context.act("predict"), "link")
        self._last = push("", lambda: context.go("advice"), "last")
        self._last.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._last.setVisible(False)
        opening = push(texts("menu-open"), lambda: context.act("open"), "link")
        editing = push(texts("start-edit"), lambda: context.go("model"), "link")
        line = across(14, opening, editing, (ElidedLabel(texts("start-drop"), "muted"), 1))
        name = label(texts("start-model"), "muted")
        name.setBuddy(self.model)  # Of a choice a screen reader takes the name from there.
        gpus = ElidedLabel(texts("start-gpus"), "muted")
        gpus.setBuddy(self.most)
        compared = across(14, (gpus, 1), self.most)
        asked = down(8, name, self.model, line, compared, self.chips, REST)
        acts = QWidget()
        acts.setMaximumWidth(context.theme.sized(_MOST_WIDTH))
        down(8, self.button, self.predict, self._last, REST, inside=acts)
        self._columns = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._columns.setSpacing(12)
        # A wide card is not for a button that is as wide.
        put(self._columns, (asked, 1), (across(0, (acts, _ALL_BUT_NOTHING), REST), 1))
        self.put((self._columns, 1))
        self._awake = False
        session.described.changed.connect(self._show_workload)
        session.advice_changed.connect(self._show_last)
        session.runner.started.connect(self._show_state)
        session.runner.ended.connect(self._show_state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What is asked for and what can be done lie beside each other where there is room."""
        super().resizeEvent(event)
        wide = event.size().width() >= self._context.theme.sized(_TWO_COLUMNS)
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if direction != self._columns.direction():
            self._columns.setDirection(direction)
            self._columns.setSpacing(28 if wide else 12)

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
        from advisor.workload.given_names import shown_file

        session = self._session
        edited = session.described.workload != session.described.base
        with QSignalBlocker(self.model):
            self.model.clear()
            for key, title in bundled_titles(self._texts.language).items():
                self.model.addItem(title, key)
            recent = [path for path in self._context.settings.recent_files if _is_model(Path(path))]
            if recent:
                self.model.insertSeparator(self.model.count())
            for path in recent:
                self.model.addItem(visible(shown_file(Path(path))), path)
            place = -1 if edited else self.model.findData(session.described.reference)
            if place < 0 and session.described.workload is not None:
                name = self._texts.title(session.described.workload.name)
                self.model.insertItem(0, self._texts("start-edited", name=name) if edited else name, _CURRENT)
                place = 0
            self.model.setCurrentIndex(place)
        self._show_state()

    def _chosen(self, place: int) -> None:
        from advisor.workload.workload_file import bundled_names

        reference = self.model.itemData(place)
        if reference in bundled_names():
            self._session.described.load(reference)
        elif reference != _CURRENT:
            self._context.open_path(Path(reference))

    def _most_chosen(self, place: int) -> None:
        most = self.most.itemData(place)
        self.chips.number_each(on=most == _EACH)
        if most == _EACH:
            return
        self._context.settings.store("most_cards", None if most == USUAL_COUNTS[-1] else most)

    def _show_most(self) -> None:
        """A number that was typed, or the usual cards again, change what the choice says."""
        self.most.choose(_EACH if self.chips.numbered else self._context.settings.most_cards)

    def _show_state(self) -> None:
        session, texts = self._session, self._texts
        seconds = max(_ROUNDED_S, _ROUNDED_S * round(session.runner.pace(measure=True).whole_s / _ROUNDED_S))
        self.button.setText(texts("start-measure", seconds=f"{seconds:.0f}"))
        for button in (self.button, self.predict):
            button.setEnabled(not session.runner.busy and session.described.workload is not None)
            button.setToolTip(texts("job-busy-tip") if session.runner.busy else "")

    def _show_last(self) -> None:
        from advisor.gui.local_time import local_moment

        advice = self._session.advice
        chosen = None if advice is None else advice.main
        self._last.setVisible(advice is not None)
        if advice is None:
            return
        from advisor.present.card_names import short_name

        set_up = self._texts("window-unknown")
        if chosen is not None:
            set_up = f"{chosen.count} × {short_name(visible(chosen.device.name))}"
        set_up = self._texts("start-last-set-up", name=set_up)
        title, when = self._texts.title(advice.workload.name), local_moment(advice.created_utc)
        about = self._texts("start-last", name=title, when=when)
        metrics, width = self._last.fontMetrics(), self._context.theme.sized(_LAST_WIDTH)
        shown = (metrics.elidedText(line, Qt.TextElideMode.ElideRight, width) for line in (set_up, about))
        self._last.setText("\n".join(shown).replace("&", "&&"))
        self._last.setToolTip(f"{set_up}\n{about}")


def _is_model(path: Path) -> bool:
    """Whether a file that was opened is one to be trained: other JSON is mostly an advice, and not read here."""
    return path.name == "config.json" or path.suffix not in {".json", *LOG_SUFFIXES}
