"""What travels in the wheel: data that the program reads, and no recorded example."""

from __future__ import annotations

from advisor.core.bundled import resource

LARGEST_BYTES = 1 << 20


def test_but_for_fonts_no_data_file_of_the_wheel_is_larger_than_a_mebibyte() -> None:
    folder = resource(".")
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "fonts"]
    assert len(files) > 20
    assert [path.name for path in files if path.stat().st_size > LARGEST_BYTES] == []
