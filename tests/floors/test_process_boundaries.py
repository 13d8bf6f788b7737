"""The command line starts without torch, transformers or Qt, and the contract file holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.core.bundled import resource, workloads_folder
from tests.uncounted import uncounted

ROOT = Path(__file__).resolve().parents[2]
MOST_OF_HELP = 21
"""Modules of the package that the flags and their words stand in."""


@pytest.mark.parametrize("module", ["advisor.cli", "advisor", "advisor.advice", "advisor.measure.runner"])
def test_importing_it_brings_in_neither_torch_nor_qt(module: str) -> None:
    program = (
        f"import sys, {module}\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}"
        " & {'torch', 'transformers', 'PySide6', 'pyqtgraph', 'pynvml', 'psutil'}))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_the_window_starts_without_torch() -> None:
    program = "import sys, advisor.gui.application\nprint('torch' in sys.modules, 'pyqtgraph' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False False"


def _modules_after(program: str) -> set[str]:
    """Names of everything that a fresh interpreter has imported at the end of a program; what counts it left out."""
    said = "\nimport sys; print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program + said]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, env=uncounted())
    return set(answer.stderr.split())


def test_the_window_is_first_painted_without_what_is_slow_to_import(tmp_path: Path) -> None:
    program = f"""
import os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from pathlib import Path
from advisor.gui.application import make_application
application = make_application()
from advisor.gui.main_window import MainWindow
from advisor.gui.session import Session
from advisor.gui.settings import Settings
settings = Settings(Path({str(tmp_path)!r}) / "window.ini")
settings.store("data_folder", {str(tmp_path)!r})
window = MainWindow(Session(settings), settings)
window.show()
while not window._painted:
    application.processEvents()
print(*sys.modules, file=sys.stderr, flush=True)
os._exit(0)
"""
    found = _modules_after(program)
    assert "advisor.gui.start.start_card" in found
    assert not found & {"torch", "numpy", "pyqtgraph", "fluent", "fluent.runtime", "babel"}


def test_help_imports_only_what_it_prints_from() -> None:
    program = "import contextlib\nfrom advisor.cli import run\nwith contextlib.suppress(SystemExit): run(['--help'])"
    found = _modules_after(program)
    assert not found & {"numpy", "rich", "fluent", "babel", "sqlite3", "tomllib", "importlib.resources", "subprocess"}
    own = {name for name in found if name.split(".")[0] == "advisor"}
    assert len(own) <= MOST_OF_HELP, sorted(own)


def test_predicting_loads_nothing_that_measures_or_writes_reports() -> None:
    found = _modules_after("import advisor.advice")
    unused = {"advisor.measure.runner", "advisor.measure.ranks", "advisor.present", "advisor.store.history", "rich"}
    assert not found & unused


def test_imports_point_down_only() -> None:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


def test_the_data_folders_are_no_packages() -> None:
    assert not list(resource("").rglob("__init__.py"))
    assert not list(workloads_folder().rglob("__init__.py"))
