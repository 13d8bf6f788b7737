"""A batch whose pictures and targets are lists, as detectors take them, is stepped, loaded, cast and traced."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch
from torch import nn

from advisor.core.sentences import SaidError
from advisor.optable.op_table import at
from advisor.worker.models.batches import collation_of, listed_columns, mapped, sample_of, tensors_of
from advisor.worker.models.load_model import LoadedModel, load
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.training_step import TrainingStep
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.present.fakes import advice
from tests.present.test_launch_script import run_script

DETECTOR = """
import torch


class Detector(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.box, self.score = torch.nn.Linear(8, 4), torch.nn.Linear(8, 1)

    def forward(self, images, targets=None):
        assert isinstance(images, (list, tuple)) and all(image.dim() == 3 for image in images)
        features = [self.body(image.unsqueeze(0)).flatten(2).transpose(1, 2)[0] for image in images]
        boxes, scores = [self.box(each) for each in features], [self.score(each)[:, 0] for each in features]
        if targets is None:
            return [box[score > 0] for box, score in zip(boxes, scores)]
        matched = [torch.cdist(box.float(), target["boxes"].float()).argmin(1) for box, target in zip(boxes, targets)]
        kept = torch.cat([box[found == 0] for box, found in zip(boxes, matched)])
        return {"boxes": kept.abs().mean(), "scores": torch.cat(scores).square().mean()}


def build_model():
    return Detector()


def make_batch(batch_size, length):
    images = [torch.rand(3, length, length + place % 2) for place in range(batch_size)]
    targets = [
        {"boxes": torch.rand(1 + place % 3, 4), "labels": torch.arange(1 + place % 3), "image_id": place}
        for place in range(batch_size)
    ]
    return images, targets
"""
TABLE = {
    "name": "detector",
    "data": {"samples": 32, "image_size": 16, "loader_workers": 0},
}


def workload(folder: Path, code: str = DETECTOR, precision: str = "fp32") -> Workload:
    (folder / "detector.py").write_text(code, "utf-8")
    model = {"source": "python", "file": str(folder / "detector.py")}
    training = {"batch_size": 4, "precision": precision, "optimizer": "sgd"}
    return load_workload({**TABLE, "model": model, "training": training})


def loaded(folder: Path, code: str = DETECTOR, precision: str = "fp32") -> LoadedModel:
    return load(workload(folder, code, precision), allow_code=True)


def test_the_losses_that_a_detector_returns_by_name_are_summed(tmp_path: Path) -> None:
    model = loaded(tmp_path)
    batch = model.make_batch(3)
    losses = model.module(*batch)
    assert torch.allclose(model.loss(model.module, batch), losses["boxes"] + losses["scores"])


def test_what_a_detector_returns_instead_of_losses_is_said(tmp_path: Path) -> None:
    model = loaded(
        tmp_path, DETECTOR.replace('return {"boxes": kept', 'return torch.zeros(3) if True else {"boxes": kept')
    )
    with pytest.raises(SaidError) as caught:
        model.loss(model.module, model.make_batch(2))
    assert caught.value.reasons[0].code == "worker-file-no-losses"
    assert "float32[3]" in caught.value.text


@pytest.mark.parametrize("returned", ["[(torch.zeros(3), 1)] * batch_size", "['a'] * batch_size", "([], [])"])
def test_lists_that_hold_no_tensors_or_whole_samples_are_refused(tmp_path: Path, returned: str) -> None:
    code = DETECTOR[: DETECTOR.index("    images = [")] + f"    return {returned}\n"
    with pytest.raises(SaidError) as caught:
        list(map(loaded(tmp_path, code).make_batch, (2, 3)))  # one size could be a pair by chance
    assert caught.value.reasons[0].code == "worker-file-no-batch"


def test_half_precision_reaches_every_real_number_in_a_list(tmp_path: Path) -> None:
    batch = loaded(tmp_path, precision="fp16_true").make_batch(2)
    assert {tensor.dtype for tensor in tensors_of(batch)} == {torch.float16, torch.int64}


def test_a_real_step_of_a_detector_changes_its_weights(tmp_path: Path) -> None:
    model = loaded(tmp_path)
    before = [parameter.detach().clone() for parameter in model.module.parameters()]
    step = TrainingStep(model, workload(tmp_path), TorchDevice("cpu"))
    step.set_batch_size(4)
    step()
    assert any(not torch.equal(old, new) for old, new in zip(before, model.module.parameters(), strict=True))
    assert sum(isinstance(each, torch.Tensor) and each.dim() == 3 for each in step.tensors()) == 4


def test_samples_come_together_as_the_batch_that_they_are_of(tmp_path: Path) -> None:
    batch = loaded(tmp_path).make_batch(3)
    assert isinstance(batch, tuple)
    listed = listed_columns(batch, loaded(tmp_path).make_batch(4))
    again = collation_of(batch, listed)([sample_of(batch, place, listed) for place in range(3)])
    assert [image.shape for image in again[0]] == [image.shape for image in batch[0]]
    assert [target["image_id"] for target in again[1]] == [0, 1, 2]
    assert torch.equal(again[1][2]["boxes"], batch[1][2]["boxes"])
    stacked = collation_of({"x": torch.zeros(2, 3)})([{"x": torch.zeros(3)}, {"x": torch.ones(3)}])
    assert stacked["x"].shape == (2, 3)
    named = {"images": batch[0], "sizes": torch.arange(3)}
    joined = collation_of(named, {"images"})([sample_of(named, place, {"images"}) for place in range(3)])
    assert isinstance(joined["images"], list)
    assert joined["sizes"].tolist() == [0, 1, 2]
    changed = mapped(batch, lambda tensor: tensor + 1)
    assert isinstance(changed, tuple)
    assert changed[1][0]["image_id"] == 0
    assert torch.equal(changed[0][0], batch[0][0] + 1)


def test_a_detector_is_traced_sample_by_sample_with_the_boxes_that_it_keeps(tmp_path: Path) -> None:
    table = trace(subject_of(workload(tmp_path), "fp32", allow_code=True), "fp32")
    assert {"trace-sizes-by-values", "trace-loops-over-samples"} <= {caveat.code for caveat in table.caveats}
    convolutions = [op for op in table.ops if op.kind == "convolution" and op.phase == "forward"]
    flop = sum(op.count * at(op.flop, 8) for op in convolutions if op.name == "convolution")
    assert flop == pytest.approx(8 * 2 * 27 * 8 * 16 * 16.5, rel=1e-6)
    assert table.trainable_parameter_count == sum(p.numel() for p in nn.Conv2d(3, 8, 3).parameters()) + 45


def test_the_launch_script_trains_a_detector_on_lists(tmp_path: Path) -> None:
    made = advice()
    assert made.recommendation is not None
    chosen = msgspec.structs.replace(
        made.recommendation, count=1, strategy="single", precision="fp32", batch_size_per_device=4, thread_count=1
    )
    asked = msgspec.structs.replace(made, recommendation=chosen, workload=workload(tmp_path))
    assert run_script(tmp_path, asked, "--steps", "3")["steps"] == 3


VIEWS = """
import torch


class Views(torch.nn.Linear):
    def forward(self, x):
        x = x if isinstance(x, list) else [x]
        return torch.cat([super(Views, self).forward(view) for view in x])


def build_model():
    return Views(4, 2)


def make_batch(batch_size, length):
    return [torch.randn(batch_size, 4) for _ in range(3)]


def training_step(model, views):
    return model(views[:2]).mean() + model(views[2]).mean()
"""


def test_views_in_a_list_reach_the_files_own_step_as_a_list(tmp_path: Path) -> None:
    model = loaded(tmp_path, VIEWS)
    batch = model.make_batch(3)
    assert isinstance(batch, list)
    assert model.loss(model.module, batch).dim() == 0
    step = TrainingStep(model, workload(tmp_path, VIEWS), TorchDevice("cpu"))
    step.set_batch_size(4)
    step()
