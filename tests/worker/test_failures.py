"""What torch says of a GPU that it cannot use becomes a named failure with its remedy, never a bug of ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import torch
import transformers

from advisor.core.sentences import Reason, SaidError, say
from advisor.core.units import format_seconds
from advisor.protocol.messages import Failed, MicrobenchmarkRequest, TraceRequest
from advisor.worker.failures import describe
from advisor.worker.train.peak_memory import LiveBytes
from advisor.workload.workload_file import load_workload

if TYPE_CHECKING:
    from collections.abc import Callable


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
    assert failed.world_fault
    assert failed.reason == Reason.of(code, device="cuda")
    assert say(failed.reason, "en") != say(failed.reason, "zh")


def of_a_configuration(error: Exception) -> Failed:
    """What is told of an exception of a trace of a model that a configuration gives."""
    workload = load_workload(
        {"name": "one", "model": {"source": "huggingface", "config": {"model_type": "bert", "hidden_size": 8}}}
    )
    return describe(error, TraceRequest(workload=workload, precisions=("fp32",)))


def raised_by(call: Callable[[], object]) -> Exception:
    """The exception that a call raises, with its traceback."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is
        call()
    return caught.value


def call_of_the_library(statement: str) -> Callable[[], object]:
    """A call of a function that stands in a file of transformers and runs `statement`."""
    found: dict[str, Any] = {"torch": torch, "format_seconds": format_seconds}
    file = Path(str(transformers.__file__)).parent / "models" / "made_up.py"
    exec(compile(f"def call():\n    {statement}", str(file), "exec"), found)
    call: Callable[[], object] = found["call"]
    return call


def test_what_a_library_raises_of_an_architecture_is_told_with_its_name_and_a_remedy() -> None:
    failed = of_a_configuration(raised_by(call_of_the_library("raise TypeError('no such mask\\nand more')")))
    assert failed.reason == Reason.of("worker-model-failed", model="`bert`", error="TypeError: `no such mask`")
    assert "Python file" in say(failed.reason, "en")
    assert not failed.world_fault  # it may be a fault of ours


def test_an_exception_without_words_is_told_by_its_name_alone() -> None:
    failed = of_a_configuration(raised_by(call_of_the_library("raise NotImplementedError")))
    assert failed.reason == Reason.of("worker-model-failed", model="`bert`", error="NotImplementedError")


def test_an_exception_that_cannot_tell_itself_is_told_by_its_name() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise AttributeError(self)

    failed = describe(MuteError(), TraceRequest(workload=load_workload("iris_mlp"), precisions=("fp32",)))
    assert (failed.exception, failed.text) == ("MuteError", "MuteError")


def test_an_exception_that_names_a_file_of_another_encoding_goes_through_the_pipe() -> None:
    def call() -> None:
        Path("/no\udce9where").read_text(encoding="utf-8")

    failed = describe(raised_by(call), TraceRequest(workload=load_workload("iris_mlp"), precisions=("fp32",)))
    received = msgspec.json.decode(msgspec.json.encode(failed), type=Failed)
    assert received == failed
    assert "/no\\udce9where" in received.text
    assert "/no\\udce9where" in received.traceback


def test_what_torch_raises_below_a_mode_that_looks_on_is_of_the_library() -> None:
    def call() -> None:
        with LiveBytes():
            call_of_the_library("torch.zeros(2, 3) @ torch.zeros(2, 3)")()

    reason = of_a_configuration(raised_by(call)).reason
    assert reason is not None
    assert reason.code == "worker-model-failed"


def test_a_fault_of_ours_is_not_told_as_one_of_the_configuration() -> None:
    ours = raised_by(lambda: format_seconds("x"))  # type: ignore[arg-type]
    assert of_a_configuration(ours).reason is None
    assert of_a_configuration(RuntimeError("raised nowhere")).reason is None
    within = call_of_the_library("format_seconds('x')")
    assert of_a_configuration(raised_by(within)).reason is None


def test_a_refusal_is_told_in_the_reader_s_language_with_its_remedy() -> None:
    refused = SaidError.of("worker-unknown-type", Reason.of("file-did-you-mean", word="bert"), given="`brt`")
    failed = of_a_configuration(refused)
    assert failed.reason is not None
    assert say(failed.reason, "en").endswith("cannot build. Did you mean `bert`?")
    assert say(failed.reason, "zh").endswith("无法构建。是否指 `bert`？")


@pytest.mark.filterwarnings("ignore:Sparse CSR")
def test_memory_of_sparse_tensors_is_that_of_their_places_and_values() -> None:
    dense = torch.eye(32)
    with LiveBytes() as live:
        coordinates = dense.to_sparse()
        of_coordinates = live.live_bytes
        rows = dense.to_sparse_csr()
    assert of_coordinates == 32 * (2 * 8 + 4)
    assert live.live_bytes - of_coordinates >= 33 * 8 + 32 * (8 + 4)
    del coordinates, rows
