"""The folder that the ranks of one host share: a file of findings each, and who is still alive."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from advisor.core.file_writing import write_atomically
from advisor.core.records import Record
from advisor.core.sentences import SaidError
from advisor.core.system import this_system
from advisor.protocol.messages import RankFinding, worker_event_of


def folder_of_run(environment: Mapping[str, str]) -> Path:
    """A private folder whose name every rank of this host derives from what torchrun told it.

    Raises UserFacingError where a stranger owns the place.
    """
    parts = [environment.get(name, "") for name in ("TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT")]
    key = hashlib.sha256("\0".join([*parts, str(os.getppid())]).encode()).hexdigest()[:20]
    base = Path(tempfile.gettempdir()) / f"advisor-ranks-{this_system.user_name()}"
    for folder in (base, base / key):
        folder.mkdir(mode=0o700, exist_ok=True)
        _require_own(folder)
    return base / key


def _require_own(folder: Path) -> None:
    """A folder under a predictable name may have been put there by someone else."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or not this_system.is_owned_by_us(status):
        raise SaidError.of("ranks-folder-not-ours", folder=str(folder))


class RankFolder:
    """Files of one run: `rank-N.jsonl` findings, `.pid` its process, `.lost` its worker died, `.ended` it survived."""

    def __init__(self, path: Path) -> None:
        """Use `path`, which exists."""
        self.path = path

    def register(self, rank: int) -> None:
        """Say which process is rank `rank` on this host; nobody ever reads half of it."""
        begun = self.path / f"rank-{rank}.pid.tmp"
        begun.write_text(str(os.getpid()), encoding="ascii")
        begun.replace(self.path / f"rank-{rank}.pid")

    def mark(self, rank: int, end: Literal["lost", "ended"]) -> None:
        """Say that the worker of `rank` is gone although its process runs, or that its end from now on is no loss."""
        with contextlib.suppress(OSError):
            (self.path / f"rank-{rank}.{end}").touch()

    def survived(self, rank: int) -> bool:
        """Whether `rank` of this host has its worker, or had it when the measurement broke off."""
        if (self.path / f"rank-{rank}.lost").exists():
            return False
        if (self.path / f"rank-{rank}.ended").exists():
            return True
        try:
            pid = int((self.path / f"rank-{rank}.pid").read_text(encoding="ascii"))
        except (OSError, ValueError):
            return False
        return _runs(pid)

    def findings(self) -> list[RankFinding]:
        """Everything that any rank of this host wrote; a line that its death cut off is left out."""
        findings = []
        for path in sorted(self.path.glob("rank-*.jsonl")):
            for line in path.read_bytes().splitlines():
                finding = worker_event_of(line)
                if isinstance(finding, RankFinding):
                    findings.append(finding)
        return findings

    def write_partial(self, outcome: Record) -> Path:
        """Keep an outcome as `partial_report.json`, whole or not at all."""
        target = self.path / "partial_report.json"
        write_atomically(target, msgspec.json.format(msgspec.json.encode(outcome), indent=2))
        return target

    def remove(self) -> None:
        """Delete the folder; to whoever watches it, it is gone at once."""
        gone = self.path.with_name(f"{self.path.name}.done")
        with contextlib.suppress(OSError):
            self.path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _runs(pid: int) -> bool:
    if not this_system.process_exists(pid):
        return False
    if sys.platform == "linux":
        with contextlib.suppress(OSError, IndexError):
            status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            return status.rpartition(")")[2].split()[0] != "Z"  # dead, but its parent has not looked yet
    return True
