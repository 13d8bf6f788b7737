"""Torch calls `load` when it is imported, as it does for every installed accelerator backend."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import torch

LIBRARY = "ADVISOR_STAND_IN"
"""Names the built library; without it torch stays as it is."""
CAPACITY = "ADVISOR_STAND_IN_BYTES"
"""How many bytes of memory the device has."""
NAME = "stand_in"


def load() -> None:
    """Register the device `stand_in` with its module `torch.stand_in`."""
    path = os.environ.get(LIBRARY)
    if not path or not Path(path).is_file():
        return
    torch.ops.load_library(path)
    if os.environ.get(CAPACITY):
        torch.ops.stand_in.set_capacity(int(os.environ[CAPACITY]))
    torch.utils.rename_privateuse1_backend(NAME)
    torch._register_device_module(NAME, StandIn())
    torch.utils.generate_methods_for_privateuse1_backend()
    if torch.distributed.is_available():
        from stand_in_backend.collectives import register

        register(NAME)


class StandIn:
    """What torch and its users look for under `torch.stand_in`."""

    __name__ = f"torch.{NAME}"

    @staticmethod
    def is_available() -> bool:
        return True

    @staticmethod
    def is_initialized() -> bool:
        return True

    @staticmethod
    def _is_in_bad_fork() -> bool:
        return False

    @staticmethod
    def device_count() -> int:
        return 1

    @staticmethod
    def current_device() -> int:
        return 0

    @staticmethod
    def set_device(_device: object) -> None:
        return None

    @staticmethod
    def get_device_name(_device: object = 0) -> str:
        return "the processor, standing in for an accelerator"

    @staticmethod
    def manual_seed_all(_seed: int) -> None:
        return None

    @staticmethod
    def get_rng_state(_device: object = 0) -> torch.Tensor:
        return torch.zeros(8, dtype=torch.uint8)

    @staticmethod
    def set_rng_state(_state: torch.Tensor, _device: object = 0) -> None:
        return None

    @staticmethod
    def get_amp_supported_dtype() -> Iterable[torch.dtype]:
        return [torch.float16, torch.bfloat16]

    @staticmethod
    def synchronize(_device: object = None) -> None:
        return None

    @staticmethod
    def Event(*, enable_timing: bool = False) -> torch.Event:  # noqa: N802 - torch's own name
        return torch.Event(NAME, enable_timing=enable_timing)

    @staticmethod
    def Stream() -> torch.Stream:  # noqa: N802 - the same
        return torch.Stream(NAME)

    @staticmethod
    def reset_peak_memory_stats(_device: object = None) -> None:
        torch.ops.stand_in.reset_peaks()

    @staticmethod
    def memory_allocated(_device: object = None) -> int:
        return int(torch.ops.stand_in.figures()[0])

    @staticmethod
    def max_memory_allocated(_device: object = None) -> int:
        return int(torch.ops.stand_in.figures()[1])

    @staticmethod
    def max_memory_reserved(_device: object = None) -> int:
        return int(torch.ops.stand_in.figures()[3])

    @staticmethod
    def empty_cache() -> None:
        torch.ops.stand_in.empty_cache()
