"""A claim without end costs no time without end, and a number beyond all bounds is a sentence."""

from __future__ import annotations

import subprocess
import sys

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.reading.reader import parse_claim
from advisor.claims.reading.text.plain_text import MAX_CHARACTERS
from advisor.core.errors import InputError

CPU_LIMIT_S = 20
"""Of processor time for all of them, in a process of their own: each alone took over 13 s, or did not end."""
REPEATED = (
    "1",
    "１",
    "4090",
    "rtx ",
    "nvidia ",
    "1 ",
    "1e309",
    "1:",
    "- ",
    "百",
    "一百",
    "比",
    "\ufdfa",
    "batch 1 ",
    "1% ",
)
READS_ALL = f"""
import resource
resource.setrlimit(resource.RLIMIT_CPU, ({CPU_LIMIT_S}, {CPU_LIMIT_S}))
from advisor.catalogue.spec_table import spec_table
from advisor.claims.reading.reader import parse_claim
from advisor.core.errors import InputError
for piece in {REPEATED!a}:
    try:
        parse_claim((piece * {MAX_CHARACTERS})[:{MAX_CHARACTERS}], spec_table())
    except InputError:
        pass
print("read")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is Unix's")
def test_a_claim_of_two_thousand_equal_pieces_is_read_in_bounded_work() -> None:
    ended = subprocess.run([sys.executable, "-c", READS_ALL], capture_output=True, text=True, check=False)
    assert ended.stdout == "read\n", ended.stderr[-500:]


@pytest.mark.parametrize(
    "text",
    [
        "a T4 is 1e309 times faster than a V100",
        "an epoch takes 1e309 hours on a T4",
        "it takes 1e308 hours on a T4",
        "1" + "0" * 400 + " s per step on a T4",
        "1e-300 s per step on a T4",
    ],
)
def test_a_number_beyond_all_bounds_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(InputError, match="beyond anything that could be timed"):
        parse_claim(text, spec_table())
