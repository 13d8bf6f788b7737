"""What each command does, and the exit code that it ends with."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

from advisor.cli.arguments import build_parser
from advisor.core.errors import UserFacingError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from advisor.core.sentences import Language

OUR_BUG = 1


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code (interface: 0 to 5); never raises for the world's faults."""
    _keep_streams_printable()
    language: Language = "en"
    try:
        arguments = build_parser().parse_args(list(argv))
        language = chosen_language(arguments)
        return _dispatch(arguments, language)
    except UserFacingError as error:
        print(f"advisor: {_told(error, language)}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("advisor: interrupted.", file=sys.stderr)
        return 4
    except BrokenPipeError:
        # The reader of our output went away (`advisor --list | head`); nothing is wrong with us or the input.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - a sink until the process ends
        return 0
    except Exception:  # noqa: BLE001 - the last stop: everything that arrives here is a bug of ours
        traceback.print_exc()
        print(
            "advisor: this is a bug in advisor. Please report it with the lines above and the output of "
            "`advisor --detect`.",
            file=sys.stderr,
        )
        return OUR_BUG


def _told(error: UserFacingError, language: Language) -> str:
    from advisor.core.sentences import error_text

    return " ".join(error_text(error, language)).strip()


def _dispatch(arguments: argparse.Namespace, language: Language) -> int:  # noqa: PLR0911 - one return a command
    if arguments.measure is not None or arguments.predict is not None:
        from advisor.cli.advising import advise_command

        return advise_command(arguments, language)
    if arguments.detect:
        from advisor.cli.looking import detect_command

        return detect_command(arguments, language)
    if arguments.list:
        from advisor.cli.looking import list_command

        return list_command(arguments, language)
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


def _open_window(arguments: argparse.Namespace) -> int:
    # Started by name: the command line knows nothing of the window, and runs where Qt is absent.
    from importlib import import_module

    application = import_module("advisor.gui.application")
    return int(application.main(arguments.open, arguments.language))


def chosen_language(arguments: argparse.Namespace) -> Language:
    """The language of all sentences: the flag, or the locale's."""
    if arguments.language is not None:
        return "zh" if arguments.language == "zh" else "en"
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "zh" if locale.lower().startswith("zh") else "en"


def _keep_streams_printable() -> None:
    """A terminal that cannot show a character gets its escape, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
