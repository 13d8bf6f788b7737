"""Operators of a trace whose work nobody here can tell: counted as moving their tensors, perhaps far too little."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import torch

from advisor.core.sentences import Names, Reason
from advisor.optable.op_table import Op
from advisor.worker.trace.ops.op_names import kind_of, operators

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
    operators = Names(names=tuple(ordered[:_MOST_NAMES]), more=len(ordered) > _MOST_NAMES)
    return Reason.of("trace-unknown-operators", operators=operators, share_fraction=unknown_count / all_count)


@cache
def _is_light(name: str) -> bool:
    """Whether an operator is torch's own and works element by element (or only moves data)."""
    names = (name, name.rstrip("_"))
    if any(kind_of(one) or one in operators().light for one in names) or name.startswith("_foreach"):
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
