"""Write the golden advice: what is advised on every recorded machine, by its decisions alone.

python tools/write_golden_advice.py [--check]

Run it after a refit or a change of what is advised, and read the difference: each line that changes is advice that
somebody would now get differently. Nothing is measured: the predictions rest on the saved traces of a bundled workload.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.hardware.machine import Machine
from advisor.optable.saved_tables import saved_tables
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload

RECORDED = Path(__file__).resolve().parent.parent / "tests" / "recorded"
GOLDEN = RECORDED / "golden_advice.json"
WORKLOAD = "bert_base_sst2"
GPU_KEYS = ("rtx3090", "l40s")
COUNTS = (1, 2)


def advice_for(machine: Machine, workload_name: str = WORKLOAD) -> AdviceRecord:
    """The advice for a bundled workload on a recorded machine, from saved traces and without a measurement."""
    workload = load_workload(workload_name)
    facts = Facts(machine=machine, tables=saved_tables(workload))
    request = AdviceRequest(
        workload=workload,
        measure=False,
        gpu_keys=GPU_KEYS,
        counts=COUNTS,
        precisions=(workload.training.precision,),
    )
    return advice_from_facts(request, facts)


def decisions(advice: AdviceRecord) -> dict[str, Any]:
    """What was decided, without any figure that a refit moves by a little."""
    return {
        "recommendation": _chosen(advice.recommendation),
        "recommendation_local": _chosen(advice.recommendation_local),
        "caveats": sorted({caveat.code for caveat in advice.caveats}),
    }


def _chosen(chosen: Recommendation | None) -> list[object] | None:
    if chosen is None:
        return None
    return [chosen.device.name, chosen.count, chosen.strategy, chosen.precision, chosen.batch_size_per_device]


def golden() -> dict[str, Any]:
    """The decisions for every recorded machine, by its file's stem."""
    found = {}
    for path in sorted((RECORDED / "machines").glob("*.json")):
        found[path.stem] = decisions(advice_for(msgspec.json.decode(path.read_bytes(), type=Machine)))
    return found


def text_of(found: dict[str, Any]) -> str:
    """One line a machine, so that a difference reads as one."""
    lines = [
        f"{msgspec.json.encode(name).decode()}: {msgspec.json.encode(one).decode()}" for name, one in found.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> int:
    """Write or check; returns 1 where the committed file differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    text = text_of(golden())
    current = GOLDEN.read_text(encoding="utf-8") if GOLDEN.is_file() else ""
    changed = [line for line in text.splitlines() if line not in current.splitlines()]
    print("\n".join(changed) or "unchanged")
    if check:
        return 1 if text != current else 0
    GOLDEN.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
