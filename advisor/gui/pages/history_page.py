"""Earlier runs: reopen, compare two, export, delete; and how right the program has been on this machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QFileSystemWatcher, QItemSelectionModel, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QWidget

from advisor.core.sentences import visible
from advisor.gui.context import Context
from advisor.gui.dialogs.frame import confirmed
from advisor.gui.dialogs.old_runs import ask_age
from advisor.gui.dialogs.save_path import ask_save_path
from advisor.gui.history_access import IN_MEMORY, HistoryListing, in_history, read_history, unkept_reason
from advisor.gui.jobs.apart import apart
from advisor.gui.jobs.asks import KeptAdviceAsk
from advisor.gui.models.table_model import TableModel
from advisor.gui.pages.history_details import asked_label, compared_cards, measured_card
from advisor.gui.pages.history_tables import OPTIONAL_COLUMNS, ledger_card, record_row, run_columns
from advisor.gui.pages.page import GAP, Page, ViewState
from advisor.gui.threads import Job, Outcome, call_as_job
from advisor.gui.widgets.boxes import REST, clear, down, put
from advisor.gui.widgets.buttons import push
from advisor.gui.widgets.card import Card
from advisor.gui.widgets.labels import label
from advisor.gui.widgets.notice import EmptyState, Notice
from advisor.gui.widgets.table_card import TableCard
from advisor.store.advice_record import AdviceRecord
from advisor.store.history import History, Run

_BOTH = 2
_SETTLED_MS = 300
"""A write is several changes of the folder."""
_WHOLE_ROW = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows


class HistoryPage(Page):
    """Lists what is kept in the data folder."""

    def __init__(self, context: Context) -> None:
        """Nothing is read before the page is shown."""
        super().__init__(context, context.texts("page-history"))
        self._folder = context.settings.history_folder
        self.subtitle.set_full_text(self.texts("history-subtitle"))
        self.subtitle.explain(visible(str(self._folder)))
        self._verify = self.add_action(self.texts("history-verify"), lambda: context.act("verify"))
        self._asked_count = 0
        """Of answers that the history still owes: while runs are read, one of them may be loaded."""
        self._chosen_count = 0
        """How often other runs were chosen: what is read of those before is not shown any more."""
        self._listed: HistoryListing | None = None
        self._kept: ViewState = {}
        self._ledger: QWidget | None = None
        self._to_ledger = False
        """Whether the verified predictions are to be seen as soon as everything above them stands."""
        self._settled = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settled.timeout.connect(self._read)
        self._changes = QFileSystemWatcher(self)
        self._changes.directoryChanged.connect(lambda _folder: self._settled.start())
        self.session.history_changed.connect(self._read)
        self.session.advice_changed.connect(self._show_verify)
        self._show_verify()
        put(self.body, label(self.texts("history-reading"), "muted"), REST)

    def activate(self) -> None:
        """Read the history anew, now and whenever another window writes."""
        self._read()
        if self._folder.is_dir():
            self._changes.addPath(str(self._folder))

    def deactivate(self) -> None:
        """Nobody looks at it."""
        self._settled.stop()
        if self._changes.directories():
            self._changes.removePaths(self._changes.directories())

    def show_answer(self) -> None:
        """What was verified last stands below the runs and what the chosen one measured."""
        self._to_ledger = True
        self._scroll_to_ledger()

    def _scroll_to_ledger(self) -> None:
        if self._to_ledger and self._ledger is not None and not self.busy:
            self._to_ledger = False
            ledger = self._ledger
            self._settle()
            self.bring_into_view(ledger)

    @property
    def busy(self) -> bool:
        """Whether something of the history is still being read or written."""
        return self._asked_count > 0

    def view_state(self) -> ViewState:
        """The order of the runs, which of them are selected, and where."""
        if not hasattr(self, "_table"):
            return self._kept
        places = {index.row() for index in self._table.selectionModel().selectedRows()}
        return {
            "order": self._table.order(),
            "selected": frozenset(run.entry_index for run in self._selected()),
            "place": min(places, default=0),
        }

    def restore(self, state: ViewState) -> None:
        """Sort and select again."""
        self._kept = state

    def _show_verify(self) -> None:
        advice = self.session.advice
        possible = advice is not None and advice.recommendation_local is not None
        self._verify.setEnabled(possible and not self.session.runner.busy)
        self._verify.setToolTip(self.texts("history-verify-tip"))

    def _in_history(self, act: Callable[[History], object], then: Callable[[Outcome], None]) -> None:
        """Do something with the history in a thread."""
        folder = self._folder
        self._ask(call_as_job(lambda: in_history(folder, act)), then)

    def _ask(self, job: Job, then: Callable[[Outcome], None]) -> None:
        self._asked_count += 1

        def ended(outcome: Outcome) -> None:
            if outcome.failed:
                self.session.problem_raised.emit(outcome)
            else:
                then(outcome)
            self._asked_count -= 1
            self._scroll_to_ledger()

        self.session.crew.start(job, ended, owner=self)

    def _read(self, *_: object) -> None:
        self._in_history(read_history, self._arrived)

    def _arrived(self, outcome: Outcome) -> None:
        if isinstance(outcome.result, HistoryListing) and outcome.result != self._listed:
            self._listed = outcome.result
            self._show(outcome.result)

    def _show(self, listing: HistoryListing) -> None:
        self._kept, had_focus = self.view_state(), hasattr(self, "_table") and self._table.hasFocus()
        if hasattr(self, "_table"):
            del self._table
        clear(self.body)
        self._ledger = None
        not_kept, nothing = self._not_kept(listing), not listing.runs and not listing.ledger
        if nothing and not_kept:
            settings = (self.texts("menu-settings"), lambda: self.context.act("settings"))
            self.body.addWidget(EmptyState(self.texts("history-not-kept-title"), not_kept, settings), 1)
            return
        if listing.problems:
            problems = [self.texts.say(reason) for reason in listing.problems if reason.code != IN_MEMORY]
            self.body.addWidget(Notice([*problems, not_kept]))  # empty words are left out
        if nothing:
            measure = (self.texts("menu-measure"), lambda: self.context.act("measure"))
            words = self.texts("history-empty-title"), self.texts("history-empty-text")
            empty = EmptyState(*words, measure)
            self.rest_while_busy(*empty.buttons)
            self.body.addWidget(empty, 1)
            return
        if listing.record is not None:
            self.body.addLayout(record_row(listing.record, self.texts))
        self._details = down(GAP)
        put(self.body, (self._runs_card(listing), 1), self._details)
        if listing.ledger:
            self._ledger = ledger_card(listing.ledger, self.texts)
            self.body.addWidget(self._ledger)
        self.body.addStretch(0)
        if listing.runs:
            self._select_again()
            if had_focus:
                self._table.setFocus()

    def _select_again(self) -> None:
        """The runs that were selected, or where they are gone the one in their place."""
        if "order" in self._kept:
            self._table.set_order(*self._kept["order"])
        selected, place = self._kept.get("selected", ()), self._kept.get("place", 0)
        places = [at for at, run in enumerate(self._model.records) if run.entry_index in selected]
        near = min(place, len(self._model.records) - 1)
        self._table.setCurrentIndex(self._model.index(places[0] if places else near, 0))
        for at in places[1:]:
            self._table.selectionModel().select(self._model.index(at, 0), _WHOLE_ROW)

    def _not_kept(self, listing: HistoryListing) -> str:
        """Where the folder cannot be written, what that means here: each look opens it anew and keeps nothing."""
        reason = unkept_reason(listing.problems)
        return visible(self.texts("history-not-kept", path=str(self._folder), reason=reason)) if reason else ""

    def _runs_card(self, listing: HistoryListing) -> Card:
        texts = self.texts
        card = TableCard(
            texts("history-runs"),
            run_columns(texts),
            listing.runs,
            below=texts("history-hint"),
            wide=(1, 2),
            optional=OPTIONAL_COLUMNS,
            grows=True,
        )
        self._model: TableModel[Run] = card.model
        self._table = card.table
        self._table.selectionModel().selectionChanged.connect(lambda *_: self._selection_changed())
        self._table.doubleClicked.connect(lambda _index: self._open())
        keys = ((Qt.Key.Key_Return, self._open), (Qt.Key.Key_Enter, self._open), (Qt.Key.Key_Delete, self._delete))
        for key, act in keys:
            shortcut = QShortcut(QKeySequence(key), self._table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        self._table.offered = self._offered
        self._buttons: dict[str, QPushButton] = {}
        for name, action in (
            ("open", self._open),
            ("compare", self._compare),
            ("export", self._export),
            ("delete", self._delete),
            ("older", self._delete_old),
        ):
            self._buttons[name] = push(self.texts(f"history-{name}"), action, "small")
        card.add_to_header(*self._buttons.values())
        return card

    def _offered(self) -> list[tuple[str, Callable[[], object]]]:
        """What the buttons above the runs do to those that are selected."""
        acts = {"open": self._open, "compare": self._compare, "export": self._export, "delete": self._delete}
        return [(self._buttons[name].text(), act) for name, act in acts.items() if self._buttons[name].isEnabled()]

    def _selected(self) -> list[Run]:
        rows = sorted({index.row() for index in self._table.selectionModel().selectedRows()})
        return [self._model.records[place] for place in rows]

    def _selection_changed(self) -> None:
        self._chosen_count += 1
        selected = self._selected()
        for name, wanted in (("open", {1}), ("export", {1}), ("compare", {_BOTH})):
            self._buttons[name].setEnabled(len(selected) in wanted)
        self._buttons["delete"].setEnabled(bool(selected))
        if len(selected) == 1:
            self._load(selected[0], self._unless_others(self._show_details))
        elif len(selected) == _BOTH:
            self._compare()

    def _unless_others(self, then: Callable[[AdviceRecord], None]) -> Callable[[AdviceRecord], None]:
        """The same, unless other runs are chosen by then: several are read at a time, and end in any order."""
        count = self._chosen_count

        def shown(advice: AdviceRecord) -> None:
            if count == self._chosen_count:
                then(advice)

        return shown

    def _load(self, run: Run, then: Callable[[AdviceRecord], None]) -> None:
        def loaded(outcome: Outcome) -> None:
            if isinstance(outcome.result, AdviceRecord):
                then(outcome.result)
            else:
                self._read()

        # In a process of its own: decoding a large advice would hold up the window.
        ask = KeptAdviceAsk(folder=str(self._folder), entry_index=run.entry_index)
        self._ask(apart(lambda: ask), loaded)

    def _show_details(self, advice: AdviceRecord) -> None:
        clear(self._details)
        shown = (asked_label(advice, self.context), measured_card(advice, self.context))
        put(self._details, *(widget for widget in shown if widget is not None))

    def _open(self) -> None:
        for run in self._selected()[:1]:
            self._load(run, self._reopen)

    def _reopen(self, advice: AdviceRecord) -> None:
        self.session.reopen(advice)
        self.context.go("advice")

    def _compare(self) -> None:
        selected = self._selected()
        if len(selected) != _BOTH:
            return
        clear(self._details)
        self._details.addWidget(label(self.texts("history-reading-two"), "muted"))
        runs = sorted(selected, key=lambda run: run.created_utc)
        read: dict[int, AdviceRecord] = {}

        def arrived(run: Run, advice: AdviceRecord) -> None:
            read[run.entry_index] = advice
            if len(read) == _BOTH:
                self._show_comparison(*(read[each.entry_index] for each in runs))

        for run in runs:
            self._load(run, self._unless_others(partial(arrived, run)))

    def _show_comparison(self, first: AdviceRecord, second: AdviceRecord) -> None:
        clear(self._details)
        for card in compared_cards(first, second, self.context):
            self._details.addWidget(card)

    def _export(self) -> None:
        selected = self._selected()
        if not selected:
            return
        path = ask_save_path(self, self.texts("history-export"), "advice.json")
        if path is not None:
            entry = selected[0].entry_index
            self._in_history(
                lambda history: history.export(entry, path), lambda outcome: self.tell_saved(outcome, path)
            )

    def _delete(self) -> None:
        selected = self._selected()
        if not selected:
            return
        words, question = self.texts("history-delete"), self.texts("history-delete-question", count=len(selected))
        if confirmed(self, words, question, words, self.texts("window-cancel")):

            def delete(history: History) -> None:
                for run in selected:
                    history.delete(run.entry_index)

            self._in_history(delete, self._read)

    def _delete_old(self) -> None:
        before_utc = ask_age(self, self.texts, self._model.records)
        if before_utc is not None:
            self._in_history(lambda history: history.prune(before_utc), self._read)
