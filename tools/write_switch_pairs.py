"""Write `resources/switch_pairs.toml` from published runs that differ in one switch: tools/write_switch_pairs.py.

Two rows of one source make a pair where everything that describes them is the same but one switch. Pairs of a switch,
a card, a mode and a kind of model become one entry with their least, middle and greatest gain.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.accuracy.llm_rows import published_cells, training_of  # noqa: E402 - the same

RECORD = ROOT / "resources" / "switch_pairs.toml"
VISION = ROOT / "tests" / "accuracy" / "published_vision.csv"
HEAD = """# What one switch brought in published runs that differ in nothing else: tools/write_switch_pairs.py.
# gain: samples a second with the switch over without; saved: share of the peak memory without it, of the pairs that
# print both (negative: it costs memory). Source: repository of the runs.
"""
_RUN = frozenset(
    """id source_path source_commit metric_printed tokens_per_s_per_gpu step_ms step_kind step_formula peak_mem_gb
    mem_as_printed quality use_step use_memory assumed params pair""".split()  # noqa: SIM905 - nineteen names
)
"""Columns of a language model's row that tell what a run gave, or where it is written."""
_SWITCHES = frozenset(["compile", "attention", "precision", "optimizer", "activation_checkpointing", "fine_tuning"])
Row = Mapping[str, str]
_WHOSE_LAYERS = re.compile(
    r"(plain HF Trainer|fused Triton [^;]*|(foak| \+ foak) \+ Liger [^;]*"
    r"| baseline \(HF\)|, no upcast| \+ foak( kernels)?)(?=;)"
)
_PACKED = re.compile(r"^bnb nf4 QLoRA")
"""What remarks repeat of the column that tells what is trained."""
_FULL_BATCH = 128
"""Images from which on a further one changes no rate of a card of today by much."""
Pair = tuple[str, str, str, str, str, float, float | None]
"""Switch, kind of model, card, mode, source, gain, share of memory saved."""
_PRECISION = {("fp32", "bf16_amp"): "half", ("fp32", "fp16_amp"): "half", ("tf32", "bf16_amp"): "half",
              ("tf32", "fp16_amp"): "half", ("bf16", "fp8"): "fp8"}  # fmt: skip


def main() -> int:
    """Read both tables, pair, and write or check; returns 1 where the committed file differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    found: dict[tuple[str, str, str, str, str], list[Pair]] = defaultdict(list)
    for pair in (*language_pairs(), *vision_pairs()):
        found[pair[:5]].append(pair)
    entries = [HEAD]
    for (switch, family, card, mode, source), pairs in sorted(found.items()):
        gains = [pair[5] for pair in pairs]
        saved = [pair[6] for pair in pairs if pair[6] is not None]
        entries.append(
            f'[[pair]]\nswitch = "{switch}"\nfamily = "{family}"\ngpu_key = "{card}"\nmode = "{mode}"\n'
            f'source = "{source}"\npair_count = {len(gains)}\nleast_gain_ratio = {min(gains):.3f}\n'
            f"median_gain_ratio = {median(gains):.3f}\ngreatest_gain_ratio = {max(gains):.3f}\n"
            + (f"median_saved_fraction = {median(saved):.3f}\n" if saved else "")
        )
    made = "\n".join(entries)
    if check:
        return 0 if RECORD.is_file() and RECORD.read_text(encoding="utf-8") == made else 1
    RECORD.write_text(made, encoding="utf-8")
    print(f"wrote {RECORD.relative_to(ROOT)}: {len(entries) - 1} entries")
    return 0


def language_pairs() -> Iterator[Pair]:
    """Rows alike in all that is told of them, remarks included, but for one switch."""
    groups: dict[tuple[tuple[str, str], ...], list[Row]] = defaultdict(list)
    for row in published_cells():
        if row["step_ms"] and row["use_step"] in {"yes", "ratio only"}:
            same = tuple((name, value) for name, value in row.items() if name not in _RUN | _SWITCHES | {"notes"})
            groups[same].append(row)
    for rows in groups.values():
        for one, other in combinations(rows, 2):
            yield from _language_pair(one, other)
            yield from _language_pair(other, one)


def _language_pair(before: Row, after: Row) -> Iterator[Pair]:
    differing = {name for name in _SWITCHES if before[name] != after[name]}
    switch = _language_switch(before, after, differing)
    if switch is None or _remark(before) != _remark(after):
        return
    saved = None
    if before["peak_mem_gb"] and after["peak_mem_gb"] and before["mem_kind"] == after["mem_kind"]:
        saved = 1.0 - float(after["peak_mem_gb"]) / float(before["peak_mem_gb"])
    gain = float(before["step_ms"]) / float(after["step_ms"])
    yield switch, "language", before["gpu"].split(" ")[0], "training", before["source"], gain, saved


def _remark(row: Row) -> str:
    """What a row's notes tell beside whose layers ran, which is a setting of its description."""
    return _PACKED.sub("", _WHOSE_LAYERS.sub("", row["notes"]))


