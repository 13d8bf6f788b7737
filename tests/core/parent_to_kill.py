"""A parent for test_child_process.py: starts a child, says its process number, and waits to be killed."""

from __future__ import annotations

import time

from advisor.core.child_process import ChildProcess

if __name__ == "__main__":
    child = ChildProcess("tests.core.speaking_child", "deaf")
    child.next_line(20.0)
    print(child.process.pid, flush=True)
    time.sleep(600)
