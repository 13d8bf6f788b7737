"""A file is written whole or not at all, through links, with the permissions that it had."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from advisor.core.errors import OutputError
from advisor.core.file_writing import write_atomically

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and permissions as POSIX has them")


def test_the_new_content_takes_the_place_of_the_old_and_nothing_else_is_left(tmp_path: Path) -> None:
    target = tmp_path / "advice.json"
    for content in (b"old", b"new"):
        write_atomically(target, content)
        assert target.read_bytes() == content
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_a_link_and_what_it_names_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_link_to_itself_names_no_file_and_gives_way(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    write_atomically(tmp_path / "loop", b"new")
    assert (tmp_path / "loop").read_bytes() == b"new"


def test_permissions_are_those_of_the_old_file_or_what_the_umask_gives_a_new_one(tmp_path: Path) -> None:
    kept, new = tmp_path / "kept", tmp_path / "new"
    kept.touch()
    kept.chmod(0o640)
    mask = os.umask(0o027)
    try:
        for path in (kept, new):
            write_atomically(path, b"")
    finally:
        os.umask(mask)
    assert kept.stat().st_mode & 0o777 == 0o640
    assert new.stat().st_mode & 0o777 == 0o640


def test_a_place_that_cannot_be_written_is_named_and_left_as_it_was(tmp_path: Path) -> None:
    occupied = tmp_path / "folder"
    (occupied / "inside").mkdir(parents=True)
    for target in (occupied, tmp_path / "missing" / "file"):
        with pytest.raises(OutputError) as raised:
            write_atomically(target, b"new")
        assert str(target) in raised.value.text
        assert raised.value.exit_code == 5
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
