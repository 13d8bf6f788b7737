"""Sentences of the window and of the report, which is read without a command line: a flag by its name in the window."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.core.sentences import Language

_FLAG = re.compile(r"`?(?<![\w-])--(?P<flag>[a-z][a-z-]*)(?: (?:[A-Z]+|[a-z_]+\.json|\d+))?`?")


def window_words(text: str, language: Language) -> str:
    """The text with the window's name of every flag that has one there."""
    from advisor.core.sentences import message_exists, sentence

    def named(found: re.Match[str]) -> str:
        code = f"flag-{found['flag']}"
        return sentence(code, language) if message_exists(code, language) else found[0]

    return _FLAG.sub(named, text)
