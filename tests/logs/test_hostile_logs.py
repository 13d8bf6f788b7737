"""A log of any content costs work in proportion to its length."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.logs.log_lines import _bounded, parse_log

CPU_LIMIT_S = 25
"""Of processor time in a process of its own; the digits alone took 29 s for 2 MB, the blanks did not end."""
READS_ALL = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, ({CPU_LIMIT_S}, {CPU_LIMIT_S}))
from advisor.logs.log_lines import parse_log
for piece in ("1", "step ", "step:" + " " * 1990 + "x\\n", "time" + "\\t" * 1990 + "\\n", "1/", "1:", "val ", "data ",
              "1epoch results: [train] ", "time=1 minute, ", "1epoch:train:1-1batch: ", "epoch train_loss time\\n"):
    parse_log((piece * 2_000_000)[:2_000_000])
    parse_log("\\n".join([(piece * 2000)[:2000]] * 500))
print("read")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is Unix's")
def test_two_megabytes_of_anything_are_read_in_bounded_work() -> None:
    ended = subprocess.run([sys.executable, "-c", READS_ALL], capture_output=True, text=True, check=False)
    assert ended.stdout == "read\n", ended.stderr[-500:]


@given(st.text(alphabet="1 \t\u3000.:/x", max_size=400))
def test_no_line_reaches_the_patterns_with_a_long_run(line: str) -> None:
    bounded = _bounded(line)
    assert not any(blank * 2 in bounded for blank in (" ", "\t", "\u3000"))
    assert "1" * 25 not in bounded


def test_what_a_log_says_is_not_changed_by_it() -> None:
    facts = parse_log("step   10    loss 0.12345678901234567   time:   0.25   data: 0.01\n")
    assert facts.step_times_s == [0.25]
    assert facts.data_times_s == [0.01]
