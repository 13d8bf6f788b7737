"""What the window asks of the process that computes for it: one record a kind of work, light to import."""

from __future__ import annotations

from advisor.catalogue.strategies import USUAL_COUNTS
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.gui.models.typed_prices import TypedPrices
from advisor.recommend.asked import Asked
from advisor.recommend.fixed import FREE, Fixed
from advisor.recommend.recommendation import Goal, Limits
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Workload


class AdviseAsk(Record, frozen=True, kw_only=True, tag="advise"):
    """The main job, with what the settings say; the child makes the request of it. Answered by an advice."""

    workload: Workload
    measure: bool
    budget_s: float
    goal: Goal = "time"
    gpu_keys: tuple[str, ...] | None = None
    counts: tuple[int, ...] = USUAL_COUNTS
    card_counts: dict[str, tuple[int, ...]] = {}
    """Of cards by key, where set-ups are named: so many of one card against so many of another."""
    price_file: str | None = None
    prices: TypedPrices | None = None
    """As typed: they go before those of the file, where they are in its currency."""
    gpu_file: str | None = None
    """The user's own cards."""
    limits: Limits = Limits()
    fixed: Fixed = FREE
    """Which of the workload's settings are kept, whatever would be quicker."""
    host_memory_bytes: float | None = None
    """Of each machine with cards; None: nobody said."""
    interconnect: str | None = None
    """How the cards are linked; None: as those of each card usually are."""
    asked: Asked | None = None
    """As an earlier advice was asked for, in the place of what the settings say of it; None: as they say."""
    allow_code: bool = False
    data_folder: str | None = None


class VerifyAsk(Record, frozen=True, kw_only=True, tag="verify"):
    """Run what is advised for this machine; answered by a line of the ledger."""

    advice: AdviceRecord
    allow_code: bool = False


class DetectAsk(Record, frozen=True, kw_only=True, tag="detect"):
    """Look at the machine."""


class CasesAsk(Record, frozen=True, kw_only=True, tag="cases"):
    """Answer all published cases."""


class ClaimAsk(Record, frozen=True, kw_only=True, tag="claim"):
    """Judge a claim that was typed."""

    text: str
    data_folder: str | None = None


class LogAsk(Record, frozen=True, kw_only=True, tag="log"):
    """Explain the text of a training log."""

    text: str


class TraceAsk(Record, frozen=True, kw_only=True, tag="trace"):
    """The operator table of a workload in its own precision."""

    workload: Workload
    allow_code: bool = False
    data_folder: str | None = None


class SavedAdviceAsk(Record, frozen=True, kw_only=True, tag="saved"):
    """The advice of a file."""

    path: bytes
    """As the system has it: not every name is text."""


class KeptAdviceAsk(Record, frozen=True, kw_only=True, tag="kept"):
    """The advice of a run of the history; nothing where it is gone or damaged."""

    folder: str
    entry_index: int


class NewestAdviceAsk(Record, frozen=True, kw_only=True, tag="newest"):
    """The newest kept advice; nothing where there is none."""

    folder: str


PlainAsk = DetectAsk | CasesAsk | ClaimAsk | LogAsk | SavedAdviceAsk | KeptAdviceAsk | NewestAdviceAsk
"""What tells nothing meanwhile."""
Ask = AdviseAsk | VerifyAsk | TraceAsk | PlainAsk


class Refused(Record, frozen=True, kw_only=True):
    """A fault of the world that the child met; `reasons` where it can be told in the reader's language."""

    text: str
    remedy: str
    reasons: tuple[Reason, ...] = ()
    remedy_reason: Reason | None = None


class Broken(Record, frozen=True, kw_only=True):
    """A fault of ours that the child met."""

    text: str
    traceback: str
