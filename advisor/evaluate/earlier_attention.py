"""Attention that no fused kernel takes, as PyTorch before 2.5 computed it: in the precision of its inputs."""

from __future__ import annotations

from msgspec.structs import replace

from advisor.catalogue.precisions import FP32_BYTES, PRECISION_FACTS
from advisor.core.sentences import Reason
from advisor.evaluate.row_answer import RowQuestion
from advisor.optable.op_table import OpTable

_OF_BATCHES = frozenset({"bmm", "baddbmm"})


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
