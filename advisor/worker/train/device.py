"""One torch device for the measuring code: waiting for it, its event timers, its memory, and what it is."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from advisor.catalogue.precisions import PRECISION_FACTS, Precision
from advisor.core.system import this_system
from advisor.protocol.messages import Environment
from advisor.worker.replaced import replaced

_PROBE_SIZE = 64


@dataclass(frozen=True)
class Block:
    """`step_count` steps timed together; times are of ONE step, in seconds."""

    step_count: int
    wall_s: float
    device_s: float | None
    process_cpu_s: float
    """Processor time of the whole process, of one step."""
    started_monotonic_s: float
    system_cpu_s: float | None = None
    """The part of it that the system took; None where that is not told apart (Windows)."""

    @property
    def duration_s(self) -> float:
        """Of the whole block."""
        return self.wall_s * self.step_count


class TorchDevice:
    """`cpu`, or one accelerator as torch's device-independent interface offers it."""

    def __init__(self, kind: str) -> None:
        """Open the device; `kind` is `cpu`, `cuda`, `mps` or `xpu`. Raises what torch raises if it is absent."""
        self.kind = kind
        self.device = torch.device(kind)
        self.is_cpu = kind == "cpu"
        self._module: Any = None if self.is_cpu else getattr(torch, kind)
        probe = torch.ones(_PROBE_SIZE, _PROBE_SIZE, device=self.device)
        if float((probe @ probe)[0, 0].item()) != float(_PROBE_SIZE):
            message = f"a {_PROBE_SIZE}x{_PROBE_SIZE} matrix product on {kind} came out wrong"
            raise ArithmeticError(message)

    @property
    def copies_from_pinned_memory(self) -> bool:
        """Whether a copy from page-locked host memory runs beside the host; Apple's GPUs share the host's memory."""
        return self.kind not in {"cpu", "mps"}

    @property
    def block_least_s(self) -> float:
        """How long a block lasts at least: 20 ms on a CPU, 5 ms on a GPU."""
        return 0.020 if self.is_cpu else 0.005

    def synchronise(self) -> None:
        """Wait until the device has done all that was asked of it."""
        if not self.is_cpu:
            self._module.synchronize()

    def time_block(self, step: Callable[[], object], step_count: int) -> Block:
        """Run `step` `step_count` times between two synchronisations; device events where there are any."""
        first, last = self._event(), self._event()
        self.synchronise()
        system_s = this_system.system_cpu_s()
        cpu_s = time.process_time()
        started = time.monotonic()
        begin = time.perf_counter()
        if first is not None:
            first.record()
        for _ in range(step_count):
            step()
        if last is not None:
            last.record()
        self.synchronise()
        wall_s = time.perf_counter() - begin
        cpu_s = time.process_time() - cpu_s
        system_end_s = this_system.system_cpu_s()
        return Block(
            step_count=step_count,
            wall_s=wall_s / step_count,
            device_s=None if first is None else first.elapsed_time(last) / 1e3 / step_count,
            process_cpu_s=cpu_s / step_count,
            started_monotonic_s=started,
            system_cpu_s=None if system_s is None or system_end_s is None else (system_end_s - system_s) / step_count,
        )

    def _event(self) -> Any:  # noqa: ANN401 - each backend has an event class of its own
        """A timing event of this device, or None on a CPU and where the backend has none."""
        kind = getattr(self._module, "Event", None)
        return None if kind is None else kind(enable_timing=True)

    def reset_peak_memory(self) -> None:
        """Forget the peak so far."""
        reset = getattr(self._module, "reset_peak_memory_stats", None)
        if reset is not None:
            self.synchronise()
            reset()

    def peak_memory_bytes(self) -> tuple[int, int] | None:
        """(allocated, reserved) peaks in bytes since the reset; None where the backend keeps none."""
        allocated = getattr(self._module, "max_memory_allocated", None)
        reserved = getattr(self._module, "max_memory_reserved", None)
        if allocated is None or reserved is None:
            return None
        return int(allocated()), int(reserved())

    def release_cached_memory(self) -> None:
        """Give unused blocks back to the device."""
        empty = getattr(self._module, "empty_cache", None)
        if empty is not None:
            empty()


@contextlib.contextmanager
def kernel_mode(precision: Precision) -> Iterator[None]:
    """TF32 in the `with` block: for products and convolutions where `precision` is tf32, off for fp32.

    `default` leaves convolutions in TF32, as torch does by itself; the halves keep FP32 for what they leave over.
    cuDNN times its kernels for every new shape and takes the fastest, as launch scripts and benchmarks let it:
    left to its rules a U-Net in FP32 took 72 ms a step on an H200 instead of 53.
    """
    convolutions = precision == "tf32" or PRECISION_FACTS[precision].cudnn_in_tf32
    with (
        replaced(torch.backends.cuda.matmul, allow_tf32=precision == "tf32"),
        replaced(torch.backends.cudnn, allow_tf32=convolutions, benchmark=True),
    ):
        yield


def environment(device: TorchDevice | None) -> Environment:
    """Versions and settings of this process; with `device` its name and UUID too."""
    properties = torch.cuda.get_device_properties(0) if device is not None and device.kind == "cuda" else None
    uuid = getattr(properties, "uuid", None)
    return Environment(
        torch=str(torch.__version__),
        torch_cuda=None if torch.version.cuda is None else str(torch.version.cuda),
        arch_list=tuple(torch.cuda.get_arch_list()),
        device_name=getattr(properties, "name", None),
        device_uuid=None if uuid is None else f"GPU-{uuid}",
        thread_count=torch.get_num_threads(),
        accelerators=_accelerators(),
        settings=_settings(),
    )


def _accelerators() -> tuple[str, ...]:
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None or not accelerator.is_available():
        return ()
    kind = accelerator.current_accelerator().type
    module = getattr(torch, kind)
    names = []
    for index in range(accelerator.device_count()):
        name = module.get_device_name(index) if hasattr(module, "get_device_name") else "Apple GPU"
        names.append(f"{kind}:{index} {name}")
    return tuple(names)


def _settings() -> dict[str, str]:
    cudnn: Any = torch.backends.cudnn
    mkldnn: Any = torch.backends.mkldnn
    settings = {
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
        "cudnn.benchmark": str(torch.backends.cudnn.benchmark),
        "cudnn.allow_tf32": str(torch.backends.cudnn.allow_tf32),
        "cudnn": str(cudnn.version()) if cudnn.is_available() else "none",
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "mkldnn": str(mkldnn.is_available()),
        "interop_threads": str(torch.get_num_interop_threads()),
    }
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "PYTORCH_CUDA_ALLOC_CONF"):
        if name in os.environ:
            settings[name] = os.environ[name]
    return settings
