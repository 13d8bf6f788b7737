"""Records all operator tables anew: `python tests/accuracy/record_tables.py [--timm FOLDER] [--only WORD] [--missing]`.

Traces every workload of `published_steps.csv`, and the memory of two fixed random samples of the models of
`published_max_batch.csv`. timm brings torchvision along, whose wheel does not load beside a CPU-only torch: install
both with `pip install --no-deps --target FOLDER timm torchvision` and name the folder.
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
from advisor.worker.models.torchvision_stand_in import stand_in_for_torchvision  # noqa: E402
from advisor.worker.trace.subject import subject_of  # noqa: E402
from advisor.worker.trace.trace import trace  # noqa: E402
from advisor.workload.workload import Mode, Workload, with_training  # noqa: E402
from advisor.workload.workload_file import load_workload  # noqa: E402
from tests.accuracy.ladder import LADDER_FOLDER, chosen_models, judging_models, ladder_path, ladder_rows  # noqa: E402
from tests.accuracy.tables import FOLDER, TRACE_PRECISION, Layout, pack, table_path  # noqa: E402

MODELS = HERE / "models"
NAMES_TODAY = {"ig_resnext101_32x32d": "resnext101_32x32d"}
"""timm sends the first name, out of use since, to a model of another width."""
_TOLERATED_COUNT_FRACTION = 0.002


def workload_of(name: str, length: int, mode: Mode, layout: Layout) -> Workload:
    """The workload file of a published run at one length, mode and layout; timm models need no file of their own."""
    path, plain = MODELS / f"{name}.toml", name.removeprefix("timm_")
    if path.exists():
        workload = load_workload(path)
    else:
        workload = load_workload(
            {
                "name": name,
                "model": {
                    "source": "python",
                    "file": str(MODELS / "timm_model.py"),
                    "arguments": {"name": NAMES_TODAY.get(plain, plain)},
                },
                "data": {"samples": 1281167, "image_size": length},
                "training": {
                    "batch_size": 32,
                    "precision": "fp16_amp",
                    "optimizer": "sgd_momentum",
                    "attention": "eager",
                },
            }
        )
    data = workload.data
    field = "image_size" if data.image_size is not None else "sequence_length"
    data = msgspec.structs.replace(data, **{field: length})
    workload = msgspec.structs.replace(workload, data=data)
    return with_training(workload, mode=mode, channels_last=layout == "nhwc")


def recorded(name: str, length: int, precision: TracePrecision, mode: Mode, layout: Layout) -> OpTable | None:
    """A fresh trace; None, with the reason on the terminal, where there is none to be had."""
    started = time.monotonic()
    label = f"{name} {length} {precision} {mode} {layout}"
    try:
        subject = subject_of(workload_of(name, length, mode, layout), precision, allow_code=True)
        table = trace(subject, precision)
    except UserFacingError as error:
        print(f"{label}: {error}", flush=True)
        return None
    seconds = time.monotonic() - started
    print(f"{label}: {len(table.ops)} operators, {table.parameter_count} parameters, {seconds:.1f} s", flush=True)
    return table


def memory_only(table: OpTable) -> OpTable:
    """What the largest batch asks for: the operators and layers are left out."""
    return msgspec.structs.replace(table, ops=(), layers=(), gradients_ready=(), trainable_tensor_shapes=())


def record_steps(rows: list[dict[str, str]], only: str, *, missing: bool) -> None:
    """One table for each workload, length, trace precision, mode and layout of the published steps."""
    keys: dict[tuple[str, int, TracePrecision, Mode, Layout], bool] = {}
    for row in rows:
        mode: Mode = "inference" if row["mode"] == "inference" else "training"
        layout: Layout = "nhwc" if row.get("layout") == "nhwc" else "nchw"
        length = int(float(row["seq_len_or_img"]))
        keys[row["workload"], length, TRACE_PRECISION[row["precision"]], mode, layout] = row.get("attention") == "flash"
    for key, fused in keys.items():
        path = table_path(*key, fused=fused)
        if only in key[0] and not (missing and path.exists()) and (table := recorded(*key)) is not None:
            path.write_bytes(pack(table))


def record_ladder(only: str, *, missing: bool) -> None:
    """Memory of the sampled models, in both layouts; models that timm no longer has as published are passed over."""
    chosen = {*chosen_models(), *judging_models()}
    for row in ladder_rows():
        name, layout = row["workload"], row["layout"]
        length = int(row["seq_len_or_img"])
        path = ladder_path(name, length, layout)
        if name not in chosen or only not in name or (missing and path.exists()):
            continue
        table = recorded(name, length, "amp", "training", "nhwc" if layout == "nhwc" else "nchw")
        if table is None:
            continue
        published = float(row["param_count_millions"]) * 1e6
        if abs(table.parameter_count / published - 1) > _TOLERATED_COUNT_FRACTION:
            print(f"{name}: another model today, with {table.parameter_count} parameters: not recorded", flush=True)
            continue
        path.write_bytes(pack(memory_only(table)))


def main() -> None:
    """Record what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timm", type=Path, help="folder that holds timm and torchvision")
    parser.add_argument("--only", default="", help="workloads whose name holds this word")
    parser.add_argument("--missing", action="store_true", help="leave tables that exist")
    parser.add_argument("--part", choices=("steps", "ladder", "both"), default="both")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    if chosen.timm is not None:
        sys.path.append(str(chosen.timm))
        stand_in_for_torchvision()
    FOLDER.mkdir(exist_ok=True)
    LADDER_FOLDER.mkdir(exist_ok=True)
    if chosen.part != "ladder":
        for source in ("published_steps.csv", "published_memory.csv", "data/published_scaling.csv"):
            with (HERE / source).open(encoding="utf-8") as file:
                record_steps(list(csv.DictReader(file)), chosen.only, missing=chosen.missing)
    if chosen.part != "steps":
        record_ladder(chosen.only, missing=chosen.missing)


if __name__ == "__main__":
    main()
