"""Numbers in cells of tables of published runs, with the units, counted things and remarks that stand beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.evaluate.run_words import plain

UNITS: Mapping[str, Mapping[str, float]] = {
    "ms": {"ms": 1.0, "s": 1e3, "sec": 1e3, "seconds": 1e3},
    "peak_gb": {"gb": 1.0, "gib": 1.024**3, "mb": 1e-3, "mib": 1.024**2 * 1e-3, "b": 1e-9, "bytes": 1e-9},
}
"""By column: units that a cell may name behind its number, in the column's own."""
_COUNTED: Mapping[str, re.Pattern[str]] = {
    "n_gpus": re.compile(r"(?:x|gpus?|cards?|devices?)"),
    "gpus_per_host": re.compile(r"(?:x|gpus?|cards?|devices?)(?: (?:per|a|each) (?:host|node))?"),
    "batch_per_gpu": re.compile(r"(?:samples?|images?|sequences?)?(?: ?(?:per|a|/) ?(?:gpu|card|device))?"),
    "gradient_accumulation": re.compile(r"(?:steps?|micro-?(?:steps?|batches))"),
}
"""By column: what a cell may name behind the whole number of it."""
_NONE_ACCUMULATED = frozenset({"none", "no", "off"})
_ABOUT = re.compile(r"^(?:~|≈|about |approx\.? |ca\.? )\s*(?=\d)")
_SAYS_A_FIGURE = re.compile(r"\d|\b(?:[gmk]i?b|ms|sec)\b")
"""In a remark: it may turn the number in front of it into another (`script divides by 1024^3`, `prints GiB`)."""
_NUMBER_AND_UNIT = re.compile(r"([0-9.]+(?:e[-+]?[0-9]+)?)\s*([a-z]+)")
_NUMBER_AND_THING = re.compile(r"(\d+(?:\.0+)?)\s*(\S.*)")
_REMARK_BEHIND = re.compile(r"(?<=\S)\s*\(([^()]*)\)\s*$")
_AT_MOST = re.compile(r"^(?:<=?|≤|up to|at most|max(?:imum)?)\s*(?=\d)")
_LENGTHS_DIFFER = re.compile(r"\bvar(?:y|ies|ied|ying|iable)\b|\btruncated\b|\bbucketed\b|\bnot packed\b|\bunpacked\b")
_LENGTHS_ALIKE = re.compile(r"\b(?:packed|fixed|constant|dummy)\b")
_SQUARE = re.compile(r"\(?(?:3 ?[x×,] ?)?(\d+) ?[x×,] ?\1\)?")
"""A picture's two sides, where they are as long, whether or not its three colours stand in front."""
_LENGTH_IN_WORDS = re.compile(
    r"(?:seq(?:uence)?(?:[ _-]?len(?:gth)?)?|length|s)?\s*[=:]?\s*(\d+)\s*(?:tokens?|px|pixels?|samples?)?"
)


def number_meant(cell: str, column: str) -> str:
    """The number of a cell in the unit of its column, where a unit, a remark or what is counted stands beside it.

    Where it is not clear what is meant, the cell as it is, which is no number.
    """
    said = _without_remark(cell.strip())
    if column in UNITS:
        return _in_unit(_ABOUT.sub("", said.lower()), column)
    if column == "gradient_accumulation" and said.lower() in _NONE_ACCUMULATED:
        return "1"
    things, found = _COUNTED.get(column), _NUMBER_AND_THING.fullmatch(said.lower())
    return found[1] if things is not None and found is not None and things.fullmatch(found[2]) else said


def length_meant(cell: str) -> tuple[str, bool | None]:
    """The longest sample's length as it is written, and whether lengths differ (`<=2048 (truncated, varies)`).

    False where all are as long (`2048 (packed)`); None: the cell does not say. A picture's side may be told twice
    (`224x224`).
    """
    said, lowered = plain(cell), cell.lower()
    number = _AT_MOST.sub("", said)
    found = _SQUARE.fullmatch(number) or _LENGTH_IN_WORDS.fullmatch(number)
    longest = number if found is None else found[1]
    if number != said or _LENGTHS_DIFFER.search(lowered):
        return longest, True
    return longest, False if _LENGTHS_ALIKE.search(lowered) else None


def _without_remark(cell: str) -> str:
    found = _REMARK_BEHIND.search(cell)
    return cell if found is None or _SAYS_A_FIGURE.search(found[1].lower()) else cell[: found.start()].strip()


def _in_unit(cell: str, column: str) -> str:
    match = _NUMBER_AND_UNIT.fullmatch(cell)
    factor = None if match is None else UNITS[column].get(match[2])
    try:
        return cell if match is None or factor is None else repr(float(match[1]) * factor)
    except ValueError:
        return cell
