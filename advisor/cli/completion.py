"""`--completion SHELL`: what the shell completes after `advisor`, written from the parser's own flags."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from advisor.catalogue.precisions import PRECISIONS
from advisor.cli.arguments import Shell

_WORKLOADS = frozenset({"--measure", "--predict"})
_LISTS = frozenset({"--gpus"})
"""Flags that take words with commas between them: what stands before the last comma is kept (bash and zsh)."""


def completion_script(parser: argparse.ArgumentParser, shell: Shell) -> str:
    """A script for `shell` that completes flags, their words, bundled workloads, cards of the table, and files."""
    writers: dict[Shell, Callable[[argparse.ArgumentParser], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    return writers[shell](parser)


def _flags(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    actions = parser._actions  # noqa: SLF001 - argparse has no other way to its flags, and shell completers read it too
    return {name: action for action in actions for name in action.option_strings if name.startswith("--")}


def _takes_value(action: argparse.Action) -> bool:
    return action.nargs != 0


def _words(name: str, action: argparse.Action) -> tuple[str, ...]:
    """What may stand after a flag, besides files."""
    from advisor.catalogue.spec_table import spec_table
    from advisor.workload.workload_file import bundled_names

    if name in _WORKLOADS:
        return tuple(bundled_names())
    if name == "--gpus":
        return tuple(sorted(spec_table()))
    if name == "--precision":
        return PRECISIONS
    return tuple(str(choice) for choice in action.choices or ())


def _wants_file(name: str, action: argparse.Action) -> bool:
    return name in _WORKLOADS or action.type is Path


def _bash(parser: argparse.ArgumentParser) -> str:
    flags = _flags(parser)
    cases = []
    for name, action in flags.items():
        if not _takes_value(action):
            continue
        words = " ".join(_words(name, action))
        files = ' $(compgen -f -- "$current")' if _wants_file(name, action) else ""
        typed = '-P "$listed" -- "${current##*,}"' if name in _LISTS else '-- "$current"'
        cases.append(f'        {name}) COMPREPLY=($(compgen -W "{words}" {typed}){files}) ;;')
    return "\n".join(
        (
            "# advisor: completion for bash; put `source <(advisor --completion bash)` into ~/.bashrc",
            "_advisor() {",
            '    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
            '    local listed="${current%"${current##*,}"}"',
            '    if [[ "$current" == -* ]]; then',
            f'        COMPREPLY=($(compgen -W "{" ".join(flags)}" -- "$current"))',
            "        return",
            "    fi",
            '    case "$before" in',
            *cases,
            '        *) COMPREPLY=($(compgen -f -- "$current")) ;;',
            "    esac",
            "}",
            "complete -o filenames -F _advisor advisor",
            "",
        )
    )


def _zsh(parser: argparse.ArgumentParser) -> str:
    head = (
        "# advisor: completion for zsh; put `source <(advisor --completion zsh)` into ~/.zshrc\n"
        "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"
    )
    return head + _bash(parser).split("\n", 1)[1]


def _fish(parser: argparse.ArgumentParser) -> str:
    lines = ["# advisor: completion for fish; save as ~/.config/fish/completions/advisor.fish"]
    for name, action in _flags(parser).items():
        parts = ["complete -c advisor", f"-l {name[2:]}"]
        if _takes_value(action):
            parts.append("-r" if _wants_file(name, action) else "-x")
            if words := _words(name, action):
                parts.append(f"-a '{' '.join(words)}'")
        if action.help and action.help != argparse.SUPPRESS:
            described = (action.help % {"prog": "advisor"}).replace("\\", "\\\\").replace("'", "\\'")
            parts.append(f"-d '{described}'")
        lines.append(" ".join(parts))
    return "\n".join(lines) + "\n"
