"""Recorded operator tables of the published language models: reading them needs neither torch nor transformers.

One file a table in `tables/llm/`, by what a trace depends on. `record_llm_tables.py` writes them. Only operators and
totals are kept: no memory timeline, no order of gradients.
"""

from __future__ import annotations

import lzma
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from advisor.catalogue.precisions import TRACE_PRECISIONS, ComputedPrecision
from advisor.cost.scaling.sharded_precision import precision_in_layout
from advisor.optable.op_table import OpTable
from advisor.workload.workload import HuggingFaceModel, Workload, length_of, traced_as, with_training
from tests.accuracy.llm_rows import LanguageModelRun

FOLDER = Path(__file__).parent / "tables" / "llm"
_DIGITS = 10


def computed(run: LanguageModelRun) -> Workload:
    """The run's workload at the precision whose operators a device runs."""
    precision = precision_in_layout(run.workload.training.precision, run.layout)
    return with_training(run.workload, precision=precision)


def llm_table_path(workload: Workload) -> Path:
    """Where the table of this workload is recorded (whether it is or not)."""
    precision: ComputedPrecision = workload.training.precision
    digest = sha256(traced_as(workload) + TRACE_PRECISIONS[precision].encode()).hexdigest()[:_DIGITS]
    assert isinstance(workload.model, HuggingFaceModel)
    config = workload.model.config
    kind = config["model_type"] if isinstance(config, dict) else config
    return FOLDER / f"{kind}-{length_of(workload)}-{TRACE_PRECISIONS[precision]}-{digest}.msgpack.xz"


@cache
def load_llm_table(path: Path) -> OpTable:
    """The recorded table; raises FileNotFoundError where this combination was not recorded."""
    return msgspec.msgpack.decode(lzma.decompress(path.read_bytes()), type=OpTable)
