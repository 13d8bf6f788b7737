"""Whether the C library hands freed memory back, counted in page faults."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

FAULTS_OF_A_STEP = """
import ctypes, resource, sys
from advisor.worker.train.resident_memory import keep_freed_memory

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p

def step():
    blocks = [library.malloc(8 << 20) for _ in range(6)]
    for block in blocks:
        ctypes.memset(block, 1, 8 << 20)
    for block in blocks:
        library.free(ctypes.c_void_p(block))

if sys.argv[1] == "keep":
    assert keep_freed_memory()
for _ in range(3):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(4):
    step()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 4)
"""
HUGE_PAGES_OF_A_STEP = 6 * 8 // 2


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt's parameters are glibc's")
def test_memory_that_is_kept_is_not_faulted_in_again() -> None:
    assert _faults("hand back") > HUGE_PAGES_OF_A_STEP / 2
    assert _faults("keep") < 1.0


def _faults(how: str) -> float:
    command = [sys.executable, "-c", FAULTS_OF_A_STEP, how]
    return float(subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout)
