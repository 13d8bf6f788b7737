"""What is wrong with a file or a field of it, said in the reader's language, with a remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from advisor.core.foreign_text import encodable, visible
from advisor.core.sentences import Names, Reason, SaidError, Value

_SHOWN_CHARACTERS = 80


def file_fault(what: str, remedy: Reason | None = None, **numbers: Value) -> SaidError:
    """The fault `file-WHAT` with its arguments; without a `remedy` of its own `file-WHAT-remedy`, same arguments."""
    return SaidError.of(f"file-{what}", remedy, **numbers)


def remedy(what: str, **numbers: Value) -> Reason:
    """The remedy `file-WHAT`, for several faults."""
    return Reason.of(f"file-{what}", **dict(numbers))


def closest_name(word: str, allowed: Iterable[str], *, alike_fraction: float = 0.6) -> str | None:
    """The allowed word that a mistyped one is most like, if any is that much alike (`difflib`'s ratio)."""
    return next(iter(difflib.get_close_matches(word[:200], list(allowed), n=1, cutoff=alike_fraction)), None)


def meant_or_known(word: str, names: Sequence[str], known: str = "known-fields") -> Reason:
    """`Did you mean …?`, or where nothing is like it the list `file-KNOWN` of all names."""
    meant = closest_name(word, names)
    return remedy("did-you-mean", word=meant) if meant else remedy(known, names=Names(names=tuple(names)))


def shown_value(value: object) -> str:
    """A foreign value for an error text: shortened, control characters visible."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return f"`{shortened(text)}`"


def words_of(error: BaseException) -> str:
    """What an exception says; nothing where it fails to tell itself."""
    try:
        return encodable(str(error))
    except Exception:  # noqa: BLE001 - the `__str__` of a stranger's exception
        return ""


def named_error(error: BaseException) -> str:
    """An exception's type and the first line of what it says that announces no other, as a foreign value."""
    lines = [line.strip() for line in words_of(error).splitlines() if line.strip()]
    said = (line for line in lines if ". " in line or not line.endswith(":"))
    first = next(said, lines[0] if lines else "")
    return f"{type(error).__name__}: {shown_value(first)}" if first else type(error).__name__


def shortened(text: str, longest: int = _SHOWN_CHARACTERS) -> str:
    """A foreign text without its full stop, cut to `longest` characters, control characters visible."""
    text = visible(text.rstrip("."))
    return text if len(text) <= longest else f"{text[:longest]}…"
