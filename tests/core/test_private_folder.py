"""A private folder is its owner's alone, is gone after use, and one left by a killed process is removed by the next."""

from __future__ import annotations

import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from advisor.core.errors import OutputError
from advisor.core.private_folder import private_folder

_HOLDS = """
import sys, time
from advisor.core.private_folder import private_folder
with private_folder("trial") as folder:
    (folder / "deep").mkdir()
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_it_is_the_owners_alone_and_gone_afterwards(temporary: Path) -> None:
    with private_folder("trial") as folder:
        assert folder.parent == temporary
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "file").write_text("text", encoding="utf-8")
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="locks of files are taken on Unix")
def test_one_in_use_is_kept_and_one_of_a_killed_process_is_removed() -> None:
    with subprocess.Popen([sys.executable, "-c", _HOLDS], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        held = Path(holder.stdout.readline().strip())
        with private_folder("trial"):
            assert held.is_dir()
        holder.kill()
        holder.wait()
    assert held.is_dir()
    with private_folder("other"):
        assert held.is_dir()
    with private_folder("trial"):
        assert not held.exists()


def test_a_link_of_that_name_is_never_followed(temporary: Path) -> None:
    precious = temporary / "precious"
    precious.mkdir()
    (precious / ".in-use").touch()
    (temporary / "advisor-trial-x").symlink_to(precious)
    with private_folder("trial"):
        pass
    assert precious.is_dir()


def test_no_temporary_folder_is_a_sentence(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "missing"))
    with pytest.raises(OutputError, match="No temporary folder"), private_folder("trial"):
        pass
