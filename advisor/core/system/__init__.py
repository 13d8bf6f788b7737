"""What exists on one operating system only, under names that exist on all: chosen here, once."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from advisor.core.system.windows import (
        GROUP_SETTINGS,
        affinity_core_count,
        ask_group,
        die_with_parent,
        is_owned_by_us,
        kill_group,
        lifetime_peak_bytes,
        process_exists,
        system_cpu_s,
        user_name,
        was_killed,
        write_within,
    )
else:
    from advisor.core.system.posix import (
        GROUP_SETTINGS,
        affinity_core_count,
        ask_group,
        die_with_parent,
        is_owned_by_us,
        kill_group,
        lifetime_peak_bytes,
        process_exists,
        system_cpu_s,
        user_name,
        was_killed,
        write_within,
    )

__all__ = [
    "GROUP_SETTINGS",
    "affinity_core_count",
    "ask_group",
    "die_with_parent",
    "is_owned_by_us",
    "kill_group",
    "lifetime_peak_bytes",
    "process_exists",
    "system_cpu_s",
    "user_name",
    "was_killed",
    "write_within",
]
