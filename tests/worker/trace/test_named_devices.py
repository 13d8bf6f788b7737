"""A model that names a GPU is traced where there is none, as the same model that names none."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from advisor.worker.trace.cuda.named_devices import names_a_gpu
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace


class Net(nn.Module):
    def __init__(self, device: str | None) -> None:
        super().__init__()
        self.body, self.device = nn.Linear(8, 4), device

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        noise = torch.zeros(len(rows), 4, device=self.device)
        loss: torch.Tensor = (self.body(rows) + noise.to(self.device or "cpu")).sum()
        return loss


def subject(device: str | None) -> Subject:
    def build() -> nn.Module:
        return Net(None) if device is None else Net(device).cuda()

    return Subject(
        build=build,
        make_batch=lambda batch: torch.randn(batch, 8) if device is None else torch.randn(batch, 8).pin_memory().cuda(),
        step=lambda model, batch: model(batch),
    )


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:0"])
def test_a_model_that_names_a_gpu_is_traced_as_one_that_names_none(device: str) -> None:
    named, plain = trace(subject(device), "fp32"), trace(subject(None), "fp32")
    assert named.ops == plain.ops
    assert named.memory == plain.memory
    assert named.dispatch_count == plain.dispatch_count


def test_a_model_that_makes_one_of_its_tensors_on_a_gpu_is_traced_as_one_that_makes_it_where_the_others_are() -> None:
    def made(device: str | None) -> Subject:
        return subject(None)._replace(build=lambda: Net(device))

    named, plain = trace(made("cuda"), "fp32"), trace(made(None), "fp32")
    assert named.ops == plain.ops
    assert named.memory == plain.memory


def test_only_what_torch_says_of_a_gpu_is_taken_for_one_that_is_named() -> None:
    told = ValueError("build_model failed")
    told.__cause__ = AssertionError("Torch not compiled with CUDA enabled")
    assert names_a_gpu(told)
    assert not names_a_gpu(ValueError("Torch not compiled with CUDA enabled"))
    assert not names_a_gpu(RuntimeError("CUDA out of memory"))
    apart = "Expected all tensors to be on the same device, but found at least two devices, cpu and"
    assert names_a_gpu(RuntimeError(f"{apart} cuda:0!"))
    assert not names_a_gpu(RuntimeError(f"{apart} meta!"))


class Old(nn.Module):
    """As of before devices: places and masks of a type that lies on a GPU."""

    def __init__(self, on: str) -> None:
        super().__init__()
        self.body, self.on = nn.Linear(8, 4), on

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        types = torch.cuda if self.on == "cuda" else torch
        places = torch.arange(0, 4, out=types.LongTensor(4))
        known = types.FloatTensor([1.0, 0.0, 1.0, 0.0])
        assert isinstance(known, types.FloatTensor)
        noise = types.FloatTensor(len(rows), 4).fill_(0.0).type(types.FloatTensor)
        loss: torch.Tensor = ((self.body(rows)[:, places] + noise) * known).sum()
        return loss


def test_types_that_lie_on_a_gpu_make_tensors_where_the_others_are() -> None:
    named = trace(subject(None)._replace(build=lambda: Old("cuda")), "fp32")
    plain = trace(subject(None)._replace(build=lambda: Old("cpu")), "fp32")
    assert named.memory == plain.memory
    with pytest.raises(TypeError, match="not available"):
        getattr(torch.cuda, "LongTensor")(3)  # noqa: B009 - unknown to its types; afterwards they are torch's own
