"""What a Windows user reaches passes where nothing of POSIX is there, with the program's own Windows module."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HIDDEN = Path(__file__).resolve().parent / "hidden"
ADVISOR = [sys.executable, "-m", "advisor"]


@pytest.fixture
def poor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Children of this test see a poor system, with an empty home; the folder is theirs."""
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(part for part in (str(HIDDEN), before) if part))
    monkeypatch.setenv("ADVISOR_POOR_SYSTEM", "1")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path


def _run(*arguments: str, code: int = 0) -> str:
    done = subprocess.run(
        [*ADVISOR, *arguments, "--language", "en"], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == code, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    return done.stdout


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_what_is_hidden_is_hidden_from_the_program_alone(poor: Path) -> None:
    assert poor.is_dir()
    said = _python(
        "import os, signal, select, sys, fcntl, resource\n"
        "print(hasattr(os, 'killpg'), hasattr(signal, 'SIGKILL'), sys.platform)\n"
        "space = {'__name__': 'advisor.anything'}\n"
        "exec('import os, signal, select, sys', space)\n"
        'print(eval(\'hasattr(os, "killpg") or hasattr(signal, "SIGKILL") or hasattr(select, "poll")\', space))\n'
        "print(eval('sys.platform', space))\n"
        "try: exec('import resource', space)\n"
        "except ModuleNotFoundError as error: print(error)\n"
        "from advisor.core.system import this_system\n"
        "print(this_system.kill_group.__module__)\n"
    )
    assert said.splitlines() == [
        "True True linux",
        "False",
        "win32",
        "No module named 'resource'",
        "advisor.core.system.windows",
    ]


def test_the_tables_a_claim_and_a_prediction_need_nothing_of_posix(poor: Path) -> None:
    assert "bert_base_sst2" in _run("--list")
    assert "Processor" in _run("--detect")
    assert "Plausible only" in _run("--claim", "A100 trains BERT-large at batch 32 in 200 ms a step")
    files = [poor / f"advice.{suffix}" for suffix in ("json", "pdf", "csv", "md", "py")]
    flags = ("--json", "--pdf", "--csv", "--markdown", "--script")
    asked = [word for flag, path in zip(flags, files, strict=True) for word in (flag, str(path))]
    assert "Advice for MLP on iris" in _run("--predict", "iris_mlp", *asked)
    assert all(path.stat().st_size > 500 for path in files)
    assert "Advice for MLP on iris" in _run("--open", str(files[0]))


@pytest.mark.alone
def test_a_measurement_and_its_verification_need_nothing_of_posix(poor: Path) -> None:
    path = poor / "advice.json"
    _run("--measure", "iris_mlp", "--budget", "15", "--verify", "3", "--json", str(path), "--quiet")
    advice = json.loads(path.read_text())
    (measured,) = [one for one in advice["measurements"] if one["device_key"] == "cpu"]
    assert any(step["summary"] is not None for step in measured["steps"])
    assert measured["rates"]
    assert advice["recommendation_local"]["device"]["key"] == "cpu"


@pytest.mark.alone
def test_ctrl_c_ends_a_measurement_and_leaves_no_child(poor: Path) -> None:
    path = poor / "advice.json"
    command = [*ADVISOR, "--measure", "bert_base_sst2", "--budget", "60", "--json", str(path)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
    assert running.stderr is not None
    for line in running.stderr:
        if b"%" in line and b"Looking" not in line:
            break
    time.sleep(1.0)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=600)
    assert running.returncode == 4
    assert path.is_file()
    with pytest.raises(ProcessLookupError):  # the children's groups are this one: nothing of it is left
        os.killpg(running.pid, 0)


@pytest.mark.gui
def test_the_window_opens_shows_the_machine_and_closes(poor: Path) -> None:
    assert poor.is_dir()
    code = (
        "import sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from advisor.gui import application\n"
        "made = application.make_application()\n"
        "seen = []\n"
        "def look():\n"
        "    window = next(one for one in QApplication.topLevelWidgets() if type(one).__name__ == 'MainWindow')\n"
        "    seen.append(window.isVisible())\n"
        "    window.close()\n"
        "QTimer.singleShot(15000, look)\n"
        "code = application.main()\n"
        "print(code, seen)\n"
    )
    assert _python(code).splitlines()[-1] == "0 [True]"
