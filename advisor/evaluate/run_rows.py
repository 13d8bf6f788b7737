"""Reads a table of published runs, row by row; a row that is wrong keeps its place and says why."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

from advisor.catalogue.optimizers import Optimizer
from advisor.catalogue.precisions import PRECISIONS
from advisor.catalogue.software import (
    FUSED_ATTENTION_YEAR,
    adapters_as_today,
    flash_generation_of,
    fuses_attention,
    is_before,
    software_year_of,
    turns_layouts,
    upcasts_attention,
)
from advisor.core.file_fault import file_fault, shown_value
from advisor.core.file_kinds import given_as
from advisor.core.input_file import read_foreign_text
from advisor.core.sentences import Listed, Names, Reason, Said
from advisor.cost.layout import Layout
from advisor.cost.memory.need import MemoryKind
from advisor.evaluate.column_names import ANSWERABLE_COLUMNS, REQUIRED_COLUMNS, is_clear, meant_columns
from advisor.evaluate.run_layouts import LAYOUT_WORDS, data_parallel_meant, degrees_meant, shards_modules_whole
from advisor.evaluate.run_numbers import length_meant, number_meant
from advisor.evaluate.run_row import RunRow
from advisor.evaluate.run_words import (
    CHANNELS_LAST,
    COMPILED,
    MODES,
    OPTIMIZER_WORDS,
    YES_OR_NO,
    attention_meant,
    checkpointing_meant,
    memory_kind_meant,
    optimizer_meant,
    plain,
    recipe_meant,
    run_precision_meant,
    says_nothing,
)
from advisor.workload.workload import Attention, Checkpointing

Meant = TypeVar("Meant")

_MAX_BYTES = 16 * 2**20
_OTHER_FRAMEWORK = re.compile(r"\b(?:tensorflow|jax|mxnet|paddle\w*|mindspore|onnx\w*|transformers|keras)\b")
"""Whose versions are not PyTorch's."""
_TORCH_VERSION = re.compile(r"\d\.\d{1,2}(?:\.\d+)?(?:[+.a-z].*)?")
"""Of a later release than are known, too. Two figures in front are a month of NVIDIA's images, which lacks its name."""
_SOURCE_YEARS = (
    # Lambda's deep-learning benchmark names the release of NVIDIA's container in its prefix.
    (re.compile(r"^lambda-v0\b"), 2020),
    (re.compile(r"^lambda-v1\b"), 2022),
    (re.compile(r"^DLE\b"), 2022),
    (re.compile(r"\bpt1(?:10|11|12)\b"), 2022),
)
"""Year of PyTorch and its libraries by what the source is called; others count as today's."""

_OTHER_SEPARATORS = {";": "`;`", "\t": "Tab"}
"""What tables of some offices and languages have in a comma's place, by how it is shown."""


class _WrongCell(Exception):  # noqa: N818 - says what happened
    def __init__(self, column: str, given: str, allowed: str | Reason) -> None:
        super().__init__(column)
        shown = allowed if isinstance(allowed, str) else Listed(reasons=(allowed,))
        self.reason = Reason.of("evaluate-wrong-cell", column=column, given=given[:80], allowed=shown)


def read_run_rows(path: Path) -> tuple[RunRow, ...]:
    """The rows of a CSV file (interface, section 4), in order.

    Raises InputError where the file is no such table: unreadable, no header, a column missing or named twice, no
    row below it.
    """
    with given_as("runs", path):
        return _rows_of(path)


def _rows_of(path: Path) -> tuple[RunRow, ...]:
    text = read_foreign_text(path, max_bytes=_MAX_BYTES)
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if len(header) == 1 and (mark := next((mark for mark in _OTHER_SEPARATORS if mark in header[0]), None)):
            raise file_fault("other-separator", path=str(path), mark=_OTHER_SEPARATORS[mark])
        read_as = _checked_header(header, path)
        rows = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise file_fault("no-csv", path=str(path), line=reader.line_num, detail=Said(text=str(error))) from error
    if not rows:
        raise file_fault("no-rows", path=str(path))
    return tuple(
        _row(line, dict(zip(header, cells, strict=False)), read_as, len(cells) - len(header)) for line, cells in rows
    )


