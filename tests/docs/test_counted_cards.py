"""Where the texts count the table of GPUs, they count what it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table

ROOT = Path(__file__).resolve().parents[2]
_COUNTED = re.compile(r"table of (\d+)|the (\d+) GPUs of the table|共 (\d+) 种|(\d+) 种 GPU")


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "CHANGELOG.md"])
def test_what_a_text_counts_of_the_table_is_its_length(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    told = {int(figure) for counts in _COUNTED.findall(text) for figure in counts if figure}
    assert told == {len(spec_table())}
