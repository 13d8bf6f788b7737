"""An operator table from totals alone: parameters, work and activations of a model that cannot be traced."""

from __future__ import annotations

import math

from msgspec.structs import replace

from advisor.catalogue.precisions import HALF_WEIGHT_TRACES, TracePrecision
from advisor.core.sentences import Reason
from advisor.optable.op_table import (
    ALLOCATE,
    FREE,
    GRADIENT,
    Affine,
    GradientReady,
    MatmulShape,
    MemoryTimeline,
    Op,
    OpKind,
    OpTable,
)
from advisor.workload.workload import NumbersModel

_MOST_LAYERS = 100
_SMALLEST_LAYER = 4096
"""Parameters: below 64 x 64 a layer is no more split up."""
_SIDE = 64
"""Layers are a multiple of it wide and rows one of its eighth, as tensor cores want: totals know no odd sizes."""
_FORWARD_SHARE = 1 / 3
"""Backward computes two products of the same size for each of forward's."""


def table_from_numbers(model: NumbersModel, precision: TracePrecision) -> OpTable:
    """A table of equal square layers whose parameters, flop and kept activations add up to the model's totals.

    n layers of width d, a sample of t rows, with n·d² near the parameters and 6·t·n·d² near `flop_per_sample`; each is
    a block, which sharding gathers by itself and a pipeline's stage is made of. What
    totals cannot tell (small operators, the size of the inputs) is named in the table's caveats.
    """
    layer = _Layer(model, precision)
    count = layer.count
    parameter_bytes = layer.weight_bytes * count
    weight_count = round(model.parameters)
    return OpTable(
        precision=precision,
        ops=(*layer.forward_ops(), *layer.backward_ops()),
        parameter_count=weight_count,
        trainable_parameter_count=weight_count,
        parameter_tensor_count=count,
        parameter_bytes=parameter_bytes,
        trainable_parameter_bytes=parameter_bytes,
        gradient_bytes=parameter_bytes,
        trainable_tensor_bytes=(layer.weight_bytes,) * count,
        block_parameter_bytes=(layer.weight_bytes,) * count,
        buffer_bytes=0.0,
        input_bytes=(0.0, 0.0),
        dispatch_count={"forward": 2 * count, "backward": 3 * count},
        synchronisation_count=0,
        gradients_ready=_gradients(weight_count, count),
        memory=layer.timeline(),
        caveats=(Reason.of("workload-totals-only"),),
    )


