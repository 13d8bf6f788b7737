"""Limits of control groups, versions 1 and 2, on recorded file trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.hardware.sampler.cgroups import CgroupLimits, read_limits

V2 = "31 24 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "32 31 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)
GIB = 2**30


def tree(root: Path, files: dict[str, str]) -> Path:
    """A file system with these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_a_version_2_group_limits_cores_and_memory(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/mountinfo": V2,
            "proc/self/cgroup": "0::/user.slice/job.scope\n",
            "sys/fs/cgroup/user.slice/job.scope/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/user.slice/job.scope/memory.max": f"{8 * GIB}\n",
            "sys/fs/cgroup/user.slice/job.scope/memory.current": f"{3 * GIB}\n",
            "sys/fs/cgroup/user.slice/job.scope/memory.stat": f"anon 5\ninactive_file {GIB}\n",
        },
    )
    assert read_limits(root) == CgroupLimits(1.5, 8 * GIB, 2 * GIB)


def test_the_tightest_limit_of_all_parents_counts(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/mountinfo": V2,
            "proc/self/cgroup": "0::/a/b/c\n",
            "sys/fs/cgroup/a/cpu.max": "50000 100000",
            "sys/fs/cgroup/a/b/cpu.max": "max 100000",
            "sys/fs/cgroup/a/b/c/cpu.max": "400000 100000",
            "sys/fs/cgroup/a/memory.max": str(2 * GIB),
            "sys/fs/cgroup/a/memory.current": str(GIB),
            "sys/fs/cgroup/a/b/c/memory.max": str(4 * GIB),
            "sys/fs/cgroup/a/b/c/memory.current": str(GIB // 2),
        },
    )
    assert read_limits(root) == CgroupLimits(0.5, 2 * GIB, GIB)


def test_a_version_1_group_limits_cores_and_memory(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/mountinfo": V1,
            "proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n",
            "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "200000",
            "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000",
            "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": str(4 * GIB),
            "sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes": str(GIB),
            "sys/fs/cgroup/memory/docker/abc/memory.stat": "total_inactive_file 1024\n",
        },
    )
    assert read_limits(root) == CgroupLimits(2.0, 4 * GIB, GIB - 1024)


def test_inside_a_container_the_mount_itself_is_the_group(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/mountinfo": "31 24 0:27 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/cpu.max": "100000 100000",
            "sys/fs/cgroup/memory.max": "max",
        },
    )
    assert read_limits(root) == CgroupLimits(1.0, None, None)


@pytest.mark.parametrize("text", ["-1", "max 100000", "0 0", "nonsense", "", "100000", "\x00"])
def test_no_limit_and_nonsense_are_no_limit(tmp_path: Path, text: str) -> None:
    root = tree(
        tmp_path,
        {"proc/self/mountinfo": V2, "proc/self/cgroup": "0::/x\n", "sys/fs/cgroup/x/cpu.max": text},
    )
    assert read_limits(root).core_count is None


def test_the_version_1_figure_for_unlimited_is_no_limit(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/mountinfo": V1,
            "proc/self/cgroup": "4:memory:/\n3:cpu,cpuacct:/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
        },
    )
    assert read_limits(root) == CgroupLimits()


def test_a_group_path_that_climbs_out_is_not_followed(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/mountinfo": V2,
            "proc/self/cgroup": "0::/../../outside\n",
            "outside/cpu.max": "100000 100000",
            "sys/fs/cgroup/cpu.max": "300000 100000",
        },
    )
    assert read_limits(root).core_count == 3.0


def test_a_system_without_control_groups_has_no_limits(tmp_path: Path) -> None:
    assert read_limits(tmp_path) == CgroupLimits()


def test_the_group_with_the_least_left_counts_and_not_the_one_with_the_least_limit(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/mountinfo": V2,
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/memory.max": str(8 * GIB),
            "sys/fs/cgroup/a/memory.current": str(7 * GIB),
            "sys/fs/cgroup/a/b/memory.max": str(4 * GIB),
            "sys/fs/cgroup/a/b/memory.current": str(GIB),
        },
    )
    assert read_limits(root) == CgroupLimits(None, 8 * GIB, 7 * GIB)
