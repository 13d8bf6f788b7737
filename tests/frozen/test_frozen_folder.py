"""The folder that runs without Python shows its window, measures with its own torch, and writes the report."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).parent.parent.parent
MOST_BYTES = 1_500_000_000
"""Of a folder with the CPU build of torch; docs/frozen.md states what one had."""

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(2400),
    pytest.mark.skipif(importlib.util.find_spec("PyInstaller") is None, reason="needs the frozen extra"),
    pytest.mark.skipif(sys.platform != "linux", reason="has been built on Linux alone"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    given = os.environ.get("ADVISOR_FROZEN")
    if given is not None:  # one that was built already
        return Path(given)
    output = tmp_path_factory.mktemp("frozen")
    subprocess.run([sys.executable, str(ROOT / "tools" / "build_frozen.py"), "--output", str(output)], check=True)
    return output / "advisor" / "advisor"


def bare_surroundings(home: Path) -> dict[str, str]:
    """Nothing of this Python, its path or its packages."""
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1"}


def test_the_folder_is_as_large_as_the_docs_allow(program: Path) -> None:
    files = (path for path in program.parent.rglob("*") if path.is_file() and not path.is_symlink())
    size_bytes = sum(path.stat().st_size for path in files)
    print(f"{size_bytes / 1e6:.0f} MB")
    assert 0 < size_bytes < MOST_BYTES


def test_it_measures_with_its_own_torch_and_writes_the_report(program: Path, tmp_path: Path) -> None:
    files = ["--json", "advice.json", "--pdf", "report.pdf"]
    command = [str(program), "--measure", "iris_mlp", "--budget", "30", "--quiet", *files]
    ended = subprocess.run(command, cwd=tmp_path, env=bare_surroundings(tmp_path), check=False, capture_output=True)
    assert ended.returncode == 0, ended.stderr[-2000:]
    advice = msgspec.json.decode((tmp_path / "advice.json").read_bytes())
    (measurement,) = advice["measurements"]
    assert measurement["verdict"]["kind"] != "not_measured"
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")


@pytest.fixture
def display() -> Iterator[str]:
    server, looker = shutil.which("Xvfb"), shutil.which("xdotool")
    if server is None or looker is None:
        pytest.skip("needs Xvfb and xdotool")
    reading, writing = os.pipe()
    command = [server, "-displayfd", str(writing), "-screen", "0", "1280x800x24"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        with os.fdopen(reading) as numbers:
            yield f":{numbers.readline().strip()}"
        process.terminate()


def test_its_window_opens(program: Path, display: str, tmp_path: Path) -> None:
    settings = {**bare_surroundings(tmp_path), "DISPLAY": display}
    with subprocess.Popen([str(program)], cwd=tmp_path, env=settings, stderr=subprocess.PIPE) as process:
        look = ["xdotool", "search", "--onlyvisible", "--name", "^Advisor"]
        end_s = time.monotonic() + 120
        found = b""
        while not found and process.poll() is None and time.monotonic() < end_s:
            time.sleep(0.5)
            found = subprocess.run(look, env=settings, check=False, capture_output=True).stdout
        running = process.poll() is None
        process.terminate()
        assert found, process.stderr.read()[-2000:] if process.stderr else b""
        assert running
