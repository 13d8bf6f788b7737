"""Builds the stand-in device and lets the children that a test starts find it, as torch finds any installed backend."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "package"
LIBRARY, CAPACITY = "ADVISOR_STAND_IN", "ADVISOR_STAND_IN_BYTES"


def _command(out: Path) -> list[str]:
    found = find_spec("torch")
    assert found is not None
    assert found.origin is not None
    torch = Path(found.origin).parent
    include = torch / "include"
    folders = (include, include / "torch" / "csrc" / "api" / "include", Path(sysconfig.get_paths()["include"]))
    options = ["-O0", "-std=c++20", "-fPIC", "-shared", "-D_GLIBCXX_USE_CXX11_ABI=1"]
    libraries = [f"-L{torch / 'lib'}", "-lc10", "-ltorch_cpu", "-ltorch"]
    return ["c++", *options, *(f"-I{one}" for one in folders), str(HERE / "stand_in.cpp"), "-o", str(out), *libraries]


@pytest.fixture(scope="session")
def stand_in_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, built once for all processes of a test run; skips where there is no C++ compiler."""
    if shutil.which("c++") is None:
        pytest.skip("needs a C++ compiler to build the stand-in device")
    own = tmp_path_factory.getbasetemp()
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    library = folder / "libstand_in.so"
    with (folder / "stand_in.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists():
            made = library.with_suffix(".new")
            built = subprocess.run(_command(made), capture_output=True, text=True, check=False)
            assert built.returncode == 0, built.stderr[-4000:]
            made.rename(library)
    return library


@pytest.fixture
def stand_in(stand_in_library: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a device that children of this test have: `cpu` in disguise, with 8 GiB of memory of its own."""
    monkeypatch.setenv(LIBRARY, str(stand_in_library))
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(part for part in (str(PACKAGE), before) if part))
    return "stand_in"
