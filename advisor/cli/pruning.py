"""`--prune-history DAYS`: delete old runs of this machine's history, after a yes."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from advisor.core.errors import InputError
from advisor.core.sentences import Reason, say

if TYPE_CHECKING:
    import argparse

    from advisor.core.sentences import Language, Value

_YES = {"y", "yes", "j", "是", "好"}


def prune_command(arguments: argparse.Namespace, language: Language) -> int:
    """Say how many runs are older, ask, delete them; calibrations and verified predictions stay.

    Raises InputError where nobody can be asked and --yes is not given, OutputError where the disk refuses.
    """
    from advisor.store.history import History, data_folder

    before = (datetime.now(UTC) - timedelta(days=arguments.prune_history)).strftime("%Y-%m-%dT%H:%M:%SZ")
    with History(data_folder()) as history:
        stamps = [run.created_utc for run in history.runs() if run.created_utc < before]
        for problem in history.problems:
            print(f"advisor: {say(problem, language)}", file=sys.stderr)
        if not stamps:
            print(say(Reason(code="history-prune-none", numbers={"days": arguments.prune_history}), language))
            return 0
        numbers: dict[str, Value] = {"count": len(stamps), "first": min(stamps)[:10], "last": max(stamps)[:10]}
        print(say(Reason(code="history-prune-found", numbers=numbers), language))
        if not arguments.yes and not _consents(language):
            print(say(Reason(code="history-prune-kept"), language))
            return 0
        print(say(Reason(code="history-pruned", numbers={"count": history.prune(before)}), language))
    return 0


def _consents(language: Language) -> bool:
    if not sys.stdin.isatty():
        raise InputError("--prune-history: nobody is here to say yes.", "Add --yes to delete these runs.")
    answer = input(say(Reason(code="history-prune-question"), language) + " ")
    return answer.strip().lower() in _YES
