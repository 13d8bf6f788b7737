"""Torchvision's own detectors are traced for training, where torchvision is installed beside a torch that it fits."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from advisor.optable.op_table import OpTable, at
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import Way, trace

pytestmark = pytest.mark.with_frameworks
SIDE = 128


def detection() -> Any:
    """Torchvision's detectors; skips by name where they are missing or their operators do not load."""
    try:
        from torchvision.models import detection as models
    except (ImportError, RuntimeError) as error:
        pytest.skip(f"torchvision does not import: {error}")
    return models


def scenes(batch_size: int) -> tuple[list[torch.Tensor], list[dict[str, torch.Tensor]]]:
    images = [torch.rand(3, SIDE, SIDE) for _ in range(batch_size)]
    targets = []
    for _ in range(batch_size):
        corner = SIDE / 2 * torch.rand(3, 2)
        boxes = torch.cat([corner, corner + 10 + SIDE / 3 * torch.rand(3, 2)], 1)
        targets.append({"boxes": boxes, "labels": torch.randint(1, 91, (3,))})
    return images, targets


def loss_of(model: nn.Module, batch: Any) -> torch.Tensor:
    return torch.stack(list(model(*batch).values())).sum()


def detector(name: str) -> nn.Module:
    torch.manual_seed(0)
    sizes = {} if name.startswith("ssd") else {"min_size": SIDE, "max_size": SIDE}
    made: nn.Module = getattr(detection(), name)(weights=None, weights_backbone=None, **sizes)
    return made


def real_flop(name: str, batch_size: int) -> float:
    model, batch = detector(name).train(), scenes(batch_size)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        loss_of(model, batch)
    return float(counter.get_total_flops())


def forward_flop(table: OpTable, batch_size: int) -> float:
    kinds = {"convolution", "matmul"}
    ops = (op for op in table.ops if op.phase == "forward" and op.kind in kinds)
    return sum(op.count * at(op.flop, batch_size) for op in ops)


@pytest.mark.parametrize(
    "name",
    ["fasterrcnn_mobilenet_v3_large_320_fpn", "retinanet_resnet50_fpn", "fcos_resnet50_fpn",
     "ssdlite320_mobilenet_v3_large"],
)  # fmt: skip
def test_a_detector_of_torchvision_is_traced_with_the_work_of_a_real_pass(name: str) -> None:
    detection()
    way = Way()
    asked = Subject(build=lambda: detector(name), make_batch=scenes, step=loss_of)
    table = trace(asked, "amp", way=way)
    assert way.decisions is not None
    assert table.caveats[0].code == "trace-sizes-by-values"
    assert table.memory is not None
    assert forward_flop(table, 3) == pytest.approx(real_flop(name, 3), rel=0.02)
