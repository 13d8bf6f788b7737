"""What is advised on every recorded machine changes only where somebody meant it to."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from advisor.hardware.machine import Machine
from tools import write_golden_advice

MACHINES = sorted((write_golden_advice.RECORDED / "machines").glob("*.json"))
GOLDEN = json.loads(write_golden_advice.GOLDEN.read_text(encoding="utf-8"))


def test_every_recorded_machine_has_its_golden_advice() -> None:
    assert len(MACHINES) >= 40
    assert set(GOLDEN) == {path.stem for path in MACHINES}


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_the_advice_on_a_recorded_machine_is_the_golden_one(path: Path) -> None:
    machine = msgspec.json.decode(path.read_bytes(), type=Machine)
    advice = write_golden_advice.advice_for(machine)
    assert advice.recommendation is not None or advice.caveats, "neither advice nor a reason"
    found = json.loads(msgspec.json.encode(write_golden_advice.decisions(advice)))
    assert found == GOLDEN[path.stem], "read the change, then run tools/write_golden_advice.py"
