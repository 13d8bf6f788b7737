"""What is told of a table's columns: read under another name, or called as a setting of a workload file, and unread."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.core.sentences import Names, Reason
from advisor.evaluate.column_names import READ_COLUMNS
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.run_words import YES_OR_NO, plain, says_nothing
from advisor.workload.workload import Training

_SETTINGS = frozenset(Training.__struct_fields__) - READ_COLUMNS
_OFFLOAD = r"(?<!no )(?<!no cpu )(?<!without )(?<!without cpu )(?<!cpu )\b(?:cpu[ -])?offload"
_REMARKED = (
    ("optimizer", re.compile(r"\b8[ -]?bit\b"), "optimizer_bits", 32, "optimizer_bits = 8"),
    ("optimizer", re.compile(_OFFLOAD), "offload", "none", 'offload = "optimizer"'),
    ("parallel", re.compile(_OFFLOAD), "offload", "none", 'offload = "parameters"'),
)
"""Columns whose remarks tell a setting of workload files, which setting, what it is where it is not told there, and how
it is written there."""


def told_of_unread(question: RowQuestion) -> tuple[Reason, ...]:
    """Which settings a row tells in columns that are not read, where its workload file says otherwise."""
    training = question.workload.training
    unread = [
        f"`{name}`"
        for name, cell in question.row.cells.items()
        if name in _SETTINGS and not says_nothing(cell) and not _says(cell, getattr(training, name))
    ]
    told = (
        [Reason.of("evaluate-unread-settings", names=Names(names=tuple(unread)), count=len(unread))] if unread else []
    )
    return (*told, *_told_of_remarks(question))


def _told_of_remarks(question: RowQuestion) -> Iterator[Reason]:
    """Which settings stand in remarks (`adamw (8-bit)`, `fsdp (CPU offload)`), where the workload file has them not."""
    row, training = question.row, question.workload.training
    for column, pattern, setting, untold, written in _REMARKED:
        cell = row.cells.get(row.read_as.get(column, column), "")
        if pattern.search(cell.lower()) and getattr(training, setting) == untold:
            yield Reason.of("evaluate-unread-remark", column=column, given=cell[:80], setting=written)


def told_of_names(question: RowQuestion) -> tuple[Reason, ...]:
    """Which columns were read under a name that is not theirs."""
    pairs = tuple(f"`{given}` → `{name}`" for name, given in question.row.read_as.items())
    return (Reason.of("evaluate-read-as", names=Names(names=pairs)),) if pairs else ()


def _says(cell: str, value: object) -> bool:
    """Whether a cell says what is predicted; a switch that is off and a figure that is none may be called so."""
    word = plain(cell)
    if isinstance(value, bool):
        return YES_OR_NO.get(word) is value
    if value is None:
        return word in {"none", "0"}
    if isinstance(value, int | float):
        return _number(word) == value
    return word == str(value)


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None
