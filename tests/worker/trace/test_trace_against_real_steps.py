import msgspec
import pytest
import torch

from advisor.cost.memory.need import host_bytes
from advisor.worker.models.load_model import load
from advisor.worker.trace.trace import subject_of, trace
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.peak_memory import LiveBytes
from advisor.worker.train.training_step import TrainingStep
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload


def bundled(name: str, batch: int, length: int | None) -> Workload:
    workload = with_training(
        load_workload(name), precision="fp32", batch_size=batch, gradient_accumulation_steps=1, clip_gradient_norm=None
    )
    if length is not None:
        field = "image_size" if workload.data.image_size is not None else "sequence_length"
        workload = msgspec.structs.replace(workload, data=msgspec.structs.replace(workload.data, **{field: length}))
    return workload


def real_peak(workload: Workload, batch: int) -> int:
    """Bytes of live tensors at the height of the second real step, all operators followed."""
    step = TrainingStep(load(workload, allow_code=True), workload, TorchDevice("cpu"))
    step.set_batch_size(batch)
    step()
    followed = LiveBytes()
    followed.see(step.tensors())
    with followed:
        step()
    return followed.peak_bytes


@pytest.mark.parametrize(
    ("name", "batch", "length"),
    [
        ("iris_mlp", 64, None),
        ("rnn_characters", 16, None),
        ("lstm_classifier", 16, None),
        ("resnet50", 3, 96),
        ("unet_vgg16", 1, 64),
        ("gpt2_small", 1, 64),
    ],
)
def test_predicted_peak_memory_is_that_of_a_real_step_on_the_processor(
    name: str, batch: int, length: int | None
) -> None:
    torch.set_num_threads(1)
    workload = bundled(name, batch, length)
    table = trace(subject_of(workload, "fp32", device_rules="cpu", allow_code=True), "fp32")
    predicted = host_bytes(table, workload.training, "fp32", batch)
    assert predicted is not None
    measured = real_peak(workload, batch)
    print(f"{name}: predicted {predicted / 1e6:.3f} MB, measured {measured / 1e6:.3f} MB")
    assert predicted == pytest.approx(measured, rel=0.005)
