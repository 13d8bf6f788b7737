"""The fakes of a trace: a mode that remembers results of operators, keeps values asked of it, and chooses evenly."""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch._decomp import decomposition_table
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from advisor.worker.replaced import replaced
from advisor.worker.trace.ops.call_cost import NO_COST, Cost
from advisor.worker.trace.ops.known_results import KnownResults
from advisor.worker.trace.ops.op_schemas import is_torchs_own, knowable, stacked
from advisor.worker.trace.ops.raw_op import Args, Named, Operator
from advisor.worker.trace.values.computed import NOT_COMPUTED, computed, is_computable
from advisor.worker.trace.values.kept_values import (
    Values,
    are_packed_unevenly,
    evenly_chosen,
    is_choice,
    is_small_enough,
    made_of_values,
    values_left_out,
)

Tensor = torch.Tensor
_META, _CPU = torch.device("meta"), torch.device("cpu")
_BY_PYTHON = frozenset([torch.ops.aten.index.Tensor])
"""Operators whose shape rule runs in this mode without being a decomposition: what it makes empty of a known tensor
would be known too, as whatever the memory held, though places that nobody knows were picked from it."""
_dispatch = inspect.unwrap(FakeTensorMode.__torch_dispatch__)


class Fakes(FakeTensorMode):  # type: ignore[no-untyped-call]
    """A fake-tensor mode that remembers, also while it works an operator out of others.

    Its guard against compilation is left out: nothing is compiled here, and it costs as much as an operator.
    """

    def __init__(self, *, values: Values = "none") -> None:
        """Real tensors that meet fakes become fakes, which keep the `values` of these kinds beside their shapes."""
        super().__init__(allow_non_fake_inputs=True)
        self.values = values
        self.chose = False
        """Whether anything was chosen evenly."""
        self.packed_unevenly = False
        """Whether sequences of unlike lengths were packed."""
        self.converted = False
        """Whether a module has given parameters another type."""
        self.cache_enabled = False
        self._known = KnownResults()
        self._names: dict[Any, str | None] = {}
        self._computable: dict[Any, bool] = {}
        self._decides = True
        """Whether values of what is computed may be asked for."""
        self._in_rule = False
        """Whether an operator from elsewhere is worked out: what its shape rule makes is a shape, no value."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def may_turn_const(self, t: Tensor) -> bool:
        """Whether a real result of constants stays one: torch's own rule keeps single numbers only."""
        if self.values == "none":
            return super().may_turn_const(t)
        return is_small_enough(t, every=self.values == "all") and not isinstance(t, FakeTensor) and not t.is_sparse

    def __torch_dispatch__(self, func: Operator, types: object, args: Args = (), kwargs: Named | None = None) -> Any:  # noqa: ANN401 - whatever the operator returns
        """Find the operator's result by its shape rule, or make its known result again."""
        kwargs = kwargs or {}
        if self.values == "all" and not self._decides:
            with values_left_out(func, args, kwargs):
                return self._by_shapes(func, types, args, kwargs)
        if self.values != "none" and not self._in_rule:
            made = made_of_values(self, func, args, kwargs, every=self.values == "all")
            if made is not None:
                self.packed_unevenly |= are_packed_unevenly(func, made)
                return made
        if self.values == "even" and is_choice(func, args):
            out = _dispatch(self, func, types, args, kwargs)
            chosen = evenly_chosen(self, func, args, kwargs, out)
            self.chose |= chosen is not out
            return chosen
        return self._by_shapes(func, types, args, kwargs)

    def _by_shapes(self, func: Operator, types: object, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
        if self.values != "none":
            if func not in self._computable:
                self._computable[func] = is_computable(func)
            out = computed(self, func, args, kwargs) if self._computable[func] else NOT_COMPUTED
            if out is not NOT_COMPUTED:
                return out
        if func not in self._names:
            name = func._schema.name.partition("::")[2] if isinstance(func, OpOverload) else ""  # noqa: SLF001 - torch's own modes read it
            self._names[func] = name if knowable(func, name) else None
        known_as = self._names[func]
        if known_as is None:
            with replaced(self, _in_rule=self._in_rule or not is_torchs_own(func)):
                return self._dispatched(func, types, args, kwargs)

        def run(func: Operator, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
            shape = stacked(func, args)
            if shape is not None:
                with torch._C._DisableTorchDispatch():  # noqa: SLF001 - one of no known values
                    return FakeTensor(self, torch.empty(shape, dtype=args[0][0].dtype, device=_META), _CPU)
            partly = self.values != "none" and (func in decomposition_table or func in _BY_PYTHON)
            with values_left_out(func, args, kwargs, only_partly_known=True) if partly else nullcontext():
                return self._dispatched(func, types, args, kwargs)

        return self._known.call(func, known_as, args, kwargs, run, _free)[0]

    def _dispatched(self, func: Operator, types: object, args: Args, kwargs: Named) -> Any:  # noqa: ANN401 - as above
        """As torch does it; of known values that no kernel of the processor takes, by their shapes."""
        try:
            return _dispatch(self, func, types, args, kwargs)
        except (RuntimeError, NotImplementedError):
            if self.values == "none":
                raise
            with values_left_out(func, args, kwargs):
                return _dispatch(self, func, types, args, kwargs)

    def deciding_no_more(self) -> AbstractContextManager[None]:
        """While gradients are made: a model decides in forward, what backward computes is known by its shape alone."""
        return replaced(self, _decides=False)


def _free(_func: Operator, _args: Args, _kwargs: Named, _out: object) -> Cost:
    return NO_COST
