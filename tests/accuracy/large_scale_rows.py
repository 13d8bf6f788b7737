"""Published runs on up to 1,024 devices over networks, with what is predicted for them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from advisor.catalogue.optimizers import Optimizer
from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.links import parse_interconnect
from advisor.cost.scaling.scaling import scale_steps
from advisor.cost.scaling.traffic import traffic_of
from advisor.optable.compiled_table import compile_table
from advisor.predict.ranges.scaling_range import grid_efficiency_range
from advisor.workload.workload import Training
from tests.accuracy.tables import load_table
from tests.cost.small_tables import predicted_steps

DATA = Path(__file__).parent / "data" / "published_large_scale.csv"


@dataclass(frozen=True, kw_only=True)
class LargeScaleRow:
    """One published efficiency against a smaller run (one card or one host), and ours with its range."""

    workload: str
    length: int
    gpu_key: str
    count: int
    reference_count: int
    accumulation: int
    interconnect: str
    published: float
    predicted: float
    low: float
    high: float
    source: str


def read_large_scale(path: Path = DATA) -> list[LargeScaleRow]:
    """Every row of the table, predicted."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_row(fields) for fields in csv.DictReader(file)]


def _row(fields: dict[str, str]) -> LargeScaleRow:
    spec, precision = spec_table()[fields["gpu_key"]], cast("Precision", fields["precision"])
    batch, count, reference = (int(fields[name]) for name in ("batch_per_gpu", "n_gpus", "reference_gpus"))
    table = load_table(fields["workload"], fields["length"], precision, "training")
    training = Training(
        precision=precision,
        batch_size=batch,
        optimizer=cast("Optimizer", fields["optimizer"]),
        attention="eager",
        read_loss_every=0,
    )
    grid = scale_steps(
        predicted_steps(compile_table(table), training, precision, [spec], [batch]),
        traffic_of(table, precision),
        [parse_interconnect(fields["interconnect"], spec, cards_per_node=int(fields["cards_per_node"]))],
        [spec.memory_bandwidth_bytes_per_s or 0.0],
        [batch],
        strategies=("ddp",),
        counts=(reference, count),
        setting=Setting(accumulation_steps=int(fields["accumulation"])),
    )
    base = float(grid.efficiency[0, 0, 0, 0])
    low, high = grid_efficiency_range(grid)
    return LargeScaleRow(
        workload=fields["workload"],
        length=int(fields["length"]),
        gpu_key=fields["gpu_key"],
        count=count,
        reference_count=reference,
        accumulation=int(fields["accumulation"]),
        interconnect=fields["interconnect"],
        published=float(fields["efficiency"]),
        predicted=float(grid.efficiency[0, 1, 0, 0]) / base,
        low=float(low[0, 1, 0, 0]) / base,
        high=float(high[0, 1, 0, 0]) / base,
        source=fields["source"],
    )
