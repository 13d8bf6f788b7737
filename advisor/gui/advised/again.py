"""An advice once more with some of its switches set in the described workload, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from advisor.core.errors import UserFacingError
from advisor.core.sentences import listed
from advisor.gui.context import Context
from advisor.gui.threads import Outcome
from advisor.gui.widgets.notice import Strip
from advisor.present.switch_table import switch_code
from advisor.present.window_words import window_words
from advisor.recommend.combined_switches import settings_of
from advisor.recommend.switches import Switch
from advisor.workload.workload import with_training

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord


def advise_with(switches: Sequence[Switch], advice: AdviceRecord, context: Context) -> None:
    """Set these in the workload of the advice as it is described now, and ask as the advice was asked for."""
    from advisor.workload.python_source import pinned
    from advisor.workload.workload_file import checked

    described, own = context.session.described, advice.workload.training
    settings = [(switch_code(switch), settings_of(switch, own)) for switch in switches]
    changes = {name: value for _, of_one in settings for name, value in of_one.items()}
    try:
        if described.workload is None or pinned(described.workload).model != advice.workload.model:
            described.choose(advice.workload)
        workload = checked(with_training(described.workload or advice.workload, **changes))
    except UserFacingError as error:  # what else was set meanwhile contradicts it
        context.session.problem_raised.emit(Outcome(kind="problem", error=error))
        return
    described.edit(workload, "", tuple(code for code, of_one in settings if of_one))
    context.ask_again(advice)


def back_strip(advice: AdviceRecord, context: Context) -> Strip | None:
    """Which switches were set from this page last, and the way back; None where none was, or something else since."""
    texts, described = context.texts, context.session.described
    if not described.switched:
        return None

    def back() -> None:
        described.undo.undo()
        context.ask_again(advice)

    names = listed([window_words(texts(code), texts.language) for code in described.switched], texts.language)
    return Strip(texts("switches-set", switches=names), texts("switches-back"), back, whole=True, role="hero")
