"""Versions from metadata and text alone, and the surroundings of this process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.hardware.sampler.cgroups import CgroupLimits
from advisor.hardware.sampler.host import HostObserver, find_memory, is_container, is_wsl
from advisor.hardware.sampler.software import cuda_of_local_version, cuda_of_version_text, find_software

GIB = 2**30


@pytest.mark.parametrize(
    ("local", "cuda"), [("cu126", "12.6"), ("cu118", "11.8"), ("cu130", "13.0"), ("cpu", None), ("rocm6.2", None)]
)
def test_the_local_part_of_a_version_names_its_cuda(local: str, cuda: str | None) -> None:
    assert cuda_of_local_version(local) == cuda


@pytest.mark.parametrize(
    ("text", "cuda"),
    [
        ("from typing import Optional\n__version__ = '2.8.0'\ncuda: Optional[str] = '12.8'\nhip = None\n", "12.8"),
        ("cuda = '11.8'\n", "11.8"),
        ("cuda: Optional[str] = None\n", None),
        ("hip: Optional[str] = '6.2'\n", None),
        ("", None),
    ],
)
def test_the_version_file_of_torch_names_its_cuda_and_is_never_run(text: str, cuda: str | None) -> None:
    assert cuda_of_version_text(text) == cuda


def test_versions_are_those_installed_and_torch_is_not_imported() -> None:
    program = (
        "import sys, importlib.metadata as m\n"
        "from advisor.hardware.sampler.software import find_software\n"
        "found = find_software()\n"
        "assert found.torch == m.version('torch') and found.transformers == m.version('transformers'), found\n"
        "assert not {'torch', 'transformers', 'numpy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert find_software().python == ".".join(map(str, sys.version_info[:3]))


def test_wsl_and_containers_are_known_by_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("container", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    assert (is_wsl(tmp_path), is_container(tmp_path)) == (False, False)
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "dxg").touch()
    (tmp_path / ".dockerenv").touch()
    assert (is_wsl(tmp_path), is_container(tmp_path)) == (True, True)


def test_a_control_group_leaves_less_memory_than_the_machine_has() -> None:
    free = find_memory(CgroupLimits())
    assert (free.cgroup_limit_bytes, free.total_bytes > free.available_bytes) == (None, True)
    tight = find_memory(CgroupLimits(memory_limit_bytes=GIB, memory_used_bytes=GIB // 4))
    assert (tight.cgroup_limit_bytes, tight.available_bytes) == (GIB, 3 * GIB // 4)
    assert find_memory(CgroupLimits(memory_limit_bytes=GIB, memory_used_bytes=2 * GIB)).available_bytes == 0
    assert find_memory(CgroupLimits(memory_limit_bytes=2**59)).cgroup_limit_bytes is None


def test_an_instant_of_the_host_holds_shares_between_none_and_all() -> None:
    observer = HostObserver()
    sum(number * number for number in range(2_000_000))
    instant = observer.instant()
    assert instant.memory_used_bytes
    for share in (instant.cpu_utilisation_fraction, instant.steal_fraction, instant.cpu_pressure_fraction):
        assert share is None or 0 <= share <= 1


def test_pressure_is_read_where_the_kernel_tells_it(tmp_path: Path) -> None:
    assert HostObserver(tmp_path).instant().cpu_pressure_fraction is None
    (tmp_path / "proc" / "pressure").mkdir(parents=True)
    file = tmp_path / "proc" / "pressure" / "cpu"
    file.write_text("some avg10=12.50 avg60=0.74 avg300=0.41 total=85\nfull avg10=0.00\n", encoding="utf-8")
    assert HostObserver(tmp_path).instant().cpu_pressure_fraction == 0.125
    file.write_text("nonsense", encoding="utf-8")
    assert HostObserver(tmp_path).instant().cpu_pressure_fraction is None
