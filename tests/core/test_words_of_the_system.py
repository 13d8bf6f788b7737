"""What the C library says of a file that it refuses is told in the reader's language."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import pytest

from advisor.core.file_writing import write_atomically
from advisor.core.input_file import read_text
from advisor.core.sentences import Reason, Said, SaidError, SaidOutputError, say

if TYPE_CHECKING:
    from pathlib import Path

REFUSALS = [
    *("EACCES", "EPERM", "ENOENT", "EISDIR", "ENOTDIR", "ENOSPC", "EROFS", "ENAMETOOLONG", "ELOOP", "EIO", "EDQUOT"),
    *("EBUSY", "EMFILE", "EINVAL"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="the words of another C library")
@pytest.mark.parametrize("name", REFUSALS)
def test_each_common_refusal_of_a_file_is_said_in_chinese(name: str) -> None:
    words = os.strerror(getattr(errno, name))
    told = say(Reason.of("command-not-written", given="x", detail=Said(text=words)), "zh")
    assert told.startswith("x：无法写入：")
    assert told.removeprefix("x").isascii() is False
    assert not any(letter.isascii() and letter.isalpha() for letter in told.removeprefix("x"))
    assert words in say(Reason.of("command-not-written", given="x", detail=Said(text=words)), "en")


def test_other_words_stay_as_they_were_said() -> None:
    told = say(Reason.of("command-not-written", given="x", detail=Said(text="the disk is on fire")), "zh")
    assert told == "x：无法写入：the disk is on fire."


def test_a_file_in_no_folder_is_refused_in_chinese(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SaidOutputError) as written:
        write_atomically(tmp_path / "nowhere" / "a.json", b"{}")
    assert say(written.value.reasons[0], "zh").endswith("无法写入：没有这个文件或文件夹。")
    with pytest.raises(SaidError) as read:
        read_text(tmp_path / ("n" * 300))
    assert say(read.value.reasons[0], "zh").endswith("无法读取文件（文件名过长）。")
