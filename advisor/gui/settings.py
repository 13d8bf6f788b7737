"""What a person has chosen, kept in the user's configuration."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import msgspec
from PySide6.QtCore import QLocale, QSettings, QStandardPaths

from advisor.catalogue.strategies import MOST_DEVICES, USUAL_COUNTS
from advisor.core.sentences import Language, system_language
from advisor.core.units import SizeUnits
from advisor.protocol.budgets import MEASURING_S

if TYPE_CHECKING:
    from advisor.gui.models.typed_prices import TypedPrices
    from advisor.gui.theme import Scheme
    from advisor.recommend.recommendation import Goal

_RECENT_LIMIT = 8
MOST_LINK_LETTERS = 200
"""Of the words for a link, as its schema has it."""
_Count = Annotated[int, msgspec.Meta(ge=1, le=MOST_DEVICES)]
_Counts = Annotated[tuple[_Count, ...], msgspec.Meta(min_length=1)]
ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6)


def currency_of(place: QLocale) -> str:
    """The three letters of a place's currency; US dollars, in which most cards are offered, where it has none."""
    return place.currencySymbol(QLocale.CurrencySymbolFormat.CurrencyIsoCode) or "USD"


class Settings:
    """Typed access to the user's configuration file; a value that makes no sense counts as not set."""

    def __init__(self, path: Path | None = None) -> None:
        """`path`: another file than the user's, for tests and screenshots."""
        file = path or Path(
            QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation),
            "advisor",
            "window.ini",
        )
        self._store = QSettings(str(file), QSettings.Format.IniFormat)
        self.usual_zoom = 1.0
        """How large the letters are where nobody chose, as the system's are."""
        self._here: dict[str, object] = {}
        """What was read or chosen in this window: another one's choices are not shown here, so they do not count."""

    def _text(self, key: str, default: str, allowed: tuple[str, ...] | None = None) -> str:
        value = self._here.setdefault(key, self._store.value(key))
        text = value if isinstance(value, str) else default
        return text if allowed is None or text in allowed else default

    def _number(self, key: str) -> float | None:
        with contextlib.suppress(ValueError):
            number = float(self._text(key, ""))
            if 0 < number < float("inf"):
                return number
        return None

    def _path(self, key: str) -> Path | None:
        text = self.text(key)
        return Path(text) if text else None

    def text(self, key: str) -> str:
        """What is kept under a name; empty where nothing is."""
        return self._text(key, "")

    def store(self, key: str, value: str | float | None) -> None:
        """Keep a value under its name; None forgets it."""
        self._here[key] = None if value is None else str(value)
        if value is None:
            self._store.remove(key)
        else:
            self._store.setValue(key, str(value))

    def write(self) -> None:
        """What was stored is in the file from now on, also where nothing of this process is taken apart."""
        self._store.sync()

    @property
    def language(self) -> Language:
        """The chosen language, else the system's where it is Chinese, else English."""
        chosen = self._text("language", "", ("en", "zh"))
        return cast("Language", chosen or system_language())

    @property
    def scheme(self) -> Scheme:
        """Light, dark or as the system."""
        return cast("Scheme", self._text("scheme", "system", ("system", "light", "dark")))

    @property
    def zoom(self) -> float:
        """How much larger than usual the letters are: from 0.8 to 1.6."""
        return min(max(self._number("zoom") or self.usual_zoom, ZOOMS[0]), ZOOMS[-1])

    @property
    def units(self) -> SizeUnits:
        """Memory in GiB or GB."""
        return cast("SizeUnits", self._text("units", "binary", ("binary", "decimal")))

    @property
    def goal(self) -> Goal:
        """What is made small: time, cost or energy."""
        return cast("Goal", self._text("goal", "time", ("time", "cost", "energy")))

    @property
    def currency(self) -> str:
        """Currency that amounts are shown in where the price file names none: that of the place, unless chosen."""
        return self._text("currency", currency_of(QLocale.system()))[:8]

    @property
    def typed_prices(self) -> TypedPrices | None:
        """Prices as typed into Compare's table, until they are reset."""
        from advisor.gui.models.typed_prices import read_typed

        return read_typed(self._text("typed_prices", ""))

    @property
    def price_file(self) -> Path | None:
        """TOML file with prices, if one was chosen."""
        return self._path("price_file")

    @property
    def gpu_file(self) -> Path | None:
        """TOML file with cards of the user's own, if there is one."""
        return self._path("gpu_file")

    @property
    def budget_s(self) -> float:
        """Seconds that a measurement may take."""
        return self._number("budget_s") or MEASURING_S

    def limit(self, key: str) -> float | None:
        """Most that a job may take: `max_cost` in money, `max_power_w` in watts, or `max_hours`."""
        return self._number(key)

    @property
    def host_memory_bytes(self) -> float | None:
        """Memory of each machine with cards, as kept in GiB; None: this one's for itself, elsewhere an assumption."""
        given = self._number("host_memory_gib")
        return None if given is None else given * 2.0**30

    @property
    def interconnect(self) -> str | None:
        """How the cards are linked, in the words of the command line; None: as those of each card usually are."""
        return self.text("interconnect")[:MOST_LINK_LETTERS] or None

    @property
    def data_folder(self) -> Path | None:
        """Folder for the history, if another than the usual one was chosen."""
        return self._path("data_folder")

    @property
    def history_folder(self) -> Path:
        """The chosen data folder, or the usual one."""
        from advisor.store.history import data_folder

        return data_folder(self._text("data_folder", "") or None)

    @property
    def gpu_keys(self) -> tuple[str, ...] | None:
        """Candidates of the spec table; None for the usual ones."""
        text = self._text("gpu_keys", "")
        return tuple(part for part in text.split(",") if part) or None

    @property
    def card_counts(self) -> dict[str, tuple[int, ...]]:
        """How many of a card are compared, by its key; empty: any number up to `most_cards`."""
        text = self._text("card_counts", "")
        try:
            return msgspec.json.decode(text, type=dict[str, _Counts]) if text else {}
        except msgspec.DecodeError:
            return {}

    def keep_cards(self, keys: Iterable[str] | None, counts: Mapping[str, Sequence[int]]) -> None:
        """Compare with these cards from now on, the usual ones with None, and so many of each; empty: any number."""
        self.store("gpu_keys", None if keys is None else ",".join(keys))
        self.store("card_counts", msgspec.json.encode(dict(counts)).decode() if counts else None)

    @property
    def most_cards(self) -> int:
        """How many cards of one kind may be advised; as many as are tried at all where nobody chose."""
        return int(self._text("most_cards", str(USUAL_COUNTS[-1]), tuple(map(str, USUAL_COUNTS))))

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of cards that are tried."""
        return tuple(count for count in USUAL_COUNTS if count <= self.most_cards)

    @property
    def recent_files(self) -> tuple[str, ...]:
        """Files opened last, newest first, that are still there."""
        self._here.pop("recent", None)  # every window's files
        text = self._text("recent", "")
        return tuple(part for part in text.split("\n") if part and os.path.exists(part))  # noqa: PTH110 - strings

    def add_recent(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        kept = [str(path), *(part for part in self.recent_files if part != str(path))]
        self.store("recent", "\n".join(kept[:_RECENT_LIMIT]))

    def bytes_of(self, key: str) -> bytes | None:
        """A stored window geometry."""
        with contextlib.suppress(ValueError):
            return bytes.fromhex(self._text(key, "")) or None
        return None
