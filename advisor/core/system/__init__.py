"""What exists on one operating system only, under names that exist on all: chosen here, once."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from advisor.core.system import windows as this_system
else:
    from advisor.core.system import posix as this_system

__all__ = ["this_system"]
