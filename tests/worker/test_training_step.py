"""One real step: its parts, its memory and its mode."""

from __future__ import annotations

import gc

import pytest
import torch

from advisor.worker.models.load_model import load
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.peak_memory import LiveBytes
from advisor.worker.train.stages import Stage
from advisor.worker.train.training_step import TrainingStep
from advisor.workload.workload import Data, Mode, TemplateModel, Training, Workload, with_training

WORKLOAD = Workload(
    name="perceptron",
    model=TemplateModel(template="mlp", layers=(64, 256, 8)),
    data=Data(samples=1000),
    training=Training(precision="fp32", batch_size=8, optimizer="adamw"),
)


def _step(**training: object) -> TrainingStep:
    torch.set_num_threads(1)
    workload = with_training(WORKLOAD, **training)
    step = TrainingStep(load(workload), workload, TorchDevice("cpu"))
    step.set_batch_size(8)
    return step


def test_the_parts_of_a_step_add_up_to_it() -> None:
    step = _step()
    device = TorchDevice("cpu")
    device.time_block(step, 2)
    step.take_parts(2)
    block = device.time_block(step, 20)
    parts = step.take_parts(20)
    assert sum(parts.values()) == pytest.approx(block.wall_s, rel=0.15)
    assert min(parts["forward"], parts["backward"], parts["optimizer"]) > 0.0
    assert sum(step.take_parts(1).values()) == 0.0


def test_a_step_changes_the_weights() -> None:
    workload = WORKLOAD
    loaded = load(workload)
    before = [parameter.detach().clone() for parameter in loaded.module.parameters()]
    step = TrainingStep(loaded, workload, TorchDevice("cpu"))
    step.set_batch_size(8)
    step()
    changed = [not torch.equal(old, new) for old, new in zip(before, loaded.module.parameters(), strict=True)]
    assert all(changed)


@pytest.mark.parametrize(("mode", "changes"), [("inference", False), ("forward_backward", False), ("training", True)])
def test_only_training_updates(mode: Mode, changes: bool) -> None:
    workload = with_training(WORKLOAD, mode=mode)
    loaded = load(workload)
    before = [parameter.detach().clone() for parameter in loaded.module.parameters()]
    step = TrainingStep(loaded, workload, TorchDevice("cpu"))
    step.set_batch_size(8)
    step()
    assert changes is not all(
        torch.equal(old, new) for old, new in zip(before, loaded.module.parameters(), strict=True)
    )


def test_the_tracked_peak_counts_weights_states_gradients_and_activations() -> None:
    step = _step()
    step()
    gc.collect()
    with LiveBytes() as live:
        live.see(step.tensors())
        resting = live.live_bytes
        step()
    parameters = 4 * (64 * 256 + 256 + 256 * 8 + 8)
    batch = 8 * 64 * 4 + 8 * 8
    assert resting == pytest.approx(3 * parameters + batch, rel=0.01)  # weights and two states; counters of steps
    assert live.peak_bytes >= resting + parameters
    assert live.peak_bytes < resting + 4 * parameters


def test_master_copies_count_as_memory_too() -> None:
    step = _step(precision="bf16")
    step()
    with LiveBytes() as live:
        live.see(step.tensors())
    parameters = 64 * 256 + 256 + 256 * 8 + 8
    assert live.live_bytes >= (2 + 4 + 8) * parameters


def test_a_tensor_that_dies_is_counted_no_longer() -> None:
    with LiveBytes() as live:
        first = torch.ones(1000)
        assert live.live_bytes == 4000
        view = first[10:]
        del first
        assert live.live_bytes == 4000
        del view
        assert live.live_bytes == 0
        torch.ones(500).add_(1)
    assert live.peak_bytes == 4000


def test_a_stage_keeps_its_own_figures() -> None:
    first = Stage("step", "fp32", 1.0)
    first.figures["threads"] = 1.0
    assert Stage("step", "fp32", 1.0).figures == {}