def _language_switch(before: Row, after: Row, differing: set[str]) -> str | None:
    """The one switch that `after` has and `before` has not; None: another thing differs too."""
    try:
        one, two = training_of(before), training_of(after)
    except (KeyError, TypeError, ValueError):
        return None
    changed = {name for name in one.keys() | two.keys() if one.get(name) != two.get(name)}
    changed -= {"fp8_recipe", "fused_gate"}
    if changed == {"unpacked_bits"} and differing <= {"fine_tuning"} and before["n_gpus"] == "1":
        return "unpacked_half" if one.get("unpacked_bits") else None  # full sharding casts what it gathers
    if differing == {"fine_tuning"}:
        return _tuning_switch(one, two, changed)
    if not differing:  # remarks alone tell the two apart
        return next((name for name in ("chunked_loss", "fused_layers") if changed == {name} and two.get(name)), None)
    if len(differing) != 1 or len(changed) != 1:
        return None
    name = changed.pop()
    kinds = {
        "compile": "compile" if two.get("compile") else None,
        "attention": "sdpa" if two.get("attention") == "flash" else None,
        "fused_optimizer": "fused_optimizer" if two.get("fused_optimizer") else None,
        "activation_checkpointing": "checkpointing" if one.get("activation_checkpointing") == "none" else None,
        "precision": _PRECISION.get((str(one.get("precision")), str(two.get("precision")))),
    }
    return kinds.get(name)


def _tuning_switch(one: Mapping[str, Any], two: Mapping[str, Any], changed: set[str]) -> str | None:
    """Adapters in the place of all weights, packed or not; packed weights below adapters, as the program packs them."""
    if one.get("trainable") != "lora" and two.get("trainable") == "lora":
        if "quantization" in changed:
            return "qlora"
        return "lora" if changed <= {"trainable", "lora_rank", "lora_targets", "weights_bits"} else None
    packed = changed == {"quantization", "weights_bits"} and not one.get("quantization")
    return "quantised_weights" if packed and two["quantization"] == "nf4" else None


def vision_pairs() -> Iterator[Pair]:
    """Rows of one model at one size and torch that differ in one column; a card that is full may hold another batch."""
    columns = ("compile", "layout", "attention", "precision")
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    with VISION.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["use"] != "no":
                same = {name: value for name, value in row.items() if name not in {*columns, "ms", "batch_per_gpu"}}
                groups[tuple((same | {"source": _repository(row)}).values())].append(row)
    for rows in groups.values():
        for one, other in combinations(rows, 2):
            batches = int(one["batch_per_gpu"]), int(other["batch_per_gpu"])
            if batches[0] != batches[1] and min(batches) < _FULL_BATCH:
                continue
            for before, after in ((one, other), (other, one)):
                switch = _vision_switch(before, after, {name for name in columns if before[name] != after[name]})
                if switch is not None:
                    gain = _rate(after) / _rate(before)
                    yield switch, "vision", before["gpu_key"], before["mode"], _repository(before), gain, None


def _rate(row: Row) -> float:
    return float(row["batch_per_gpu"]) / float(row["ms"])


def _repository(row: Row) -> str:
    """Where a row stands, without the path inside."""
    return row["source"].split(":")[0]


def _vision_switch(before: Row, after: Row, differing: set[str]) -> str | None:
    if differing == {"compile"}:
        return "compile" if after["compile"] == "yes" else None
    if differing == {"layout"}:
        return "channels_last" if after["layout"] == "nhwc" else None
    if differing == {"attention"}:
        return "sdpa" if after["attention"] == "sdpa" else None
    if differing == {"precision"}:
        return _PRECISION.get((before["precision"], after["precision"]))
    return None


if __name__ == "__main__":
    sys.exit(main())
