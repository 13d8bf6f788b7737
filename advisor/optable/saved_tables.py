"""Operator tables that need no trace, instant and there where torch is not: saved with the program, or of totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from advisor.catalogue.precisions import TracePrecision
from advisor.core.bundled import resource
from advisor.optable.op_table import OpTable
from advisor.optable.totals import table_from_numbers
from advisor.workload.workload import NumbersModel, Workload, traced_as, with_training
from advisor.workload.workload_file import bundled_names, load_workload

_MAX_BYTES = 64 * 1024 * 1024


class SavedTables(NamedTuple):
    """A file of saved tables (its name without ending) and the workload whose operators they are."""

    name: str
    workload: Workload


_OTHERWISE: dict[str, dict[str, dict[str, object]]] = {
    "gpt2_small": {
        "eager": {"attention": "eager"},
        "checkpointed": {"activation_checkpointing": "full"},
        "fp8": {"precision": "fp8"},
    },
    "bert_large_squad": {"eager": {"attention": "eager"}, "checkpointed": {"activation_checkpointing": "full"}},
    "llama_8b": {
        "eager": {"attention": "eager"},
        "not_checkpointed": {"activation_checkpointing": "none"},
        "fp8": {"precision": "fp8"},
        "chunked": {"chunked_loss": True},
    },
    "llama_7b_pretraining": {"chunked": {"chunked_loss": True}},
    "llama_1b_qlora": {"prepared": {"unpacked_bits": 32}},
    "llama_8b_qlora": {"prepared": {"unpacked_bits": 32}},
}
"""Bundled workloads with one setting changed: what claims of attention, checkpointing, FP8 and QLoRA are held
against, and what is added where the usual cards lack memory."""


def saved_workloads() -> Iterator[SavedTables]:
    """Every workload that tables are saved of: the bundled ones, and some of them with one setting changed."""
    for name in bundled_names():
        workload = load_workload(name)
        yield SavedTables(name, workload)
        for change, settings in _OTHERWISE.get(name, {}).items():
            yield SavedTables(f"{name}.{change}", with_training(workload, **settings))


def known_tables(workload: Workload, wanted: Iterable[TracePrecision]) -> dict[TracePrecision, OpTable]:
    """What needs no trace: all that is wanted of a model's totals; of a bundled workload, all that is saved."""
    if isinstance(workload.model, NumbersModel):
        return {precision: table_from_numbers(workload.model, precision) for precision in wanted}
    return saved_tables(workload)


def saved_tables(workload: Workload) -> dict[TracePrecision, OpTable]:
    """The saved tables of a bundled workload; empty for any other, or where a setting changes its operators.

    Of some there are tables with other attention and checkpointing, too.
    """
    try:
        import lzma
    except ImportError:  # a Python that was built without it: the workload is traced instead
        return {}
    path = _saved_file(workload)
    if path is None:
        return {}
    with lzma.open(path) as stream:
        tables = msgspec.json.decode(stream.read(_MAX_BYTES), type=tuple[OpTable, ...])
    return {table.precision: table for table in tables}


def _saved_file(workload: Workload) -> Path | None:
    """Where the tables of such operators are; of FP8 that with its tables, where there is one."""
    wanted, in_fp8 = traced_as(workload), workload.training.precision == "fp8"
    alike = [saved for saved in saved_workloads() if traced_as(saved.workload) == wanted]
    alike.sort(key=lambda saved: (saved.workload.training.precision == "fp8") != in_fp8)
    paths = (resource("tables") / f"{saved.name}.json.xz" for saved in alike)
    return next((path for path in paths if path.is_file()), None)
