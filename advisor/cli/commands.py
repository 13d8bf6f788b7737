"""What each command does, and the exit code that it ends with."""

from __future__ import annotations

import argparse
import contextlib
import errno
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from advisor.cli.arguments import build_parser, parse
from advisor.cli.faults import INTERRUPTED, NOT_WRITTEN, OUR_BUG, command_fault, complain
from advisor.cli.streams import steady_streams
from advisor.core.errors import OutputError, UserFacingError

if TYPE_CHECKING:
    from advisor.core.sentences import Language

_EXHAUSTED = {errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT}
_NO_THREAD = "can't start new thread"


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code (interface: 0 to 5); never raises for the world's faults."""
    with steady_streams() as out:
        code = _run(argv)
        out.flush()
        if out.full and out.failure is not None:
            print(f"advisor: stdout: the result could not be printed: {out.failure.strerror}.", file=sys.stderr)
            return code or NOT_WRITTEN
        return code


def _run(argv: Sequence[str]) -> int:
    language: Language | None = None
    try:
        try:
            arguments = parse(list(argv))
        except SystemExit as ended:  # --help and --version, which argparse prints itself: that may fail, too
            return ended.code if isinstance(ended.code, int) else 0
        language = chosen_language(arguments)
        _refuse_alone(arguments)
        return _dispatch(arguments, language)
    except UserFacingError as error:
        complain(error, language or _asked_language(argv))
        return error.exit_code
    except KeyboardInterrupt:
        from advisor.core.sentences import sentence

        print(f"advisor: {sentence('command-interrupted', language or _asked_language(argv))}", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last stop: what arrives here is a bug of ours, or the machine's end
        if (refusal := refused_by_machine(error)) is not None:
            print(f"advisor: {refusal}", file=sys.stderr)
            return OutputError.exit_code
        traceback.print_exc()
        print(
            "advisor: this is a bug in advisor. Please report it with the lines above and the output of "
            "`advisor --detect`.",
            file=sys.stderr,
        )
        return OUR_BUG


def _refuse_alone(arguments: argparse.Namespace) -> None:
    """Refuse a flag that only says something beside another one."""
    if arguments.from_command is not None and arguments.init is None:
        raise command_fault("from-command-alone")


def refused_by_machine(error: Exception) -> OutputError | None:
    """The sentence of a machine that has no memory, processes, descriptors or disk left; None for any other error.

    In English: the file of the sentences may be one file too many to open.
    """
    if isinstance(error, MemoryError) or getattr(error, "errno", None) in _EXHAUSTED or _NO_THREAD in str(error):
        reason = getattr(error, "strerror", None) or str(error) or "no memory is left"
        return OutputError(
            f"This machine refused what the program needs: {reason}.",
            "End other programs, or raise the limits (`ulimit -a` shows them: memory, processes, open files).",
        )
    return None


def _dispatch(arguments: argparse.Namespace, language: Language) -> int:  # noqa: PLR0911 - one return a command
    if arguments.measure is not None or arguments.predict is not None:
        from advisor.cli.advising import advise_command

        return advise_command(arguments, language)
    if arguments.init is not None:
        from advisor.cli.starting import init_command

        return init_command(arguments, language)
    if arguments.detect or arguments.list or arguments.doctor or arguments.completion is not None:
        return _look(arguments, language)
    if arguments.prune_history is not None:
        from advisor.cli.pruning import prune_command

        return prune_command(arguments, language)
    if arguments.evaluate is not None:
        from advisor.cli.checking import evaluate_command

        return evaluate_command(arguments, language)
    if arguments.claim is not None or arguments.claim_file is not None:
        from advisor.cli.checking import claim_command

        return claim_command(arguments, language)
    if arguments.cases:
        from advisor.cli.checking import cases_command

        return cases_command(arguments, language)
    if arguments.log is not None:
        from advisor.cli.checking import log_command

        return log_command(arguments, language)
    if arguments.open is not None and not arguments.window:
        from advisor.cli.advising import open_command

        return open_command(arguments, language)
    return _open_window(arguments)


def _look(arguments: argparse.Namespace, language: Language) -> int:
    """What is here, and what can be named."""
    from advisor.cli import looking

    if arguments.completion is not None:
        from advisor.cli.completion import completion_script

        print(completion_script(build_parser(), arguments.completion), end="")
        return 0
    if arguments.doctor:
        from advisor.cli.doctor import doctor_command

        return doctor_command(arguments, language)
    return (looking.detect_command if arguments.detect else looking.list_command)(arguments, language)


def _open_window(arguments: argparse.Namespace) -> int:
    # Started by name: the command line knows nothing of the window, and runs where Qt is absent.
    from importlib import import_module

    application = import_module("advisor.gui.application")
    return int(application.run(arguments.open, arguments.language))


def _asked_language(argv: Sequence[str]) -> Language:
    """The language of a command line that is wrong elsewhere."""
    reader = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    reader.add_argument("--language")
    asked = argparse.Namespace(language=None)
    with contextlib.suppress(argparse.ArgumentError):
        reader.parse_known_args(list(argv), asked)
    return chosen_language(asked)


def chosen_language(arguments: argparse.Namespace) -> Language:
    """The language of all sentences: the flag, or the locale's."""
    if arguments.language is not None:
        return "zh" if arguments.language == "zh" else "en"
    from advisor.core.sentences import system_language

    return system_language()
