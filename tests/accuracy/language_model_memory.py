"""Published peaks of language-model training, on one card and sharded, with ours for one device of each."""

from __future__ import annotations

import csv
import lzma
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import cast

import msgspec
import numpy as np

from advisor.catalogue.precisions import ComputedPrecision, Precision
from advisor.catalogue.software import software_year_of
from advisor.catalogue.spec_table import spec_table
from advisor.core.records import Record
from advisor.core.units import Estimate
from advisor.cost.layout import DataParallel, Layout
from advisor.cost.memory.capacity import usable_bytes
from advisor.cost.memory.need import MemoryKind, MemoryQuestion, answered, memory_question
from advisor.cost.memory.run_software import software_of_year
from advisor.cost.scaling.sharded_precision import precision_in_layout, with_adapters_cast
from advisor.optable.op_table import OpTable
from advisor.predict.ranges.memory_range import need_range, of_first_stage, published_range
from advisor.workload.workload import Training
from tests.accuracy.llm_rows import published_cells, training_of

HERE = Path(__file__).parent
DATA = HERE / "data" / "published_llm_memory.csv"
FAILED = HERE / "data" / "published_llm_failed.csv"
FROM_SCRATCH = "a model that its author wrote from scratch"
SHORTER_AFTERWARDS = "samples shorter than the longest, which meet the gradients that accumulate"
"""The script trains on its longest sample first, before there are gradients; how long the others are is not stated."""
TABLES = HERE / "tables" / "llm_memory"
"""Memory timelines only, traced from the models' configurations with the settings that a file's name tells."""


class PeakRow(Record, frozen=True, kw_only=True):
    """One published peak of a device, in bytes, and ours."""

    run_id: str
    source: str
    model: str
    table: str
    layout: Layout
    memory_kind: MemoryKind
    published_bytes: float
    predicted: Estimate
    untold: str | None
    """What a description of this run leaves out and its peak hangs on; None: nothing that is known of."""

    @property
    def published_over_predicted(self) -> float:
        """1.0 where we are right."""
        return self.published_bytes / self.predicted.value

    @property
    def inside(self) -> bool:
        """Whether our range holds the published peak."""
        return self.predicted.low <= self.published_bytes <= self.predicted.high

    @property
    def error_fraction(self) -> float:
        """Predicted over published, less one."""
        return self.predicted.value / self.published_bytes - 1.0


_NOT_JUDGED: tuple[tuple[str, str, str], ...] = (
    ("seq_len", r"\D", "samples of varying lengths"),
    ("mem_kind", r"not stated", "how the peak was read is not stated"),
    ("fine_tuning", r"adapter v|adapter \(", "what is trained has no word in a description"),
    ("compile", r"thunder", "another compiler"),
)
"""Why a published peak of a run is none of a described step: a column, what is found in it, and the reason."""


def not_judged() -> Counter[str]:
    """How many published peaks are no row of the table, by the reason."""
    judged = {row.run_id for row in peak_rows()}
    left = [c for c in published_cells() if c["use_memory"].startswith("yes") and c["id"] not in judged]
    return Counter(next(why for column, how, why in _NOT_JUDGED if re.search(how, cells[column])) for cells in left)


def told_rows() -> tuple[PeakRow, ...]:
    """The rows whose descriptions leave nothing out that is known of: what ranges are made of."""
    return tuple(row for row in peak_rows() if row.untold is None)


@cache
def peak_rows() -> tuple[PeakRow, ...]:
    """Every row of the table, predicted."""
    with DATA.open(encoding="utf-8", newline="") as file:
        return tuple(_row(cells) for cells in csv.DictReader(file))


@cache
def _table(name: str) -> OpTable:
    return msgspec.msgpack.decode(lzma.decompress((TABLES / f"{name}.msgpack.xz").read_bytes()), type=OpTable)


@cache
def _published() -> dict[str, dict[str, str]]:
    return {cells["id"]: cells for cells in published_cells()}


def middle_of(rows: Sequence[PeakRow]) -> tuple[float, float]:
    """The middle four fifths of published over predicted, the wider of every row and every source weighing the same."""
    ordered = sorted(rows, key=lambda row: row.published_over_predicted)
    counts, ratios = Counter(row.source for row in ordered), [row.published_over_predicted for row in ordered]
    found = []
    for weights in (np.ones(len(ordered)), np.array([1 / counts[row.source] for row in ordered])):
        below = (np.cumsum(weights) - weights / 2) / weights.sum()
        found.append(np.interp([0.1, 0.9], below, ratios))
    return min(low for low, _ in found), max(high for _, high in found)


