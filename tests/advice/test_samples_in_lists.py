"""Batches that hold their samples in lists: DataParallel cuts the tensors in them, not the lists."""

from __future__ import annotations

from pathlib import Path

from advisor.advice import AdviceRequest, advise_events
from advisor.core.drive import drive
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload

MODEL = """
import torch
from torch import nn


class Boxes(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 8, 3)
        self.head = nn.Linear(8, 4)

    def forward(self, images, boxes):
        found = self.head(self.convolution(torch.stack(tuple(images))).mean((2, 3)))
        return ((found - torch.stack(tuple(boxes))) ** 2).mean()


def build_model():
    return Boxes()


def make_batch(batch_size):
    images, boxes = torch.rand(batch_size, 3, 32, 32), torch.rand(batch_size, 4)
    return KIND(images), KIND(boxes)


def training_step(model, batch):
    return model(*batch)
"""


def advised(folder: Path, kind: str, counts: tuple[int, ...]) -> AdviceRecord:
    (folder / "boxes.py").write_text(MODEL.replace("KIND", kind), "utf-8")
    model = {"source": "python", "file": str(folder / "boxes.py")}
    training = {"batch_size": 8, "precision": "fp32", "optimizer": "sgd"}
    workload = load_workload({"name": "boxes", "data": {"samples": 4096}, "model": model, "training": training})
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("v100-sxm2-32",), counts=counts, allow_code=True
    )
    return drive(advise_events(request))


def strategies(advice: AdviceRecord) -> set[str]:
    return {prediction.strategy for prediction in advice.predictions}


def told(advice: AdviceRecord) -> bool:
    return "scaling-samples-in-lists" in {caveat.code for caveat in advice.caveats}


def test_data_parallel_is_left_out_where_samples_come_in_lists_and_it_is_said(tmp_path: Path) -> None:
    advice = advised(tmp_path, "list", (1, 2))
    assert "ddp" in strategies(advice)
    assert "dp" not in strategies(advice)
    assert told(advice)


def test_of_one_card_nothing_is_said_of_it(tmp_path: Path) -> None:
    assert not told(advised(tmp_path, "list", (1,)))


def test_a_batch_of_whole_tensors_is_shared_by_data_parallel(tmp_path: Path) -> None:
    advice = advised(tmp_path, "torch.Tensor.contiguous", (1, 2))
    assert {"dp", "ddp"} <= strategies(advice)
    assert not told(advice)
