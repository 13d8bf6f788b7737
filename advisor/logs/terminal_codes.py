"""What a terminal was told between a log's words: colours, cleared lines, moves of the cursor."""

from __future__ import annotations

import re

_ESCAPE = r"(?:\x1b|\^\[|␛|←|\\x1b|\\u001b|\\033|\\e)"
"""The escape character, and what editors, consoles, JSON and shells show in its place."""
_MOVED = r"\[(?:\d{0,3}[A-HJ]|\d{1,3};\d{1,3}[Hf]|2K)"
"""The cursor goes elsewhere, or its line is cleared: what follows is another line."""
_UNSEEN = r"\[(?:(?:\d{1,3}(?:;\d{1,3}){0,8})?m|[01]?K|\?\d{1,4}[hl])"
"""Colours, the rest of a line cleared, the cursor hidden."""
_BARE_MOVED = r"\[(?:\d{1,3}[AJ]|\d{1,3};\d{1,3}[Hf]|2K|[AHJ](?=[\[\r\n]|\Z))"
_BARE_UNSEEN = r"\[(?:\d{1,3}(?:;\d{1,3}){0,8}m|[01]K|[mK](?=[\[\r\n]|\Z)|\?\d{1,4}[hl])"
"""The same without an escape character: words in brackets begin with these letters (`[Epoch`), sizes end in them."""
_OTHERS = re.compile(r"\x1b\[[0-9;?]{0,24}[A-Za-z]")
_BARE = re.compile(r"\[0m(?! ?\d)|\[\?25[hl]|\[\d?[AK]\[")
"""Said to terminals alone, its escape character lost: consoles and copied pages leave it out of what they keep."""


def without_terminal_codes(text: str) -> str:
    """The text as it was seen: codes are gone, and lines part where the cursor went to another.

    Codes without their escape character are told from other words in brackets by some that are codes beyond doubt.
    """
    seen = _OTHERS.sub("", re.sub(_ESCAPE + _UNSEEN, "", re.sub(_ESCAPE + _MOVED, "\n", text)))
    if not _BARE.search(seen):
        return seen
    return re.sub(_BARE_UNSEEN, "", re.sub(_BARE_MOVED, "\n", seen))
