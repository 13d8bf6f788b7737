"""Records the operator tables of `published_unseen.csv`.

Run: `python tests/accuracy/record_unseen.py --libraries DIR [--only WORD] [--missing]`, `DIR` holding timm,
torchvision, diffusers and what they import. What the compiler makes of a pass is kept where a row was compiled.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import msgspec
import torch  # noqa: TID251 - records in the worker's place

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from advisor.catalogue.precisions import TRACE_PRECISIONS, TracePrecision  # noqa: E402 - the path comes first
from advisor.worker.models.torchvision_stand_in import stand_in_for_torchvision  # noqa: E402
from advisor.worker.trace.subject import subject_of  # noqa: E402
from advisor.worker.trace.trace import trace  # noqa: E402
from advisor.workload.workload import Workload, length_of  # noqa: E402
from tests.accuracy.tables import pack, table_path  # noqa: E402
from tests.accuracy.unseen_runs import unseen_questions  # noqa: E402


def wanted() -> dict[Path, tuple[Workload, TracePrecision, bool]]:
    """What is recorded where, and whether a run of it was compiled."""
    found: dict[Path, tuple[Workload, TracePrecision, bool]] = {}
    for question in unseen_questions():
        workload, training = question.workload, question.workload.training
        precision = TRACE_PRECISIONS[training.precision]
        path = table_path(
            question.row.workload,
            length_of(workload) or 0,
            precision,
            training.mode,
            "nhwc" if training.channels_last else "nchw",
            fused=training.attention != "eager",
        )
        compiled = training.compile or (path in found and found[path][2])
        found[path] = (workload, precision, compiled)
    return found


def main() -> None:
    """Record what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", type=Path, required=True, help="folder that holds timm, torchvision, diffusers")
    parser.add_argument("--only", default="", help="tables whose name holds this word")
    parser.add_argument("--missing", action="store_true", help="leave tables that exist")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    sys.path.append(str(chosen.libraries))
    stand_in_for_torchvision()
    for path, (workload, precision, compiled) in wanted().items():
        if chosen.only not in path.name or (chosen.missing and path.exists()):
            continue
        started = time.monotonic()
        table = trace(subject_of(workload, precision, allow_code=True), precision)
        table = msgspec.structs.replace(table, memory=None, layers=(), gradients_ready=(), checkpoint=None)
        path.write_bytes(pack(table if compiled else msgspec.structs.replace(table, compiled=None)))
        print(f"{path.name}: {len(table.ops)} operators, {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
