"""Fit the figures of `resources/scaling.toml` to published efficiencies: python tools/fit_scaling.py [--write].

Prints the error in-sample, with each card and each model left out in turn, and the share of rows inside the range.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from scipy.optimize import least_squares

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from advisor.cost.scaling.scaling_figures import ScalingFigures, Spread, scaling_figures  # noqa: E402 - the checkout first
from tests.accuracy.scaling_rows import ScalingRow, efficiencies_of, predict, read_rows  # noqa: E402 - the same

if TYPE_CHECKING:
    from collections.abc import Sequence

LeftOut = Literal["gpu_key", "workload"]
ANCHORS = {
    "nvlink_fraction": (0.67, 0.12),
    "pcie_fraction": (0.65, 0.20),
    "bridged_ring_ratio": (1.0, 0.20),
    "host_bytes_per_s": (7e9, 0.20),
    "virtual_bytes_per_s": (8e9, 0.30),
    "direct_overlap_loss_fraction": (0.20, 0.40),
    "host_overlap_loss_fraction": (0.80, 0.20),
    "gradient_pass_count": (10.0, 0.40),
    "host_contention_exponent": (0.5, 0.30),
    "socket_contention_exponent": (0.32, 0.50),
    "straggler_fraction": (0.015, 0.70),
}
"""Each figure's measured or physical anchor, and how far (in the log) the fit may pull it for one sigma.

nvlink_fraction: A100 SXM x 8, nccl-tests about 200 of 300 GB/s; pcie_fraction: A100 PCIe x 3, 20 of 32 GB/s;
host_bytes_per_s: RTX 3090 Ti through the host 6 GB/s on a x8 slot; gradient_pass_count: copy in and out of the bucket,
average, and the reduction's own reads and writes; socket_contention_exponent: RTX 5090 on PCIe 5.0, 35 GB/s with four
and 28 with eight.
"""
_CEILINGS = {"direct_overlap_loss_fraction": 1.0, "host_overlap_loss_fraction": 1.0, "bridged_ring_ratio": 1.99}
NOISE = 0.025
"""Repeats of one published run on one card differ by this much; half of what a row's own runs differ by comes to it."""
COVERAGE = (0.09, 0.92)
"""Quantiles of the healthy rows' left-out residuals that the range spans."""
_STEP = 1e-3
_REWEIGHTED = 30


def _with(figures: ScalingFigures, logs: np.ndarray) -> ScalingFigures:
    values = {name: float(np.exp(log)) for name, log in zip(ANCHORS, logs, strict=True)}
    limited = {name: min(value, _CEILINGS.get(name, value)) for name, value in values.items()}
    return msgspec.structs.replace(figures, fitted=msgspec.structs.replace(figures.fitted, **limited))


def _logs(figures: ScalingFigures) -> np.ndarray:
    return np.log([getattr(figures.fitted, name) for name in ANCHORS])


class _Residuals:
    """Residuals of rows, one card's step as timed, in units of their noise, and of the figures from their anchors."""

    def __init__(self, rows: Sequence[ScalingRow], figures: ScalingFigures) -> None:
        self.rows, self.figures = [row.as_timed() for row in rows], figures
        self.truth = np.array([row.efficiency for row in rows])
        self.noise = np.hypot(NOISE, [row.half_range for row in rows])
        self.centre = np.log([anchor for anchor, _ in ANCHORS.values()])
        self.width = np.array([sigma for _, sigma in ANCHORS.values()])

    def of_rows(self, logs: np.ndarray) -> np.ndarray:
        found = efficiencies_of(self.rows, _with(self.figures, logs))
        return np.asarray((found - self.truth) / self.noise)

    def all(self, logs: np.ndarray) -> np.ndarray:
        return np.concatenate([self.of_rows(logs), (logs - self.centre) / self.width])


def fit(rows: Sequence[ScalingRow], figures: ScalingFigures, only: Sequence[str] = ()) -> ScalingFigures:
    """The figures that fit `rows` best, held by their anchors; all others than `only` as they are, where it names some.

    The loss is Cauchy's: it lets go of rows far from all others, as hosts that route badly are not marked as such.
    """
    residuals = _Residuals(rows, figures)
    start = _logs(figures)
    free = np.array([not only or name in only for name in ANCHORS])

    def moved(logs: np.ndarray) -> np.ndarray:
        every = start.copy()
        every[free] = logs
        return every

    found = least_squares(
        lambda logs: residuals.all(moved(logs)), start[free], loss="cauchy", max_nfev=15, diff_step=_STEP
    )
    return _with(figures, moved(found.x))


