"""Records the operator tables of the published language models: `python tests/accuracy/record_llm_tables.py [--all]`.

Each is traced with two and with three of its layers, which are alike, and continued to all of them: a test checks
that this gives the same operators as the whole trace. Tables that exist are left unless `--all` is given.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch  # noqa: TID251 - records in the worker's place

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.cost.operators.device_time import runs_fused
from advisor.optable.op_table import CompiledPass, Op, OpTable, Phase
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import HuggingFaceModel, Workload
from tests.accuracy.llm_rows import language_model_runs
from tests.accuracy.llm_tables import FOLDER, computed, llm_table_path
from tests.accuracy.tables import pack

_FEW = 2
_LAYER_KEYS = ("n_layer", "num_hidden_layers")
_SUMS = (
    "parameter_count",
    "trainable_parameter_count",
    "parameter_tensor_count",
    "parameter_bytes",
    "trainable_parameter_bytes",
    "gradient_bytes",
    "buffer_bytes",
    "synchronisation_count",
)
"""Fields of a table to which every layer adds as much."""


def whole_table(workload: Workload) -> OpTable:
    """The table of all layers from traces of two and of three."""
    model = workload.model
    assert isinstance(model, HuggingFaceModel)
    assert isinstance(model.config, dict)
    key = next(name for name in _LAYER_KEYS if name in model.config)
    precision = TRACE_PRECISIONS[workload.training.precision]

    def traced(count: int) -> OpTable:
        config: dict[str, Any] = {**model.config, key: count}  # type: ignore[dict-item]
        short = msgspec.structs.replace(workload, model=msgspec.structs.replace(model, config=config))
        return trace(subject_of(short, precision), precision, checked=False)

    return continued(traced(_FEW), traced(_FEW + 1), int(model.config[key]) - _FEW - 1)


def continued(fewer: OpTable, more: OpTable, further: int) -> OpTable:
    """The table of `further` layers on top of `more`, which has one layer more than `fewer`."""
    sums = {name: getattr(more, name) + further * (getattr(more, name) - getattr(fewer, name)) for name in _SUMS}
    layer = list(more.trainable_tensor_bytes)
    for size in fewer.trainable_tensor_bytes:
        layer.remove(size)
    return msgspec.structs.replace(
        more,
        ops=_continued_ops(fewer.ops, more.ops, further),
        compiled=_continued_pass(fewer.compiled, more.compiled, further),
        trainable_tensor_bytes=(*more.trainable_tensor_bytes, *layer * further),
        trainable_tensor_shapes=(),
        block_parameter_bytes=more.block_parameter_bytes + more.block_parameter_bytes[-1:] * further,
        dispatch_count=_continued_counts(fewer.dispatch_count, more.dispatch_count, further),
        gradients_ready=(),
        memory=None,
        layers=(),
        checkpoint=None,
        caveats=(),
        **sums,
    )


def _continued_ops(fewer: Sequence[Op], more: Sequence[Op], further: int) -> tuple[Op, ...]:
    before = _counts(fewer)
    ops = []
    for key, (op, count) in _counts(more).items():
        total = count + further * (count - before.get(key, (op, 0))[1])
        ops.append(msgspec.structs.replace(op, count=total))
    return tuple(op for op in ops if op.count)


def _continued_counts(fewer: Mapping[Phase, int], more: Mapping[Phase, int], further: int) -> dict[Phase, int]:
    return {phase: count + further * (count - fewer[phase]) for phase, count in more.items()}


def _continued_pass(fewer: CompiledPass | None, more: CompiledPass | None, further: int) -> CompiledPass | None:
    """What torch.compile leaves of all layers."""
    if fewer is None or more is None:
        return None
    return CompiledPass(
        ops=_continued_ops(fewer.ops, more.ops, further),
        dispatch_count=_continued_counts(fewer.dispatch_count, more.dispatch_count, further),
    )


def _counts(ops: Sequence[Op]) -> dict[bytes, tuple[Op, int]]:
    found: dict[bytes, tuple[Op, int]] = {}
    for op in ops:
        key = msgspec.msgpack.encode(msgspec.structs.replace(op, count=0))
        found[key] = (op, found.get(key, (op, 0))[1] + op.count)
    return found


def main() -> None:
    """Record what is missing, or everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="record tables that exist too")
    parser.add_argument("--compiled", action="store_true", help="record those again that runs of fused kernels need")
    options = parser.parse_args()
    torch.set_num_threads(1)
    FOLDER.mkdir(exist_ok=True)
    workloads = [computed(run) for run in language_model_runs()]
    wanted = {llm_table_path(workload): workload for workload in workloads}
    fused = {llm_table_path(workload) for workload in workloads if runs_fused(workload.training)}
    for path, workload in sorted(wanted.items()):
        if path.exists() and not options.all and not (options.compiled and path in fused):
            continue
        started = time.monotonic()
        table = whole_table(workload)
        path.write_bytes(pack(table if path in fused else msgspec.structs.replace(table, compiled=None)))
        seconds = time.monotonic() - started
        print(f"{workload.name} {path.name}: {len(table.ops)} operators, {seconds:.1f} s", flush=True)
    for path in FOLDER.glob("*.xz"):
        if path not in wanted:
            path.unlink()


if __name__ == "__main__":
    main()
