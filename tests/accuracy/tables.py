"""Recorded operator tables of the published runs' models: reading them needs neither torch nor timm.

One file a table in `tables/`, named `WORKLOAD-LENGTH-PRECISION-MODE-LAYOUT.msgpack.xz`: LENGTH is the sequence
length, image side or audio samples; PRECISION one of fp32, amp, half; MODE training (also serves forward_backward)
or inference; LAYOUT nchw or nhwc, with `-sdpa` where attention is fused, and `-half` where PyTorch before 2.5 computed
in half what no fused kernel takes. `record_tables.py` writes them.
"""

from __future__ import annotations

import lzma
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from advisor.catalogue.precisions import Precision, TracePrecision
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Mode

FOLDER = Path(__file__).parent / "tables"
Layout = Literal["nchw", "nhwc"]

TRACE_PRECISION: dict[str, TracePrecision] = {
    "fp32": "fp32",
    "tf32": "fp32",
    "default": "fp32",
    "fp16_amp": "amp",
    "bf16_amp": "amp",
    "amp": "amp",
    "fp16": "half",
    "bf16": "half",
    "half": "half",
}


def table_path(
    workload: str,
    length: int | str,
    precision: Precision | TracePrecision,
    mode: Mode,
    layout: Layout = "nchw",
    *,
    fused: bool = False,
    half_fallback: bool = False,
) -> Path:
    """Where the table of this workload is recorded (whether it is or not); `fused`: with fused attention.

    `half_fallback`: as PyTorch before 2.5 traced the attention that no fused kernel takes.
    """
    passes = "inference" if mode == "inference" else "training"
    suffix = f"{'-sdpa' if fused else ''}{'-half' if half_fallback else ''}"
    name = f"{workload}-{int(float(length))}-{TRACE_PRECISION[precision]}-{passes}-{layout}{suffix}.msgpack.xz"
    return FOLDER / name


def pack(table: OpTable) -> bytes:
    """A table as it is stored."""
    return lzma.compress(msgspec.msgpack.encode(table), preset=9 | lzma.PRESET_EXTREME)


@cache
def load_table(
    workload: str,
    length: int | str,
    precision: Precision | TracePrecision,
    mode: Mode,
    layout: Layout = "nchw",
    *,
    fused: bool = False,
    half_fallback: bool = False,
) -> OpTable:
    """The recorded table; raises FileNotFoundError where this combination was not recorded."""
    return read_table(table_path(workload, length, precision, mode, layout, fused=fused, half_fallback=half_fallback))


def read_table(path: Path) -> OpTable:
    """The table that `pack` wrote there; raises FileNotFoundError where none lies."""
    return msgspec.msgpack.decode(lzma.decompress(path.read_bytes()), type=OpTable)