class FitsBeside:
    """Fits that have not seen a card, or a model, each found beside the fit to all by reweighted least squares.

    `figures` must be the fit to all healthy rows; one Jacobian there serves all.
    """

    def __init__(self, rows: Sequence[ScalingRow], figures: ScalingFigures) -> None:
        """Move every figure a little, once."""
        self.rows, self.figures = rows, figures
        self.residuals, self.start = _Residuals(rows, figures), _logs(figures)
        self.at_start = self.residuals.of_rows(self.start)
        moved = [self.residuals.of_rows(self.start + _STEP * unit) for unit in np.eye(len(self.start))]
        self.jacobian = np.stack([(found - self.at_start) / _STEP for found in moved], axis=1)

    def left_out(self, key: LeftOut) -> np.ndarray:
        """Predicted efficiency of each row by a fit to the healthy rows that share no card, or no model, with it."""
        names, healthy = np.array([getattr(row, key) for row in self.rows]), [row.healthy for row in self.rows]
        found = np.empty(len(self.rows))
        for name in sorted(set(names.tolist())):
            own = names == name
            others = ~own & healthy
            logs = self.start + _beside(self.jacobian[others], self.at_start[others], self.residuals, self.start)
            rows = [row for row, out in zip(self.rows, own, strict=True) if out]
            found[own] = efficiencies_of(rows, _with(self.figures, logs))
        return found


def _beside(jacobian: np.ndarray, at_start: np.ndarray, residuals: _Residuals, start: np.ndarray) -> np.ndarray:
    """The step from `start` to the least sum of Cauchy losses of linearised residuals and the anchors' squares."""
    held = np.diag(1.0 / residuals.width)
    off = (start - residuals.centre) / residuals.width
    step = np.zeros_like(start)
    for _ in range(_REWEIGHTED):
        weight = 1.0 / (1.0 + (at_start + jacobian @ step) ** 2)
        anchor_weight = np.diag(held @ held) / (1.0 + (off + held @ step) ** 2)
        normal = jacobian.T @ (weight[:, None] * jacobian) + np.diag(anchor_weight)
        right = jacobian.T @ (weight * at_start) + anchor_weight * (start - residuals.centre)
        step = -np.linalg.solve(normal, right)
    return step


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


def _report(name: str, rows: Sequence[ScalingRow], outside: np.ndarray, figures: ScalingFigures) -> None:
    truth = np.array([row.efficiency for row in rows])
    bounds = predict(rows, figures)
    inside, left = np.abs(bounds[:, 0] - truth), np.abs(outside - truth)
    held = (truth >= bounds[:, 1]) & (truth <= bounds[:, 2])
    print(
        f"{name}: {len(rows)} rows; mean absolute error of efficiency, points: in-sample {100 * inside.mean():.2f}, "
        f"leave-one-card-out {100 * left.mean():.2f}; inside the range {100 * held.mean():.0f} %"
    )
    cards = np.array([row.gpu_key for row in rows])
    for card in sorted(set(cards.tolist())):
        own = cards == card
        print(
            f"  {card:16} {100 * inside[own].mean():.2f} in-sample, {100 * left[own].mean():.2f} left out, "
            f"{100 * held[own].mean():.0f} % inside, {own.sum()} rows"
        )


def main() -> None:
    """Fit, print, and with --write keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write resources/scaling.toml")
    parser.add_argument("--only", nargs="+", choices=tuple(ANCHORS), default=(), help="fit these, hold the others")
    arguments = parser.parse_args()
    every = read_rows()
    figures = fit([row for row in every if row.healthy], scaling_figures(), arguments.only)
    for name, value in msgspec.structs.asdict(figures.fitted).items():
        print(f"{name:28} {value:.4g}")
    fits = FitsBeside(every, figures)
    outside, unseen = fits.left_out("gpu_key"), fits.left_out("workload")
    healthy, truth = np.array([row.healthy for row in every]), np.array([row.efficiency for row in every])
    figures = msgspec.structs.replace(figures, spread=spread_of(outside[healthy], truth[healthy]))
    for name, own in (("healthy", healthy), ("all", np.ones_like(healthy))):
        _report(name, [row for row, kept in zip(every, own, strict=True) if kept], outside[own], figures)
        print(f"{name}: leave-one-model-out {100 * np.abs(unseen - truth)[own].mean():.2f}")
    print(figures.spread)
    if arguments.write:
        write(figures)


if __name__ == "__main__":
    main()
