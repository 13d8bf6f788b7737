"""Message id and numbers in, sentence in the chosen language out; sentences are made at the last moment."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal

import msgspec

from advisor.core.bundled import resource
from advisor.core.errors import InputError, UserFacingError
from advisor.core.foreign_text import visible as visible  # noqa: PLC0414 - named here too, where every sentence is made
from advisor.core.units import SizeUnits, format_energy, format_fraction, format_quantity, format_seconds, format_size

if TYPE_CHECKING:
    from fluent.runtime import FluentBundle

Language = Literal["en", "zh"]


class Reason(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A statement as a code with its numbers: why advice was given, a caveat, why a field is unknown.

    `code` is a message id of `resources/sentences/*.ftl` (lower-case words joined by hyphens); `numbers` are
    its arguments in base SI units, each argument named with its unit (`step_s`, `memory_bytes`).
    """

    code: str
    numbers: dict[str, float | int | str] = {}


@cache
def _sources(language: Language) -> dict[str, str]:
    """The Fluent text of every message of a language by its id; each is parsed when it is first said."""
    found: dict[str, str] = {}
    for path in sorted((resource("sentences") / language).glob("*.ftl")):
        for entry in _ENTRY.finditer(path.read_text(encoding="utf-8")):
            found[entry.group(1)] = entry.group().rstrip()
    return found


_ENTRY = re.compile(r"^([a-zA-Z][\w-]*) *=.*(?:\n(?:[ \t}].*)?)*", re.MULTILINE)
"""A message: its first line, and all that follow up to one that begins with a letter or is a comment."""
_PLAIN_ENTRY = re.compile(r"[^\n={}]*= *((?:[^\n{}]|\{ *\$\w+ *\})*)", re.ASCII)
"""A message of one line whose only placeables are arguments: no parser is needed for it."""
_ARGUMENT = re.compile(r"\{ *\$(\w+) *\}", re.ASCII)


@cache
def _bundle(language: Language) -> FluentBundle:
    from fluent.runtime import FluentBundle  # 50 ms that most sentences do not need

    return FluentBundle([language], use_isolating=False)


def message_exists(code: str, language: Language) -> bool:
    """Whether the catalogue of `language` holds the message `code`."""
    return code in _sources(language)


def _formatted(code: str, language: Language, arguments: dict[str, float | int | str]) -> str:
    """The message with its arguments; without Fluent where it holds nothing but texts and whole numbers."""
    source = _sources(language)[code]
    plain = _PLAIN_ENTRY.fullmatch(source)
    if plain is not None and not any(isinstance(value, float) for value in arguments.values()):
        return _ARGUMENT.sub(lambda found: _shown(arguments[found.group(1)]), plain.group(1).rstrip())
    bundle = _bundle(language)
    if not bundle.has_message(code):
        from fluent.runtime import FluentResource

        bundle.add_resource(FluentResource(source + "\n"))
    pattern = bundle.get_message(code).value
    if pattern is None:
        raise KeyError(code)
    text, errors = bundle.format_pattern(pattern, arguments)
    if errors:
        message = f"{code}: {errors[0]}"
        raise KeyError(message)
    return str(text)


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def _readable(name: str, value: float | str, language: Language, units: SizeUnits) -> float | str:
    """A number as text, by the unit that ends its name; text and plain counts pass unchanged.

    A text whose name ends in `_choices` holds alternatives joined by `|`: they are set with the language's `or`. One
    in `_parts` holds `code=value` joined by `|`: each is the message of its code, and all are listed. An
    argument named `text` is what somebody else said (an error, mostly): it ends as a sentence does.
    """
    if isinstance(value, str) and name.endswith("_parts"):
        comma = "、" if language == "zh" else ", "
        return comma.join(_part(item, language, units) for item in value.split("|"))
    if isinstance(value, str) and name.endswith("_choices"):
        return either(value.split("|"), language)
    if isinstance(value, str):
        value = visible(value)
        # Fluent refuses an argument of over 1,000 characters, and nobody reads a name to there.
        if language == "zh" and name in _LISTS:
            value = value.replace(", ", "、")
        short = value if len(value) <= _LONGEST_ARGUMENT else value[: _LONGEST_ARGUMENT - 1] + "…"
        return _ended(short) if name == "text" else short
    for suffix, formatter in _FORMATS:
        if name.endswith(suffix):
            return formatter(value)
    return format_size(value, units) if name.endswith("_bytes") else value


