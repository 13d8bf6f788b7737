"""The spec table and users' own GPU files: read, checked, and searched by the driver's exact name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from advisor.catalogue.gpu_spec import GpuSpec, with_usual_ratios
from advisor.core.bundled import resource
from advisor.core.file_fault import file_fault, remedy
from advisor.core.file_kinds import given_as
from advisor.core.input_file import read_toml
from advisor.core.records import Record

_MAX_BYTES = 262_144
_MAX_ROWS = 500
_LEAST_SHOWN_FRACTION, _MOST_SHOWN_FRACTION = 0.90, 1.02


class GpuFile(Record, frozen=True, kw_only=True):
    """A file of GPU specifications: `[[gpu]]` tables."""

    gpu: tuple[GpuSpec, ...]
    """One table for each card, at most 500, each with a key of its own."""


@cache
def spec_table() -> dict[str, GpuSpec]:
    """The bundled table, by key, in the order of the file; the caller must not change it."""
    return _read(resource("gpus.toml"))


def read_gpu_file(path: Path) -> dict[str, GpuSpec]:
    """The GPUs of a user's file, by key, what follows from other figures filled in.

    Raises InputError that names file, field and remedy.
    """
    with given_as("gpus", path):
        specs = _read(path)
    if not specs:
        raise file_fault("no-gpu", path=str(path))
    bundled = spec_table()
    for key, spec in specs.items():
        if key in bundled:
            raise file_fault("gpu-taken", path=str(path), key=key)
        for name, figure in _speeds(spec).items():
            if figure is None:
                raise file_fault("gpu-speed", path=str(path), key=key, field=name)
    return {key: with_usual_ratios(spec) for key, spec in specs.items()}


def spec_for(gpu_name: str, memory_total_bytes: int | None, table: Mapping[str, GpuSpec]) -> GpuSpec | None:
    """The row of the card with exactly this driver's name and memory size; None: a card of its own.

    Laptop, D, Max-Q, Super and other variants carry other names and never match. The driver shows up to 8 %
    less than the nominal size (ECC, reserved), so 90 to 102 % of it is taken as the same size.
    """
    if memory_total_bytes is None:
        return None
    for spec in table.values():
        if gpu_name in spec.nvml_names and spec.memory_bytes is not None:
            shown_fraction = memory_total_bytes / spec.memory_bytes
            if _LEAST_SHOWN_FRACTION <= shown_fraction <= _MOST_SHOWN_FRACTION:
                return spec
    return None


def _read(path: Path) -> dict[str, GpuSpec]:
    rows = read_toml(path, GpuFile, max_bytes=_MAX_BYTES).gpu
    if len(rows) > _MAX_ROWS:
        at_most = remedy("entries-remedy", limit=str(_MAX_ROWS))
        raise file_fault("gpus-many", at_most, path=str(path), given=str(len(rows)))
    specs = {row.key: row for row in rows}
    if len(specs) < len(rows):
        keys = [row.key for row in rows]
        double = next(key for key in keys if keys.count(key) > 1)
        raise file_fault("gpu-twice", path=str(path), key=double)
    return specs


def _speeds(spec: GpuSpec) -> dict[str, float | None]:
    """The figures without which no time can be predicted."""
    return {
        "fp32_flop_per_s": spec.fp32_flop_per_s,
        "memory_bandwidth_bytes_per_s": spec.memory_bandwidth_bytes_per_s,
        "memory_bytes": spec.memory_bytes,
    }
