"""Fit the figures of `resources/scaling.toml` to published efficiencies: python tools/fit_scaling.py [--write].

Prints the error in-sample and with each card left out in turn, and the share of rows inside the range.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from scipy.optimize import least_squares

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from advisor.cost.scaling.scaling_figures import ScalingFigures, Spread, scaling_figures  # noqa: E402 - the checkout first
from tests.accuracy.scaling_rows import ScalingRow, predict, read_rows  # noqa: E402 - the same

if TYPE_CHECKING:
    from collections.abc import Sequence

ANCHORS = {
    "nvlink_fraction": (0.67, 0.12),
    "pcie_fraction": (0.65, 0.20),
    "bridged_ring_ratio": (1.0, 0.20),
    "host_bytes_per_s": (7e9, 0.20),
    "virtual_bytes_per_s": (8e9, 0.30),
    "direct_overlap_loss_fraction": (0.20, 0.40),
    "host_overlap_loss_fraction": (0.80, 0.20),
    "gradient_pass_count": (10.0, 0.40),
    "jitter_fraction": (0.015, 0.40),
}
"""Each figure's measured or physical anchor, and how far (in the log) the fit may pull it for one sigma.

nvlink_fraction: A100 SXM x 8, nccl-tests about 200 of 300 GB/s; pcie_fraction: A100 PCIe x 3, 20 of 32 GB/s;
host_bytes_per_s: RTX 3090 Ti through the host 6 GB/s on a x8 slot; gradient_pass_count: copy in and out of the bucket,
average, and the reduction's own reads and writes.
"""
_CEILINGS = {"direct_overlap_loss_fraction": 1.0, "host_overlap_loss_fraction": 1.0, "bridged_ring_ratio": 1.99}
NOISE = 0.025
"""Repeats of one published run on one card differ by this much."""
COVERAGE = (0.10, 0.91)
"""Quantiles of the left-out residuals that the range spans."""


def _with(figures: ScalingFigures, logs: np.ndarray) -> ScalingFigures:
    values = {name: float(np.exp(log)) for name, log in zip(ANCHORS, logs, strict=True)}
    limited = {name: min(value, _CEILINGS.get(name, value)) for name, value in values.items()}
    return msgspec.structs.replace(figures, fitted=msgspec.structs.replace(figures.fitted, **limited))


def fit(rows: Sequence[ScalingRow], figures: ScalingFigures) -> ScalingFigures:
    """The figures that fit `rows` best, held by their anchors."""
    centre = np.log([anchor for anchor, _ in ANCHORS.values()])
    width = np.array([sigma for _, sigma in ANCHORS.values()])
    truth = np.array([row.efficiency for row in rows])

    def residuals(logs: np.ndarray) -> np.ndarray:
        return np.concatenate([(predict(rows, _with(figures, logs))[:, 0] - truth) / NOISE, (logs - centre) / width])

    found = least_squares(residuals, centre, loss="soft_l1", max_nfev=40, diff_step=1e-3)
    return _with(figures, found.x)


def left_out(rows: Sequence[ScalingRow], figures: ScalingFigures) -> np.ndarray:
    """Predicted efficiency of each row from a fit that has not seen its card."""
    found = np.empty(len(rows))
    for card in sorted({row.gpu_key for row in rows}):
        fitted = fit([row for row in rows if row.gpu_key != card], figures)
        own = [number for number, row in enumerate(rows) if row.gpu_key == card]
        found[own] = predict([rows[number] for number in own], fitted)[:, 0]
    return found


def spread_of(predicted: np.ndarray, truth: np.ndarray) -> Spread:
    """A range with a fixed part and one that grows with the loss, from left-out residuals.

    Residuals are set against 0.02 + 0.3 x loss, below and above apart; their quantiles scale both parts.
    """
    loss = np.maximum(0.0, 1.0 - predicted)
    scale = 0.02 + 0.3 * loss
    low, high = np.quantile((truth - predicted) / scale, COVERAGE)
    return Spread(
        below_fraction=round(float(-low * 0.02), 4),
        above_fraction=round(float(high * 0.02), 4),
        below_of_loss_ratio=round(float(-low * 0.3), 4),
        above_of_loss_ratio=round(float(high * 0.3), 4),
    )


def write(figures: ScalingFigures) -> None:
    """Put the fitted figures and the spread into `resources/scaling.toml`, comments untouched."""
    path = ROOT / "resources" / "scaling.toml"
    text = path.read_text(encoding="utf-8")
    for name, value in (msgspec.structs.asdict(figures.fitted) | msgspec.structs.asdict(figures.spread)).items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value:.4g}", text, count=1, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Fit, print, and with --write keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write resources/scaling.toml")
    arguments = parser.parse_args()
    rows = [row for row in read_rows() if row.healthy]
    truth = np.array([row.efficiency for row in rows])
    figures = fit(rows, scaling_figures())
    for name, value in msgspec.structs.asdict(figures.fitted).items():
        print(f"{name:24} {value:.4g}")
    inside = np.abs(predict(rows, figures)[:, 0] - truth)
    outside = left_out(rows, scaling_figures())
    figures = msgspec.structs.replace(figures, spread=spread_of(outside, truth))
    bounds = predict(rows, figures)
    held = np.mean((truth >= bounds[:, 1]) & (truth <= bounds[:, 2]))
    print(
        f"{len(rows)} rows; mean absolute error of efficiency, points: in-sample {100 * inside.mean():.2f}, "
        f"leave-one-card-out {100 * np.abs(outside - truth).mean():.2f}; inside the range {100 * held:.0f} %"
    )
    for card in sorted({row.gpu_key for row in rows}):
        own = np.array([row.gpu_key == card for row in rows])
        print(
            f"  {card:16} {100 * inside[own].mean():.2f} in-sample, "
            f"{100 * np.abs(outside - truth)[own].mean():.2f} left out, {own.sum()} rows"
        )
    print(figures.spread)
    if arguments.write:
        write(figures)


if __name__ == "__main__":
    main()
