"""From a model to its operator table: forward and backward under fake tensors, as a CUDA step would run them."""

from __future__ import annotations

import gc
from contextlib import ExitStack
from dataclasses import dataclass, field

from msgspec.structs import replace
from torch._subclasses.fake_tensor import DynamicOutputShapeException

from advisor.catalogue.precisions import TracePrecision
from advisor.core.sentences import Reason
from advisor.optable.op_table import OpTable, grows_evenly
from advisor.worker.causes import nested_was_made, value_was_asked
from advisor.worker.models.architecture import NotRunning
from advisor.worker.trace.affine import StreamsDiffer
from advisor.worker.trace.as_written import (
    arrays_of_values,
    layers_in_the_open,
    lists_at_once,
    no_layer_left_out,
    numbers_in_lists,
    numbers_in_texts,
    unasserted,
    uncompiled,
)
from advisor.worker.trace.cuda.named_devices import InOnePlace, names_a_gpu
from advisor.worker.trace.cuda.rules import cuda_rules
from advisor.worker.trace.failed import TraceFailed, TraceFault
from advisor.worker.trace.fake_model import build_fake, converted_in_place
from advisor.worker.trace.rated_types import rated, refuse_unrated, with_own_precision
from advisor.worker.trace.real_pass import RealPasses, hindrance
from advisor.worker.trace.step_pass import Passes
from advisor.worker.trace.subject import REAL_BATCHES, Learnt, Subject
from advisor.worker.trace.traced_table import table_of
from advisor.worker.trace.values.decisions import Decisions
from advisor.worker.trace.values.kept_values import Values
from advisor.worker.trace.values.known import Fakes

_BY_VALUES = frozenset({"trace-depends-on-data", "trace-shape-depends-on-data"})
_NESTED = "torch.nested"
_MOST_REAL_WEIGHTS = 1 << 26
_KEPT: tuple[Values, ...] = ("none", "whole", "all")
_EVENLY = Reason(code="trace-even-routing")
_AT_TWO_SIZES = Reason(code="trace-at-two-sizes")


@dataclass
class Way:
    """How a model came to be traced after what failed, which is not tried anew at another precision."""

    values: Values = "none"
    """Which of its values had to be kept."""
    tried: bool = False
    """Whether its batch had to be searched for."""
    hindrance: TraceFailed | None = None
    """What kept it from running for real, where a user can mend that."""
    decisions: Decisions | None = None
    """What it decided when it ran for real, which holds at every precision: a table came of it."""
    ran: RealPasses | None = None
    """The passes that tell it, whether or not one did."""
    does_not_run: bool = False
    """Whether it was tried for real and did not run, which it does in FP32 whatever the trace is of."""
    checked: bool = False
    """Whether a third batch has come out of its table: precisions differ in types, not in what grows with the batch."""
    too_large_to_check: bool = False
    """Whether what is chosen evenly could not be kept at a third batch size, and two sizes have to do."""
    learnt: Learnt = field(default_factory=Learnt)
    """What its passes have shown."""
    waits: bool = False
    """Whether FP32 is still to come, where running a model for real is many times faster than in half."""


class Waits(Exception):  # noqa: N818 - what happened
    """The model would have to be run for real, which another precision does first."""


def trace(subject: Subject, precision: TracePrecision, *, checked: bool = True, way: Way | None = None) -> OpTable:
    """The operator table of one forward and backward pass (forward only for inference).

    Nothing is allocated: parameters and activations are fake. `way`: what traces of the same model at other precisions
    have found out, to which this one adds. Raises TraceFailed with a reason for models whose control flow depends on
    data, or that run other operators at another batch size.
    """
    way = way or Way()
    subject = subject._replace(learnt=way.learnt)
    if way.tried and subject.try_batches is not None:
        subject.try_batches()
    checks = checked and not way.checked
    try:
        table = _wherever(subject, precision, way, checked=checks)
    except NotRunning:
        if way.tried or subject.try_batches is None:
            raise
        way.tried, way.does_not_run = True, False
        subject.try_batches()
        table = _wherever(subject, precision, way, checked=checks)
    way.checked = way.checked or (checked and grows_evenly(table))
    return table


def _wherever(subject: Subject, precision: TracePrecision, way: Way, *, checked: bool) -> OpTable:
    """The table of a model that may name a GPU, which is then taken for the place where everything lies."""
    try:
        return _with_values(subject, precision, way, checked=checked)
    except Exception as error:
        if not names_a_gpu(error):
            raise
    with InOnePlace():
        return _with_values(subject, precision, way, checked=checked)


def _with_values(subject: Subject, precision: TracePrecision, way: Way, *, checked: bool) -> OpTable:
    """The table with as few values kept as it takes; what no values tell is chosen evenly in the end."""
    if way.decisions is not None:
        try:
            return _as_decided(subject, precision, way.decisions, checked=checked)
        except Exception:  # noqa: BLE001 - what another precision does otherwise is found out from the start
            way.decisions = None
    if way.values != "none":
        try:
            if way.values == "even":
                return _evenly(subject, precision, way, checked=checked)
            return _traced(subject, precision, Fakes(values=way.values), checked=checked)
        except Exception:  # noqa: BLE001 - as above
            way.values = "none"
    return _with_fewest_values(subject, precision, way, checked=checked)


