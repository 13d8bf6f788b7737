"""Times what the worker does not run by itself, in a process of its own: `python -m tests.on_gpu.direct KIND DEVICE`.

KIND is one of `compile`, `flash`, `fsdp`, `optimizer_8bit` (a step of the smaller GPT-2 or of a perceptron), `hold`
(takes memory until its input ends), `assert` (breaks the context on purpose). Prints one JSON object.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import sys
import tempfile
from dataclasses import replace
from typing import Any

import torch

from advisor.worker.models.load_model import LoadedModel, load
from advisor.worker.train.device import TorchDevice
from advisor.worker.train.training_step import TrainingStep
from advisor.workload.workload import Data, TemplateModel, Training, Workload, with_training
from advisor.workload.workload_file import load_workload

_BLOCKS = 12
_WARM_UP = 3


def main() -> int:
    """Run the asked kind; the exit code is 0 where it ran, 3 where this torch or machine has it not."""
    kind, name = sys.argv[1:3]
    device = TorchDevice(name)
    try:
        facts = _KINDS[kind](device)
    except (ImportError, NotImplementedError) as error:
        facts = {"absent": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(facts), flush=True)
    return 3 if "absent" in facts else 0


def _workload(device: TorchDevice) -> Workload:
    """GPT-2 small on a GPU; where something slower stands in for one, a perceptron."""
    if device.kind == "cuda":
        return with_training(load_workload("gpt2_small"), precision="bf16_amp", batch_size=4)
    return Workload(
        name="perceptron",
        model=TemplateModel(template="mlp", layers=(64, 64, 8)),
        data=Data(samples=1000),
        training=Training(precision="bf16_amp", batch_size=8, optimizer="adamw"),
    )


def _timed(loaded: LoadedModel, workload: Workload, device: TorchDevice) -> dict[str, object]:
    step = TrainingStep(loaded, workload, device)
    step.set_batch_size(workload.training.batch_size)
    device.time_block(step, _WARM_UP)
    device.reset_peak_memory()
    blocks = [device.time_block(step, 1) for _ in range(_BLOCKS)]
    peaks = device.peak_memory_bytes()
    return {
        "workload": workload.name,
        "wall_s": statistics.median(block.wall_s for block in blocks),
        "device_s": statistics.median(block.device_s or 0.0 for block in blocks),
        "peak_allocated_bytes": None if peaks is None else peaks[0],
    }


def _plain(device: TorchDevice) -> tuple[LoadedModel, Workload]:
    workload = _workload(device)
    return load(workload, device=device.kind), workload


def _compiled(device: TorchDevice) -> dict[str, object]:
    loaded, workload = _plain(device)
    eager = _timed(loaded, workload, device)
    compiled = replace(loaded, module=torch.compile(loaded.module))  # type: ignore[arg-type]
    return _timed(compiled, workload, device) | {"eager_wall_s": eager["wall_s"]}


def _flash(device: TorchDevice) -> dict[str, object]:
    """Attention by the flash kernel alone: it fails where the kernel cannot take these tensors."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    if device.kind != "cuda":
        message = "flash attention is a kernel of CUDA's"
        raise NotImplementedError(message)
    shape = (8, 12, 512, 64)
    query, key, value = (torch.randn(shape, device=device.device, dtype=torch.bfloat16) for _ in range(3))
    exact = torch.nn.functional.scaled_dot_product_attention(query.float(), key.float(), value.float(), is_causal=True)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):

        def attend() -> torch.Tensor:
            return torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)

        error = (attend().float() - exact).norm() / exact.norm()
        device.time_block(attend, _WARM_UP)
        block = device.time_block(attend, _BLOCKS)
    return {"wall_s": block.wall_s, "device_s": block.device_s, "relative_error": float(error)}


def _sharded(device: TorchDevice) -> dict[str, object]:
    """One rank with its parameters in shards, as the launch scripts write it."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    with tempfile.TemporaryDirectory() as folder:
        backend = dist.get_default_backend_for_device(device.kind)
        dist.init_process_group(backend, init_method=f"file://{folder}/meet", rank=0, world_size=1)
        try:
            loaded, workload = _plain(device)
            mesh = init_device_mesh(device.kind, (1,))
            for child in loaded.module.children():
                if any(True for _ in child.parameters()):
                    fully_shard(child, mesh=mesh)
            fully_shard(loaded.module, mesh=mesh)
            return _timed(loaded, workload, device)
        finally:
            dist.destroy_process_group()


def _optimizer_in_8_bits(device: TorchDevice) -> dict[str, object]:
    import bitsandbytes  # type: ignore[import-not-found]

    loaded, workload = _plain(device)
    made: Any = bitsandbytes.optim.AdamW8bit
    return _timed(replace(loaded, make_optimizer=lambda: made(loaded.module.parameters())), workload, device)


def _hold(device: TorchDevice) -> dict[str, object]:
    """Take half of the memory that is free, say so, and hold it until the input ends."""
    free = torch.cuda.mem_get_info()[0] if device.kind == "cuda" else 64 << 20
    taken = torch.ones(free // 2, dtype=torch.int8, device=device.device)
    device.synchronise()
    print(json.dumps({"held_bytes": taken.numel()}), flush=True)
    sys.stdin.read()
    return {"held_bytes": taken.numel()}


def _assert(device: TorchDevice) -> dict[str, object]:
    """Look up a row that is not there: on CUDA the context is lost, and every later call fails."""
    table = torch.ones(4, 4, device=device.device)
    with contextlib.suppress(RuntimeError, IndexError):
        torch.nn.functional.embedding(torch.tensor([99], device=device.device), table)
        device.synchronise()
    try:
        float(torch.ones(2, device=device.device).sum().item())
    except RuntimeError as error:
        return {"context_lost": True, "text": str(error).splitlines()[0][:200]}
    return {"context_lost": False}


_KINDS = {
    "compile": _compiled,
    "flash": _flash,
    "fsdp": _sharded,
    "optimizer_8bit": _optimizer_in_8_bits,
    "hold": _hold,
    "assert": _assert,
}

if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # a lost context would wait for the card at the interpreter's end