def _checked_header(header: list[str], path: Path) -> dict[str, str]:
    """Columns that are read under a name of another table, which can mean nothing else."""
    meant = meant_columns(header)
    read_as = {name: given for name, given in meant.items() if is_clear(name, given)}
    missing = [name for name in REQUIRED_COLUMNS if name not in header and name not in read_as]
    if not missing:
        meant = {name: given for name, given in meant.items() if name not in read_as}
    pairs = tuple(f"`{given}` → `{name}`" for name, given in meant.items())
    rename = Reason.of("file-columns-meant", names=Names(names=pairs), count=len(pairs))
    if missing:
        wanted = Names(names=tuple(f"`{name}`" for name in REQUIRED_COLUMNS))
        remedy = rename if meant else Reason.of("file-columns-missing-remedy", names=wanted)
        lacking = Names(names=tuple(f"`{name}`" for name in missing))
        raise file_fault("columns-missing", remedy, path=str(path), names=lacking, count=len(missing))
    if meant:
        unread = Names(names=tuple(f"`{given}`" for given in meant.values()))
        raise file_fault("columns-unread", rename, path=str(path), names=unread, count=len(meant))
    if not any(name in header or name in read_as for name in ANSWERABLE_COLUMNS):
        answers = Names(names=tuple(f"`{name}`" for name in ANSWERABLE_COLUMNS), alternatives=True)
        raise file_fault("no-answer", path=str(path), names=answers)
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise file_fault("column-twice", path=str(path), column=shown_value(twice[0]))
    return read_as


def _row(line: int, cells: Mapping[str, str], read_as: Mapping[str, str], surplus: int) -> RunRow:
    kept = {name: value.strip() for name, value in cells.items()}
    read = kept | {name: kept.get(given, "") for name, given in read_as.items()}
    said = {name: "" if says_nothing(value) else value for name, value in read.items()}
    base: dict[str, Any] = {
        "line": line,
        "workload": read.get("workload", ""),
        "gpu_key": read.get("gpu_key", ""),
        "family": read.get("family") or None,
        "source": read.get("source", ""),
        "scored": YES_OR_NO.get(plain(said.get("use", "")), True),
        "cells": kept,
        "read_as": dict(read_as),
    }
    if surplus > 0:
        return RunRow(**base, problem=Reason.of("evaluate-surplus-cells", count=surplus))
    try:
        return RunRow(**base, **_facts(said))
    except _WrongCell as wrong:
        return RunRow(**base, problem=wrong.reason)


def _facts(cells: Mapping[str, str]) -> dict[str, Any]:
    (optimizer, fused), outside = _optimizer(cells)
    longest, lengths_differ = length_meant(cells.get("seq_len_or_img", ""))
    facts = {
        "mode": _choice(cells, "mode", MODES),
        "precision": _understood(cells, "precision", run_precision_meant, PRECISIONS),
        "fp8_recipe": recipe_meant(cells.get("precision", "")),
        "batch_size": _count(cells, "batch_per_gpu"),
        "length": _count({"seq_len_or_img": longest}, "seq_len_or_img"),
        "lengths_differ": lengths_differ,
        "optimizer": optimizer,
        "fused_optimizer": fused,
        "optimizer_outside": outside,
        "channels_last": _choice(cells, "layout", CHANNELS_LAST),
        "compiled": _choice(cells, "compile", COMPILED),
        "attention": _understood(cells, "attention", attention_meant, get_args(Attention)),
        "activation_checkpointing": _understood(
            cells, "activation_checkpointing", checkpointing_meant, get_args(Checkpointing)
        ),
        "layout": _layout(cells),
        "shards_modules": shards_modules_whole(cells.get("parallel", "")),
        "accumulation_steps": _count(cells, "gradient_accumulation") or 1,
        "interconnect": cells.get("interconnect") or None,
        "software_year": (year := _software_year(cells)),
        "flash_generation": flash_generation_of(cells.get("attention", "")),
        "compiler_turns_layouts": turns_layouts(cells.get("torch", "")),
        "attention_upcasts": upcasts_attention(cells.get("torch", "")),
        "fuses_attention": (
            fuses := not is_before(year, FUSED_ATTENTION_YEAR) and fuses_attention(cells.get("torch", ""))
        ),
        "transformers_fuse_attention": fuses and fuses_attention(cells.get("torch", ""), by_transformers=True),
        "adapters_as_today": adapters_as_today(cells.get("torch", "")),
        "measured_s": _number(cells, "ms", unit=1e-3),
        "efficiency": _number(cells, "efficiency"),
        "peak_bytes": _number(cells, "peak_gb", unit=1e9),
        "memory_kind": _understood(cells, "memory_kind", memory_kind_meant, get_args(MemoryKind)) or "allocated",
        "largest_batch_that_ran": _count(cells, "max_batch_that_ran", least=0),
        "smallest_batch_that_failed": _count(cells, "min_batch_that_failed"),
    }
    _choice(cells, "use", {"yes": True, "no": False, **YES_OR_NO})  # a word that is neither is refused, not counted
    if not (cells.get("workload") and cells.get("gpu_key")):
        empty = "workload" if not cells.get("workload") else "gpu_key"
        raise _WrongCell(empty, "", Reason.of("evaluate-allowed-name"))
    if not any(cells.get(name) for name in ANSWERABLE_COLUMNS):
        raise _WrongCell("ms", "", Reason.of("evaluate-allowed-answer", names=Names(names=tuple(ANSWERABLE_COLUMNS))))
    return facts