def _with_fewest_values(subject: Subject, precision: TracePrecision, way: Way, *, checked: bool) -> OpTable:
    """The table, what it took left in `way`. Raises Waits before values would be kept of all that is computed."""
    first: TraceFailed | None = None
    for values in _KEPT:
        if values == "all":
            if not _is_small(subject):
                continue
            table = _decided(subject, precision, way, checked=checked)
            if table is not None:
                return table
            if way.waits:
                raise Waits
        try:
            table = _traced(subject, precision, Fakes(values=values), checked=checked)
        except TraceFailed as failed:
            first = first or failed
            if failed.fault not in _BY_VALUES and values != "all":
                raise
        else:
            way.values = values
            return table
    assert first is not None
    try:
        table = _evenly(subject, precision, way, checked=checked)
    except Exception as error:
        raise way.hindrance or first from error  # values that were made up have led astray
    way.values = "even"
    return table


def _evenly(subject: Subject, precision: TracePrecision, way: Way, *, checked: bool) -> OpTable:
    """The table with choices made evenly; unchecked where those of a third batch are too large to be kept."""
    if checked and not way.too_large_to_check:
        try:
            return _traced(subject, precision, Fakes(values="even"), checked=True)
        except TraceFailed as failed:
            if failed.fault not in _BY_VALUES:
                raise
        table = _traced(subject, precision, Fakes(values="even"), checked=False)
        way.too_large_to_check = True
    else:
        table = _traced(subject, precision, Fakes(values="even"), checked=False)
    return replace(table, caveats=(*table.caveats, _AT_TWO_SIZES)) if way.too_large_to_check else table


def _decided(subject: Subject, precision: TracePrecision, way: Way, *, checked: bool) -> OpTable | None:
    """The table by what a real pass decides; None for a model that no such pass tells about."""
    if way.does_not_run:
        return None
    try:
        ran = way.ran = way.ran or _run_for_real(subject, way)
        if checked and ran.lacks_long_third:
            _as_decided(subject, precision, ran.decisions, checked=False)  # else it would be run for nothing
        if checked:
            ran.look_further()
        table = _as_decided(subject, precision, ran.decisions, checked=checked)
    except Exception as error:  # whatever a model does that is not for this processor, or not the same twice
        way.hindrance = hindrance(error)
        if way.hindrance is not None and way.hindrance.fault == "trace-torchvision-unfit":
            raise way.hindrance from error  # nor will it run in any other way
        return None
    way.decisions = ran.decisions
    return table


def _run_for_real(subject: Subject, way: Way) -> RealPasses:
    try:
        return RealPasses(subject)
    except Exception:
        way.does_not_run = True
        raise


def _as_decided(subject: Subject, precision: TracePrecision, decisions: Decisions, *, checked: bool) -> OpTable:
    """The table by known decisions; it says so where the size of anything follows from them."""
    checks = checked and len(decisions.steady) > len(REAL_BATCHES)
    table = _traced(subject, precision, Fakes(), checked=checks, decisions=decisions)
    if not decisions.change_sizes:
        return table
    told = Reason.of("trace-sizes-by-values", values="lengths" if decisions.by_lengths else "boxes")
    return replace(table, caveats=(told, *table.caveats))


def _is_small(subject: Subject) -> bool:
    """Whether a model may be built and run for real: its weights take a quarter of a gigabyte at most."""
    mode = Fakes()
    try:
        model = build_fake(subject.build, mode)
    except Exception:  # noqa: BLE001 - what cannot be built is told by the trace itself
        return False
    return sum(parameter.numel() for parameter in model.parameters()) <= _MOST_REAL_WEIGHTS


def _traced(
    subject: Subject,
    precision: TracePrecision,
    mode: Fakes,
    *,
    checked: bool,
    decisions: Decisions | None = None,
) -> OpTable:
    was_collecting = gc.isenabled()
    gc.collect(1)
    gc.disable()
    try:
        with ExitStack() as stack:
            stack.enter_context(layers_in_the_open())
            stack.enter_context(uncompiled())
            stack.enter_context(unasserted())
            stack.enter_context(converted_in_place())
            stack.enter_context(numbers_in_lists())
            stack.enter_context(numbers_in_texts())
            stack.enter_context(lists_at_once())
            stack.enter_context(arrays_of_values(mode))
            stack.enter_context(no_layer_left_out())
            if subject.device_rules == "cuda":
                stack.enter_context(cuda_rules(subject.attention, half_fallback=subject.half_fallback))
            model = build_fake(subject.build, mode, real=mode.values == "all").train(subject.mode != "inference")
            refuse_unrated(model)
            made = table_of(Passes(subject, precision, mode, model, decisions), checked=checked)
            table = with_own_precision(rated(made))
            return replace(table, caveats=(*table.caveats, _EVENLY)) if mode.chose else table
    except StreamsDiffer as difference:
        fault: TraceFault = "trace-packed-lengths" if mode.packed_unevenly else "trace-depends-on-batch"
        raise TraceFailed(fault, str(difference)) from difference
    except Exception as error:
        refusal = value_was_asked(error)
        if refusal is None:
            if nested_was_made(error):
                raise TraceFailed("trace-shape-depends-on-data", _NESTED) from error
            raise
        shape = isinstance(refusal, DynamicOutputShapeException)
        fault = "trace-shape-depends-on-data" if shape else "trace-depends-on-data"
        raise TraceFailed(fault, str(refusal.func)) from error
    finally:
        if was_collecting:
            gc.enable()
