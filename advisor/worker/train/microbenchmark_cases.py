"""The kernels that calibrate a device: what each does, its sizes, and how it is set up on random normal data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from advisor.catalogue.optimizers import OPTIMIZER_FACTS, Optimizer
from advisor.catalogue.precisions import Precision
from advisor.worker.train.device import TorchDevice

Step = Callable[[], object]

_TYPES: dict[Precision, torch.dtype] = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}
_TINY_CHAIN = 32


@dataclass(frozen=True)
class Case:
    """One microbenchmark. `figures` are sizes and the work of one call (`flop`, `bytes`, `call_count`)."""

    kind: str
    precision: Precision
    build: Callable[[TorchDevice, torch.dtype], Step]
    figures: dict[str, float] = field(default_factory=dict)
    flush_cache: bool = False

    def step(self, device: TorchDevice) -> Step:
        """Set it up; torch raises where the device lacks the memory or the kernel."""
        return self.build(device, _TYPES[self.precision])


def _normal(device: TorchDevice, dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Random normal data of the real type: zeros run up to 15 % faster."""
    return torch.randn(*shape, device=device.device).to(dtype)


def matmul(precision: Precision, m: int, k: int, n: int) -> Case:
    """Product of (m x k) and (k x n), into a given output."""

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        left, right = _normal(device, dtype, m, k), _normal(device, dtype, k, n)
        out = torch.empty(m, n, device=device.device, dtype=dtype)
        return lambda: torch.mm(left, right, out=out)

    moved = float(_TYPES[precision].itemsize * (m * k + k * n + m * n))
    return Case("matmul", precision, build, {"m": m, "k": k, "n": n, "flop": 2.0 * m * k * n, "bytes": moved})


