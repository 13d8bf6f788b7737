"""What every page is given: state, words, colours, and how to go elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from advisor.gui.jobs.job_runner import JobEnd
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.gui.texts import Texts
from advisor.gui.theme import Theme

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

PageName = Literal["machine", "model", "measure", "advice", "compare", "cases", "history"]
PAGE_NAMES: tuple[PageName, ...] = ("machine", "model", "measure", "advice", "compare", "cases", "history")
PAGES_OF_ENDS: dict[JobEnd, PageName] = {"ready": "advice", "verified": "history"}
"""Where there is more of a job that ended well."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """Passed to pages and dialogs; a new one is made when language or scheme change."""

    session: Session
    settings: Settings
    texts: Texts
    theme: Theme
    go: Callable[[PageName], None]
    """Shows another page."""
    open_path: Callable[[Path], None]
    """Opens a workload, configuration, Python or advice file."""
    act: Callable[[str], None]
    """Does a menu command by its name (`export-pdf`…)."""
    ask_again: Callable[[AdviceRecord], None]
    """Runs the main job as it was asked for the advice, on what is described now."""
    tell: Callable[[str], object] = str
    """Says a quiet word in the status line."""
    shown: Callable[[], bool] = bool
    """Whether the window is on the screen: then nothing may take long in one go."""
