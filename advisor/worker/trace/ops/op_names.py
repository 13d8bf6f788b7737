"""What a trace knows of torch's operators by their names (`resources/operators.toml`), and which it does not know."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import torch

from advisor.core.bundled import resource
from advisor.core.input_file import read_toml
from advisor.core.records import Record
from advisor.core.sentences import Names, Reason
from advisor.optable.op_table import Op, OpKind


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


_MOST_NAMES = 6


def unknown_operators(ops: Iterable[Op]) -> Reason | None:
    """The caveat that names operators of unknown work with their share of all calls; None where there are none.

    Known are the kinds of `resources/operators.toml`, what has its flop counted, and torch's own operators that it
    marks as element by element; all else (a custom operator, a fused one of another library) might compute anything.
    """
    all_count, unknown_count, names = 0, 0, dict[str, int]()
    for op in ops:
        all_count += op.count
        if any(op.flop) or op.kind != "elementwise" or _is_light(op.name):
            continue
        unknown_count += op.count
        names[op.name] = names.get(op.name, 0) + op.count
    if not names:
        return None
    ordered = sorted(names, key=lambda name: (-names[name], name))
    shown = Names(names=tuple(ordered[:_MOST_NAMES]), more=len(ordered) > _MOST_NAMES)
    return Reason.of("trace-unknown-operators", operators=shown, share_fraction=unknown_count / all_count)


@cache
def _is_light(name: str) -> bool:
    """Whether an operator is torch's own and works element by element (or only moves data)."""
    names = (name, name.rstrip("_"))
    if any(kind_of(name) or name in operators().light for name in names) or name.startswith("_foreach"):
        return True
    for namespace in (torch.ops.aten, torch.ops.prims):
        packet = getattr(namespace, name, None)
        if packet is not None and any(
            torch.Tag.pointwise in getattr(packet, overload).tags for overload in packet.overloads()
        ):
            return True
    # An in-place operator bears no tag of its own; a gradient is of its operator's kind.
    for ending in ("_", "_backward", "_backward_data"):
        if name.endswith(ending) and name != ending and _is_light(name.removesuffix(ending)):
            return True
    return False
