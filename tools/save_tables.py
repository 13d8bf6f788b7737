"""Trace the bundled workloads anew into resources/tables: predictions then work where torch does not.

python tools/save_tables.py [NAME …]
"""

from __future__ import annotations

import argparse
import lzma
import sys
from contextlib import closing
from pathlib import Path

import msgspec

from advisor.catalogue.precisions import TracePrecision
from advisor.core.drive import drive
from advisor.measure.traces import Traces
from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import saved_workloads
from advisor.workload.workload import Workload

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "tables"
PRECISIONS: tuple[TracePrecision, ...] = ("fp32", "amp", "half")
"""Of every workload; of one in FP8 that beside them."""


def traced(workload: Workload, traces: Traces) -> tuple[OpTable, ...]:
    """The tables of a bundled workload at every trace precision, made anew: those saved before are not asked."""
    also: tuple[TracePrecision, ...] = ("fp8", "fp8_cast") if workload.training.precision == "fp8" else ()
    tables = drive(traces.make(workload, (*PRECISIONS, *also)))
    return tuple(tables[precision] for precision in (*PRECISIONS, *also) if precision in tables)


def packed(tables: tuple[OpTable, ...]) -> bytes:
    """Compressed JSON; equal tables give equal bytes."""
    return lzma.compress(msgspec.json.encode(tables, order="deterministic"), preset=9)


def main() -> int:
    """Write the tables of all workloads that some are saved of, or of those named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="of bundled workloads, and of these with one setting changed (gpt2_small.eager); all without any",
    )
    asked = parser.parse_args().names
    FOLDER.mkdir(exist_ok=True)
    with closing(Traces(allow_code=True)) as traces:
        for name, workload in saved_workloads():
            if asked and name not in asked:
                continue
            content = packed(traced(workload, traces))
            (FOLDER / f"{name}.json.xz").write_bytes(content)
            print(f"{name}: {len(content) / 1024:.0f} KiB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
