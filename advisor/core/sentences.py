"""Message id and numbers in, sentence in the chosen language out; sentences are made at the last moment."""

from __future__ import annotations

import contextlib
import locale
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, Self

from advisor.core.bundled import resource
from advisor.core.errors import InputError, OutputError, UserFacingError
from advisor.core.foreign_text import visible as visible  # noqa: PLC0414 - named here too, where every sentence is made
from advisor.core.money import format_cost
from advisor.core.records import Record
from advisor.core.shown_names import shown_card
from advisor.core.units import FORMATTERS, SizeUnits, format_sizes, unit_of

if TYPE_CHECKING:
    from fluent.runtime import FluentBundle

Language = Literal["en", "zh"]


def system_language() -> Language:
    """The locale's language, in the order of POSIX; English where it is neither."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next((value for value in named if value), None)
    with contextlib.suppress(ValueError):
        name = name or locale.getlocale()[0]
    return "zh" if name is not None and name.lower().startswith("zh") else "en"


class Names(Record, frozen=True, kw_only=True, tag="names"):
    """Names that a sentence lists in its language: all of them, or as alternatives."""

    names: tuple[str, ...]
    """What is named, in the order of the sentence: the same in every language."""
    alternatives: bool = False
    """`A, B or C` rather than `A, B, C`."""
    more: bool = False
    """There are more of them than are named."""


class Said(Record, frozen=True, kw_only=True, tag="said"):
    """What somebody else said (an error, mostly): it is set so that another sentence may follow."""

    text: str
    """Their words, untranslated; a sentence shows at most 900 characters of them."""


class Listed(Record, frozen=True, kw_only=True, tag="listed"):
    """Statements that a sentence lists, each with its own figures."""

    reasons: tuple[Reason, ...]
    """The statements, in the order of the sentence."""
    whole: bool = False
    """Each is a sentence of its own: one after the other, without commas."""


class Money(Record, frozen=True, kw_only=True, tag="money"):
    """A sum of money, which each language writes in its own way."""

    cost: float
    """In `currency`."""
    currency: str | None = None
    """Three letters, or as it was typed; None: nobody said which."""


class Lost(Record, frozen=True, kw_only=True, tag="lost"):
    """A value that today's words tell and the version that saved the sentence did not keep."""


Told = float | int | str | Names | Said | Listed | Money
Value = Told | Lost
Arguments = dict[str, Value]
"""An argument of a sentence: a figure whose unit ends its name, a count, a name, or one of the types above."""


class Reason(Record, frozen=True, kw_only=True):
    """A statement as a code with its numbers: why advice was given, a caveat, why a field is unknown."""

    code: str
    """Id of its message in `resources/sentences/*/*.ftl`: lower-case words joined by hyphens."""
    numbers: Mapping[str, Value] = {}
    """The message's arguments by name; figures in base SI units, with the unit in the name (`memory_bytes`)."""

    @classmethod
    def of(cls, code: str, /, **numbers: Value) -> Reason:
        """The statement `code` with its arguments by their names."""
        return cls(code=code, numbers=numbers)

    def figure(self, name: str) -> float:
        """One of the numbers. Raises KeyError where there is none of this name, TypeError for what is no number."""
        value = self.numbers[name]
        if not isinstance(value, int | float):
            raise TypeError(value)
        return value


@cache
def _sources(language: Language) -> dict[str, str]:
    """The Fluent text of every message of a language by its id; each is parsed when it is first said."""
    sources: dict[str, str] = {}
    for path in sorted((resource("sentences") / language).glob("*.ftl")):
        for entry in _ENTRY.finditer(path.read_text(encoding="utf-8")):
            sources[entry.group(1)] = entry.group().rstrip()
    return sources


_ENTRY = re.compile(r"^([a-zA-Z][\w-]*) *=.*(?:\n(?:[ \t}].*)?)*", re.MULTILINE)
"""A message: its first line, and all that follow up to one that begins with a letter or is a comment."""
_PLAIN_ENTRY = re.compile(r"[^\n={}]*= *((?:[^\n{}]|\{ *\$\w+ *\})*)", re.ASCII)
"""A message of one line whose only placeables are arguments: no parser is needed for it."""
_TOLD = re.compile(r"\$(\w+)", re.ASCII)
_ARGUMENT = re.compile(r"\{ *\$(\w+) *\}", re.ASCII)


@cache
def _bundle(language: Language) -> FluentBundle:
    from fluent.runtime import FluentBundle  # 50 ms that most sentences do not need

    return FluentBundle([language], use_isolating=False)


def message_exists(code: str, language: Language) -> bool:
    """Whether the catalogue of `language` holds the message `code`."""
    return code in _sources(language)


