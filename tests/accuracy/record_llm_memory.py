"""Records the memory timelines of the published peaks: `python tests/accuracy/record_llm_memory.py [NAME...]`.

A table's name says what was trained; its first row in `published_llm.csv` gives the configuration. Only the timeline
and the totals of weights are kept.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path
from typing import Any, cast

import msgspec
import torch  # noqa: TID251 - records in the worker's place

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from advisor.catalogue.precisions import TRACE_PRECISIONS, ComputedPrecision, Precision
from advisor.catalogue.software import adapters_as_today
from advisor.optable.op_table import OpTable
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.accuracy.language_model_memory import DATA, TABLES, computed_precision, layout_of_row
from tests.accuracy.llm_rows import description_of, published_cells
from tests.accuracy.tables import pack

_CHUNKED = "-chunked"
"""Ends the names of tables whose cross-entropy never makes all logits at once."""
_FUSED = "-fused"
"""Stands in the names of tables whose norms, rotary embedding, gates and cross-entropy are single kernels."""


def workloads() -> dict[str, tuple[Workload, bool]]:
    """What every table was traced from, by its name, and whether bitsandbytes of the time kept inputs."""
    published = {cells["id"]: cells for cells in published_cells()}
    found: dict[str, tuple[Workload, bool]] = {}
    with DATA.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["table"] not in found:
                workload = with_training(
                    load_workload(_described(published[row["id"]])),
                    precision=_computed(row),
                    chunked_loss=row["table"].endswith(_CHUNKED),
                    fused_layers=_FUSED in row["table"],
                )
                found[row["table"]] = workload, not adapters_as_today(published[row["id"]]["software"])
    return found


def _computed(row: dict[str, str]) -> ComputedPrecision:
    adapters = "-lora" in row["table"]
    return computed_precision(cast("Precision", row["precision"]), layout_of_row(row), adapters=adapters)


def _described(cells: dict[str, str]) -> dict[str, Any]:
    """The row's description; Megatron drops a tenth of activations and attention unless told otherwise."""
    description = description_of(cells)
    if "megatron" in cells["parallel"]:
        description["model"]["config"] |= dict.fromkeys(("attn_pdrop", "resid_pdrop", "embd_pdrop"), 0.1)
    return description


def timeline_alone(table: OpTable) -> OpTable:
    """Without the operators, of which memory needs the last product's size alone."""
    products = [op for op in table.ops if op.phase == "forward" and op.kind == "matmul"]
    return msgspec.structs.replace(
        table, ops=tuple(products[-1:]), layers=(), gradients_ready=(), checkpoint=None, compiled=None, caveats=()
    )


def main() -> None:
    """Record the tables that are named, or all."""
    torch.set_num_threads(1)
    for name, (workload, inputs_kept) in sorted(workloads().items()):
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        started = time.monotonic()
        precision = TRACE_PRECISIONS[workload.training.precision]
        subject = subject_of(workload, precision, packed_inputs_kept=inputs_kept)
        table = trace(subject, precision, checked=False)
        (TABLES / f"{name}.msgpack.xz").write_bytes(pack(timeline_alone(table)))
        print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