def _optimizer(cells: Mapping[str, str]) -> tuple[tuple[Optimizer | None, bool], Optimizer | None]:
    """The optimizer of the timed step and whether its kernel is fused, and the one whose update is not in the time.

    `optimizer_in_step = no` is the optimizer `none`; one that is named beside it is the run's own.
    """
    named = _understood(cells, "optimizer", optimizer_meant, OPTIMIZER_WORDS) or (None, False)
    if _choice(cells, "optimizer_in_step", YES_OR_NO) is False:
        return ("none", named[1]), named[0]
    return named, None


def _choice(cells: Mapping[str, str], column: str, allowed: Mapping[str, Meant]) -> Meant | None:
    given = cells.get(column, "")
    if not given:
        return None
    if plain(given) not in allowed:
        raise _WrongCell(column, given, " ".join(allowed))
    return allowed[plain(given)]


def _understood(
    cells: Mapping[str, str], column: str, meant: Callable[[str], Meant | None], allowed: Iterable[str]
) -> Meant | None:
    """What a cell of free words means; a cell that is not understood is refused with the words that are allowed."""
    given = cells.get(column, "")
    understood = meant(given)
    if given and understood is None:
        raise _WrongCell(column, given, " ".join(allowed))
    return understood


def _number(cells: Mapping[str, str], column: str, *, unit: float = 1.0) -> float | None:
    """The cell in base units, of which one of its own holds `unit`."""
    value = _parsed(cells, column)
    if value is not None and not (math.isfinite(value) and value > 0):
        raise _WrongCell(column, cells[column], Reason.of("evaluate-allowed-number"))
    return None if value is None else value * unit


def _parsed(cells: Mapping[str, str], column: str) -> float | None:
    """The cell as a number; None where it is empty, not a number where it is none."""
    given = number_meant(cells.get(column, ""), column)
    if not given:
        return None
    try:
        return float(given)
    except ValueError:
        return math.nan


def _count(cells: Mapping[str, str], column: str, *, least: int = 1) -> int | None:
    value = _parsed(cells, column)
    if value is None:
        return None
    if not (math.isfinite(value) and value == int(value) and least <= value <= 1e9):  # noqa: PLR2004 - no such batch
        raise _WrongCell(column, cells[column], Reason.of("evaluate-allowed-count", least=least))
    return int(value)


def _layout(cells: Mapping[str, str]) -> Layout:
    """The degrees of columns `tp`, `pp` and `cp`, or of `parallel` itself where it names them; they must agree."""
    beside = degrees_meant(cells.get("parallel", ""))
    degrees = {name: _count(cells, name) or _count(beside, name) or 1 for name in ("tp", "pp", "cp")}
    if any(int(degree) != degrees[name] for name, degree in beside.items()):
        given = " ".join(f"{name}={cells[name]}" for name in beside if cells.get(name))
        raise _WrongCell("parallel", cells["parallel"], Reason.of("evaluate-allowed-degrees", given=given))
    layout = Layout(
        data_parallel=_understood(cells, "parallel", data_parallel_meant, LAYOUT_WORDS) or "ddp",
        count=_count(cells, "n_gpus") or 1,
        tensor=degrees["tp"],
        pipeline=degrees["pp"],
        context=degrees["cp"],
        host_size=_count(cells, "gpus_per_host"),
    )
    if layout.data_parallel == "single" and layout.count > 1 and layout.plain:
        raise _WrongCell("parallel", cells["parallel"], " ".join(LAYOUT_WORDS[1:]))
    if layout.replica_count == 0:
        name = next(name for name, degree in degrees.items() if degree > 1)
        name = name if cells.get(name) else "parallel"
        raise _WrongCell(name, cells[name], Reason.of("evaluate-allowed-product", count=layout.count))
    return layout


def _software_year(cells: Mapping[str, str]) -> int | None:
    """The year as it is stated, of the PyTorch that is named, or of the source."""
    stated, version = _count(cells, "software_year"), cells.get("torch", "")
    year = software_year_of(version) if version else None
    other = _OTHER_FRAMEWORK.search(version.lower()) is not None and "torch" not in version.lower()
    if version and (other or (year is None and _TORCH_VERSION.fullmatch(version.lower()) is None)):
        raise _WrongCell("torch", version, Reason.of("evaluate-allowed-version"))
    if stated is not None or version:
        return stated or year
    return next((year for pattern, year in _SOURCE_YEARS if pattern.search(cells.get("source", ""))), None)
