"""What torch says of a GPU that it cannot use becomes a named failure with its remedy, never a bug of ours."""

from __future__ import annotations

import pytest

from advisor.protocol.messages import MicrobenchmarkRequest, TraceRequest
from advisor.worker.failures import describe
from advisor.workload.workload_file import load_workload


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("CUDA error: no kernel image is available for execution on the device", "worker-no-kernels-for-gpu"),
        ("CUDA driver version is insufficient for CUDA runtime version", "worker-driver-too-old"),
        ("The NVIDIA driver on your system is too old (found version 11040).", "worker-driver-too-old"),
        ("Torch not compiled with CUDA enabled", "worker-cpu-only-torch"),
        ("No CUDA GPUs are available", "worker-gpu-hidden"),
        ("Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU", "worker-gpu-hidden"),
        ("CUDA error: system not yet initialized", "worker-fabric-manager"),
        ("CUDA error: all CUDA-capable devices are busy or unavailable", "worker-gpu-busy"),
    ],
)
def test_what_torch_says_of_a_gpu_it_cannot_use_is_named(said: str, code: str) -> None:
    failed = describe(RuntimeError(said), MicrobenchmarkRequest(device="cuda", budget_s=1.0))
    assert failed.code == code
    assert failed.world_fault
    assert failed.remedy


def test_what_a_library_raises_of_an_architecture_is_told_with_its_name_and_a_remedy() -> None:
    workload = load_workload(
        {"name": "one", "model": {"source": "huggingface", "config": {"model_type": "bert", "hidden_size": 8}}}
    )
    failed = describe(
        TypeError("forward() missing 1 argument\nand more"), TraceRequest(workload=workload, precisions=("fp32",))
    )
    assert failed.code == "worker-model-failed"
    assert failed.text == "model.config: `bert` fails here: TypeError: `forward() missing 1 argument`."
    assert "Python file" in failed.remedy
    assert not failed.world_fault  # it may be a fault of ours
