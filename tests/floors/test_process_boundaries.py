"""The command line starts without torch, transformers or Qt, and the contract file holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.core.bundled import resource, workloads_folder

ROOT = Path(__file__).resolve().parents[2]


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


def test_imports_point_down_only() -> None:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


def test_the_data_folders_are_no_packages() -> None:
    assert not list(resource("").rglob("__init__.py"))
    assert not list(workloads_folder().rglob("__init__.py"))
