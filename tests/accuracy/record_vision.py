"""Records the tables of `published_vision.csv`: `python tests/accuracy/record_vision.py --timm FOLDER [--missing]`.

timm and torchvision as `record_tables.py` tells. Memory, layers and gradients are left out: step times alone are
judged. What torch.compile leaves is kept only where a published row was compiled.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

import msgspec
import torch  # noqa: TID251 - records in the worker's place

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from advisor.catalogue.precisions import TracePrecision  # noqa: E402 - the checkout is on the path only now
from advisor.core.errors import UserFacingError  # noqa: E402
from advisor.optable.op_table import OpTable  # noqa: E402
from advisor.worker.models.python_file import stand_in_for_torchvision  # noqa: E402
from advisor.worker.trace.trace import subject_of, trace  # noqa: E402
from advisor.workload.workload import Attention, Mode, with_training  # noqa: E402
from tests.accuracy.tables import TRACE_PRECISION, Layout, pack, table_path  # noqa: E402
from tests.accuracy.vision_runs import PUBLISHED_VISION, vision_workload, with_fused_attention  # noqa: E402

Key = tuple[str, int, TracePrecision, Mode, Layout, Attention]


def wanted() -> dict[Key, tuple[Path, bool]]:
    """What is recorded where, each combination once, and whether a run of it was compiled."""
    keys: dict[Key, tuple[Path, bool]] = {}
    with PUBLISHED_VISION.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            mode: Mode = "inference" if row["mode"] == "inference" else "training"
            layout: Layout = "nhwc" if row["layout"] == "nhwc" else "nchw"
            fused = row["family"] != "cnn" and row["attention"] != "eager"
            attention: Attention = "sdpa" if fused else "eager"
            size, precision = int(row["seq_len_or_img"]), TRACE_PRECISION[row["precision"]]
            path = table_path(row["workload"], size, precision, mode, layout, fused=fused)
            key = (row["workload"], size, precision, mode, layout, attention)
            compiled = row["compile"] == "yes" or keys.get(key, (path, False))[1]
            keys[key] = (path, compiled)
    return keys


def recorded(key: Key) -> OpTable:
    """A fresh trace without what step times do not need."""
    name, size, precision, mode, layout, attention = key
    workload = vision_workload(name)
    workload = msgspec.structs.replace(workload, data=msgspec.structs.replace(workload.data, image_size=size))
    workload = with_training(workload, mode=mode, channels_last=layout == "nhwc", attention=attention)
    table = trace(subject_of(with_fused_attention(workload), precision, allow_code=True), precision)
    return msgspec.structs.replace(table, memory=None, layers=(), gradients_ready=(), checkpoint=None)


def main() -> None:
    """Record what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timm", type=Path, required=True, help="folder that holds timm and torchvision")
    parser.add_argument("--only", default="", help="workloads whose name holds this word")
    parser.add_argument("--missing", action="store_true", help="leave tables that exist")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    sys.path.append(str(chosen.timm))
    stand_in_for_torchvision()
    for key, (path, compiled) in wanted().items():
        if chosen.only not in key[0] or (chosen.missing and path.exists()):
            continue
        started = time.monotonic()
        try:
            table = recorded(key)
        except UserFacingError as error:
            print(f"{key}: {error}", flush=True)
            continue
        path.write_bytes(pack(table if compiled else msgspec.structs.replace(table, compiled=None)))
        print(f"{key}: {len(table.ops)} operators, {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
