"""What a file that is given to the window becomes: a workload, an advice, a log explained, GPUs, or prices."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMainWindow

from advisor.core.errors import InputError
from advisor.core.sentences import listed, visible
from advisor.gui.dialogs.frame import titled
from advisor.gui.files.given_prices import holds_prices, read_given_prices
from advisor.gui.files.own_cards import holds_cards, own_cards_path, take_cards
from advisor.gui.jobs.told_log import SUFFIXES as LOG_SUFFIXES
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.gui.texts import Texts
from advisor.gui.threads import Outcome, call_as_job

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.gui.jobs.asks import Ask
    from advisor.workload.workload import Workload

_OPENED = {"open-filter": (".toml", ".json", ".py"), "open-logs": LOG_SUFFIXES}
"""What may be chosen, and the suffixes of its files."""


class Opening(QObject):
    """Opens files, and asks before a Python file may run."""

    page_wanted = Signal(str)

    def __init__(self, window: QMainWindow, session: Session, settings: Settings, tell: Callable[[str], None]) -> None:
        """`window` is the parent of every dialog; `tell` says a quiet word."""
        super().__init__(window)
        self._window, self._session, self._settings, self._tell = window, session, settings, tell
        self._opened_count = 0

    @property
    def _texts(self) -> Texts:
        return Texts(self._settings.language, self._settings.units)

    def ask_and_open(self, *kinds: str) -> None:
        """Choose a file of the kinds that are named and open it; the first kind is listed at first.

        Raises InputError.
        """
        texts = self._texts
        filters = ";;".join(f"{texts(kind)} ({' '.join(f'*{one}' for one in _OPENED[kind])})" for kind in kinds)
        name, _filter = QFileDialog.getOpenFileName(self._window, titled(texts("menu-open")), "", filters)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Open a workload, a model's configuration or folder, a Python model, a saved advice, a log, GPUs, or prices.

        Raises InputError for what is none of them.
        """
        from advisor.core.file_kinds import kind_of

        if path.suffix == ".py" and not self.consent(path):
            return
        if path.suffix == ".json" and path.name != "config.json" and kind_of(path) not in {"config", "adapter"}:
            self._open_advice(path)
            return
        if path.suffix == ".toml" and holds_cards(path):
            self._take_cards(path)
            return
        if path.suffix == ".toml" and holds_prices(path):
            self._take_prices(path)
            return
        if path.is_dir() or path.suffix in {".toml", ".py", ".json"}:
            self._session.described.load(str(path), read_well=lambda: self._settings.add_recent(path))
            self.page_wanted.emit("model")
        elif path.suffix in LOG_SUFFIXES:
            self._session.log.read(path)
            self.page_wanted.emit("cases")
            self._settings.add_recent(path)
        else:
            raise InputError(self._texts("open-other", path=str(path)), self._texts("open-other-remedy"))

    def _open_advice(self, path: Path) -> None:
        """Read it in a process of its own: decoding a large one would hold up the window."""
        from advisor.gui.jobs.apart import apart

        self._opened_count += 1
        count = self._opened_count

        def ask() -> Ask:
            from advisor.gui.jobs.asks import SavedAdviceAsk

            return SavedAdviceAsk(path=os.fsencode(path))

        def opened(outcome: Outcome) -> None:
            from advisor.store.advice_record import AdviceRecord

            if count != self._opened_count:
                return  # Another one was opened since.
            if self._window.statusBar().currentMessage() == reading:
                self._window.statusBar().clearMessage()
            if isinstance(outcome.result, AdviceRecord):
                self._session.reopen(outcome.result)
                self._settings.add_recent(path)
                self.page_wanted.emit("advice")
            elif outcome.failed:
                self._session.problem_raised.emit(outcome)

        reading = self._texts("open-reading", path=str(path))
        self._tell(reading)
        self._session.crew.start(apart(ask), opened)

    def _take_cards(self, path: Path) -> None:
        """Compare with the cards of a file from now on; the table that they must not be taken from is slow to read."""
        kept, settings = own_cards_path(self._settings), self._settings

        def taken(outcome: Outcome) -> None:
            if not isinstance(outcome.result, list):
                self._session.problem_raised.emit(outcome)
                return
            from advisor.recommend.candidates import DEFAULT_GPU_KEYS

            cards: list[GpuSpec] = outcome.result
            keys = (*(settings.gpu_keys or DEFAULT_GPU_KEYS), *(card.key for card in cards))
            settings.store("gpu_file", str(kept))
            settings.store("gpu_keys", ",".join(dict.fromkeys(keys)))
            self._session.own_cards_changed.emit()
            self.page_wanted.emit("machine")
            names = listed([visible(card.name) for card in cards], settings.language)
            self._tell(self._texts("open-cards", names=names))

        self._session.crew.start(call_as_job(lambda: take_cards(path, kept)), taken)

    def _take_prices(self, path: Path) -> None:
        """Weigh the prices of a file from now on; it stays where it is, and is read anew for each advice."""
        settings, path = self._settings, path.absolute()

        def taken(outcome: Outcome) -> None:
            from advisor.recommend.prices import Prices

            prices = outcome.result
            if not isinstance(prices, Prices):
                self._session.problem_raised.emit(outcome)
                return
            settings.store("price_file", str(path))
            self._session.price_file_changed.emit()
            if self._session.advice is not None:
                self.page_wanted.emit("compare")
            told = {"path": str(path), "currency": prices.currency, "date": prices.date}
            self._tell(self._texts("open-prices", **told, count=len(prices.devices)))

        self._session.crew.start(call_as_job(lambda: read_given_prices(path, settings.gpu_file)), taken)

    def consent(self, path: Path) -> bool:
        """Ask whether a Python file may run, naming its path and SHA-256. Raises InputError."""
        from advisor.gui.dialogs.consent import ask_consent
        from advisor.workload.python_source import digest_of, read_code

        path = path.resolve()
        digest = digest_of(read_code(path))
        if (str(path), digest) in self._session.described.consents:
            return True
        if not ask_consent(self._window, self._texts, path, digest):
            return False
        self._session.described.consents.add((str(path), digest))
        return True

    def consent_for(self, workload: Workload) -> bool:
        """Ask for the workload's Python file unless it was consented to, or is none. Raises InputError."""
        from advisor.workload.python_source import code_to_run

        code = code_to_run(workload)
        if code is None or not self._session.described.lacks_consent(workload):
            return True
        return self.consent(code[0])