def _gradients(weight_count: int, count: int) -> tuple[GradientReady, ...]:
    shares = [weight_count * (index + 1) // count - weight_count * index // count for index in range(count)]
    return tuple(
        GradientReady(element_count=share, backward_fraction=(index + 1) / count) for index, share in enumerate(shares)
    )


def _aligned(size: float, multiple: int) -> int:
    """The next multiple, below the first one the nearest whole number."""
    return multiple * math.ceil(size / multiple) if size > multiple else max(1, round(size))


class _Layer:
    """One of `count` equal layers: d x d weights, t rows a sample, its share of the kept activations."""

    def __init__(self, model: NumbersModel, precision: TracePrecision) -> None:
        self.precision = precision
        layers = min(_MOST_LAYERS, max(1, model.parameters / _SMALLEST_LAYER))
        products = model.flop_per_sample * _FORWARD_SHARE / 2
        self.width = _aligned(math.sqrt(model.parameters / layers), _SIDE)
        self.rows = _aligned(products / model.parameters, _SIDE // 8)
        self.count = count = max(1, round(products / (self.rows * self.width**2)))
        self.weights = model.parameters / count
        self.flop = 2 * products / count
        self.activation_bytes = model.activation_bytes_per_sample / count
        self.element_bytes = 4 if precision == "fp32" else 2
        self.weight_bytes = self.weights * (2 if precision in HALF_WEIGHT_TRACES else 4)
        self.computed_weight_bytes = self.weights * self.element_bytes
        self.row_bytes = self.rows * self.width * self.element_bytes

    def _matmul(self, name: str, *, gradient: bool) -> Op:
        """Rows times weights; `gradient`: of the weights, which sums over the rows."""
        width, rows = (self.width, 0.0), (0.0, self.rows)
        weights: Affine = (self.computed_weight_bytes, 0.0)
        shape = MatmulShape(batch=(1.0, 0.0), m=width if gradient else rows, n=width, k=rows if gradient else width)
        read = (0.0, 2 * self.row_bytes) if gradient else (weights[0], self.row_bytes)
        written = weights if gradient else (0.0, self.row_bytes)
        return replace(self._op("matmul", name, read, written), flop=(0.0, self.flop), matmul=shape)

    def _op(self, kind: OpKind, name: str, read: Affine, written: Affine) -> Op:
        return Op(
            kind=kind,
            name=name,
            phase="backward" if name.endswith("gradient") else "forward",
            element_bytes=self.element_bytes,
            kernel_count=1,
            count=self.count,
            flop=(0.0, 0.0),
            read_bytes=read,
            written_bytes=written,
        )

    def forward_ops(self) -> tuple[Op, ...]:
        """The product, the writing and reading of what is kept, and autocast's copy of the weights."""
        kept = (0.0, self.activation_bytes)
        ops = (self._matmul("totals.layer", gradient=False), self._op("elementwise", "totals.activation", kept, kept))
        return (*self._cast("totals.cast", 4, 2), *ops)

    def backward_ops(self) -> tuple[Op, ...]:
        """Both products, the reading of what was kept, and autocast's gradient in FP32."""
        kept, twice = (0.0, self.activation_bytes), (0.0, 2 * self.activation_bytes)
        return (
            self._op("elementwise", "totals.activation_gradient", twice, kept),
            self._matmul("totals.input_gradient", gradient=False),
            self._matmul("totals.weight_gradient", gradient=True),
            *self._cast("totals.cast_gradient", 2, 4),
        )

    def _cast(self, name: str, before: int, after: int) -> tuple[Op, ...]:
        if self.precision != "amp":
            return ()
        return (self._op("copy", name, (before * self.weights, 0.0), (after * self.weights, 0.0)),)

    def timeline(self) -> MemoryTimeline:
        """Weights, then activations layer by layer; backward frees them and leaves the gradients."""
        events: list[tuple[int, int, float, float]] = []
        count = self.count
        kept, casts, flowing, gradients = (range(count * part, count * (part + 1)) for part in range(1, 5))
        events += [(ALLOCATE, layer, self.weight_bytes, 0.0) for layer in range(count)]
        cast_bytes = self.computed_weight_bytes if self.precision == "amp" else 0.0
        for layer in range(count):
            if cast_bytes:
                events.append((ALLOCATE, casts[layer], cast_bytes, 0.0))
            events.append((ALLOCATE, kept[layer], 0.0, self.activation_bytes))
        backward_start = len(events)
        flow_bytes = min(self.row_bytes, self.activation_bytes)
        for layer in reversed(range(count)):
            events.append((ALLOCATE, flowing[layer], 0.0, flow_bytes))
            events.append((ALLOCATE, gradients[layer], self.weight_bytes, 0.0))
            events.append((GRADIENT, gradients[layer], self.weight_bytes, 0.0))
            events.append((FREE, kept[layer], 0.0, self.activation_bytes))
            if cast_bytes:
                events.append((FREE, casts[layer], cast_bytes, 0.0))
            if layer + 1 < count:
                events.append((FREE, flowing[layer + 1], 0.0, flow_bytes))
        events.append((FREE, flowing[0], 0.0, flow_bytes))
        kinds, storages, fixed, each = zip(*events, strict=True)
        return MemoryTimeline(
            kind=kinds,
            storage=storages,
            size0_bytes=fixed,
            size1_bytes=each,
            resident_event_count=count,
            backward_start=backward_start,
        )
