"""Published efficiencies of several cards, each with the prediction of its single step from recorded tables."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import numpy as np

from advisor.catalogue.spec_table import spec_table
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.links import Link, interconnect_or_usual
from advisor.cost.scaling.scaling import ScaledGrid, scale_steps
from advisor.cost.scaling.traffic import Traffic, traffic_of
from advisor.cost.step_parts import OWN_PARTS
from advisor.cost.step_time import StepGrid
from advisor.optable.compiled_table import compile_table
from advisor.predict.ranges.scaling_range import grid_efficiency_range
from advisor.workload.workload import Training
from tests.accuracy.tables import Layout, load_table
from tests.cost.small_tables import predicted_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.catalogue.optimizers import Optimizer
    from advisor.catalogue.precisions import Precision
    from advisor.cost.scaling.scaling_figures import ScalingFigures

DATA = Path(__file__).parent / "data" / "published_scaling.csv"
_SINGLE_STEPS = Path(__file__).parent / "published_steps.csv"

OPTIMIZERS: dict[str, tuple[Optimizer, bool]] = {
    "bert_base_squad": ("adamw", True),
    "bert_large_squad": ("adamw", True),
    "waveglow": ("adam", False),
    "resnet50_v1_5": ("sgd_momentum", False),
    "resnext101_32x4d": ("sgd_momentum", False),
    "ssd300_resnet50": ("sgd_momentum", False),
}
"""What the published runs stepped with, and whether in a fused kernel (as in published_steps.csv)."""


@dataclass(frozen=True, kw_only=True)
class ScalingRow:
    """One published median with what is predicted for one card of it."""

    workload: str
    gpu_key: str
    precision: Precision
    batch_size: int
    count: int
    interconnect: str
    efficiency: float
    suspect: str
    steps: StepGrid
    traffic: Traffic
    link: Link
    memory_bytes_per_s: float
    half_range: float
    """Half of what the runs behind the median differ by."""
    timed_step_s: float | None
    """One card's step as the same sources print it; None: not for this card and batch."""

    def as_timed(self) -> ScalingRow:
        """The row with one card's step as long as it was timed, so that a fit of links does not answer for steps."""
        if self.timed_step_s is None:
            return self
        ratio = self.timed_step_s / self.steps.total_s.item()
        longer = {name: getattr(self.steps, name) * ratio for name in OWN_PARTS}
        return replace(self, steps=replace(self.steps, **longer))

    @property
    def healthy(self) -> bool:
        """Whether nothing in the source says that the host was sick."""
        return not self.suspect


def read_rows(path: Path = DATA) -> list[ScalingRow]:
    """Every row of the published table, suspect ones included."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_row(fields) for fields in csv.DictReader(file)]


def _row(fields: dict[str, str]) -> ScalingRow:
    workload, precision = fields["workload"], cast("Precision", fields["precision"])
    spec = spec_table()[fields["gpu_key"]]
    batch_size = int(float(fields["batch_per_gpu"]))
    steps, traffic = _single(workload, fields["gpu_key"], precision, int(fields["seq_len_or_img"]), batch_size)
    return ScalingRow(
        workload=workload,
        gpu_key=fields["gpu_key"],
        precision=precision,
        batch_size=batch_size,
        count=int(fields["n_gpus"]),
        interconnect=fields["interconnect"],
        efficiency=float(fields["efficiency"]),
        suspect=fields["suspect"],
        steps=steps,
        traffic=traffic,
        link=interconnect_or_usual(fields["interconnect"], spec),
        memory_bytes_per_s=spec.memory_bandwidth_bytes_per_s or 0.0,
        half_range=(float(fields["high"]) - float(fields["low"])) / 2,
        timed_step_s=_timed_steps_s().get((workload, fields["gpu_key"], precision, batch_size)),
    )


@cache
def _timed_steps_s() -> dict[tuple[str, str, str, int], float]:
    """Medians of one card's published training steps by workload, card, precision and batch, all that were timed."""
    timed: dict[tuple[str, str, str, int], list[float]] = defaultdict(list)
    with _SINGLE_STEPS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["mode"] == "training":
                key = (row["workload"], row["gpu_key"], row["precision"], int(float(row["batch_per_gpu"])))
                timed[key].append(float(row["ms"]) / 1e3)
    return {key: float(np.median(found)) for key, found in timed.items()}


@cache
def _single(
    workload: str, gpu_key: str, precision: Precision, length: int, batch_size: int
) -> tuple[StepGrid, Traffic]:
    layout: Layout = "nhwc" if workload == "resnext101_32x4d" and precision == "fp16_amp" else "nchw"
    table = load_table(workload, length, precision, "training", layout)
    optimizer, fused = OPTIMIZERS[workload]
    training = Training(
        precision=precision,
        batch_size=batch_size,
        optimizer=optimizer,
        fused_optimizer=fused,
        attention="eager",
        channels_last=layout == "nhwc",
        read_loss_every=0,
    )
    steps = predicted_steps(compile_table(table), training, precision, [spec_table()[gpu_key]], [batch_size])
    return steps, traffic_of(table, precision)


def predict(rows: Sequence[ScalingRow], figures: ScalingFigures | None = None) -> np.ndarray:
    """Predicted (efficiency, low, high) of each row, shape (rows, 3)."""
    grids = [_scaled(row, row.link, figures) for row in rows]
    ends = [grid_efficiency_range(grid, figures) for grid in grids]
    return np.array(
        [(grid.efficiency.item(), low.item(), high.item()) for grid, (low, high) in zip(grids, ends, strict=True)]
    )


def efficiencies_of(rows: Sequence[ScalingRow], figures: ScalingFigures) -> np.ndarray:
    """Predicted efficiency of each row without its range, shape (rows,)."""
    # A link that was measured has no badly routing host beside it, which would be worked out for the range alone.
    links = [msgspec.structs.replace(row.link, basis="measured") for row in rows]
    return np.array([_scaled(row, link, figures).efficiency.item() for row, link in zip(rows, links, strict=True)])


def _scaled(row: ScalingRow, link: Link, figures: ScalingFigures | None) -> ScaledGrid:
    return scale_steps(
        row.steps,
        row.traffic,
        [link],
        [row.memory_bytes_per_s],
        [row.batch_size],
        strategies=("ddp",),
        counts=(row.count,),
        setting=Setting(),
        figures=figures,
    )
