"""Whether a loop looks anything up by its number: what stands in a list may differ in rounds that do not run."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice
from types import BuiltinFunctionType, CodeType, FrameType
from typing import Any

import torch

Tensor = torch.Tensor
_UNKNOWN = object()
_SOME_TENSOR = object()
"""Stands for a tensor that no name holds."""
_OF_NUMBERS = frozenset({"abs", "divmod", "int", "max", "min", "pow", "round", "sum"})
"""Functions of Python whose result goes on being the loop's number."""
_TO_TENSORS = frozenset(
    {"contiguous", "flatten", "float", "permute", "reshape", "to", "transpose", "unsqueeze", "view"}
)
"""Methods of a tensor that give one."""
_TO_NUMBERS = frozenset({"item", "tolist"})
"""Methods of a tensor that give a number, or several."""
_PROPERTIES = frozenset({"T", "data", "mT"})


def looks_up(frame: FrameType, asked_at: int, names: AbstractSet[str]) -> bool:
    """Whether the loop over what is asked for there finds by its number what may differ from round to round.

    `names` are the function's own that hold the number, or what is worked out of it. Tensors give parts of equal sizes,
    and so do lists of equal things; a function of the model's own that is given the number may look up whatever it
    likes. True where the source is not there to tell.
    """
    loop = _loop(frame.f_code, asked_at)
    if loop is None:
        return True
    found = _Found(frame)
    for part in loop.body:
        for node in ast.walk(part):
            if isinstance(node, ast.Subscript) and _reads(node.slice, names) and not _is_even(found.value(node.value)):
                return True
            if isinstance(node, ast.Call) and _is_given(node, names) and not found.is_known(node.func):
                return True
    return False


def names_of_rows(code: CodeType, asked_at: int) -> set[str] | None:
    """Names that hold a row of the tensor which the loop there goes through, or a number taken from it.

    None where the source is not there to tell.
    """
    loop = _loop(code, asked_at)
    if loop is None:
        return None
    assigned = [node for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Assign | ast.AnnAssign)]
    names, before = _named(loop.target), set[str]()
    while names != before:
        before = {*names}
        for one in assigned:
            if one.value is not None and _holds(one.value, names):
                targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                names = names.union(*map(_named, targets))
    return names


def _named(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _holds(part: ast.AST, names: AbstractSet[str]) -> bool:
    """Whether an expression may give one of these rows or numbers itself, and not only what is found by it."""
    if isinstance(part, ast.Name):
        return part.id in names
    if isinstance(part, ast.Subscript):
        return _holds(part.value, names)
    if isinstance(part, ast.Attribute):
        return part.attr in _PROPERTIES and _holds(part.value, names)
    if isinstance(part, ast.Call):
        if isinstance(part.func, ast.Attribute) and part.func.attr in _TO_TENSORS | _TO_NUMBERS:
            return _holds(part.func.value, names)
        if not (isinstance(part.func, ast.Name) and part.func.id in _OF_NUMBERS):
            return False
    return any(_holds(child, names) for child in ast.iter_child_nodes(part))


def _loop(code: CodeType, asked_at: int) -> ast.For | None:
    """The statement whose rounds are asked for at this place of a function's code: by a call, or as it begins."""
    line, _end, column, _end_column = next(islice(code.co_positions(), asked_at // 2, None))
    loops = _loops("".join(linecache.getlines(code.co_filename)))
    return loops.get((line, column)) if line is not None and column is not None else None


@lru_cache(maxsize=16)
def _loops(source: str) -> dict[tuple[int | None, int | None], ast.For]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    # Up to Python 3.12 asking for the first round stands where the statement does, later where what it goes through is.
    return {(place.lineno, place.col_offset): loop for loop in loops for place in (loop, loop.iter)}


def _reads(part: ast.AST, names: AbstractSet[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(part))


def _is_given(call: ast.Call, names: AbstractSet[str]) -> bool:
    """Whether a call is handed the number itself, and not only what was found or made with it."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(node, ast.Name) and node.id in names for given in arguments for node in _numbers(given))


def _numbers(part: ast.AST) -> Iterator[ast.AST]:
    """Nodes of an expression whose number its value may be."""
    if isinstance(part, ast.Subscript):
        return
    if isinstance(part, ast.Call) and not (isinstance(part.func, ast.Name) and part.func.id in _OF_NUMBERS):
        return
    yield part
    for child in ast.iter_child_nodes(part):
        yield from _numbers(child)


def _is_even(value: Any) -> bool:  # noqa: ANN401 - whatever a model keeps
    if value is _SOME_TENSOR or isinstance(value, Tensor):
        return True
    if type(value) not in {list, tuple}:
        return False
    if all(isinstance(one, Tensor) for one in value):
        return len({(one.shape, one.stride(), one.dtype, one.requires_grad) for one in value}) <= 1
    first = value[0]
    return all(type(one) is type(first) and isinstance(one, (int, float, str)) and one == first for one in value)


class _Found:
    """What expressions of a function stand for, nothing of which is run."""

    def __init__(self, frame: FrameType) -> None:
        shown = frame.f_locals
        self._names = {**frame.f_builtins, **frame.f_globals, **shown}
        if isinstance(shown, dict):
            shown.clear()  # as `LoopLocals.note` does, and for the same reason

    def value(self, part: ast.AST) -> Any:  # noqa: ANN401 - as above
        """The value of a name, or of an attribute of one."""
        if isinstance(part, ast.Name):
            return self._names.get(part.id, _UNKNOWN)
        if isinstance(part, ast.Attribute):
            return self._attribute(self.value(part.value), part.attr)
        if isinstance(part, ast.Subscript):
            return _SOME_TENSOR if _is_tensor(self.value(part.value)) else _UNKNOWN
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            of_tensor = _is_tensor(self.value(part.func.value)) and part.func.attr in _TO_TENSORS
            return _SOME_TENSOR if of_tensor else _UNKNOWN
        return _UNKNOWN

    def _attribute(self, owner: Any, name: str) -> Any:  # noqa: ANN401 - as above
        if _is_tensor(owner):
            return _SOME_TENSOR if name in _PROPERTIES else _UNKNOWN
        if isinstance(owner, torch.nn.Module):
            for held in (owner._parameters, owner._buffers, owner._modules):  # noqa: SLF001 - a property would run
                if name in held:
                    return held[name]
        return inspect.getattr_static(owner, name, _UNKNOWN) if owner is not _UNKNOWN else _UNKNOWN

    def is_known(self, function: ast.AST) -> bool:
        """Whether a function is of Python or of torch, which look nothing up in what a model keeps."""
        if isinstance(function, ast.Attribute):
            owner = self.value(function.value)
            if _is_tensor(owner) or type(owner) in {list, dict, set}:
                return True
        value = self.value(function)
        module = getattr(value, "__module__", None) or ""
        if isinstance(value, torch.nn.Module) or value is _UNKNOWN:
            return False
        return isinstance(value, BuiltinFunctionType) or module.partition(".")[0] in {"builtins", "torch"}


def _is_tensor(value: object) -> bool:
    return value is _SOME_TENSOR or isinstance(value, Tensor)
