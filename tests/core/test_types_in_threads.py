"""Several threads may decode to a type that none of them has decoded to before."""

from __future__ import annotations

import subprocess
import sys

_RACE = """
import sys, threading
import msgspec
from advisor.core.records import Record, built
sys.setswitchinterval(1e-5)
for number in range(12):
    fields = [(f"field_{one}", int, 0) for one in range(40)]
    inner = [msgspec.defstruct(f"Inner{place}", fields, bases=(Record,), kw_only=True) for place in range(12)]
    parts = [(f"part_{place}", kind) for place, kind in enumerate(inner)]
    outer = msgspec.defstruct("Outer", parts, bases=(Record,), kw_only=True)
    raw = {f"part_{place}": {} for place in range(len(inner))}
    barrier, found = threading.Barrier(4), []
    def decode():
        barrier.wait()
        found.append(msgspec.convert(raw, built(outer)))
    threads = [threading.Thread(target=decode) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 4
print("whole")
"""


def test_four_threads_that_first_decode_to_one_type_all_get_it() -> None:
    ended = subprocess.run([sys.executable, "-c", _RACE], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (0, "whole"), ended.stderr
