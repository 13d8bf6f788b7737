"""A plot of predicted against measured step times as SVG text: no plotting library is needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from advisor.predict.evaluation import ScoredStep

_WIDTH, _HEIGHT, _MARGIN = 720, 620, 70
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart also by those who do not see red and green."""
_STYLE = (
    "text{font:13px sans-serif;fill:#444}.axis{stroke:#888}.grid{stroke:#ccc;stroke-width:.5}"
    ".equal{stroke:#444}.off{stroke:#888;stroke-dasharray:4 4}"
)


def scatter(steps: Sequence[ScoredStep]) -> str:
    """Both axes in milliseconds, logarithmic; one dot a run, coloured by family; 20 % off is dashed."""
    values = [1e3 * time for step in steps for time in (step.measured_s, step.predicted_s)]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def across(log: float) -> float:
        return _MARGIN + (log - low) / (high - low) * (_WIDTH - 2 * _MARGIN)

    def up(log: float) -> float:
        return _HEIGHT - _MARGIN - (log - low) / (high - low) * (_HEIGHT - 2 * _MARGIN)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        "<title>Predicted against measured step times, each model left out of the fit</title>",
        f'<style>{_STYLE}</style><rect width="100%" height="100%" fill="#fff"/>',
    ]
    for tick in range(low, high + 1):
        x, y = f"{across(tick):.1f}", f"{up(tick):.1f}"
        parts += [
            f'<line class="grid" x1="{x}" y1="{up(low):.1f}" x2="{x}" y2="{up(high):.1f}"/>',
            f'<line class="grid" x1="{across(low):.1f}" y1="{y}" x2="{across(high):.1f}" y2="{y}"/>',
            f'<text x="{across(tick):.1f}" y="{up(low) + 20:.1f}" text-anchor="middle">{10**tick:g}</text>',
            f'<text x="{across(low) - 8:.1f}" y="{up(tick) + 4:.1f}" text-anchor="end">{10**tick:g}</text>',
        ]
    for shift, kind in ((0.0, "equal"), (math.log10(1.2), "off"), (-math.log10(1.2), "off")):
        begin, end = max(low, low - shift), min(high, high - shift)
        parts.append(
            f'<line class="{kind}" x1="{across(begin):.1f}" y1="{up(begin + shift):.1f}" '
            f'x2="{across(end):.1f}" y2="{up(end + shift):.1f}"/>'
        )
    families = sorted({step.family for step in steps})
    for step in steps:
        colour = _COLOURS[families.index(step.family) % len(_COLOURS)]
        told = f"{step.workload}, {step.gpu_key}, {step.precision}, batch {step.batch_size}"
        parts.append(
            f'<circle cx="{across(math.log10(1e3 * step.measured_s)):.1f}" '
            f'cy="{up(math.log10(1e3 * step.predicted_s)):.1f}" r="3.5" fill="{colour}" fill-opacity=".65">'
            f"<title>{escape(told)}</title></circle>"
        )
    parts += _labels(families)
    return "\n".join([*parts, "</svg>", ""])


def _labels(families: Sequence[str]) -> list[str]:
    middle = _HEIGHT / 2
    parts = [
        f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 20}" text-anchor="middle">measured, ms a step</text>',
        f'<text x="20" y="{middle}" text-anchor="middle" transform="rotate(-90 20 {middle})">',
        "predicted, ms a step</text>",
    ]
    for row, family in enumerate(families):
        y = _MARGIN + 10 + 20 * row
        parts += [
            f'<circle cx="{_MARGIN + 16}" cy="{y}" r="5" fill="{_COLOURS[row % len(_COLOURS)]}"/>',
            f'<text x="{_MARGIN + 28}" y="{y + 4}">{escape(family)}</text>',
        ]
    return parts
