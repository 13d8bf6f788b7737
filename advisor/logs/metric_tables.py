"""Tables of metrics as CSV, a row for each step or epoch that was logged: wandb's history, TensorBoard, one's own."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from advisor.core.file_fault import file_fault, shown_value
from advisor.core.sentences import Names
from advisor.logs.known_formats import stamp_s, unit_s
from advisor.logs.log_facts import Count, LogFacts

_STEPS = (
    "_step", "global_step", "trainer/global_step", "train/global_step", "step", "steps", "iteration", "iter",
    "batch", "batch_idx",
)  # fmt: skip
"""The last two count anew in each epoch."""
_EPOCHS = ("epoch", "epochs", "train/epoch")
_CLOCKS = ("_runtime", "_timestamp", "wall_time", "timestamp", "datetime")
"""What goes on beyond doubt; wandb has the first two, TensorBoard the third."""
_TIMES = ("elapsed", "elapsed_time", "time_elapsed", "relative_time", "runtime", "total_time", "time", "duration")
"""What went by since the beginning, or took since the row before: the figures show which."""
_OWN_TIMES = re.compile(
    r"(?:^|[/_])(?:step|iter|iteration|batch)_(?:time|duration)$|_per_(?:step|iter|iteration|batch)$"
)
_UNIT = re.compile(r"[_ ]?[(\[]?(?<![a-z])(ms|s|sec|secs|seconds|min|mins|minutes|h|hours)[)\]]?$")
_OBJECTS = ("_step", "_runtime")
_DELIMITERS = (",", "\t", ";")
_FEWEST_ROWS = 2
_GROWN = 1.3
"""Times that always grow, to so many times the first, have gone on counting: epochs are more alike."""
_MOST_COLUMNS = 12


class _Column(NamedTuple):
    place: int
    name: str
    """Without its unit."""
    unit_s: float


def table_facts(lines: Sequence[str]) -> LogFacts | None:
    """The facts of a table of metrics; None where the lines are none, or tell their times in another way.

    Raises InputError for a table that has no column of times.
    """
    if lines and lines[0].startswith("{"):
        return _facts_of_objects(lines)
    delimiter = max(_DELIMITERS, key=lines[0].count) if lines else ","
    titles = next(_rows(lines[:1], delimiter), [])
    columns = {column.name: column for column in reversed([_column(*entry) for entry in enumerate(titles)])}
    steps, epochs = _first(columns, _STEPS), _first(columns, _EPOCHS)
    if len(titles) == 1 or (steps is None and epochs is None) or any(_number(title) is not None for title in titles):
        return None
    rows = [row for row in _rows(lines[1:], delimiter) if len(row) == len(titles)]
    if len(rows) < _FEWEST_ROWS:
        return None
    own = next((column for name, column in columns.items() if _OWN_TIMES.search(name)), None)
    clock = _first(columns, _CLOCKS) or _first(columns, _TIMES)
    if own is None and clock is None:
        names = tuple(shown_value(title) for title in titles if title)
        raise file_fault("table-no-times", columns=Names(names=names[:_MOST_COLUMNS], more=len(names) > _MOST_COLUMNS))
    facts = LogFacts()
    if steps is not None and own is not None:
        _take_own_times(rows, steps, own, facts)
    elif steps is not None and clock is not None:
        _take_clock(rows, steps, clock, facts)
    elif epochs is not None and clock is not None:
        _take_epochs(rows, epochs, clock, facts)
    return facts if facts.marks or facts.step_times_s or facts.epochs_s else None


def _facts_of_objects(lines: Sequence[str]) -> LogFacts | None:
    """The facts of wandb's history as lines of JSON: a row each, of which its own columns alone are read."""
    rows = []
    for line in lines:
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError):
            continue
        if isinstance(row, dict) and all(isinstance(row.get(name), int | float) for name in _OBJECTS):
            rows.append([str(row[name]) for name in _OBJECTS])
    facts = LogFacts()
    step, clock = (_column(place, name) for place, name in enumerate(_OBJECTS))
    _take_clock(rows, step, clock, facts)
    return facts if len(rows) >= _FEWEST_ROWS else None


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """The cells of each line, up to one that is none of a table."""
    try:
        yield from csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    except csv.Error:
        return


def _column(place: int, title: str) -> _Column:
    name = "_".join(title.casefold().split())
    unit = _UNIT.search(name)
    # `step_s` has a unit, `steps` has none.
    if unit is None or not unit.start() or unit.group() == unit.group(1):
        return _Column(place, name, 1.0)
    return _Column(place, name[: unit.start()], unit_s(unit.group(1)))


def _first(columns: Mapping[str, _Column], names: Sequence[str]) -> _Column | None:
    return next((columns[name] for name in names if name in columns), None)


def _number(cell: str) -> float | None:
    try:
        figure = float(cell)
    except ValueError:
        return None
    return figure if 0 <= figure < float("inf") else None


def _pairs(rows: Sequence[Sequence[str]], counted: _Column, timed: _Column) -> list[tuple[int, float]]:
    """(number, seconds) of the rows that tell both; rows of another metric alone may leave the clock out."""
    told = []
    for row in rows:
        number, seconds = _number(row[counted.place]), _number(row[timed.place])
        seconds = stamp_s(row[timed.place]) if seconds is None else seconds * timed.unit_s
        if number is not None and seconds is not None:
            told.append((int(number), seconds))
    return told


def _take_own_times(rows: Sequence[Sequence[str]], steps: _Column, own: _Column, facts: LogFacts) -> None:
    for step, seconds in _pairs(rows, steps, own):
        (facts.step_times_s if step else facts.starts_s).append(seconds)
        facts.count(Count(step))


def _take_clock(rows: Sequence[Sequence[str]], steps: _Column, clock: _Column, facts: LogFacts) -> None:
    facts.has_clock = clock.name in _CLOCKS
    told = _pairs(rows, steps, clock)
    first_s = told[0][1] if told and facts.has_clock else 0.0
    for step, seconds in told:
        facts.mark(step, max(0.0, seconds - first_s))
        facts.count(Count(step))


def _take_epochs(rows: Sequence[Sequence[str]], epochs: _Column, clock: _Column, facts: LogFacts) -> None:
    """What each epoch took: as the table has it, or from one row to the next of a clock that goes on."""
    told = _pairs(rows, epochs, clock)
    for number, seconds in _lasted(told, goes_on=clock.name in _CLOCKS):
        facts.add_epoch(number, seconds)


def _lasted(told: Sequence[tuple[int, float]], *, goes_on: bool) -> Iterator[tuple[int, float]]:
    pairs = list(itertools.pairwise(told))
    grows = all(later[1] > earlier[1] for earlier, later in pairs)
    if pairs and grows and (goes_on or told[-1][1] > _GROWN * told[0][1]):
        if not goes_on:
            yield told[0]
        yield from ((later[0], later[1] - earlier[1]) for earlier, later in pairs)
    elif not goes_on:
        yield from told
