"""Asking one device for its fields: an answer, or None with the reason kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from advisor.core.sentences import Reason
from advisor.hardware.driver_problems import LOST_CODES, NOT_SUPPORTED
from advisor.hardware.machine import Refusal
from advisor.hardware.sampler.nvml import NONSENSE, Nvml, NvmlRefusedError

T = TypeVar("T")

_UNSET = 0xFFFFFFFF
_UNIFIED_NAMES = ("nvgpu", "orin", "xavier", "thor", "tegra", "gb10")


class FieldReader:
    """Asks one device for its fields and keeps what was refused; once the device is lost it asks no more."""

    def __init__(self, nvml: Nvml, handle: Any, index: int) -> None:  # noqa: ANN401 - an opaque pointer
        """`handle` must not be NULL."""
        self.nvml = nvml
        self.handle = handle
        self.index = index
        self.refusals: list[Refusal] = []
        self.lost: Reason | None = None

    def ask(self, functions: str | tuple[str, ...], *arguments: Any) -> Any:  # noqa: ANN401 - as pynvml
        """What the driver answers of the device. Raises NvmlRefusedError, once the device is lost that of its loss."""
        if self.lost is not None:
            raise NvmlRefusedError(self.lost)
        try:
            return self.nvml.first_of(functions, self.handle, *arguments)
        except NvmlRefusedError as refusal:
            self.note_loss(refusal)
            raise

    def read(
        self,
        field: str,
        functions: str | tuple[str, ...],
        *arguments: Any,  # noqa: ANN401 - as pynvml
        convert: Callable[[Any], T],
        unsupported: T | None = None,
    ) -> T | None:
        """The field through `convert`, or None and a refusal; a value beyond reason is refused too.

        `unsupported`: what the field is where the card does not know such a thing, which is no refusal.
        """
        try:
            return convert(self.ask(functions, *arguments))
        except NvmlRefusedError as refusal:
            if refusal.code == NOT_SUPPORTED and unsupported is not None:
                return unsupported
            self.refuse(field, refusal.reason)
        except NONSENSE:
            self.refuse(field, Reason.of("refused-nonsense"))
        return None

    def note_loss(self, refusal: NvmlRefusedError) -> None:
        """Remember that the device is gone, so that nothing more is asked of it."""
        if refusal.code in LOST_CODES:
            self.lost = refusal.reason

    def refuse(self, field: str, reason: Reason) -> None:
        """Keep a refusal."""
        self.refusals.append(Refusal(field=field, reason=reason))


def positive(value: Any, scale: float = 1.0) -> float:  # noqa: ANN401 - whatever the driver gave
    """A figure in base units. Raises ValueError on zero, negative, unset or non-finite ones."""
    number = float(value)
    if not math.isfinite(number) or number <= 0 or number == _UNSET:
        raise ValueError(value)
    return number * scale


def hertz(value: Any) -> float:  # noqa: ANN401 - as above
    """A clock told in MHz. Raises ValueError beyond what any processor runs at."""
    return _at_most(positive(value, 1e6), _MOST_HERTZ)


def watts(value: Any) -> float:  # noqa: ANN401 - as above
    """A power told in mW. Raises ValueError beyond what any card takes."""
    return _at_most(positive(value, 1e-3), _MOST_WATTS)


def celsius(value: Any) -> float:  # noqa: ANN401 - as above
    """A temperature. Raises ValueError beyond what silicon survives."""
    return _at_most(float(count(value)), _MOST_CELSIUS)


def links(value: Any) -> int:  # noqa: ANN401 - as above
    """A generation or a number of lanes of PCIe. Raises ValueError beyond what its standard knows."""
    return int(_at_most(positive(value), _MOST_LANES))


def _at_most(number: float, most: float) -> float:
    if number > most:
        raise ValueError(number)
    return number


_MOST_HERTZ, _MOST_WATTS, _MOST_CELSIUS, _MOST_LANES = 20e9, 20e3, 200.0, 64.0
MOST_MEMORY_BYTES = 2**46
"""Far beyond any device (the largest of today have 2**39); drivers print error codes as unsigned figures."""


def count(value: Any) -> int:  # noqa: ANN401 - whatever the driver gave
    """A count or code. Raises ValueError on unset or negative ones."""
    number = int(value)
    if number < 0 or number == _UNSET:
        raise ValueError(value)
    return number


def text(value: Any) -> str:  # noqa: ANN401 - str from new, bytes from old bindings
    """A name without control characters. Raises ValueError when nothing is left."""
    decoded = value.decode("utf-8") if isinstance(value, bytes) else str(value)
    cleaned = "".join(character for character in decoded if character.isprintable()).strip()[:256]
    if not cleaned:
        raise ValueError(value)
    return cleaned


def memory_info(nvml: Nvml, handle: Any) -> tuple[int, int, int, int | None]:  # noqa: ANN401 - an opaque pointer
    """(total, free, used, reserved) in bytes; reserved is None from an old driver. Raises NvmlRefusedError."""
    try:
        info = nvml.call("nvmlDeviceGetMemoryInfo", handle, nvml.constant("nvmlMemory_v2"))
        return int(info.total), int(info.free), int(info.used), int(info.reserved)
    except NvmlRefusedError as refusal:
        if refusal.code in LOST_CODES:
            raise
    info = nvml.call("nvmlDeviceGetMemoryInfo", handle)
    return int(info.total), int(info.free), int(info.used), None


def is_unified(name: str | None) -> bool:
    """Whether a GPU of this name shares the host's memory."""
    return name is not None and any(word in name.lower() for word in _UNIFIED_NAMES)
