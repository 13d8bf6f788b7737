"""Commands whose model cannot be answered end with 2, one cause and one remedy; what the user fixes is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.commands import run

QUIET = ("--no-history", "--quiet")
HEAD = """import torch
from torch import nn
def make_batch(n):
    return torch.randn(n, 8), torch.randint(0, 4, (n,))
"""
ENDINGS = {
    "loops": (
        HEAD + "class M(nn.Linear):\n    def forward(self, x):\n        y = super().forward(x)\n"
        "        for _ in range(len(x)):\n            y = y + super().forward(x)\n        return y\n"
        "def build_model():\n    return M(8, 4)\n",
        "runs other operators at another batch size",
    ),
    "leaves": (HEAD + "import sys\nsys.exit(0)\n", "it ends the program as it is imported"),
    "same": (
        HEAD.replace("(n", "(4").replace("make_batch(4)", "make_batch(n, length)")
        + "def build_model():\n    return nn.Linear(8, 4)\n",
        "make_batch ignores its batch size",
    ),
}


@pytest.fixture(autouse=True)
def _data_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """`advisor --predict …` ends with 2, prints no advice, and one line of its cause."""
    assert run(["--predict", *arguments, *QUIET]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.strip().splitlines()
    return line


def advice_of(folder: Path, *arguments: str) -> dict[str, Any]:
    """`advisor --predict …` ends with 0; the advice that it wrote."""
    written = folder / "advice.json"
    assert run(["--predict", *arguments, *QUIET, "--json", str(written)]) == 0
    advice: dict[str, Any] = json.loads(written.read_bytes())
    return advice


@pytest.mark.parametrize("kind", ENDINGS)
def test_a_file_that_cannot_be_answered_names_its_cause(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, cause = ENDINGS[kind]
    (tmp_path / "mine.py").write_text(code)
    assert cause in ended(capsys, str(tmp_path / "mine.py"), "--allow-code")


def test_an_endless_constructor_is_ended_and_told_as_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.measure.traces.TRACE_LIMIT_S", 5.0)
    (tmp_path / "mine.py").write_text(HEAD + "def build_model():\n    while True:\n        pass\n")
    line = ended(capsys, str(tmp_path / "mine.py"), "--allow-code")
    assert (
        "Tracing the model took longer than 5.00 s, without what it waited for a processor core, and was ended." in line
    )
    assert "Mend a loop that does not end; else a shorter sequence (--sequence-length) takes less" in line


def test_an_unknown_type_of_model_is_answered_with_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bertt"}')
    line = ended(capsys, str(tmp_path / "config.json"))
    assert "`model_type` is `bertt`" in line
    assert "Did you mean `bert`?" in line


def test_a_model_that_refuses_autocast_is_advised_in_fp32(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        HEAD + "class M(nn.Linear):\n    def forward(self, x):\n"
        "        if torch.is_autocast_enabled('cuda') or torch.is_autocast_enabled('cpu'):\n"
        "            raise RuntimeError('no autocast here')\n        return super().forward(x)\n"
        "def build_model():\n    return M(8, 4)\n"
    )
    advice = advice_of(tmp_path, str(tmp_path / "mine.py"), "--allow-code", "--gpus", "rtx4090")
    assert {one["precision"] for one in advice["predictions"]} == {"fp32", "tf32"}, "TF32 runs FP32's operators"


def test_the_batch_size_that_was_given_is_the_one_that_is_advised(tmp_path: Path) -> None:
    advice = advice_of(tmp_path, "iris_mlp", "--gpus", "rtx4090", "--batch", "16")
    assert advice["recommendation"]["batch_size_per_device"] == 16
