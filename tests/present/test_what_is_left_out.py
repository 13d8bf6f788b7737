"""The last line of the short answer counts what the details have more, and only what there is."""

from __future__ import annotations

import pytest

from advisor.core.sentences import Language, sentence


@pytest.mark.parametrize(
    ("language", "sentences", "rows", "line"),
    [
        ("en", 1, 0, "1 more remark: --details"),
        ("en", 0, 1, "1 more row: --details"),
        ("en", 0, 2, "2 more rows: --details"),
        ("en", 3, 2, "3 more remarks and 2 more rows: --details"),
        ("zh", 0, 2, "还有 2 行：--details"),
        ("zh", 3, 0, "还有 3 条说明：--details"),
        ("zh", 3, 2, "还有 3 条说明和 2 行：--details"),
    ],
)
def test_what_is_not_left_out_is_not_counted(language: Language, sentences: int, rows: int, line: str) -> None:
    both = 1 if sentences and rows else 0
    assert sentence("summary-more", language, sentences=sentences, rows=rows, both=both) == line
