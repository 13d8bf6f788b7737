"""The published largest batches (timm's benchmark on an RTX 3090), and the fixed random samples that are recorded."""

from __future__ import annotations

import csv
import lzma
import random
from functools import cache
from pathlib import Path

import msgspec

from advisor.optable.op_table import OpTable

LADDER_FOLDER = Path(__file__).parent / "tables" / "ladder"
RUNGS = (512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1)
"""Batch sizes that the benchmark tries, downwards, until one fits."""
_SEED = 20261121
_SAMPLE_COUNT = 108
"""A hundred models, and enough more that those which today's timm no longer has can be passed over."""
_JUDGING_SEED = 4077
_JUDGING_COUNT = 85


@cache
def ladder_rows() -> tuple[dict[str, str], ...]:
    """All rows of `published_max_batch.csv`."""
    with (Path(__file__).parent / "published_max_batch.csv").open(encoding="utf-8") as file:
        return tuple(csv.DictReader(file))


@cache
def chosen_models() -> tuple[str, ...]:
    """The sample in which causes were looked for, in drawn order; drawn from the names alone."""
    names = sorted({row["workload"] for row in ladder_rows()})
    return tuple(random.Random(_SEED).sample(names, _SAMPLE_COUNT))


@cache
def judging_models() -> tuple[str, ...]:
    """The second sample, drawn from the names that the first left: no rule or figure was chosen by looking at it."""
    names = sorted({row["workload"] for row in ladder_rows()} - set(chosen_models()))
    return tuple(random.Random(_JUDGING_SEED).sample(names, _JUDGING_COUNT))


def ladder_path(workload: str, length: int, layout: str) -> Path:
    """Where the memory of this model is recorded."""
    return LADDER_FOLDER / f"{workload}-{length}-{layout}.msgpack.xz"


@cache
def load_ladder_table(workload: str, length: int, layout: str) -> OpTable:
    """The recorded table (memory only); raises FileNotFoundError where the model was not recorded."""
    return msgspec.msgpack.decode(lzma.decompress(ladder_path(workload, length, layout).read_bytes()), type=OpTable)
