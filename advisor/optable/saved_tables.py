"""Operator tables of the bundled workloads, saved with the program: instant, and there where torch is not."""

from __future__ import annotations

import gzip

import msgspec

from advisor.core.bundled import resource
from advisor.optable.op_table import OpTable, TracePrecision
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import bundled_names, load_workload

_MAX_BYTES = 64 * 1024 * 1024


def saved_tables(workload: Workload) -> dict[TracePrecision, OpTable]:
    """The saved tables of a bundled workload; empty for any other, or where a setting changes its operators."""
    for name in bundled_names():
        path = resource("tables") / f"{name}.json.gz"
        if path.is_file() and _traces_alike(workload, load_workload(name)):
            with gzip.open(path) as stream:
                tables = msgspec.json.decode(stream.read(_MAX_BYTES), type=tuple[OpTable, ...])
            return {table.precision: table for table in tables}
    return {}


def _traces_alike(workload: Workload, bundled: Workload) -> bool:
    """Whether a trace of `bundled` also tells the operators of `workload`.

    Precision, batch size, epochs and the optimizer do not change the traced operators; everything else may.
    """
    own = bundled.training
    same = with_training(
        workload,
        precision=own.precision,
        batch_size=own.batch_size,
        epochs=own.epochs,
        optimizer=own.optimizer,
        fused_optimizer=own.fused_optimizer,
        optimizer_bits=own.optimizer_bits,
        gradient_accumulation_steps=own.gradient_accumulation_steps,
        clip_gradient_norm=own.clip_gradient_norm,
        read_loss_every=own.read_loss_every,
        evaluate_every_steps=own.evaluate_every_steps,
    )
    return (
        same.model == bundled.model
        and same.training == bundled.training
        and same.data.sequence_length == bundled.data.sequence_length
        and same.data.image_size == bundled.data.image_size
    )