def _formatted(code: str, language: Language, arguments: Mapping[str, float | str]) -> str:
    """The message with its arguments; without Fluent where it holds nothing but texts and whole numbers."""
    source = _sources(language)[code]
    plain = _PLAIN_ENTRY.fullmatch(source)
    if plain is not None and not any(isinstance(value, float) for value in arguments.values()):
        return _ARGUMENT.sub(lambda match: _shown(arguments[match.group(1)]), plain.group(1).rstrip())
    bundle = _bundle(language)
    if not bundle.has_message(code):
        from fluent.runtime import FluentResource

        bundle.add_resource(FluentResource(source + "\n"))
    pattern = bundle.get_message(code).value
    if pattern is None:
        raise KeyError(code)
    text, errors = bundle.format_pattern(pattern, dict(arguments))
    if errors:
        message = f"{code}: {errors[0]}"
        raise KeyError(message)
    return str(text)


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def _readable(name: str, value: Told, language: Language, units: SizeUnits) -> float | str:
    """An argument as it stands in the sentence: figures as text by their unit; plain counts pass unchanged."""
    match value:
        case Names():
            names = [_in_words(name, language) for name in value.names]
            named = either(names, language) if value.alternatives else listed(names, language)
            return _cut(named + " …" * value.more)
        case Said():
            return _ended(_cut(_in_words(value.text, language)))
        case Money():
            return _cut(format_cost(value.cost, value.currency, language))
        case Listed():
            said = [say(reason, language, units) for reason in value.reasons]
            return in_a_row(said) if value.whole else listed(said, language)
        case str():
            return _cut(_in_words(value, language))
    unit = unit_of(name)
    return value if unit is None else FORMATTERS[unit](value)


def _sizes(numbers: Mapping[str, Told]) -> dict[str, float]:
    """The arguments that are sizes in bytes: they are written with a look at one another."""
    return {name: n for name, n in numbers.items() if isinstance(n, int | float) and unit_of(name) == "bytes"}


@cache
def _own_words(language: Language) -> dict[str, str]:
    """What each name that is made of English words is called: records keep one name, whoever reads them."""
    return _words_of(_NAMED, language) | _words_of(_SAID_BY_SYSTEM, language)


def _words_of(prefix: str, language: Language) -> dict[str, str]:
    """English names and those of the language, of the messages whose ids begin so."""
    codes = [code for code in _sources("en") if code.startswith(prefix)]
    return {_formatted(code, "en", {}): _formatted(code, language, {}) for code in codes}


_NAMED = "choice-precision-"
_SAID_BY_SYSTEM = "system-said-"
"""Why a file is refused: Python has the C library's English words for it, whatever the reader's language."""
_SAID_AS_ARGUMENTS = "strategy-"
"""Names that come in the words of the language already."""
_BETWEEN = " / "


def _in_words(name: str, language: Language) -> str:
    """A name, or several with a slash between them, in the words of the language where it has its own.

    A card's is as it is shown everywhere.
    """
    own = _own_words(language)
    return _BETWEEN.join(own.get(shown, shown) for shown in map(shown_card, name.split(_BETWEEN)))


@cache
def _loose_spaces(language: Language) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """By each name of one's own, the spaces beside it that stand between two Chinese characters."""
    found = []
    for kept, name in (_own_words(language) | _words_of(_SAID_AS_ARGUMENTS, language)).items():
        own = re.escape(name)
        before = rf"(?<={_HAN}) (?={own})" if re.match(_HAN, name[0]) else ""
        after = rf"(?<={own}) (?={_HAN})" if re.match(_HAN, name[-1]) else ""
        if name != kept and (before or after):
            found.append((name, re.compile("|".join(filter(None, (before, after))))))
    return tuple(found)


_HAN = "[\u4e00-\u9fff]"
_BETWEEN_HAN = re.compile(f"(?<={_HAN}) (?={_HAN})")
"""A phrase may stand in a Latin name's place, whose spaces it does not have."""


def _closed_up(text: str, language: Language) -> str:
    """Sentences part names from Chinese words by a space: a name that begins or ends with one needs none there."""
    for name, loose in _loose_spaces(language):
        if name in text:
            text = loose.sub("", text)
    return _BETWEEN_HAN.sub("", text) if language == "zh" else text


_COMMAS: dict[Language, str] = {"en": ", ", "zh": "、"}


def listed(names: Iterable[str], language: Language) -> str:
    """Names one after the other, with the comma of the language."""
    return _COMMAS[language].join(names)


def labelled(label: str, text: str, language: Language) -> str:
    """A label and its text, with the colon of the language."""
    return f"{label}{'：' if language == 'zh' else ': '}{text}"


def _cut(text: str) -> str:
    """Fluent refuses an argument of over 1,000 characters, and nobody reads a name to there."""
    text = visible(text)
    return text if len(text) <= _LONGEST_ARGUMENT else text[: _LONGEST_ARGUMENT - 1] + "…"


