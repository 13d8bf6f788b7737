"""A saved sentence that lacks a value which today's words tell: all of it is said, and that the value was not kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.resolver import Pattern
from fluent.syntax import FluentParser, FluentSerializer
from fluent.syntax import ast as fluent
from fluent.syntax.visitor import Transformer, Visitor

_GAP = "\ue000"
"""Stands where the value would, until the words around it are known: of the private area, which no sentence has."""
_GAPS = re.compile(rf"\s*{_GAP}(?:\s*{_GAP})*(\s*)")
_WIDE = "\u4e00"


class _Names(Visitor):
    """The arguments that a part of a message looks at."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_VariableReference(self, node: fluent.VariableReference) -> None:  # noqa: N802 - the visitor's protocol
        self.found.add(node.id.name)


class _Gaps(Transformer):
    """Puts a gap where a value is lost, and where it would have chosen the words: none of them may be true."""

    def __init__(self, lost: Collection[str]) -> None:
        self._lost = lost

    def visit_Placeable(self, node: fluent.Placeable) -> object:  # noqa: N802 - the visitor's protocol
        expression = node.expression
        names = _Names()
        names.visit(expression.selector if isinstance(expression, fluent.SelectExpression) else expression)
        if names.found & set(self._lost):
            return fluent.Placeable(fluent.StringLiteral(_GAP))
        return self.generic_visit(node)


def with_gaps(
    source: str, language: str, arguments: Mapping[str, float | str], lost: Collection[str], words: str
) -> str:
    """The message of a Fluent text, with `words` in the place of each value of `lost`.

    Raises KeyError where another argument is missing too.
    """
    bundle, pattern = _parsed(source, language, frozenset(lost))
    text, errors = bundle.format_pattern(pattern, dict(arguments))
    if errors:
        raise KeyError(str(errors[0]))
    return _GAPS.sub(lambda gap: _set_apart(str(text), gap, words), str(text)).strip()


@lru_cache(maxsize=1024)
def _parsed(source: str, language: str, lost: frozenset[str]) -> tuple[FluentBundle, Pattern]:
    """The message with its gaps; a record is said more than once."""
    bundle = FluentBundle([language], use_isolating=False)
    with_gap = _Gaps(lost).visit(FluentParser().parse(source + "\n"))
    bundle.add_resource(FluentResource(FluentSerializer().serialize(with_gap)))
    code = source.partition("=")[0].strip()
    pattern = bundle.get_message(code).value
    if pattern is None:
        raise KeyError(code)
    return bundle, pattern


def _set_apart(text: str, gap: re.Match[str], words: str) -> str:
    """The words with the spaces that the text around them asks for: none where they bring their own marks."""
    if words[0] > _WIDE:
        return words
    after = gap[1] or text[gap.end() : gap.end() + 1].isalnum()
    return f" {words}{' ' if after else ''}"
