"""Sentences of the window and of the report, which is read without a command line: all by its name in the window."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from advisor.catalogue.precisions import Precision
    from advisor.core.sentences import Language, Reason
    from advisor.core.units import SizeUnits

_CHINESE = r"[\u3000-\u9fff\uff00-\uffef]"
_FLAG = re.compile(
    rf"(?:(?<={_CHINESE}) )?(?:`advisor |`)?(?<![\w-])--(?P<flag>[a-z][a-z-]*)(?: (?:[A-Z]+|[a-z_]+\.json|\d+))?`?"
    rf"(?: (?={_CHINESE}))?"
)
"""With the spaces that part it from Chinese words: a name in quotes needs none."""
_PRECISION = re.compile(
    r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<![\w/\\.-])(?P<precision>(?:fp16|bf16)_(?:amp|true))(?![\w/\\-]|\.\w)"
)
"""What stands in quotes is typed as it is, and a part of a path is no precision."""
_TYPED = re.compile(rf"(?:(?<={_CHINESE}) )?`(?P<typed>[^`\n]+)`(?: (?={_CHINESE}))?")
"""What a terminal shows between backticks, again with the spaces that part it from Chinese words."""
_FIXING = frozenset({"why-checkpointing-added", "why-checkpointing-room", "why-precision-quicker"})
"""Reasons whose flag keeps a setting as it is: where one is chosen in the window, none is fixed yet."""
_QUOTES: dict[Language, tuple[str, str]] = {"en": ('"', '"'), "zh": ("“", "”")}


def reason_words(reason: Reason, language: Language, units: SizeUnits = "binary") -> str:
    """The sentence of a reason in the window's words.

    Raises KeyError when the catalogue lacks the message or one of its arguments, as `say` does.
    """
    from advisor.core.sentences import say, visible

    return window_words(visible(say(reason, language, units)), language, fixing=reason.code in _FIXING)


def window_words(text: str, language: Language, *, fixing: bool = False) -> str:
    """The text with the window's name of every flag and precision that has one there, and quotes for backticks.

    `fixing`: its flags stand for keeping a setting, not for choosing it.
    """
    from advisor.catalogue.precisions import precision_name
    from advisor.core.sentences import message_exists, sentence

    def named(match: re.Match[str]) -> str:
        codes = (f"flag-fixed-{match['flag']}",) * fixing + (f"flag-{match['flag']}",)
        return next((sentence(code, language) for code in codes if message_exists(code, language)), match[0])

    def labelled(match: re.Match[str]) -> str:
        precision = match["precision"]
        return precision_name(cast("Precision", precision), language) if precision else match[0]

    before, after = _QUOTES[language]
    told = _PRECISION.sub(labelled, _FLAG.sub(named, text))
    return _TYPED.sub(lambda match: f"{before}{match['typed']}{after}", told)
