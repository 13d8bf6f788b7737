"""Answers a `MicrobenchmarkRequest`: runs the calibration kernels of one device within the budget."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from advisor.catalogue.precisions import Precision
from advisor.protocol.messages import MicrobenchmarkRequest, Progress, StageEnded
from advisor.worker.event_box import EventBox
from advisor.worker.failures import is_out_of_memory
from advisor.worker.train.device import TorchDevice, environment, kernel_mode
from advisor.worker.train.microbenchmark_cases import Case, accelerator_cases, cpu_cases, elementwise, matmul
from advisor.worker.train.stages import Stage, Stages

_LEAST_CASE_S = 0.02
_WANTED_CASE_S = 0.15
_LEAST_CASES = 5
_FULL_SHARE_S = 1.0
_FLUSH_LEAST_BYTES = 32 << 20


def answer(request: MicrobenchmarkRequest, box: EventBox) -> None:
    """Run the cases that the budget allows, the most telling first, each sample sent as it is made."""
    started = time.monotonic()
    device = TorchDevice(request.device)
    torch.manual_seed(0)
    stages = Stages(box, device)
    first, *others = request.thread_counts or (torch.get_num_threads(),)
    if device.is_cpu:
        torch.set_num_threads(first)
    box.send(environment(device))
    deadline = started + request.budget_s
    cases = cpu_cases(has_bf16=cpu_has_bf16()) if device.is_cpu else accelerator_cases(gpu_precisions(device))
    compared = (matmul("fp32", 512, 512, 512), elementwise("fp32", 1 << 23))
    extra = [(case, count) for count in others for case in compared] if device.is_cpu else []
    todo = [(case, first) for case in cases]
    todo[8:8] = extra
    todo = todo[: max(_LEAST_CASES, int(request.budget_s / _WANTED_CASE_S))]
    flush = _cache_flusher(device)
    for number, (case, threads) in enumerate(todo):
        left_s = deadline - time.monotonic()
        share_s = min(_FULL_SHARE_S, left_s / (len(todo) - number))
        if share_s < _LEAST_CASE_S:
            break
        box.send(Progress(phase="measure-phase-calibrate", fraction=number / len(todo), detail=case.kind))
        if device.is_cpu:
            torch.set_num_threads(threads)
        _run_case(case, stages, device, share_s, {"threads": float(threads)} if device.is_cpu else {}, flush, box)
    if device.is_cpu:
        torch.set_num_threads(first)
    device.release_cached_memory()


def _run_case(  # noqa: PLR0913 - one case in its surroundings
    case: Case,
    stages: Stages,
    device: TorchDevice,
    budget_s: float,
    also: dict[str, float],
    flush: Callable[[], object] | None,
    box: EventBox,
) -> None:
    """Run one case; a case that the device cannot run is reported as ended and the others go on."""
    try:
        with kernel_mode(case.precision):
            stages.run(
                Stage(series=case.kind, precision=case.precision, budget_s=budget_s, figures=case.figures | also),
                case.step(device),
                between=flush if case.flush_cache else None,
            )
    except (RuntimeError, MemoryError, NotImplementedError) as error:
        reason = "out_of_memory" if is_out_of_memory(error) else "not_supported"
        box.send(StageEnded(series=case.kind, batch_size=None, precision=case.precision, reason=reason))


def cpu_has_bf16() -> bool:
    """Whether the processor multiplies bfloat16 itself (AVX512-BF16 or AMX), so that it may gain by it."""
    asked = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(bool(getattr(torch.cpu, name, bool)()) for name in asked)


def gpu_precisions(device: TorchDevice) -> tuple[Precision, ...]:
    """Precisions that this accelerator has in hardware."""
    if device.kind != "cuda":
        return ("fp32", "fp16", "bf16") if device.kind == "xpu" else ("fp32", "fp16")
    major = torch.cuda.get_device_capability(0)[0]
    ampere = 8
    return ("fp32", "tf32", "fp16", "bf16") if major >= ampere else ("fp32", "fp16")


def _cache_flusher(device: TorchDevice) -> Callable[[], object] | None:
    """Writes as many bytes as the device's L2 cache holds, so that the next block reads from memory."""
    if device.kind != "cuda":
        return None
    size = int(getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 0)) or _FLUSH_LEAST_BYTES
    buffer = torch.empty(size, dtype=torch.int8, device=device.device)
    return buffer.zero_
