"""Where the last time ended: the described workload and the newest advice come back at the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from advisor.core.records import built
from advisor.gui.jobs.apart import apart
from advisor.gui.models.workload_edits import Described
from advisor.gui.session import Session
from advisor.gui.settings import Settings
from advisor.gui.threads import Outcome, call_as_job

if TYPE_CHECKING:
    from advisor.gui.jobs.asks import Ask

_WORKLOAD, _BASE, _REFERENCE = "last_workload", "last_base", "last_reference"


def keep_last(session: Session, settings: Settings) -> None:
    """Remember what is described now."""
    described = session.described
    if described.workload is not None:
        settings.store(_WORKLOAD, msgspec.json.encode(described.workload).decode())
        settings.store(_BASE, msgspec.json.encode(described.base).decode())
        settings.store(_REFERENCE, described.reference or None)


def restore_last(session: Session, settings: Settings) -> None:
    """Describe what was described last, else the default, and show the newest kept advice, both in the background.

    What was opened meanwhile stays.
    """
    from advisor.workload.workload import DEFAULT_WORKLOAD

    text, base, reference = (settings.text(name) for name in (_WORKLOAD, _BASE, _REFERENCE))

    def described(outcome: Outcome) -> None:
        if session.described.workload is not None:
            return
        if isinstance(outcome.result, Described):
            session.described.take_over(outcome.result)
        else:
            session.described.load(DEFAULT_WORKLOAD)

    def advised(outcome: Outcome) -> None:
        from advisor.store.advice_record import AdviceRecord

        if isinstance(outcome.result, AdviceRecord) and session.advice is None and not session.runner.busy:
            session.set_advice(outcome.result)

    def ask() -> Ask:
        from advisor.gui.jobs.asks import NewestAdviceAsk

        return NewestAdviceAsk(folder=str(settings.history_folder))

    session.crew.start(call_as_job(lambda: _described(text, base, reference)), described)
    session.crew.start(apart(ask), advised)


def _described(text: str, base_text: str, reference: str) -> Described | None:
    """What was kept, with what its edits began from; None where nothing usable was."""
    from advisor.core.errors import UserFacingError
    from advisor.workload.workload import Workload
    from advisor.workload.workload_file import bundled_names, load_workload

    if not text:
        return None
    try:
        workload = msgspec.json.decode(text, type=built(Workload))
        base = msgspec.json.decode(base_text, type=built(Workload)) if base_text else workload
        if reference in bundled_names():
            base = load_workload(reference)  # as it is bundled today
    except (msgspec.MsgspecError, UserFacingError):  # written by another version, or by hand
        return None
    return Described(workload=workload, base=base, reference=reference)
