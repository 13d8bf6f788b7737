"""The processor: its name, cores, instruction sets, and what of it this process may use."""

from __future__ import annotations

import math
import os
import platform
import sys
from pathlib import Path

import psutil  # noqa: TID251 - the sampler is its one user

from advisor.core.sentences import Reason
from advisor.core.system import this_system
from advisor.hardware.machine import Cpu, Refusal
from advisor.hardware.sampler.cgroups import CgroupLimits

_INSTRUCTION_SETS = (
    "sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16",
    "avx512_fp16", "avx_vnni", "amx_tile", "amx_int8", "amx_bf16", "asimd", "neon", "asimdhp", "asimddp", "fphp",
    "bf16", "i8mm", "sve", "sve2", "sme",
)  # fmt: skip
_MAX_CORES = 4096


def find_cpu(limits: CgroupLimits, root: Path = Path("/")) -> Cpu:
    """The processor of this machine. `root` is the file system's root."""
    facts = _cpuinfo(root)
    refusals: list[Refusal] = []
    logical = _sane(psutil.cpu_count(logical=True)) or _sane(os.cpu_count())
    physical = _physical_cores(logical, refusals)
    if logical is None:
        refusals.append(_refused("logical_core_count", "refused-nonsense"))
    name = _name(facts)
    if name is None:
        refusals.append(_refused("name", "refused-system-silent"))
    clock = _max_clock()
    if clock is None:
        refusals.append(_refused("max_clock_hz", "refused-system-silent"))
    flags = set((facts.get("flags") or facts.get("features") or "").split())
    sets = tuple(flag for flag in _INSTRUCTION_SETS if flag in flags) or _apple_sets()
    if not sets:
        refusals.append(_refused("instruction_sets", "refused-system-silent"))
    return Cpu(
        name=name,
        architecture=platform.machine() or "unknown",
        physical_core_count=physical,
        logical_core_count=logical,
        usable_core_count=usable_cores(logical, this_system.affinity_core_count(), limits.core_count),
        cgroup_core_limit_count=limits.core_count,
        max_clock_hz=clock,
        instruction_sets=sets,
        refusals=tuple(refusals),
    )


def usable_cores(logical: int | None, affinity: int | None, limit: float | None) -> int:
    """min(affinity, ceil(control group's limit), logical cores), at least 1."""
    counts = [number for number in (logical, affinity, None if limit is None else math.ceil(limit)) if number]
    return max(1, min(counts, default=1))


def _physical_cores(logical: int | None, refusals: list[Refusal]) -> int | None:
    """Physical cores, or None where the system's answer contradicts itself: never half the logical ones."""
    try:
        physical = _sane(psutil.cpu_count(logical=False))
    except (OSError, ValueError, RuntimeError, NotImplementedError):
        physical = None
    if physical is None:
        refusals.append(_refused("physical_core_count", "refused-system-silent"))
    elif logical is not None and physical > logical:
        refusals.append(_refused("physical_core_count", "refused-nonsense"))
        return None
    return physical


def _sane(number: int | None) -> int | None:
    return number if number is not None and 0 < number <= _MAX_CORES else None


def _max_clock() -> float | None:
    """Highest clock; virtual machines often tell none, and 0 is no clock."""
    try:
        frequency = psutil.cpu_freq()
    except (OSError, ValueError, RuntimeError, AttributeError, NotImplementedError):
        return None
    megahertz = frequency.max if frequency is not None else 0.0
    return megahertz * 1e6 if megahertz > 0 and math.isfinite(megahertz) else None


def _cpuinfo(root: Path) -> dict[str, str]:
    """Fields of the first processor of /proc/cpuinfo, names in lower case; empty where there is none."""
    try:
        with (root / "proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
            facts: dict[str, str] = {}
            for line in file:
                if not line.strip() and "processor" in facts:
                    break
                key, _, value = line.partition(":")
                facts.setdefault(key.strip().lower(), value.strip())
    except OSError:
        return {}
    return facts


def _name(facts: dict[str, str]) -> str | None:
    """The model's name from the system, else the maker's part number, else unknown."""
    name = facts.get("model name") or facts.get("cpu model") or facts.get("hardware")
    if name is None and "cpu part" in facts:
        name = f"ARM implementer {facts.get('cpu implementer', '?')} part {facts['cpu part']}"
    if name is None:
        name = _name_elsewhere()
    visible = "".join(character for character in name or "" if character.isprintable() or character.isspace())
    cleaned = " ".join(visible.split())[:128]
    return cleaned or None


def _name_elsewhere() -> str | None:
    if sys.platform == "darwin":
        from advisor.hardware.sampler.pci import sysctl_text

        return sysctl_text("machdep.cpu.brand_string")
    elif sys.platform == "win32":  # noqa: RET505 - as branches, the type checker sees each system's alone
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"HARDWARE\DESCRIPTION\System\CentralProcessor\0") as key:
                return str(winreg.QueryValueEx(key, "ProcessorNameString")[0])
        except OSError:
            return platform.processor() or None
    else:
        return None


def _apple_sets() -> tuple[str, ...]:
    return ("neon",) if sys.platform == "darwin" and platform.machine() == "arm64" else ()


def _refused(field: str, code: str) -> Refusal:
    return Refusal(field=field, reason=Reason.of(code))
