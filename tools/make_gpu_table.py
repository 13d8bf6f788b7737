"""Writes resources/gpus.toml from tools/data/gpu_specs.csv: vendor units in, base SI units out, nothing invented.

Run `python tools/make_gpu_table.py`; with `--check` it only says whether the committed table is up to date.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tools" / "data" / "gpu_specs.csv"
TARGET = ROOT / "resources" / "gpus.toml"

CHECKED = "2025-12"
"""Release month of the specification database against which the rows of the source were checked."""

GIB, MIB = 2**30, 2**20

# Names as the driver reports them, from NVIDIA's list of supported products. Drivers before 465 said
# "GeForce …" and "A100-…" without the maker's name in front: both are listed where such drivers ran the card.
NVML_NAMES = {
    "v100-pcie-16": ("Tesla V100-PCIE-16GB",),
    "v100-pcie-32": ("Tesla V100-PCIE-32GB",),
    "v100-sxm2-16": ("Tesla V100-SXM2-16GB",),
    "v100-sxm2-32": ("Tesla V100-SXM2-32GB",),
    "a100-pcie-40": ("NVIDIA A100-PCIE-40GB", "A100-PCIE-40GB"),
    "a100-pcie-80": ("NVIDIA A100 80GB PCIe", "A100 80GB PCIe"),
    "a100-sxm4-40": ("NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB"),
    "a100-sxm4-80": ("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"),
    "rtx3090": ("NVIDIA GeForce RTX 3090", "GeForce RTX 3090"),
    "rtx4090": ("NVIDIA GeForce RTX 4090",),
    "l40s": ("NVIDIA L40S",),
    "l4": ("NVIDIA L4",),
    "t4": ("Tesla T4", "NVIDIA T4"),
    "p100-pcie-16": ("Tesla P100-PCIE-16GB",),
    "h100-pcie": ("NVIDIA H100 PCIe",),
    "h100-sxm": ("NVIDIA H100 80GB HBM3",),
    "h200-sxm": ("NVIDIA H200",),
    "rtx2080ti": ("NVIDIA GeForce RTX 2080 Ti", "GeForce RTX 2080 Ti"),
    "a6000": ("NVIDIA RTX A6000", "RTX A6000"),
    "a10": ("NVIDIA A10", "A10"),
    "a40": ("NVIDIA A40", "A40"),
    "rtx4080": ("NVIDIA GeForce RTX 4080",),
    "rtx3080-10": ("NVIDIA GeForce RTX 3080", "GeForce RTX 3080"),
    "rtx3070": ("NVIDIA GeForce RTX 3070", "GeForce RTX 3070"),
    "rtx3060-12": ("NVIDIA GeForce RTX 3060", "GeForce RTX 3060"),
    "rtx5090": ("NVIDIA GeForce RTX 5090",),
    "b200-sxm": ("NVIDIA B200",),
    "rtx3080ti": ("NVIDIA GeForce RTX 3080 Ti",),
    "rtx3090ti": ("NVIDIA GeForce RTX 3090 Ti",),
    "rtx6000ada": ("NVIDIA RTX 6000 Ada Generation",),
    "titanrtx": ("NVIDIA TITAN RTX", "TITAN RTX"),
    "qrtx8000": ("Quadro RTX 8000", "NVIDIA Quadro RTX 8000"),
    "mi250": (),
    "mi300x": (),
    "a4000": ("NVIDIA RTX A4000", "RTX A4000"),
    "a4500": ("NVIDIA RTX A4500", "RTX A4500"),
    "a5000": ("NVIDIA RTX A5000", "RTX A5000"),
    "a5500": ("NVIDIA RTX A5500",),
    "qrtx6000": ("Quadro RTX 6000", "NVIDIA Quadro RTX 6000"),
}

# Boards whose servers join all GPUs by NVSwitch. V100 SXM2 servers are a mesh of direct links.
NVSWITCH = frozenset({"a100-sxm4-40", "a100-sxm4-80", "h100-sxm", "h200-sxm", "b200-sxm"})

# (column of the source, field of the table, factor to base SI units)
FIGURES = (
    ("sms", "sm_count", 1),
    ("boost_mhz", "boost_clock_hz", 1e6),
    ("fp32_tflops", "fp32_flop_per_s", 1e12),
    ("tf32_dense_tflops", "tf32_flop_per_s", 1e12),
    ("fp16_tensor_dense_fp32acc_tflops", "fp16_flop_per_s", 1e12),
    ("bf16_dense_tflops", "bf16_flop_per_s", 1e12),
    ("memory_gb", "memory_bytes", GIB),
    ("bandwidth_gbs", "memory_bandwidth_bytes_per_s", 1e9),
    ("l2_mb", "l2_bytes", MIB),
    ("tdp_w", "power_w", 1),
)

HEADER = f"""\
# Published figures of GPUs. Written by tools/make_gpu_table.py from tools/data/gpu_specs.csv: change those, not this.
#
# A file for `--gpu-file` has the same schema: one [[gpu]] table for each card, base SI units, figures that are not
# known simply left out (never 0, never another card's). `advisor --detect` prints a card's name and memory.
#
#   key                           lower-case name for --gpus, unique; required
#   name                          name shown to people; required
#   nvml_names                    exact names as the driver reports them, matched together with the memory size
#   compute_capability            "8.9"; AMD and others: left out
#   sm_count                      streaming multiprocessors (AMD: compute units)
#   boost_clock_hz                highest sustained clock of the data sheet
#   fp32_flop_per_s               FP32 on the ordinary cores
#   tf32_flop_per_s               dense TF32 on tensor cores; left out: the card has none
#   fp16_flop_per_s               dense FP16 on tensor cores with FP32 accumulation; left out: no tensor cores
#   bf16_flop_per_s               dense BF16 likewise; left out: not native
#   memory_bytes                  nominal size, a multiple of GiB; the driver shows up to 8 % less (ECC)
#   memory_bandwidth_bytes_per_s  of the data sheet
#   l2_bytes                      last-level cache
#   power_w                       board power
#   nvlink_bytes_per_s            one way, summed over all links (half of the bidirectional figure of data sheets)
#   nvlink_pairs_only             true: only by a bridge between two cards
#   nvswitch                      true: servers join all GPUs of this card by NVSwitch
#   pcie_generation, pcie_lane_count
#   peer_to_peer                  true/false: GPUs reach each other over PCIe with the stock driver; left out: unknown
#   released                      ISO 8601 date, as far as it is known
#   source                        where the figures are from; required
#   checked                       when they were checked, ISO 8601; required
#   note                          what a reader should know
#
# Sizes: memory in GiB and caches in MiB as vendors mean them; all rates decimal. Checked against {CHECKED}.
"""


def figure(text: str, factor: float) -> float | int | None:
    """A figure in base units; None for `none`, `unknown` and what stands for them in the source."""
    cleaned = text.strip()
    if not cleaned or cleaned.startswith(("none", "unknown", "not ")):
        return None
    value = round(float(cleaned) * factor, 3)
    return int(value) if value == int(value) else value


def nvlink(text: str) -> dict[str, object]:
    """One-way bytes/s and whether only pairs can be bridged, of texts like `600 (12 links NVLink3)`."""
    match = re.match(r"\d+(?:\.\d+)?", text)
    if match is None:  # "none", and Infinity Fabric whose value the source does not have
        return {}
    found: dict[str, object] = {"nvlink_bytes_per_s": figure(match[0], 1e9 / 2)}
    return found | ({"nvlink_pairs_only": True} if "pairs only" in text else {})


def pcie(text: str) -> dict[str, object]:
    """Generation and lanes of `PCIe 4.0 x16`."""
    match = re.fullmatch(r"PCIe (\d)\.0 x(\d+)", text.strip())
    return {"pcie_generation": int(match[1]), "pcie_lane_count": int(match[2])} if match else {}


def peer_to_peer(text: str) -> dict[str, object]:
    """Peer-to-peer over PCIe: a checked yes or no; left out where the source calls it unclear or unchecked."""
    if "not checked" in text or "unclear" in text:
        return {}
    return {"peer_to_peer": text.startswith("yes")}


def row_of(source: dict[str, str]) -> dict[str, object]:
    """One row of the table."""
    key = source["gpu_key"]
    row: dict[str, object] = {"key": key, "name": source["name"], "nvml_names": list(NVML_NAMES[key])}
    if source["compute_capability"]:
        row["compute_capability"] = source["compute_capability"]
    for column, field, factor in FIGURES:
        value = figure(source[column], factor)
        if value is not None:
            row[field] = value
    row |= nvlink(source["nvlink_gbs_bidir"])
    if key in NVSWITCH:
        row["nvswitch"] = True
    row |= pcie(source["pcie"]) | peer_to_peer(source["p2p_over_pcie"])
    row |= {"released": source["released"], "source": f"{source['verified_by']}; {source['not_fetched']}"}
    row["checked"] = CHECKED
    if source["note"]:
        row["note"] = source["note"]
    return row


def toml_value(value: object) -> str:
    """A value in TOML; whole numbers with separators between thousands."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:_}"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def table() -> str:
    """The whole text of resources/gpus.toml."""
    with SOURCE.open(encoding="utf-8", newline="") as file:
        rows = [row_of(source) for source in csv.DictReader(file)]
    blocks = ["\n".join(["[[gpu]]", *(f"{name} = {toml_value(value)}" for name, value in row.items())]) for row in rows]
    return HEADER + "\n" + "\n\n".join(blocks) + "\n"


def main() -> int:
    """Write the table, or compare it."""
    text = table()
    if "--check" in sys.argv[1:]:
        current = TARGET.read_text(encoding="utf-8") == text
        print("up to date" if current else "resources/gpus.toml differs: run tools/make_gpu_table.py")
        return 0 if current else 1
    TARGET.write_text(text, encoding="utf-8")
    row_count = text.count("\n[[gpu]]\n")
    print(f"{row_count} GPUs written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
