"""What a trace has to know of torch's operators by their names: read from `resources/operators.toml`."""

from __future__ import annotations

from functools import cache

from advisor.core.bundled import resource
from advisor.core.input_file import read_toml
from advisor.core.records import Record
from advisor.optable.op_table import OpKind


class Autocast(Record, frozen=True, kw_only=True):
    """How CUDA's autocast treats the operators that it treats otherwise than the CPU's."""

    to_fp32: tuple[str, ...]
    sums_in_fp32: tuple[str, ...]
    to_half: tuple[str, ...]
    to_widest: tuple[str, ...]


class Operators(Record, frozen=True, kw_only=True):
    """Names without namespace and overload, by what the operators do."""

    views: frozenset[str]
    synchronising: frozenset[str]
    of_one_type: frozenset[str]
    hidden_from_host: frozenset[str]
    fills: frozenset[str]
    products: frozenset[str]
    left_by_compilers: frozenset[str]
    light: frozenset[str]
    kinds: dict[OpKind, tuple[str, ...]]
    autocast: Autocast


@cache
def operators() -> Operators:
    """The file's content."""
    return read_toml(resource("operators.toml"), Operators)


@cache
def kind_of(name: str) -> OpKind | None:
    """The kind that the file gives an operator; None: it does not stand there."""
    return next((kind for kind, names in operators().kinds.items() if name in names), None)
