"""`--prune-history DAYS`: delete old runs of this machine's history, after a yes."""

from __future__ import annotations

import argparse
import sys

from advisor.cli.faults import command_fault
from advisor.core.sentences import Language, Reason, say

_YES = {"y", "yes", "j", "是", "好"}


def prune_command(arguments: argparse.Namespace, language: Language) -> int:
    """Say how many runs are older, ask, delete them; calibrations and verified predictions stay.

    Raises InputError where nobody can be asked and --yes is not given, OutputError where the disk refuses.
    """
    from advisor.store.history import History, data_folder, older_than

    with History(data_folder()) as history:
        old = older_than(arguments.prune_history, history.runs())
        for problem in history.problems:
            print(f"advisor: {say(problem, language)}", file=sys.stderr)
        print(say(old.reason, language))
        if not old.run_count:
            return 0
        if not arguments.yes and not _consents(language):
            print(say(Reason.of("history-prune-kept"), language))
            return 0
        print(say(Reason.of("history-pruned", count=history.prune(old.before_utc)), language))
    return 0


def _consents(language: Language) -> bool:
    if not sys.stdin.isatty():
        raise command_fault("prune-unasked")
    answer = input(say(Reason.of("history-prune-question"), language) + " ")
    return answer.strip().lower() in _YES
