"""No error code of any NVML function, at whatever call, crashes the sampler or leaves a field without its reason."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fake_nvml.stub import HERE, NvmlStub
from tests.hardware.sampler import every_error

pytestmark = pytest.mark.needs_compiler

FUNCTIONS = sorted(
    set(re.findall(r"\bnvml(?:Device|System)\w+(?=[(,])", (HERE / "functions.c").read_text(encoding="utf-8")))
    | {"nvmlInit_v2"}
)


def test_the_functions_of_the_stub_are_found() -> None:
    assert len(FUNCTIONS) >= 68


@pytest.mark.parametrize("old", [False, True], ids=["current", "old"])
def test_no_error_of_any_function_at_the_first_or_fifth_call_does_harm(
    nvml_stub: NvmlStub, tmp_path: Path, record_property: Callable[[str, object], None], *, old: bool
) -> None:
    nvml_stub.use("a100_8", old=old)
    program = Path(every_error.__file__)
    root = program.parents[3]
    functions = FUNCTIONS if not old else FUNCTIONS[::8]
    ended = subprocess.run(
        [sys.executable, str(program), str(nvml_stub.library(old=old)), str(tmp_path), *functions],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    answer = json.loads(ended.stdout)
    assert answer["wrong"] == []
    assert answer["number"] == len(functions) * len(every_error.CODES) * 2
    kind = "an old library" if old else "a current library"
    told = f"{len(functions)} functions × {len(every_error.CODES)} codes × 2 calls on {kind}"
    record_property("figure", f"{told}: {answer['number']:,} tried, none did harm")