def _ended(text: str) -> str:
    """A text with the full stop that it lacks, so that another sentence may follow."""
    text = text.rstrip()
    if not text or text.endswith(_ENDS):
        return text
    return text.rstrip(",;:，；：") + ("。" if "\u4e00" <= text[-1] <= "\u9fff" else ".")


_ENDS = (".", "!", "?", "…", "。", "！", "？", ".)", ".'", '."', "。」", "。”", "。）")


def either(names: Sequence[str], language: Language) -> str:
    """Alternatives as words: `A`, `A or B`, `A, B or C`."""
    last = " 或 " if language == "zh" else " or "
    return last.join([*([listed(names[:-1], language)] if names[1:] else []), names[-1]])


_LONGEST_ARGUMENT = 900


def sentence(code: str, language: Language, /, **numbers: Value) -> str:
    """The message `code` of the catalogue in `language` with its numbers. Raises KeyError as `say` does."""
    return say(Reason.of(code, **numbers), language)


def say(reason: Reason, language: Language, units: SizeUnits = "binary") -> str:
    """The sentence of a `Reason` in `language`, its numbers set with their units, sizes in `units`.

    Raises KeyError when the catalogue lacks the message or one of its arguments: that is a bug of ours.
    """
    if not message_exists(reason.code, language):
        raise KeyError(reason.code)
    told = {name: value for name, value in reason.numbers.items() if not isinstance(value, Lost)}
    lost, sizes = reason.numbers.keys() - told.keys(), _sizes(told)
    arguments = {name: _readable(name, value, language, units) for name, value in told.items() if name not in sizes}
    arguments |= format_sizes(sizes, units)
    text = _with_gaps(reason.code, language, arguments, lost) if lost else _formatted(reason.code, language, arguments)
    return _closed_up(text.rstrip(), language)  # the last may be empty


def _with_gaps(code: str, language: Language, arguments: Mapping[str, float | str], lost: set[str]) -> str:
    from advisor.core.lost_values import with_gaps  # a parser that only records of earlier versions need

    words = _formatted("saved-value-lost", language, {})
    return with_gaps(_sources(language)[code], language, arguments, lost, words)


def told_by(code: str, language: Language) -> frozenset[str]:
    """The names of the arguments that the message `code` tells; none where the catalogue lacks it."""
    return frozenset(_TOLD.findall(_sources(language).get(code, "")))


class SaidError(InputError):
    """Wrong use or a bad input that is told in the reader's language: the sentences, and then the remedy.

    Without a remedy the last sentence says itself what helps.
    """

    def __init__(self, reasons: tuple[Reason, ...], remedy: Reason | None = None) -> None:
        """Keep the codes; `text` and `remedy` hold them in English, for whoever knows no other language."""
        super().__init__(" ".join(say(reason, "en") for reason in reasons), "" if remedy is None else say(remedy, "en"))
        self.reasons = reasons
        self.remedy_reason = remedy

    @classmethod
    def of(cls, code: str, remedy: Reason | None = None, /, **numbers: Value) -> Self:
        """The fault `code` with its arguments; without a `remedy` of its own `CODE-remedy`, same arguments, if any."""
        own = f"{code}-remedy"
        if remedy is None and message_exists(own, "en"):
            remedy = Reason.of(own, **numbers)
        return cls((Reason.of(code, **numbers),), remedy)

    @property
    def statement(self) -> Reason:
        """All of it as one statement, the remedy last."""
        reasons = self.reasons if self.remedy_reason is None else (*self.reasons, self.remedy_reason)
        return reasons[0] if len(reasons) == 1 else Reason.of("input-refused", said=Listed(reasons=reasons, whole=True))


class SaidOutputError(SaidError, OutputError):
    """An output that cannot be written, told in the reader's language."""

    exit_code = 5


_WIDE_MARKS = ("。", "！", "？", "；", "：", "，", "）", "”", "》", "」", "…")


def error_text(error: UserFacingError, language: Language, units: SizeUnits = "binary") -> tuple[str, str]:
    """What is wrong and the remedy, in the language where the error has its sentences, else in English."""
    if not isinstance(error, SaidError):
        return error.text, error.remedy
    remedy = "" if error.remedy_reason is None else say(error.remedy_reason, language, units)
    return in_a_row(say(reason, language, units) for reason in error.reasons), remedy


def in_a_row(sentences: Iterable[str]) -> str:
    """Sentences one after the other: a space between them, but not after a Chinese mark, which holds its own."""
    text = ""
    for sentence in filter(None, sentences):
        text += sentence if not text or text.endswith(_WIDE_MARKS) else f" {sentence}"
    return text
