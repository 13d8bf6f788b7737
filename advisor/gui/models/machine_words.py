"""The machine in words: for the foot of the navigation, the cards, and problem reports."""

from __future__ import annotations

import platform

from advisor.core.sentences import visible
from advisor.core.units import format_quantity
from advisor.gui.texts import Texts
from advisor.hardware.machine import Machine
from advisor.present.card_names import short_name

FORMATS = {
    "utilisation": lambda value: f"{100 * value:.0f} %",
    "power": lambda value: f"{value:.0f} W",
    "clock": lambda value: format_quantity(value, "Hz"),
    "temperature": lambda value: f"{value:.0f} °C",
    "pressure": lambda value: f"{100 * value:.0f} %",
}
"""How a live figure is written, by its metric."""


def summary_lines(machine: Machine | None, texts: Texts) -> list[str]:
    """Host name, devices, memory: at most three short lines."""
    name = platform.node() or texts("window-this-machine")
    if machine is None:
        return [name, texts("machine-looking-short")]
    cpu = short_name(visible(machine.cpu.name or texts("machine-cpu")))
    devices = texts("machine-gpus-short", count=len(machine.gpus)) if machine.gpus else texts("machine-no-gpu-short")
    return [name, f"{devices} · {texts.size(machine.memory.total_bytes)}", cpu]


def software_line(machine: Machine, texts: Texts) -> str:
    """`driver 580.95 · CUDA 13.0 · torch 2.9`, with what is missing named as missing."""
    software = machine.software
    driver = software.driver
    parts = [texts("machine-driver", version=driver) if driver else texts("machine-no-driver")]
    if software.cuda_driver:
        parts.append(f"CUDA {software.cuda_driver}")
    parts.append(f"torch {software.torch}" if software.torch else texts("machine-no-torch"))
    parts.append(f"Python {software.python}")
    parts.append(software.os)
    return visible(" · ".join(parts))
