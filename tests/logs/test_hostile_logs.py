"""A log of any content costs work in proportion to its length."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.logs.log_lines import _bounded, parse_log

MOST_TIMES_THE_WORK = 4.0
"""A character of a line of 2,000 against one of a line of 200. Work by the square of a line's length is ten times."""
LIMIT_S = 240
"""Of processor time in a process of its own, for what would not end."""
READS_ALL = f"""
import resource
import time
resource.setrlimit(resource.RLIMIT_CPU, ({LIMIT_S}, {LIMIT_S}))
from advisor.logs.log_lines import parse_log

def work(text):
    spent = []
    for _ in range(2):
        begun = time.process_time()
        parse_log(text)
        spent.append(time.process_time() - begun)
    return min(spent)

def lines(piece, length):
    return "\\n".join([(piece * length)[:length]] * (120_000 // length))

for piece in ("1", "step ", "step:" + " " * 1990 + "x\\n", "time" + "\\t" * 1990 + "\\n", "1/", "1:", "val ", "data ",
              "1epoch results: [train] ", "time=1 minute, ", "1epoch:train:1-1batch: ", "epoch train_loss time\\n"):
    more = work(lines(piece, 2_000)) / work(lines(piece, 200))
    whole = work(lines(piece, 120_000)) / work(lines(piece, 200))
    if max(more, whole) > {MOST_TIMES_THE_WORK}:
        print(repr(piece[:40]), more, whole)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is Unix's")
def test_a_character_costs_no_more_in_a_long_line_than_in_a_short_one() -> None:
    ended = subprocess.run([sys.executable, "-c", READS_ALL], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-500:]
    assert not ended.stdout


@given(st.text(alphabet="1 \t\u3000.:/x", max_size=400))
def test_no_line_reaches_the_patterns_with_a_long_run(line: str) -> None:
    bounded = _bounded(line)
    assert not any(blank * 2 in bounded for blank in (" ", "\t", "\u3000"))
    assert "1" * 25 not in bounded


def test_what_a_log_says_is_not_changed_by_it() -> None:
    facts = parse_log("step   10    loss 0.12345678901234567   time:   0.25   data: 0.01\n")
    assert facts.step_times_s == [0.25]
    assert facts.data_times_s == [0.01]