def convolution(  # noqa: PLR0913 - a convolution's shape
    precision: Precision, batch: int, channels: int, side: int, kernel: int, *, grouped: bool
) -> Case:
    """Forward and backward of a same-size convolution, as training runs it; depthwise when `grouped`."""
    groups = channels if grouped else 1

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        data = _normal(device, dtype, batch, channels, side, side).requires_grad_()
        weight = _normal(device, dtype, channels, channels // groups, kernel, kernel).requires_grad_()
        gradient = _normal(device, dtype, batch, channels, side, side)

        def step() -> None:
            out = torch.nn.functional.conv2d(data, weight, padding=kernel // 2, groups=groups)
            torch.autograd.grad(out, (data, weight), gradient)

        return step

    flop = 3 * 2.0 * batch * side * side * channels * (channels // groups) * kernel * kernel
    figures = {"batch": batch, "channels": channels, "side": side, "kernel": kernel, "groups": groups, "flop": flop}
    return Case("convolution", precision, build, {name: float(value) for name, value in figures.items()})


def attention(precision: Precision, batch: int, length: int) -> Case:
    """Forward and backward of scaled dot-product attention with 12 heads of 64."""
    heads, size = 12, 64

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        query, key, value = (_normal(device, dtype, batch, heads, length, size).requires_grad_() for _ in range(3))
        gradient = _normal(device, dtype, batch, heads, length, size)

        def step() -> None:
            out = torch.nn.functional.scaled_dot_product_attention(query, key, value)
            torch.autograd.grad(out, (query, key, value), gradient)

        return step

    flop = 3.5 * 4.0 * batch * heads * length * length * size
    return Case("attention", precision, build, {"batch": batch, "length": length, "heads": heads, "flop": flop})


def elementwise(precision: Precision, count: int) -> Case:
    """Sum of two arrays of `count` elements into a third."""

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        left, right = _normal(device, dtype, count), _normal(device, dtype, count)
        out = torch.empty_like(left)
        return lambda: torch.add(left, right, out=out)

    figures = {"count": count, "bytes": 3.0 * _TYPES[precision].itemsize * count}
    return Case("elementwise", precision, build, figures, flush_cache=True)


def reduction(precision: Precision, rows: int, columns: int) -> Case:
    """Softmax over rows: one read and one write of the array at least."""

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        data = _normal(device, dtype, rows, columns)
        return lambda: torch.softmax(data, dim=-1)

    figures = {"rows": rows, "columns": columns, "bytes": 2.0 * _TYPES[precision].itemsize * rows * columns}
    return Case("reduction", precision, build, figures)


def transfer(kind: str, count_bytes: int, *, pinned: bool) -> Case:
    """A copy between host and device, from or to pinned or pageable memory."""

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        host = torch.randn(count_bytes // 4, dtype=dtype)
        host = host.pin_memory() if pinned else host
        there = torch.empty_like(host, device=device.device)
        if kind == "host_to_device":
            return lambda: there.copy_(host, non_blocking=pinned)
        return lambda: host.copy_(there, non_blocking=pinned)

    return Case(kind, "fp32", build, {"bytes": float(count_bytes), "pinned": float(pinned)})


def launch() -> Case:
    """A kernel on one element: what asking costs where the device itself has nothing to do."""

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        tiny = _normal(device, dtype, 1)
        return lambda: tiny.add_(0.0)

    return Case("launch", "fp32", build, {"call_count": 1.0})


def synchronise() -> Case:
    """A kernel on one element, then its value on the host: what reading a loss costs at least."""

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        tiny = _normal(device, dtype, 1)
        return lambda: tiny.add_(0.0).item()

    return Case("synchronise", "fp32", build, {"call_count": 1.0})


def host_overhead() -> Case:
    """Forward and backward of a chain of products with 2 x 2 matrices: pure cost of operators on the host."""

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        weight = _normal(device, dtype, 2, 2).requires_grad_()
        data = _normal(device, dtype, 2, 2)

        def step() -> None:
            value = data
            for _ in range(_TINY_CHAIN):
                value = torch.tanh(value @ weight)
            torch.autograd.grad(value.sum(), weight)

        return step

    # A link issues 2 calls forward; tanh, two products' transposes and the two gradients with their sum backward.
    return Case("host_overhead", "fp32", build, {"forward_calls": 2.0 * _TINY_CHAIN, "links": float(_TINY_CHAIN)})


def optimizer(name: Optimizer, tensors: int, elements: int) -> Case:
    """A step of the optimizer over `tensors` parameters of `elements` each, gradients at hand."""

    def build(device: TorchDevice, dtype: torch.dtype) -> Step:
        parameters = [torch.nn.Parameter(_normal(device, dtype, elements)) for _ in range(tensors)]
        for parameter in parameters:
            parameter.grad = _normal(device, dtype, elements)
        if name == "adamw":
            return torch.optim.AdamW(parameters, lr=1e-6).step
        return torch.optim.SGD(parameters, lr=1e-6, momentum=0.9).step

    least_bytes = OPTIMIZER_FACTS[name].least_bytes * tensors * elements
    figures = {"tensors": float(tensors), "elements": float(elements), "bytes": least_bytes}
    return Case("optimizer", "fp32", build, figures | {name: 1.0})


def cpu_cases(*, has_bf16: bool) -> list[Case]:
    """What is worth knowing of a processor, the most telling first: a short budget drops the tail."""
    cases = [
        host_overhead(),
        matmul("fp32", 512, 512, 512),
        elementwise("fp32", 1 << 23),
        launch(),
        optimizer("adamw", 8, 1 << 20),
        matmul("fp32", 1024, 1024, 1024),
        matmul("fp32", 128, 768, 3072),
        matmul("fp32", 128, 128, 128),
        matmul("fp32", 16, 768, 768),
        convolution("fp32", 1, 64, 56, 3, grouped=False),
        convolution("fp32", 4, 256, 14, 3, grouped=False),
        convolution("fp32", 4, 256, 14, 1, grouped=False),
        attention("fp32", 4, 128),
        elementwise("fp32", 1 << 18),
        elementwise("fp32", 1 << 12),
        reduction("fp32", 4096, 1024),
        optimizer("adamw", 128, 1 << 10),
        convolution("fp32", 4, 96, 28, 3, grouped=True),
        optimizer("sgd_momentum", 8, 1 << 20),
        synchronise(),
    ]
    if has_bf16:
        cases[6:6] = [matmul("bf16", 512, 512, 512), matmul("bf16", 128, 768, 3072)]
        cases += [elementwise("bf16", 1 << 23), attention("bf16", 4, 128)]
    return cases


def accelerator_cases(precisions: tuple[Precision, ...]) -> list[Case]:
    """What is worth knowing of a GPU, the most telling first; `precisions` are those it has."""
    half: Precision = "bf16" if "bf16" in precisions else "fp16"
    cases = [launch(), synchronise(), host_overhead(), elementwise("fp32", 1 << 26)]
    cases += [matmul(precision, 4096, 4096, 4096) for precision in precisions]
    cases += [
        transfer("host_to_device", 1 << 26, pinned=True),
        transfer("device_to_host", 1 << 26, pinned=True),
        optimizer("adamw", 8, 1 << 23),
    ]
    cases += [matmul(precision, 1024, 1024, 1024) for precision in precisions]
    cases += [
        convolution("fp32", 32, 64, 56, 3, grouped=False),
        convolution(half, 32, 64, 56, 3, grouped=False),
        convolution(half, 32, 256, 14, 1, grouped=False),
        attention(half, 16, 512),
        reduction("fp32", 16384, 1024),
        transfer("host_to_device", 1 << 16, pinned=False),
        optimizer("adamw", 256, 1 << 12),
        elementwise("fp32", 1 << 20),
        matmul("fp32", 2048, 768, 3072),
        matmul(half, 2048, 768, 3072),
        matmul(half, 8192, 8192, 8192),
        convolution(half, 32, 96, 28, 3, grouped=True),
        attention("fp32", 16, 512),
    ]
    return cases
