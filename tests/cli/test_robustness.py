"""Full disks, read-only homes and damaged histories: the old file stays, the advice is given, the reason is said."""

from __future__ import annotations

import os
import resource as limits
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.core.errors import OutputError
from advisor.present import advice_file
from advisor.present.advice_file import FileKind
from advisor.store import json_file
from advisor.store.advice_record import SCHEMA_VERSION
from advisor.store.history import FILE_NAME, History
from tests.present import fakes
from tests.present.recorded import FOLDER, recorded
from tests.uncounted import uncounted

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ("json", "pdf", "csv", "markdown", "script")


def run(*flags: str, folder: Path, most_bytes: int | None = None, **changes: str) -> subprocess.CompletedProcess[str]:
    """`advisor FLAGS` with its home in `folder`; no file of it may grow over `most_bytes`: as on a full disk."""

    def limited() -> None:
        if most_bytes is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            limits.setrlimit(limits.RLIMIT_FSIZE, (most_bytes, most_bytes))

    settings = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "OMP_NUM_THREADS": "1", **changes}
    return subprocess.run(
        [sys.executable, "-m", "advisor", *flags],
        env={**(os.environ if most_bytes is None else uncounted()), "LANG": "C.UTF-8", **settings},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        preexec_fn=limited,
    )


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return Path(shutil.copy(FOLDER / "v1.json", tmp_path / "saved.json"))


@pytest.mark.parametrize("name", FORMATS)
def test_a_disk_that_is_full_keeps_the_old_file_and_still_prints_the_advice(
    tmp_path: Path, saved: Path, name: str
) -> None:
    old = tmp_path / f"out.{name}"
    shown = {"json": '{"schema_version": 1}', "pdf": "%PDF", "csv": "device_key,", "markdown": "# ", "script": "#!"}
    old.write_text(shown[name], encoding="utf-8")
    ended = run("--open", str(saved), f"--{name}", str(old), "--force", folder=tmp_path, most_bytes=512)
    assert ended.returncode == 5, ended.stderr
    assert old.read_text(encoding="utf-8") == shown[name]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({"saved.json", old.name})
    assert "Advice for" in ended.stdout
    assert str(old) in ended.stderr
    assert "Traceback" not in ended.stderr


def test_one_output_that_cannot_be_written_does_not_stop_the_others(tmp_path: Path, saved: Path) -> None:
    flags = [part for name in FORMATS for part in (f"--{name}", str(tmp_path / f"out.{name}"))]
    ended = run("--open", str(saved), *flags, folder=tmp_path, most_bytes=16_384)
    assert ended.returncode == 5
    assert (tmp_path / "out.markdown").exists()
    assert (tmp_path / "out.csv").exists() or "out.csv" in ended.stderr
    assert not (tmp_path / "out.json").exists()
    assert not (tmp_path / "out.pdf").exists()
    assert not list(tmp_path.glob("*.part")) + list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize("kind", ["json", "csv", "markdown", "pdf", "script"])
def test_whichever_call_finds_the_disk_full_the_old_file_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: FileKind, call: str
) -> None:
    (tmp_path / "out").write_bytes(b"old")
    full = OSError(28, "No space left on device")

    def refuse(*_: object, **__: object) -> None:
        raise full

    if call == "write":
        monkeypatch.setattr("advisor.core.file_writing.os.fdopen", refuse)
    else:
        monkeypatch.setattr(f"advisor.core.file_writing.os.{call}", refuse)
    with pytest.raises(OutputError, match="No space left"):
        advice_file.write(kind, fakes.advice(), tmp_path / "out", "en")
    monkeypatch.undo()
    assert (tmp_path / "out").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


HISTORY_WRITER = """
import resource, signal, sys
from pathlib import Path
from advisor.core.errors import OutputError
from advisor.store.history import History
from tests.present.recorded import recorded
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
saved = 0
with History(Path(sys.argv[1])) as history:
    history.save(recorded())
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    try:
        for saved in range(1, 200):
            history.save(recorded())
    except OutputError as error:
        print(saved, error.exit_code)
"""


def test_a_history_on_a_full_disk_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HISTORY_WRITER, str(tmp_path), str(400_000)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    kept, code = ended.stdout.split()
    assert code == "5"
    with History(tmp_path) as history:
        assert len(history.runs()) == int(kept)
        assert all(history.load(one.entry_index) == recorded() for one in history.runs())
        assert history.problems == ()


def test_a_missing_home_costs_the_history_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    place = str(tmp_path / "file" / "home")
    ended = run("--predict", "iris_mlp", "--gpus", "rtx3090", "--quiet", folder=Path(place), XDG_DATA_HOME=place)
    assert ended.returncode == 0, ended.stderr
    assert "Advice for" in ended.stdout
    assert "history" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_read_only_home_costs_the_history_and_says_so(tmp_path: Path) -> None:
    # A folder whose permissions forbid writing does not stop the superuser, a limit of no bytes does.
    ended = run("--predict", "iris_mlp", "--gpus", "rtx3090", "--quiet", folder=tmp_path, most_bytes=0)
    assert ended.returncode == 0, ended.stderr
    assert "Advice for" in ended.stdout
    assert "istory" in ended.stderr
    assert "Traceback" not in ended.stderr


def prepared(folder: Path, damage: Callable[[Path], None]) -> Path:
    place = folder / "data" / "advisor"
    place.mkdir(parents=True)
    with History(place) as history:
        history.save(recorded())
    damage(place / FILE_NAME)
    return place


def newer(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(("damage", "word"), [(newer, "newer"), (cut, "damaged")])
def test_a_newer_or_damaged_history_is_left_or_kept_aside_and_named(
    tmp_path: Path, damage: Callable[[Path], None], word: str
) -> None:
    place = prepared(tmp_path, damage)
    before = (place / FILE_NAME).read_bytes()
    ended = run("--predict", "iris_mlp", "--gpus", "rtx3090", "--quiet", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert word in ended.stderr
    aside = [path.read_bytes() for path in place.iterdir() if path.name.startswith(FILE_NAME)]
    assert before in aside
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1, 99, "1", None])
def test_an_advice_of_another_version_is_refused_and_left_as_it_is(tmp_path: Path, version: object) -> None:
    written = json_file.encode(recorded()).decode()
    raw = written.replace(f'"schema_version": {SCHEMA_VERSION}', f'"schema_version": {json_of(version)}', 1)
    assert raw != written
    (tmp_path / "other.json").write_text(raw, encoding="utf-8")
    ended = run("--open", str(tmp_path / "other.json"), folder=tmp_path)
    assert ended.returncode == 2
    assert "schema_version" in ended.stderr
    assert (tmp_path / "other.json").read_text(encoding="utf-8") == raw


def json_of(value: object) -> str:
    return "null" if value is None else f'"{value}"' if isinstance(value, str) else str(value)
