"""Records the tables of `published_vision.csv`: `python tests/accuracy/record_vision.py --timm FOLDER [--missing]`.

timm and torchvision as `record_tables.py` tells. Memory, layers and gradients are left out: step times alone are
judged. What torch.compile leaves is kept only where a published row was compiled. Attention that no fused kernel takes
is recorded as PyTorch before 2.5 computed it too, where such a row was published.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from typing import NamedTuple

import msgspec
import torch  # noqa: TID251 - records in the worker's place

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from advisor.catalogue.precisions import TracePrecision  # noqa: E402 - the checkout is on the path only now
from advisor.catalogue.software import upcasts_attention  # noqa: E402
from advisor.core.errors import UserFacingError  # noqa: E402
from advisor.evaluate.earlier_attention import attention_upcasts  # noqa: E402
from advisor.optable.op_table import OpTable  # noqa: E402
from advisor.worker.models.torchvision_stand_in import stand_in_for_torchvision  # noqa: E402
from advisor.worker.trace.subject import subject_of  # noqa: E402
from advisor.worker.trace.trace import trace  # noqa: E402
from advisor.workload.workload import Attention, Mode, with_training  # noqa: E402
from tests.accuracy.tables import TRACE_PRECISION, Layout, pack, read_table, table_path  # noqa: E402
from tests.accuracy.vision_runs import PUBLISHED_VISION, vision_workload, with_fused_attention  # noqa: E402


class Recording(NamedTuple):
    """What is traced of a model, each combination once."""

    name: str
    size: int
    precision: TracePrecision
    mode: Mode
    layout: Layout
    attention: Attention
    half_fallback: bool

    @property
    def path(self) -> Path:
        """Where its table lies."""
        fused = self.attention == "sdpa"
        return table_path(
            self.name,
            self.size,
            self.precision,
            self.mode,
            self.layout,
            fused=fused,
            half_fallback=self.half_fallback,
        )


def wanted() -> dict[Recording, bool]:
    """What is recorded, and whether a run of it was compiled.

    Attention as PyTorch before 2.5 had it follows today's, which tells whether the model has such.
    """
    recordings: dict[Recording, bool] = {}
    with PUBLISHED_VISION.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            mode: Mode = "inference" if row["mode"] == "inference" else "training"
            layout: Layout = "nhwc" if row["layout"] == "nhwc" else "nchw"
            fused = row["family"] != "cnn" and row["attention"] != "eager"
            attention: Attention = "sdpa" if fused else "eager"
            size, precision = int(row["seq_len_or_img"]), TRACE_PRECISION[row["precision"]]
            today = Recording(row["workload"], size, precision, mode, layout, attention, half_fallback=False)
            earlier = fused and precision != "fp32" and not upcasts_attention(row["torch"])
            for one in (today, today._replace(half_fallback=True)) if earlier else (today,):
                recordings[one] = row["compile"] == "yes" or recordings.get(one, False)
    return recordings


def recorded(recording: Recording) -> OpTable:
    """A fresh trace without what step times do not need."""
    workload, precision = vision_workload(recording.name), recording.precision
    workload = msgspec.structs.replace(workload, data=msgspec.structs.replace(workload.data, image_size=recording.size))
    workload = with_training(
        workload, mode=recording.mode, channels_last=recording.layout == "nhwc", attention=recording.attention
    )
    subject = subject_of(
        with_fused_attention(workload), precision, allow_code=True, half_fallback=recording.half_fallback
    )
    return msgspec.structs.replace(
        trace(subject, precision), memory=None, layers=(), gradients_ready=(), checkpoint=None
    )


def needed(recording: Recording) -> bool:
    """Whether it differs from today's recording, which lies there by now."""
    today = recording._replace(half_fallback=False)
    return not recording.half_fallback or attention_upcasts(read_table(today.path))


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
    for recording, compiled in sorted(wanted().items(), key=lambda item: item[0].half_fallback):
        path = recording.path
        if chosen.only not in recording.name or (chosen.missing and path.exists()) or not needed(recording):
            continue
        started = time.monotonic()
        try:
            table = recorded(recording)
        except UserFacingError as error:
            print(f"{recording}: {error}", flush=True)
            continue
        path.write_bytes(pack(table if compiled else msgspec.structs.replace(table, compiled=None)))
        print(f"{recording}: {len(table.ops)} operators, {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
