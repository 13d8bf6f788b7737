import msgspec
import pytest
import torch

from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.cost.memory.need import host_bytes
from advisor.worker.models.load_model import load
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
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


LLAMA = {
    "model_type": "llama",
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 2048,
    "architectures": ["LlamaForCausalLM"],
}


@pytest.mark.parametrize(
    "settings",
    [
        {"precision": "bf16_true"},
        {"precision": "bf16_true", "optimizer_in_backward": True},
        {"precision": "fp32", "optimizer_in_backward": True},
        {"precision": "fp32", "chunked_loss": True},
        {"precision": "fp32", "activation_checkpointing": "full"},
        {"precision": "fp32", "activation_checkpointing": "selective"},
        {"precision": "fp32", "trainable": "lora", "lora_targets": "all_linear"},
        {"precision": "bf16_true", "trainable": "lora", "activation_checkpointing": "full", "chunked_loss": True},
    ],
    ids=lambda settings: " ".join(str(value) for value in settings.values()),
)
def test_settings_of_today_take_the_memory_that_was_predicted(settings: dict[str, object]) -> None:
    torch.set_num_threads(1)
    table = {
        "name": "small",
        "model": {"source": "huggingface", "config": dict(LLAMA)},
        "data": {"samples": 1000, "sequence_length": 64},
        "training": {"batch_size": 4, **settings},
    }
    workload = load_workload(table)
    precision = TRACE_PRECISIONS[workload.training.precision]
    traced = trace(subject_of(workload, precision, device_rules="cpu"), precision)
    predicted = host_bytes(traced, workload.training, workload.training.precision, 4)
    assert predicted is not None
    measured = real_peak(workload, 4)
    print(f"{settings}: predicted {predicted / 1e6:.3f} MB, measured {measured / 1e6:.3f} MB")
    assert predicted == pytest.approx(measured, rel=0.005)
