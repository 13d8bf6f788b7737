"""`--doctor`: what is sound is said to be, what is wrong is named with its remedy, in both languages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli import doctor
from advisor.core.sentences import say
from tests.fake_nvml.stub import NvmlStub, nvml_libraries, nvml_stub

__all__ = ["nvml_libraries", "nvml_stub"]


def _doctor(language: str = "en", code: int = 0, **settings: str) -> str:
    command = [sys.executable, "-m", "advisor", "--doctor", "--language", language]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", **settings}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.gui
def test_a_sound_installation_is_said_to_be_sound_in_both_languages(tmp_path: Path) -> None:
    english = _doctor(XDG_DATA_HOME=str(tmp_path))
    assert english.rstrip().endswith("Nothing is wrong.")
    assert "the process that measures can load it" in english
    assert "Qt runs on offscreen" in english
    assert f"{tmp_path / 'advisor'} can be written" in english
    assert "WRONG" not in english
    assert "没有发现问题" in _doctor("zh", XDG_DATA_HOME=str(tmp_path))


def test_a_missing_torch_a_broken_qt_and_a_folder_that_cannot_be_written_are_each_named(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = sys.modules['PySide6'] = None\n")
    blocked = tmp_path / "file"
    blocked.write_text("")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    said = _doctor(code=3, PYTHONPATH=path, XDG_DATA_HOME=str(blocked))
    wrong = [line.strip() for line in said.splitlines() if "WRONG" in line]
    assert len(wrong) == 3
    assert 'torch is not installed. Install it with pip install "training-advisor[measure]".' in wrong[0]
    assert 'pip install "training-advisor[window]"' in wrong[1]
    assert "cannot be written" in wrong[2]
    assert said.rstrip().endswith("3 things are wrong.")


def test_where_there_is_no_display_nothing_is_claimed_of_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    (found,) = doctor._window()
    assert (found.state, found.reason.code) == ("unknown", "doctor-no-display")


@pytest.mark.needs_compiler
def test_a_driver_that_does_not_fit_is_the_first_thing_wrong(nvml_stub: NvmlStub) -> None:
    nvml_stub.use("mismatch")
    found = [one for one in doctor._machine() if one.state == "wrong"]
    assert found
    assert "reboot" in say(found[0].reason, "en").lower()
    nvml_stub.use("a100_8")
    cards = [one for one in doctor._machine() if one.reason.code == "doctor-card"]
    assert len(cards) == 8
    assert all(one.state == "good" for one in cards)


def test_a_full_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.cli.doctor.shutil.disk_usage", lambda _: type("Usage", (), {"free": 1000})())
    found = doctor._folder(tmp_path)
    assert (found.state, found.reason.code) == ("wrong", "doctor-folder-full")
