"""A penalty on gradients through convolutions (WGAN-GP, R1) is traced: gradients of gradients by the weight."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from advisor.optable.op_table import at
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace

SIDE = 16


def penalised(layer: nn.Module, channels: int) -> Subject:
    def step(model: nn.Module, pictures: torch.Tensor) -> torch.Tensor:
        pictures = pictures.requires_grad_()
        (slope,) = torch.autograd.grad(model(pictures).square().sum(), pictures, create_graph=True)
        return slope.square().mean()

    return Subject(build=lambda: layer, make_batch=lambda batch: torch.randn(batch, channels, SIDE, SIDE), step=step)


@pytest.mark.parametrize(
    "layer",
    [
        nn.Conv2d(3, 32, 3, padding=1),
        nn.Conv2d(8, 32, 4, stride=2, padding=1),
        nn.Conv2d(1, 32, 3),
        nn.Conv2d(8, 1, SIDE),  # the last layer of a DCGAN's critic
        nn.ConvTranspose2d(8, 16, 4, stride=2, padding=1),
        nn.Conv2d(8, 16, 3, padding=1, groups=2),
    ],
)
def test_each_pass_through_a_convolution_is_as_much_work(layer: nn.Conv2d) -> None:
    table = trace(penalised(layer, layer.in_channels), "fp32")
    found = [op for op in table.ops if op.kind == "convolution" and "bias" not in op.name]
    work = {round(at(op.flop, 1) * op.count) for op in found}
    shape = layer(torch.zeros(1, layer.in_channels, SIDE, SIDE)).shape
    places = SIDE * SIDE if isinstance(layer, nn.ConvTranspose2d) else math.prod(shape[2:])
    whole = 2 * places * layer.weight.numel()
    names = {op.name for op in found}
    assert "convolution_backward_weight_gradient" in names
    assert work <= {whole, 2 * whole, 3 * whole}
