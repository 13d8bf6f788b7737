"""Detection and polls say of every scenario what was recorded.

A child prints it anew where that was changed on purpose, beside the built stub:
`python -m tests.hardware.sampler.every_scenario LIBRARY > tests/hardware/sampler/every_scenario.json`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fake_nvml.stub import SCENARIOS, NvmlStub
from tests.hardware.sampler import every_scenario

pytestmark = pytest.mark.needs_compiler

RECORDED = Path(__file__).with_name("every_scenario.json")


def test_every_scenario_is_seen_as_it_was_recorded(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("a100_8")
    program = Path(every_scenario.__file__)
    ended = subprocess.run(
        [sys.executable, str(program), str(nvml_stub.library())],
        env={**os.environ, "PYTHONPATH": str(program.parents[3])},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    today: dict[str, Any] = json.loads(ended.stdout)
    before: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert set(today) == {path.stem for path in SCENARIOS.glob("*.txt")} - every_scenario.LEFT_OUT
    assert [name for name in today if today[name] != before.get(name)] == []
