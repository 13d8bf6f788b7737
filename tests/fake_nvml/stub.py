"""Builds the fake NVML library and sets its scenario for the children that a test starts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SCENARIOS = HERE / "scenarios"

GIVEN_SCENARIOS = (
    "a100_8",
    "container_lost",
    "crash",
    "driver_not_loaded",
    "hang",
    "jetson",
    "lost",
    "lost_at_handle",
    "mig",
    "mismatch",
    "mixed_3090_4090_1060",
    "no_permission",
    "noperm_procs",
    "sm120",
    "throttle",
    "vgpu",
    "zero_gpus",
)
"""The scenarios of the scorecard; the folder holds further ones."""


class NvmlStub:
    """The built libraries; `use` makes one of them, with a scenario, what every new child finds as its driver."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._patch = patch

    def library(self, *, old: bool = False) -> Path:
        """The library, of a current or an old driver."""
        return self.folder / ("old" if old else "lib") / "libnvidia-ml.so.1"

    def use(self, scenario: str | Path, *, old: bool = False) -> None:
        """Take the scenario of this name or file from now on."""
        path = SCENARIOS / f"{scenario}.txt" if isinstance(scenario, str) else scenario
        assert path.is_file(), path
        self._patch.setenv("FAKE_NVML", str(path))
        self._patch.setenv("LD_LIBRARY_PATH", str(self.library(old=old).parent))
        self._patch.setenv("FAKE_NVML_STRICT", "1")
        self._patch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.fixture(scope="session")
def nvml_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with both libraries; skips where there is no C compiler or make."""
    if shutil.which("cc") is None or shutil.which("make") is None:
        pytest.skip("needs a C compiler and make to build the NVML stub")
    folder = tmp_path_factory.mktemp("nvml")
    built = subprocess.run(["make", "-s", "-C", HERE, f"OUT={folder}"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture
def nvml_stub(nvml_libraries: Path, monkeypatch: pytest.MonkeyPatch) -> NvmlStub:
    """The stub, ready to `use` a scenario."""
    return NvmlStub(nvml_libraries, monkeypatch)
