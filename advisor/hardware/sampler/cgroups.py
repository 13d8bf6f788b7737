"""CPU and memory limits of control groups, versions 1 and 2, from this process's group up to the root."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import NamedTuple

from advisor.hardware.sampler.kernel_files import text_of, whole

_UNLIMITED_BYTES = 1 << 60


class CgroupLimits(NamedTuple):
    """What the control groups leave: cores, bytes, and bytes of the limit already used; None: no limit."""

    core_count: float | None = None
    memory_limit_bytes: int | None = None
    memory_used_bytes: int | None = None


def read_limits(root: Path = Path("/")) -> CgroupLimits:
    """The tightest limits of all groups this process is in. `root` is the file system's root."""
    cores: list[float] = []
    memories: list[tuple[int, int | None]] = []
    for controllers, folders in _groups(root):
        for folder in folders:
            if controllers is None or "cpu" in controllers:
                cores += _core_limit(folder)
            if controllers is None or "memory" in controllers:
                memories += _memory_limit(folder)
    limit, used = min(memories, key=lambda pair: pair[0] - (pair[1] or 0), default=(None, None))
    return CgroupLimits(core_count=min(cores, default=None), memory_limit_bytes=limit, memory_used_bytes=used)


def _groups(root: Path) -> list[tuple[frozenset[str] | None, list[Path]]]:
    """(controllers, folders from this process's group to its root) of each hierarchy; None: version 2."""
    own = _own_groups(root)
    hierarchies: list[tuple[frozenset[str] | None, list[Path]]] = []
    for line in text_of(root / "proc/self/mountinfo").splitlines():
        left, _, right = line.partition(" - ")
        fields, kind = left.split(), right.split()
        if len(fields) < 5 or len(kind) < 3 or kind[0] not in ("cgroup", "cgroup2"):  # noqa: PLR2004 - mountinfo
            continue
        controllers = None if kind[0] == "cgroup2" else frozenset(kind[2].split(","))
        path = next((path for names, path in own if _same_hierarchy(names, controllers)), None)
        if path is not None:
            hierarchies.append((controllers, _folders(root, fields[3], fields[4], path)))
    return hierarchies


def _same_hierarchy(names: frozenset[str], controllers: frozenset[str] | None) -> bool:
    return not names if controllers is None else bool(names & controllers)


def _own_groups(root: Path) -> list[tuple[frozenset[str], str]]:
    """(controllers, path) of each line of /proc/self/cgroup; no controllers: version 2."""
    groups = []
    for line in text_of(root / "proc/self/cgroup").splitlines():
        _, names, path = [*line.split(":", 2), "", ""][:3]
        groups.append((frozenset(filter(None, names.split(","))), path))
    return groups


def _folders(root: Path, mount_root: str, mount_point: str, path: str) -> list[Path]:
    """The group's folder and its parents down to the mount; in a container the mount itself is the group."""
    mount = root / mount_point.lstrip("/")
    try:
        inside = PurePosixPath(path).relative_to(mount_root)
    except ValueError:
        return [mount]
    if ".." in inside.parts or not (mount / inside).is_dir():
        return [mount]
    folder, folders = mount / inside, []
    while folder != mount:
        folders.append(folder)
        folder = folder.parent
    return [*folders, mount]


def _core_limit(folder: Path) -> list[float]:
    """Cores of `cpu.max` (version 2) or of quota over period (version 1)."""
    both = text_of(folder / "cpu.max").split()
    if not both:
        both = [text_of(folder / "cpu.cfs_quota_us"), text_of(folder / "cpu.cfs_period_us")]
    quota, period = (whole(part) for part in [*both, "", ""][:2])
    return [quota / period] if quota and period and quota > 0 and period > 0 else []


def _memory_limit(folder: Path) -> list[tuple[int, int | None]]:
    """(limit, used): page cache that the kernel gives back at once does not count as used, as in MemAvailable."""
    limit = _first_told(folder, "memory.max", "memory.limit_in_bytes")
    if limit is None or not 0 < limit < _UNLIMITED_BYTES:
        return []
    used = _first_told(folder, "memory.current", "memory.usage_in_bytes")
    return [(limit, None if used is None else max(0, used - _reclaimable(folder)))]


def _first_told(folder: Path, *names: str) -> int | None:
    """The number of the first file that has one: version 2's, then version 1's."""
    numbers = (whole(text_of(folder / name)) for name in names)
    return next((value for value in numbers if value is not None), None)


def _reclaimable(folder: Path) -> int:
    figures = dict(line.split(" ", 1) for line in text_of(folder / "memory.stat").splitlines() if " " in line)
    name = "total_inactive_file" if "total_inactive_file" in figures else "inactive_file"
    return whole(figures.get(name, "")) or 0
