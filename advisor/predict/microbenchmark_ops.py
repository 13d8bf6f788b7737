"""Microbenchmarks as operators, so that the model that predicts steps also predicts them."""

from __future__ import annotations

from msgspec.structs import replace

from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.measure.measurement import RateMeasurement
from advisor.optable.compiled_table import families_of
from advisor.optable.op_columns import Families
from advisor.optable.op_table import (
    Affine,
    AttentionShape,
    ConvolutionPass,
    ConvolutionShape,
    MatmulShape,
    Op,
    OpKind,
    Phase,
)

_HALF = ("fp16", "bf16")
_BACKWARD_ATTENTION_SHARE = 2.5 / 3.5
"""Of the flop of attention's forward and backward."""


def operators_of(rate: RateMeasurement) -> Families | None:
    """The operators of one call of a microbenchmark; None for those that are none (copies, launches, optimizers)."""
    element_bytes = 2 if rate.precision in _HALF else 4
    makers = {"matmul": _matmul, "convolution": _convolution, "attention": _attention}
    if rate.kind in makers:
        return families_of(makers[rate.kind](rate.figures, element_bytes))
    return families_of([_traffic(rate, element_bytes)]) if rate.kind in ("elementwise", "reduction") else None


def optimizer_bytes(rate: RateMeasurement) -> float | None:
    """Traffic of an optimizer's microbenchmark as PyTorch's foreach kernels cause it; None for others."""
    if rate.kind != "optimizer":
        return None
    facts = OPTIMIZER_FACTS["adamw" if "adamw" in rate.figures else "sgd_momentum"]
    return facts.looped_bytes * rate.figures["tensors"] * rate.figures["elements"]


def _fixed(value: float) -> Affine:
    return (float(value), 0.0)


def _op(kind: OpKind, element_bytes: int, flop: float, read: float, written: float, phase: Phase = "forward") -> Op:  # noqa: PLR0913 - figures of an operator
    return Op(
        kind=kind,
        name=kind,
        phase=phase,
        element_bytes=element_bytes,
        kernel_count=1,
        count=1,
        flop=_fixed(flop),
        read_bytes=_fixed(read),
        written_bytes=_fixed(written),
    )


def _traffic(rate: RateMeasurement, element_bytes: int) -> Op:
    """Element-wise sums read two arrays and write one; softmax reads one and writes one."""
    kind: OpKind = "elementwise" if rate.kind == "elementwise" else "softmax"
    reads = 2.0 / 3.0 if kind == "elementwise" else 0.5
    moved = rate.figures["bytes"]
    return _op(kind, element_bytes, 0.0, reads * moved, (1.0 - reads) * moved)


def _matmul(figures: dict[str, float], element_bytes: int) -> tuple[Op, ...]:
    m, n, k = figures["m"], figures["n"], figures["k"]
    shape = MatmulShape(batch=_fixed(1), m=_fixed(m), n=_fixed(n), k=_fixed(k))
    read, written = element_bytes * (m * k + k * n), element_bytes * m * n
    return (replace(_op("matmul", element_bytes, 2.0 * m * n * k, read, written), matmul=shape),)


def _convolution(figures: dict[str, float], element_bytes: int) -> tuple[Op, ...]:
    """Forward and both gradients of a same-size convolution."""
    channels, kernel, groups = figures["channels"], figures["kernel"] ** 2, figures["groups"]
    positions = figures["batch"] * figures["side"] ** 2
    data = element_bytes * positions * channels
    weights = element_bytes * channels * channels / groups * kernel
    directions: tuple[tuple[ConvolutionPass, float, float], ...] = (
        ("forward", data + weights, data),
        ("input_gradient", data + weights, data),
        ("weight_gradient", 2.0 * data, weights),
    )
    return tuple(
        replace(
            _op(
                "convolution",
                element_bytes,
                figures["flop"] / 3.0,
                read,
                written,
                "forward" if direction == "forward" else "backward",
            ),
            convolution=ConvolutionShape(
                direction=direction,
                groups=int(groups),
                output_positions=_fixed(positions),
                output_channels_per_group=int(channels / groups),
                input_channels_per_group=int(channels / groups),
                kernel_elements=int(kernel),
                unit_stride=True,
                transposed=False,
                data_bytes=_fixed(2.0 * data),
                weight_bytes=weights,
            ),
        )
        for direction, read, written in directions
    )


def _attention(figures: dict[str, float], element_bytes: int) -> tuple[Op, ...]:
    """Forward and backward of fused attention."""
    heads, length = figures["heads"] * figures["batch"], int(figures["length"])
    size = round(figures["flop"] / (3.5 * 4.0 * heads * length**2))
    data = element_bytes * heads * length * size
    shape = AttentionShape(
        implementation="flash" if element_bytes == 2 else "efficient",  # noqa: PLR2004 - bytes of a 16-bit number
        batch_heads=_fixed(heads),
        query_length=length,
        key_length=length,
        head_size=size,
        causal=False,
    )
    backward = figures["flop"] * _BACKWARD_ATTENTION_SHARE
    forward = _op("attention", element_bytes, figures["flop"] - backward, 3.0 * data, data)
    both = (forward, _op("attention", element_bytes, backward, 5.0 * data, 3.0 * data, "backward"))
    return tuple(replace(op, attention=shape) for op in both)
