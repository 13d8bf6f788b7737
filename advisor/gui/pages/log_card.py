"""A training log explained: where the time of its run goes, and what to change first."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from advisor.core.sentences import visible
from advisor.gui.context import Context
from advisor.gui.widgets.boxes import FlowLayout, clear, down
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.notice import Notice, bulleted
from advisor.logs.training_log import LogReport


class LogCard(Card):
    """A view of the log that the session was given last."""

    def __init__(self, context: Context) -> None:
        """Show what was told of the last log, also where it was given before this page was made."""
        super().__init__(context.texts("logs-title"))
        self._texts, self._log = context.texts, context.session.log
        self._answer = down(8)
        explained = label(self._texts("logs-explained"), "muted", wrap=True)
        buttons = QWidget()
        flow = FlowLayout(buttons, 8)  # larger letters put one below the other
        flow.addWidget(push(self._texts("logs-open"), lambda: context.act("open-log"), "small"))
        flow.addWidget(push(self._texts("logs-paste"), self._paste, "small"))
        self.put(explained, buttons, self._answer)
        self.hug()
        self._log.changed.connect(self._show)
        self._show()

    def _paste(self) -> None:
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self._log.take(text)
        else:
            self._fill(Notice([self._texts("logs-nothing-copied")]))

    def _show(self) -> None:
        outcome = self._log.outcome
        if self._log.reading:
            self._fill(label(self._texts("logs-reading"), "muted"))
        elif outcome is not None and isinstance(outcome.result, LogReport):
            name = visible(self._log.name) or self._texts("logs-copied")
            self._fill(label(name, "strong", wrap=True))
            for reason in outcome.result.reasons:
                self._answer.addLayout(bulleted(self._texts.say(reason)))
        elif outcome is not None and outcome.failed:
            self._fill(Notice(self._texts.problem(outcome), title=visible(self._log.name)))

    def _fill(self, widget: QWidget) -> None:
        clear(self._answer)
        self._answer.addWidget(widget)