def range_of(rows: Sequence[PeakRow]) -> tuple[float, float]:
    """The widest of the middles of all rows, and of all but one source's: no source alone makes it narrow."""
    sources = sorted({row.source for row in rows})
    found = [middle_of(rows), *(middle_of([row for row in rows if row.source != left_out]) for left_out in sources)]
    return min(low for low, _ in found), max(high for _, high in found)


class FailedRow(Record, frozen=True, kw_only=True):
    """One published run that went out of memory, with our need and what the card leaves a process, in bytes."""

    run_id: str
    need: Estimate
    usable_bytes: float


@cache
def failed_rows() -> tuple[FailedRow, ...]:
    """Every published run out of memory whose step a recorded table tells."""
    with FAILED.open(encoding="utf-8", newline="") as file:
        return tuple(_failed(cells) for cells in csv.DictReader(file))


def _failed(cells: dict[str, str]) -> FailedRow:
    capacity = spec_table()[cells["gpu_key"]].memory_bytes
    assert capacity is not None
    need = need_range(answered(_question(cells), int(cells["batch_per_gpu"])))
    return FailedRow(run_id=cells["id"], need=need, usable_bytes=usable_bytes(capacity))


def computed_precision(precision: Precision, layout: Layout, *, adapters: bool) -> ComputedPrecision:
    """What tensors of a row are of: shards are cast, adapters among them."""
    computed = precision_in_layout(precision, layout)
    return with_adapters_cast(computed) if adapters and layout.shard_count > 1 else computed


def layout_of_row(cells: dict[str, str]) -> Layout:
    return Layout(
        data_parallel=cast("DataParallel", cells["parallel"]),
        count=int(cells["n_gpus"]),
        tensor=int(cells["tp"]),
        pipeline=int(cells["pp"]),
        context=int(cells["cp"]),
        host_size=int(cells["gpus_per_host"]),
    )


def _question(cells: dict[str, str], *, first_stage: bool = False) -> MemoryQuestion:
    spec, precision = spec_table()[cells["gpu_key"]], cast("Precision", cells["precision"])
    published = _published()[cells["id"]]
    described = training_of(published)
    training = Training(
        precision=precision,
        batch_size=int(cells["batch_per_gpu"]),
        gradient_accumulation_steps=int(cells["gradient_accumulation"]),
        fused_optimizer=cells["fused_optimizer"] == "yes",
        compile=described["compile"],
        activation_checkpointing=described["activation_checkpointing"],
        chunked_loss=cells["table"].endswith("-chunked"),
        fused_layers="-fused" in cells["table"],
        **{name: described[name] for name in ("trainable", "adapter_bits", "quantization") if name in described},
    )
    layout = layout_of_row(cells)
    question = memory_question(
        _table(cells["table"]),
        training,
        computed_precision(precision, layout, adapters="trainable" in described),
        compute_capability=spec.compute_capability,
        layout=layout,
        software=software_of_year(software_year_of(published["software"])),
        first_stage=first_stage,
    )
    assert question is not None
    return question


def _row(cells: dict[str, str]) -> PeakRow:
    capacity, kind = spec_table()[cells["gpu_key"]].memory_bytes, cast("MemoryKind", cells["memory_kind"])
    assert capacity is not None
    layout, batch_size, usable = layout_of_row(cells), int(cells["batch_per_gpu"]), usable_bytes(capacity)
    ends = (True,) if layout.pipeline == 1 else (True, False)
    told = [published_range(_question(cells, first_stage=first), batch_size, kind, usable) for first in ends]
    return PeakRow(
        run_id=cells["id"],
        source=cells["source"],
        model=cells["model"],
        table=cells["table"],
        layout=layout,
        memory_kind=kind,
        published_bytes=float(cells["peak_gb"]) * 1e9,
        predicted=of_first_stage(told[0], told[-1]),
        untold=_untold(cells),
    )


def _untold(cells: dict[str, str]) -> str | None:
    published = _published()[cells["id"]]
    if cells["parallel"] == "fsdp" and int(cells["gradient_accumulation"]) > 1:
        return SHORTER_AFTERWARDS
    return FROM_SCRATCH if "from-scratch" in published["source"] else None