_LISTS = frozenset({"others", "devices", "nearest", "operators"})
"""Arguments that list names, joined by commas: Chinese lists them with its own."""


def _part(item: str, language: Language, units: SizeUnits) -> str:
    code, _, value = item.partition("=")
    return sentence(code, language, {"value": value}, units)


def _ended(text: str) -> str:
    """A text with the full stop that it lacks, so that another sentence may follow."""
    text = text.rstrip()
    if not text or text.endswith(_ENDS):
        return text
    return text.rstrip(",;:，；：") + ("。" if "\u4e00" <= text[-1] <= "\u9fff" else ".")


_ENDS = (".", "!", "?", "…", "。", "！", "？", ".)", ".'", '."', "。」", "。”", "。）")


def either(names: list[str], language: Language) -> str:
    """Alternatives as words: `A`, `A or B`, `A, B or C`."""
    comma, last = ("、", " 或 ") if language == "zh" else (", ", " or ")
    return last.join([*([comma.join(names[:-1])] if names[1:] else []), names[-1]])


_LONGEST_ARGUMENT = 900

_RATIO_WITH_CENTS = 10
"""From here on three figures say enough of a ratio."""

_FORMATS = (
    ("_flop_per_s", lambda value: format_quantity(value, "FLOP/s")),
    ("_bytes_per_s", lambda value: format_quantity(value, "B/s")),
    ("_per_s", lambda value: format_quantity(value, "/s")),
    ("_s", format_seconds),
    ("_flop", lambda value: format_quantity(value, "FLOP")),
    ("_fraction", format_fraction),
    ("_ratio", lambda value: f"{value:.2f}" if abs(value) < _RATIO_WITH_CENTS else f"{value:.3g}"),
    ("_w", lambda value: f"{value:.0f} W"),
    ("_j", format_energy),
)


def sentence(
    code: str, language: Language, numbers: dict[str, float | int | str] | None = None, units: SizeUnits = "binary"
) -> str:
    """The message `code` of the catalogue in `language`, its numbers set with their units, sizes in `units`.

    Raises KeyError when the catalogue lacks the message or one of its arguments: that is a bug of ours.
    """
    if not message_exists(code, language):
        raise KeyError(code)
    arguments = {name: _readable(name, value, language, units) for name, value in (numbers or {}).items()}
    return _formatted(code, language, arguments)


def say(reason: Reason, language: Language, units: SizeUnits = "binary") -> str:
    """The sentence of a `Reason`, sizes in `units`."""
    return sentence(reason.code, language, reason.numbers, units)


class SaidError(InputError):
    """Wrong use or a bad input that is told in the reader's language: the sentences, and then the remedy."""

    def __init__(self, reasons: tuple[Reason, ...], remedy: Reason) -> None:
        """Keep the codes; `text` and `remedy` hold them in English, for whoever knows no other language."""
        super().__init__(" ".join(say(reason, "en") for reason in reasons), say(remedy, "en"))
        self.reasons = reasons
        self.remedy_reason = remedy


def error_text(error: UserFacingError, language: Language, units: SizeUnits = "binary") -> tuple[str, str]:
    """What is wrong and the remedy, in the language where the error has its sentences, else in English."""
    if not isinstance(error, SaidError):
        return error.text, error.remedy
    between = "" if language == "zh" else " "
    return between.join(say(reason, language, units) for reason in error.reasons), say(
        error.remedy_reason, language, units
    )
