"""A trace casts what CUDA's autocast casts: compared with torch's own kernels on fakes of a GPU's tensors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional

from advisor.worker.trace.cuda.autocast import names_known_to
from advisor.worker.trace.cuda.rules import cuda_rules
from advisor.worker.trace.ops.op_names import operators

HALF, SINGLE = torch.float16, torch.float32
Make = Callable[..., Tensor]
Asked = Callable[[Make, Make], Tensor]
"""An operator of tensors that two functions make, the first of its tensors by the first."""


def _places(count: int, like: Tensor) -> Tensor:
    return torch.zeros(count, dtype=torch.int64, device=like.device)


OPERATORS: dict[str, Asked] = {
    "dot": lambda a, b: torch.dot(a(4), b(4)),
    "vdot": lambda a, b: torch.vdot(a(4), b(4)),
    "mv": lambda a, b: torch.mv(a(4, 4), b(4)),
    "addcdiv": lambda a, b: torch.addcdiv(a(4), a(4), b(4)),
    "addcmul": lambda a, b: torch.addcmul(a(4), a(4), b(4)),
    "atan2": lambda a, b: torch.atan2(a(4), b(4)),
    "bilinear": lambda a, b: functional.bilinear(a(4, 4), a(4, 4), b(3, 4, 4)),
    "cross": lambda a, b: torch.cross(a(4, 3), b(4, 3), dim=1),
    "tensordot": lambda a, b: torch.tensordot(a(4, 4), b(4, 4), dims=1),
    "scatter_add": lambda a, b: a(4).scatter_add(0, _places(4, a(1)), b(4)),
    "index_put": lambda a, b: a(4).index_put((_places(4, a(1)),), b(4)),
    "einsum": lambda a, b: torch.einsum("ij,jk->ik", a(4, 4), b(4, 4)),
    "multi_dot": lambda a, b: torch.linalg.multi_dot([a(4, 4), b(4, 4), b(4, 4)]),
    "vecdot": lambda a, b: torch.linalg.vecdot(a(4), b(4)),
    "conv2d": lambda a, b: functional.conv2d(a(1, 4, 8, 8), b(4, 4, 3, 3)),
    "prelu": lambda a, b: functional.prelu(a(4, 4), b(1)),
    "cell": lambda a, b: torch.rnn_tanh_cell(a(4, 4), b(4, 4), b(4, 4), b(4, 4)),
    "rms_norm": lambda a, b: functional.rms_norm(a(4, 4), (4,), b(4)),
    "layer_norm": lambda a, b: functional.layer_norm(a(4, 4), (4,), b(4), b(4)),
    "nearest": lambda a, _: functional.interpolate(a(1, 1, 4, 4), scale_factor=2.0),
    "nearest-exact": lambda a, _: functional.interpolate(a(1, 1, 4, 4), scale_factor=2.0, mode="nearest-exact"),
    "antialiased": lambda a, _: functional.interpolate(a(1, 1, 4, 4), size=2, mode="bilinear", antialias=True),
    "bicubic": lambda a, _: functional.interpolate(a(1, 1, 4, 4), scale_factor=2.0, mode="bicubic"),
    "softmax": lambda a, _: torch.softmax(a(4, 4), 1),
    "log_softmax": lambda a, _: torch.log_softmax(a(4, 4), 1),
    "cumsum": lambda a, _: a(4).cumsum(0),
    "sum": lambda a, _: a(4).sum(),
    "exp": lambda a, _: a(4).exp(),
    "norm": lambda a, _: torch.linalg.vector_norm(a(4)),
    "mse_loss": lambda a, b: functional.mse_loss(a(4), b(4)),
    "smooth_l1_loss": lambda a, b: functional.smooth_l1_loss(a(4), b(4)),
    "cross_entropy": lambda a, _: functional.cross_entropy(a(4, 8), _places(4, a(1))),
    "reflection_pad": lambda a, _: functional.pad(a(1, 4, 4), (1, 1, 1, 1), mode="reflect"),
    "replication_pad": lambda a, _: functional.pad(a(1, 1, 4, 4, 4), (1,) * 6, mode="replicate"),
    "max_pool3d": lambda a, _: functional.max_pool3d(a(1, 1, 4, 4, 4), 2),
    "avg_pool3d": lambda a, _: functional.avg_pool3d(a(1, 1, 4, 4, 4), 2),
    "adaptive_avg_pool3d": lambda a, _: functional.adaptive_avg_pool3d(a(1, 1, 4, 4, 4), 2),
    "cat": lambda a, b: torch.cat([a(4), b(4)]),
    "stack": lambda a, b: torch.stack([a(4), b(4)]),
    "where": lambda a, b: torch.where(a(4) > 0, a(4), b(4)),
    "add": lambda a, b: a(4) + b(4),
}


def _format_of(asked: Asked, device: str, first: torch.dtype, second: torch.dtype) -> torch.dtype:
    def of(format_: torch.dtype) -> Make:
        return lambda *sizes: torch.empty(*sizes, device=device, dtype=format_)

    return asked(of(first), of(second)).dtype


def _on_a_gpu(asked: Asked, first: torch.dtype, second: torch.dtype) -> torch.dtype:
    torch.set_autocast_enabled("cuda", True)  # noqa: FBT003 - positional in torch
    torch.set_autocast_dtype("cuda", HALF)
    try:
        return _format_of(asked, "cuda", first, second)
    finally:
        torch.set_autocast_enabled("cuda", False)  # noqa: FBT003 - the same


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("formats", [(HALF, HALF), (SINGLE, SINGLE), (HALF, SINGLE)], ids=["half", "single", "mixed"])
def test_what_an_operator_gives_under_autocast_is_what_it_gives_on_a_gpu(
    name: str, formats: tuple[torch.dtype, torch.dtype]
) -> None:
    asked = OPERATORS[name]
    with FakeTensorMode():
        there = _on_a_gpu(asked, *formats)
        with cuda_rules("sdpa"), torch.autocast("cpu", dtype=HALF):
            assert _format_of(asked, "cpu", *formats) == there


_OF_CUDA_ALONE = {"cudnn_convolution", "cudnn_convolution_transpose", "_thnn_fused_gru_cell", "_thnn_fused_lstm_cell"}
"""What no model calls: other operators come to these on a GPU."""
_REGISTERED_APART = {"softmax", "log_softmax", "_scaled_dot_product_flash_attention"}


def test_every_operator_that_autocast_knows_on_a_gpu_is_known_here() -> None:
    names = operators().autocast
    told = {*names.to_fp32, *names.sums_in_fp32, *names.to_half, *names.to_widest}
    known = names_known_to("AutocastCUDA")
    assert known - names_known_to("AutocastCPU") <= told | _OF_CUDA_ALONE | _REGISTERED_APART


class _Guarded(torch.nn.Module):
    """Asks for autocast by itself, as models do that were written for GPUs alone."""

    def __init__(self, *, enabled: bool, legacy: bool) -> None:
        super().__init__()
        self._enabled, self._legacy = enabled, legacy

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        if self._legacy:
            with torch.cuda.amp.autocast(enabled=self._enabled):
                return torch.mm(left, right)
        with torch.autocast("cuda", enabled=self._enabled):
            return torch.mm(left, right)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore:CUDA is not available")
@pytest.mark.parametrize("legacy", [True, False])
@pytest.mark.parametrize("enabled", [True, False])
def test_what_a_model_asks_of_autocast_on_a_gpu_holds_in_its_trace(*, enabled: bool, legacy: bool) -> None:
    model = _Guarded(enabled=enabled, legacy=legacy)
    with FakeTensorMode():
        given = torch.empty(4, 4)
        with cuda_rules("sdpa"):
            assert model(given, given).dtype == (HALF if enabled else SINGLE)
            with torch.autocast("cpu", dtype=HALF):
                assert model(given, given).dtype == (HALF if enabled else SINGLE)
                assert torch.is_autocast_enabled("cpu")
                assert torch.is_autocast_enabled("cuda")
                assert torch.mm(given, given).dtype == HALF
            assert not torch.is_autocast_enabled("cuda")
        assert _Guarded(enabled=enabled, legacy=legacy)(given, given).dtype == SINGLE
    assert torch.get_autocast_dtype("cpu") == torch.bfloat16
    assert torch.get_autocast_dtype("cuda") == HALF
