"""What is wrong with a command line, said in the reader's language, with a remedy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.core.errors import UserFacingError

if TYPE_CHECKING:
    from advisor.core.sentences import Language, Reason, SaidError, SaidOutputError, Value

OUR_BUG, NOTHING_MEASURED, INTERRUPTED, NOT_WRITTEN, NOTHING_FITS = 1, 3, 4, 5, 6
"""Exit codes beside 0 and 2, as `--help` tells them."""
_LONGEST = 40
_ALIKE = 0.75
"""How much alike (difflib's ratio) an unknown option and the one that may be meant are."""
_NOT_WITH = "not allowed with argument "
_EXPECTED = "expected "
_CHOICE = "invalid choice: "


class ArgumentFault(argparse.ArgumentTypeError):
    """A value that an option does not take: the sentence `command-WHAT` and its arguments, the option's name apart."""

    def __init__(self, what: str, *, near: Iterable[str] = (), **numbers: Value) -> None:
        """Keep what the sentence says; `near`: what may have been meant."""
        super().__init__(what)
        self.what = what
        self.near = tuple(near)
        self.numbers = numbers


def shown(text: str) -> str:
    """A given word as a sentence repeats it."""
    return repr(text[:_LONGEST])


def command_fault(what: str, remedy: Reason | None = None, **numbers: Value) -> SaidError:
    """The fault `command-WHAT` with its arguments; without a `remedy` of its own `command-WHAT-remedy`."""
    from advisor.core.sentences import SaidError

    return SaidError.of(f"command-{what}", remedy, **numbers)


def output_fault(what: str, given: str, detail: str | None = None) -> SaidOutputError:
    """The fault `command-WHAT` of an output that cannot be written; `detail` is what the system said."""
    from advisor.core.sentences import Said, SaidOutputError

    numbers: dict[str, Value] = {"given": given} if detail is None else {"given": given, "detail": Said(text=detail)}
    return SaidOutputError.of(f"command-{what}", None, **numbers)


def fault_text(error: UserFacingError, language: Language) -> str:
    """What is wrong and its remedy in one line."""
    from advisor.core.sentences import error_text, in_a_row

    return in_a_row(error_text(error, language)).strip()


def complain(error: UserFacingError, language: Language) -> None:
    """Tell what is wrong on stderr."""
    print(f"advisor: {fault_text(error, language)}", file=sys.stderr)


def meant(near: Iterable[str]) -> Reason:
    """The question whether one of these was meant; of none, where help is."""
    from advisor.core.sentences import Names, Reason

    names = tuple(near)
    if not names:
        return Reason.of("command-see-help")
    return Reason.of("command-did-you-mean", names=Names(names=names, alternatives=True))


def fault_of(error: argparse.ArgumentError) -> SaidError:
    """What argparse refused, as a sentence."""
    option, text = str(error.argument_name), str(error.message)
    cause = error.__context__
    if isinstance(cause, ArgumentFault):
        return command_fault(cause.what, meant(cause.near), option=option, **cause.numbers)
    if text.startswith(_NOT_WITH):
        return command_fault("not-with", meant(()), option=option, other=text.removeprefix(_NOT_WITH))
    if text.startswith(_CHOICE):
        given, _, names = text.removeprefix(_CHOICE).removesuffix(")").partition(" (choose from ")
        return command_fault("choice", meant(()), option=option, given=given, names=names.replace("'", ""))
    if text.startswith(_EXPECTED):
        return command_fault("expected", meant(()), option=option)
    return command_fault("told", meant(()), detail=str(error))


_LISTS = ("--gpus", "--counts", "--lora-targets", "--modules-to-save")
"""Options whose value is a list."""


def in_commas(option: str, values: Sequence[str]) -> Reason:
    """The remedy for a list that was written with blanks."""
    from advisor.core.sentences import Reason

    quoted = any(" " in value for value in values)
    joined = ",".join(values)
    return Reason.of("command-in-commas", option=option, given=f'"{joined}"' if quoted else joined)


_CALLED = {
    "--max-hours": "deadline time_limit hours",
    "--counts": "num_gpus n_gpus ngpus gpu_count world_size nproc_per_node nproc_per_gpu",
    "--nodes": "nnodes num_nodes",
    "--goal": "energy objective optimize_for",
    "--json": "output out save format",
    "--checkpointing": "activation_checkpointing",
}
"""What our options that are no field of a workload file are called elsewhere."""


def _called(option: str, names: Sequence[str]) -> list[str]:
    """Our option for what other programs call so."""
    from advisor.workload.command_flags import field_of, plain_name

    own = next((ours for ours, others in _CALLED.items() if plain_name(option) in others.split()), None)
    field = field_of(option) if option.startswith("-") else None
    shown = own or {"batch_size": "--batch", "activation_checkpointing": "--checkpointing"}.get(
        field or "", f"--{(field or '').replace('_', '-')}"
    )
    return [shown] if shown in names else []


def _names_a_workload(word: str) -> bool:
    """Whether a word that stands by itself is a bundled workload, or a file that may describe one."""
    from pathlib import Path

    from advisor.workload.workload_file import bundled_names

    plain = not word.startswith("-") and "=" not in word
    return plain and (Path(word).suffix in {".toml", ".py", ".json"} or word in bundled_names())


def unknown_words(words: Iterable[str], known: Iterable[str], line: Sequence[str] = ()) -> SaidError:
    """Words that are no option of ours, with the nearest that are; behind a list's value the comma that they lack.

    `line` is the whole command line.
    """
    import difflib

    from advisor.core.sentences import Reason

    given, names = tuple(words), list(known)
    if _names_a_workload(given[0]):
        behind = Reason.of("command-workload-behind", given=given[0])
        return command_fault("unknown", behind, given=" ".join(given)[: 4 * _LONGEST])
    place = next((place for place in range(2, len(line)) if tuple(line[place : place + len(given)]) == given), 0)
    if place and line[place - 2] in _LISTS and not any(word.startswith("-") for word in given):
        remedy = in_commas(line[place - 2], tuple(value.strip(",") for value in (line[place - 1], *given)))
        return command_fault("unknown", remedy, given=" ".join(given)[: 4 * _LONGEST])
    options = [word.partition("=")[0][:_LONGEST] for word in given]
    near = [
        name
        for option in options
        for name in _called(option, names) or difflib.get_close_matches(option, names, n=1, cutoff=_ALIKE)
    ]
    return command_fault("unknown", meant(dict.fromkeys(near)), given=" ".join(given)[: 4 * _LONGEST])
