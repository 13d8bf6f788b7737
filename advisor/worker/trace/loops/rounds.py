"""The pass of a shortened loop, counted as the whole: what one round does is done as often as rounds were left out.

It is only counted so where that round and those that ran on both sides did the same, tensor by tensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from advisor.optable.op_table import ALLOCATE, FREE
from advisor.worker.trace.layer_runs import Mark
from advisor.worker.trace.loops.long_loops import LongLoops
from advisor.worker.trace.loops.loop_number import COUNTED
from advisor.worker.trace.loops.loop_run import FIRST_ROUNDS, KEPT_ROUNDS, LoopRun, Place, RoundsDiffer, place_of
from advisor.worker.trace.recorder import GradientEvent, Recorder
from advisor.worker.trace.storages import Reference

_ALIKE = (COUNTED, COUNTED + 1, FIRST_ROUNDS)
"""Rounds whose gradients are worked out alike: those behind them have just begun, those before are at their end."""
_ALIKE_FORWARD = (*_ALIKE, FIRST_ROUNDS + 1)


class _Part(NamedTuple):
    """What one round did, forward or backward."""

    backward: bool
    round_: int
    begin: Place
    end: Place


class _Label(NamedTuple):
    """Which loop and round made a storage (a checkpointed one runs twice), and which of its storages it is."""

    loop: int
    backward: bool
    round_: int
    ordinal: int


def count_rounds(recorder: Recorder, loops: LongLoops, marks: list[Mark]) -> int:
    """Let the counted round of each loop stand for those left out, in the recorder and its marks.

    Returns how many rounds the longest has; raises RoundsDiffer.
    """
    for loop in loops.runs:
        if loop.spoilt or len(loop.starts) != KEPT_ROUNDS + 1:
            raise RoundsDiffer(loop.origin, "left before its end")
    parts = [_parts(loop, loops, place_of(recorder)) for loop in loops.runs]
    labels = _labels(recorder, parts)
    counted = [_Counted(recorder, loop, own, labels) for loop, own in zip(loops.runs, parts, strict=True)]
    for one in counted:
        one.write(marks)
    recorder.flow.end_rounds()
    return max((loop.round_count for loop in loops.runs), default=0)


def _parts(loop: LoopRun, loops: LongLoops, end: Place) -> list[_Part]:
    forward = [
        _Part(backward=False, round_=round_, begin=loop.starts[round_], end=loop.starts[round_ + 1])
        for round_ in range(KEPT_ROUNDS)
    ]
    ends = [*(visit.begin for visit in loops.visits[1:]), end]
    backward = [
        _Part(backward=True, round_=visit.round_, begin=visit.begin, end=end)
        for visit, end in zip(loops.visits, ends, strict=bool(loops.visits))
        if visit.loop is loop
    ]
    visited = [part.round_ for part in backward]
    if backward and visited != sorted(range(KEPT_ROUNDS), reverse=True)[-len(visited) :]:
        raise RoundsDiffer(loop.origin, f"gradients in the order {visited}")
    return forward + backward


def _labels(recorder: Recorder, parts: Sequence[Sequence[_Part]]) -> dict[int, _Label]:
    """What made each storage that a round made, by its number."""
    labels, tracker = dict[int, _Label](), recorder.tracker
    for loop, own in enumerate(parts):
        for part in own:
            ordinal = 0
            for event in range(part.begin.event_count, part.end.event_count):
                if tracker.kinds[event] == ALLOCATE:
                    labels[tracker.storages[event]] = _Label(loop, part.backward, part.round_, ordinal)
                    ordinal += 1
    return labels


class _Counted:
    """One loop's rounds. Raises RoundsDiffer."""

    def __init__(self, recorder: Recorder, loop: LoopRun, parts: Sequence[_Part], labels: Mapping[int, _Label]) -> None:
        self._recorder, self._loop, self._parts, self._labels = recorder, loop, parts, labels
        self._check()

    def _check(self) -> None:
        for backward, alike in ((False, _ALIKE_FORWARD), (True, _ALIKE)):
            told = [self._told(part) for part in self._parts if part.backward == backward and part.round_ in alike]
            if told and len(told) != len(alike):
                raise RoundsDiffer(self._loop.origin, "gradients of some rounds alone")
            for place, what in enumerate(("operators", "calls", "memory")):
                if any(one[place] != told[0][place] for one in told):
                    raise RoundsDiffer(self._loop.origin, what)

    def _told(self, part: _Part) -> tuple[object, object, object]:
        """What a round does, in words that are the same for each."""
        begin, end = part.begin, part.end
        calls = (
            end.kernel_count - begin.kernel_count,
            end.gradient_count - begin.gradient_count,
            [after - before for before, after in zip(begin.dispatch_count, end.dispatch_count, strict=True)],
            end.synchronisation_count - begin.synchronisation_count,
        )
        return self._recorder.ops[begin.op_count : end.op_count], calls, self._events(part)

    def _events(self, part: _Part) -> list[tuple[object, ...]]:
        """Its events with what each refers to."""
        begin, end = part.begin.event_count, part.end.event_count
        events = self._recorder.tracker.events(begin, end, lambda storage: self._reference(storage, part))
        return [event[:3] for event in events]

    def _reference(self, storage: int, part: _Part) -> Reference:
        label = self._labels.get(storage)
        if label is None:
            return ("there", storage)
        return ("made", *label._replace(round_=label.round_ - part.round_))

    def write(self, marks: list[Mark]) -> None:
        """Add what the rounds left out would have."""
        for part in self._parts:
            if part.round_ == COUNTED:
                self._count_storages(part)
                self._count_calls(part, marks)

    def _count_storages(self, part: _Part) -> None:
        """What the round makes and the loop leaves is there once for each round; what later rounds free is not."""
        tracker, times = self._recorder.tracker, 1 + self._loop.left_out
        last = max(other.end.event_count for other in self._parts if other.backward == part.backward)
        made = {
            tracker.storages[event]
            for event in range(part.begin.event_count, part.end.event_count)
            if tracker.kinds[event] == ALLOCATE
        }
        freed = {
            tracker.storages[event] for event in range(part.begin.event_count, last) if tracker.kinds[event] == FREE
        }
        tracker.counts |= dict.fromkeys(made - freed, times)
        self._recorder.flow.count_round(part.begin.kernel_count, part.end.kernel_count, made, times)

    def _count_calls(self, part: _Part, marks: list[Mark]) -> None:
        recorder, end = self._recorder, part.end
        (forward, backward), synchronisations, work = _count_again(recorder, part.begin, end, self._loop.left_out)
        recorder.gradients[end.gradient_count :] = [
            GradientEvent(gradient.element_count, gradient.work + work)
            for gradient in recorder.gradients[end.gradient_count :]
        ]
        for number, mark in enumerate(marks):
            if mark.op_count >= end.op_count and mark.event_count >= end.event_count:
                marks[number] = mark._replace(
                    dispatch_count=(mark.dispatch_count[0] + forward, mark.dispatch_count[1] + backward),
                    synchronisation_count=mark.synchronisation_count + synchronisations,
                    work=mark.work + work,
                )


def _count_again(recorder: Recorder, begin: Place, end: Place, again: int) -> tuple[tuple[int, int], int, float]:
    """Count the calls between two places `again` times more; what was added: calls by phase, waits and work."""
    for place in range(begin.op_count, end.op_count):
        phase, path, raw = recorder.ops[place]
        recorder.ops[place] = (phase, path, raw._replace(times=raw.times * (1 + again)))
    forward, backward = (
        again * (after - before) for before, after in zip(begin.dispatch_count, end.dispatch_count, strict=True)
    )
    synchronisations = again * (end.synchronisation_count - begin.synchronisation_count)
    work = again * (end.work - begin.work)
    recorder.dispatch_count["forward"] += forward
    recorder.dispatch_count["backward"] += backward
    recorder.synchronisation_count += synchronisations
    recorder.backward_work += work
    return (forward, backward), synchronisations, work


@contextmanager
def one_for_all(recorder: Recorder, times: int) -> Iterator[None]:
    """Around work that leaves in memory what it found there: it is counted as done `times` times."""
    begin = place_of(recorder)
    yield
    end = place_of(recorder)
    _count_again(recorder, begin, end, times - 1)
    recorder.flow.count_round(begin.kernel_count, end.kernel_count, (), times)
