"""Published peaks of language-model training, on one card and sharded, with ours for one device of each."""

from __future__ import annotations

import csv
import lzma
from functools import cache
from pathlib import Path
from typing import cast

import msgspec

from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.core.records import Record
from advisor.core.units import Estimate
from advisor.cost.layout import DataParallel, Layout
from advisor.cost.memory.capacity import usable_bytes
from advisor.cost.memory.need import MemoryKind, memory_question
from advisor.optable.op_table import OpTable
from advisor.predict.ranges.memory_range import published_range
from advisor.workload.workload import Training
from tests.accuracy.llm_rows import published_cells, training_of

HERE = Path(__file__).parent
DATA = HERE / "data" / "published_llm_memory.csv"
TABLES = HERE / "tables" / "llm_memory"
"""Memory timelines only, traced from the models' configurations with the settings that a file's name tells."""


class PeakRow(Record, frozen=True, kw_only=True):
    """One published peak of a device, in bytes, and ours."""

    run_id: str
    source: str
    model: str
    layout: Layout
    memory_kind: MemoryKind
    published_bytes: float
    predicted: Estimate

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


def _compiled(run_id: str) -> bool:
    return bool(training_of(_published()[run_id])["compile"])


def _row(cells: dict[str, str]) -> PeakRow:
    spec, precision = spec_table()[cells["gpu_key"]], cast("Precision", cells["precision"])
    layout = Layout(
        data_parallel=cast("DataParallel", cells["parallel"]),
        count=int(cells["n_gpus"]),
        tensor=int(cells["tp"]),
        pipeline=int(cells["pp"]),
        context=int(cells["cp"]),
        host_size=int(cells["gpus_per_host"]),
    )
    training = Training(
        precision=precision,
        batch_size=int(cells["batch_per_gpu"]),
        gradient_accumulation_steps=int(cells["gradient_accumulation"]),
        fused_optimizer=cells["fused_optimizer"] == "yes",
        compile=_compiled(cells["id"]),
        chunked_loss=cells["table"].endswith("-chunked"),
    )
    question = memory_question(
        _table(cells["table"]), training, precision, compute_capability=spec.compute_capability, layout=layout
    )
    kind = cast("MemoryKind", cells["memory_kind"])
    assert question is not None
    assert spec.memory_bytes is not None
    return PeakRow(
        run_id=cells["id"],
        source=cells["source"],
        model=cells["model"],
        layout=layout,
        memory_kind=kind,
        published_bytes=float(cells["peak_gb"]) * 1e9,
        predicted=published_range(question, training.batch_size, kind, usable_bytes(spec.memory_bytes)),
    )
