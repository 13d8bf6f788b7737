"""A machine without home, /proc or memory, and a launcher's nonsense, are sentences, not tracebacks."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path

import psutil  # noqa: TID251 - what the sampler asks is made to fail here
import pytest

from advisor.core.errors import InputError
from advisor.hardware.sampler.cgroups import CgroupLimits
from advisor.hardware.sampler.host import find_memory
from advisor.measure.rank_guard import local_ranks, under_torchrun
from advisor.store.history import History, data_folder
from tests.present.fakes import advice
from tests.uncounted import uncounted

PREDICT = "-m advisor --predict iris_mlp --gpus t4 --quiet"


@pytest.mark.parametrize(
    "given",
    [
        {"LOCAL_RANK": "abc"},
        {"LOCAL_RANK": "-1"},
        {"LOCAL_RANK": "3"},
        {"LOCAL_WORLD_SIZE": "0"},
        {"LOCAL_WORLD_SIZE": "9" * 400},
        {"RANK": "7"},
        {"LOCAL_RANK": "²"},
    ],
)
def test_a_launchers_nonsense_is_refused_by_its_name(given: dict[str, str]) -> None:
    environment = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", **given}
    with pytest.raises(InputError, match=next(iter(given))):
        local_ranks(environment)


def test_what_a_launcher_says_gives_the_ranks_of_this_host() -> None:
    assert local_ranks({"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"}) == range(4, 8)
    assert local_ranks({"RANK": "1", "WORLD_SIZE": "2"}) == range(2)
    assert not under_torchrun({"RANK": "²", "WORLD_SIZE": "2"})


def test_measuring_with_a_launchers_nonsense_ends_with_code_two() -> None:
    environment = {**os.environ, "RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "abc"}
    command = [sys.executable, "-m", "advisor", "--measure", "iris_mlp", "--quiet"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 2
    assert "LOCAL_RANK is `abc`" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_user_without_home_or_entry_keeps_the_history_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)

    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with History(data_folder()) as history:
        history.save(advice())
        assert len(history.runs()) == 1
        assert [problem.code for problem in history.problems] == ["history-in-memory"]


def test_memory_is_known_where_proc_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = find_memory(CgroupLimits())

    def hidden() -> None:
        raise FileNotFoundError(2, "No such file or directory", "/proc/meminfo")

    monkeypatch.setattr(psutil, "virtual_memory", hidden)
    found = find_memory(CgroupLimits())
    assert found.total_bytes == pytest.approx(seen.total_bytes, rel=0.02)
    assert 0 < found.available_bytes <= found.total_bytes


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix shells")
@pytest.mark.parametrize(("limit", "codes"), [("-v 300000", {0, 5}), ("-n 12", {0, 5}), ("-f 0", {0, 5})])
def test_a_very_low_limit_is_a_sentence(tmp_path: Path, limit: str, codes: set[int]) -> None:
    environment = {**uncounted(), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    command = f"ulimit {limit} && exec {sys.executable} {PREDICT}"
    ended = subprocess.run(
        ["bash", "-c", command], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode in codes, ended.stderr
    assert "Traceback" not in ended.stderr
