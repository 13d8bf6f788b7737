"""`--open` of anything that is no saved advice is a sentence and code 2, at once."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from advisor.cli import run
from advisor.core.errors import InputError
from advisor.store import json_file
from tests.present.recorded import FOLDER

RAW = (FOLDER / "v1.json").read_bytes()
WILD: tuple[object, ...] = (
    1e308,
    -1e308,
    5e-324,
    0,
    -1,
    2**53,
    "\x1b[31m",
    "",
    None,
    [],
    {},
    True,
    "nobody-knows-this-code",
)


def _opened(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = run(["--open", str(path)])
    captured = capsys.readouterr()
    return code, captured.err


@pytest.mark.skipif(sys.platform == "win32", reason="devices and pipes of Unix")
def test_a_device_or_a_pipe_is_refused_unread(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe", tmp_path):
        with pytest.raises(InputError, match="not a regular file"):
            json_file.read(path)


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b'{"schema_version": "\xff"}', b"[" * 100_000, b"\x00", b"1e999", b""]
)
def test_bytes_that_are_no_advice_are_refused(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    code, complaint = _opened(path, capsys)
    assert code == 2
    assert "Traceback" not in complaint


def test_an_unknown_reason_is_shown_by_its_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = json.loads(RAW)
    raw["caveats"] = [{"code": "nobody-knows-this-code", "numbers": {"need_bytes": 5.0}}]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    for language, words in (("en", "in words that this one lacks"), ("zh", "本版本没有相应的文字")):
        assert run(["--open", str(path), "--details", "--language", language]) == 0
        shown = "".join(capsys.readouterr().out.split())
        assert "".join(words.split()) in shown
        assert "nobody-knows-this-code(need_bytes=5.0)" in shown


def test_a_statement_that_lacks_what_its_sentence_needs_is_read_wherever_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = json.loads(RAW)
    whole = {"code": "worker-torch-missing", "numbers": {"package": "torch"}}
    for numbers in ({"package": "torch"}, {}):
        raw["predictions"][0]["notes"] = [{**whole, "numbers": numbers}]
        path = tmp_path / "x.json"
        path.write_text(json.dumps(raw), encoding="utf-8")
        assert _opened(path, capsys) == (0, "")


@pytest.mark.parametrize("seed", range(60))
def test_a_changed_file_never_ends_in_a_traceback(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = random.Random(seed)
    raw = json.loads(RAW)
    for _ in range(3):
        _change(raw, dice)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    code, complaint = _opened(path, capsys)
    assert code in (0, 2)
    assert "Traceback" not in complaint
    assert not any(ord(character) < 32 and character != "\n" for character in complaint)


def _change(value: Any, dice: random.Random) -> None:
    """Put something wild anywhere in the record, the parts that are shown most often first."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = dice.choice([key for key in keys if key not in ("predictions", "measurements")] or keys)
        if isinstance(value[key], dict | list) and value[key] and dice.random() < 0.8:
            value = value[key]
            continue
        value[key] = dice.choice(WILD)
        return


@pytest.mark.parametrize("text", ["{'loss': 0.5, 'epoch': 1.0}\n", '[model]\nsource = "huggingface"\n'])
def test_a_log_or_a_workload_that_is_opened_is_told_the_flag_for_it(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "given"
    path.write_text(text)
    code, said = _opened(path, capsys)
    assert code == 2
    assert "--predict" in said
    assert "--log" in said
