"""Attention as a run's PyTorch computed it: by no fused kernel before 2.0, in its inputs' precision before 2.5."""

from __future__ import annotations

from msgspec.structs import replace

from advisor.catalogue.precisions import FP32_BYTES, PRECISION_FACTS
from advisor.core.sentences import Reason
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.run_row import RunRow
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Attention, HuggingFaceModel, Workload

_OF_BATCHES = frozenset({"bmm", "baddbmm"})


def attention_then(row: RunRow, workload: Workload) -> Attention | None:
    """How attention ran where the row does not say and there was nothing fused to call yet; None: as described.

    Of what PyTorch brings alone: other libraries' flash attention is older.
    """
    fuses = row.transformers_fuse_attention if isinstance(workload.model, HuggingFaceModel) else row.fuses_attention
    silent = row.attention is None and workload.training.attention == "sdpa"
    return "eager" if silent and not fuses else None


def attention_taken(question: RowQuestion, table: OpTable) -> tuple[Reason, ...]:
    """That attention was taken to be by no fused kernel, where that was so and the model of `table` has any."""
    row, attention = question.row, question.workload.training.attention
    taken = attention == "eager" and row.attention is None and not row.transformers_fuse_attention
    has_any = taken and any(op.name in _OF_BATCHES for op in table.ops)
    return (Reason.of("evaluate-attention-of-its-time"),) if has_any else ()


def as_traced_then(question: RowQuestion, table: OpTable | Reason) -> RowQuestion:
    """The row's question, to be traced anew where its PyTorch did not fall back to FP32 for the model's attention.

    `table` is today's trace. Five dimensions, say, are no fused kernel's: their products are in FP32 there although
    the step is in half.
    """
    training = question.workload.training
    half = PRECISION_FACTS[training.precision].half_format is not None
    if isinstance(table, Reason) or question.row.attention_upcasts or training.attention == "eager" or not half:
        return question
    return replace(question, half_fallback=True) if attention_upcasts(table) else question


def attention_upcasts(table: OpTable) -> bool:
    """Whether the trace of a step in half precision has products of batches in FP32, as no fused kernel leaves them."""
    return any(op.name in _OF_BATCHES and op.element_bytes == FP32_BYTES for op in table.ops)
