"""A pass over a shortened model, made as long as that over the whole one: groups between are copies of the second.

The copies are only made where the second group and the one behind the copies did exactly the same, tensor by tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from advisor.optable.op_table import ALLOCATE, CONVOLUTION, FREE
from advisor.worker.trace.layer_runs import HEAD_GROUPS, SECOND_GROUP, LayerRun, Mark
from advisor.worker.trace.recorder import GradientEvent, Recorder
from advisor.worker.trace.storages import Event, Reference, StorageTracker

_SECOND, _BEHIND = SECOND_GROUP, HEAD_GROUPS
"""The groups on both sides of the copies."""
Label = tuple[int, int]
"""Number of the segment of the short pass in which a storage was made, and which of its storages it is."""


class NotAlikeError(Exception):
    """Groups did different work, so that none may stand for another."""


class _Segment(NamedTuple):
    """Part of the short pass from one mark to the next."""

    begin: Mark
    end: Mark


class Extension:
    """Writes the long pass from the short one's recorder and marks."""

    def __init__(
        self, recorder: Recorder, marks: Sequence[Mark], runs: Sequence[LayerRun], resident_count: int
    ) -> None:
        """`marks` from forward's first event to backward's last. Raises NotAlikeError where no group may be copied."""
        self._short, self._runs, self._resident_count = recorder, runs, resident_count
        self._segments = [_Segment(begin, end) for begin, end in pairwise(marks)]
        self._alike: dict[tuple[int | None, str], list[int]] = {}
        """Numbers of the segments of one run and phase: looked through for each tensor that is used or freed."""
        for number, segment in enumerate(self._segments):
            self._alike.setdefault((segment.begin.run, segment.begin.phase), []).append(number)
        self._labels: dict[int, Label] = {}
        self._partners: dict[int, tuple[int, list[tuple[int, int]]]] = {}
        """Of each second group's segment: that of the group behind, and the events that answer each other."""
        self._label_storages()
        self._check()
        self.recorder = Recorder(StorageTracker(), recorder.results)
        self.recorder.flow = recorder.flow
        self.backward_start = 0
        self.kept: dict[int, int] = {}
        self._paths: dict[tuple[str, str | None, int | None], str] = {}
        """Of modules of the short pass by run and full group: in the whole model."""
        self._numbers: dict[tuple[int, int | None, int], int] = {}
        """(segment, full group, ordinal) -> storage of the long pass."""

    def _label_storages(self) -> None:
        tracker = self._short.tracker
        for number, segment in enumerate(self._segments):
            ordinal = 0
            for event in range(segment.begin.event_count, segment.end.event_count):
                if tracker.kinds[event] == ALLOCATE:
                    self._labels[tracker.storages[event]] = (number, ordinal)
                    ordinal += 1

    def _check(self) -> None:
        for run in range(len(self._runs)):
            for phase in ("forward", "backward"):
                places = [
                    number
                    for number, segment in enumerate(self._segments)
                    if segment.begin.run == run and segment.begin.phase == phase
                ]
                groups = [self._segments[number].begin.group for number in places]
                kept = range(self._runs[run].kept_count)
                expected = list(kept if phase == "forward" else kept[::-1])
                if groups and (groups != expected or places != list(range(places[0], places[0] + len(kept)))):
                    raise NotAlikeError(phase)
                if groups:
                    second, other = places[groups.index(_SECOND)], places[groups.index(_BEHIND)]
                    self._check_alike(self._segments[second], self._segments[other])
                elif phase == "forward":
                    raise NotAlikeError(phase)
        for segment in self._segments:
            self._check_elsewhere(segment)

    def _check_elsewhere(self, segment: _Segment) -> None:
        """What frees a tensor of one group far from it must free that of each: what the whole forward pass kept."""
        freed: dict[object, set[tuple[object, ...]]] = {_SECOND: set(), _BEHIND: set()}
        far: dict[object, set[tuple[object, ...]]] = {_SECOND: set(), _BEHIND: set()}
        for kind, _size, reference, event in self._events(segment):
            label = self._labels.get(self._short.tracker.storages[event]) if reference else None
            born = None if label is None else self._segments[label[0]].begin
            if label is None or born is None or born.group not in freed:
                continue
            name = (born.run, born.phase, label[1])
            freed[born.group].add(name)
            if reference[0] == "each":
                far[born.group].add(name)
                if kind != FREE:
                    raise NotAlikeError("a group's tensors are used elsewhere")
        if not (far[_SECOND] <= freed[_BEHIND] and far[_BEHIND] <= freed[_SECOND]):
            raise NotAlikeError("a group's tensors are used elsewhere")

    def _check_alike(self, segment: _Segment, other: _Segment) -> None:
        ops, run = self._short.ops, self._runs[segment.begin.run or 0]
        paths = (path for phase, path, _op in ops[segment.begin.op_count : segment.end.op_count] if phase == "forward")
        if not all(path.startswith(f"{run.path}.") for path in paths):
            raise NotAlikeError("work between layers")  # it may go by their numbers, which the short list has not
        first = [
            (phase, _tail(path, run), op) for phase, path, op in ops[segment.begin.op_count : segment.end.op_count]
        ]
        second = [(phase, _tail(path, run), op) for phase, path, op in ops[other.begin.op_count : other.end.op_count]]
        if first != second:
            raise NotAlikeError("operators")
        events, others = self._events(segment), self._events(other)
        if [event[:3] for event in events] != [event[:3] for event in others]:
            raise NotAlikeError("memory")
        partners = sorted((a.event, b.event) for a, b in zip(events, others, strict=True))
        self._partners[self._segments.index(segment)] = self._segments.index(other), partners

    def _events(self, segment: _Segment) -> list[Event]:
        """A segment's events with what each refers to."""
        begin, end = segment.begin.event_count, segment.end.event_count
        return self._short.tracker.events(begin, end, lambda storage: self._reference(storage, segment))

    def _reference(self, storage: int, segment: _Segment) -> Reference:
        """Where a storage was made, as seen from a segment: by distance within a run, else absolutely.

        Neighbours are named by distance alone: the first and the last group may number their tensors otherwise.
        """
        label = self._labels.get(storage)
        if label is None:
            return ("resident", storage)
        born = self._segments[label[0]].begin
        if born.run is None or born.group is None:
            return ("there", *label)
        if born.run == segment.begin.run and segment.begin.group is not None:
            distance = born.group - segment.begin.group
            if abs(distance) <= 1:
                return ("near", born.phase, distance, label[1] if distance == 0 else 0)
        if born.group in {_SECOND, _BEHIND}:
            return ("each", born.run, born.phase, born.group, label[1])
        return ("there", *label)

    def run(self) -> None:
        """Write everything."""
        short, long = self._short, self.recorder
        tracker = short.tracker
        for event in range(self._resident_count):
            long.tracker.append(tracker.kinds[event], tracker.storages[event], tracker.sizes[event])
        self._count = len({tracker.storages[event] for event in range(self._resident_count)})
        long.dispatch_count = dict(short.dispatch_count)
        long.synchronisation_count = short.synchronisation_count
        for number, segment in enumerate(self._segments):
            run = None if segment.begin.run is None else self._runs[segment.begin.run]
            if segment.begin.phase == "backward" and not self.backward_start:
                self.backward_start = len(long.tracker.kinds)
            if run is None or segment.begin.group is None:
                self._write(number, None)
                continue
            group = segment.begin.group
            between = run.copied_groups
            if segment.begin.phase == "forward":
                self._write(number, run.full_group(group))
                if group == _SECOND:
                    self._copy(number, between)
            else:
                if group == _SECOND:
                    self._copy(number, between[::-1])
                self._write(number, run.full_group(group))
        if not self.backward_start:
            self.backward_start = len(long.tracker.kinds)
        self._fill_paths()
        self._fill_kept()

    def _copy(self, number: int, groups: range) -> None:
        begin, end = self._segments[number]
        self.recorder.flow.repeated.append((begin.op_count, end.op_count, len(groups)))
        calls = [after - before for before, after in zip(begin.dispatch_count, end.dispatch_count, strict=True)]
        for group in groups:
            self._write(number, group, copied=True)
            self.recorder.dispatch_count["forward"] += calls[0]
            self.recorder.dispatch_count["backward"] += calls[1]
            self.recorder.synchronisation_count += end.synchronisation_count - begin.synchronisation_count

    def _write(self, number: int, full_group: int | None, *, copied: bool = False) -> None:
        """One segment of the long pass."""
        segment, short, long = self._segments[number], self._short, self.recorder
        begin, end = segment
        run = None if begin.run is None else self._runs[begin.run]
        for phase, path, op in short.ops[begin.op_count : end.op_count]:
            long.ops.append((phase, self._path(path, run, full_group), op))
        for gradient in short.gradients[begin.gradient_count : end.gradient_count]:
            long.gradients.append(
                GradientEvent(gradient.element_count, long.backward_work + gradient.work - begin.work)
            )
        long.backward_work += end.work - begin.work
        tracker, ordinal = short.tracker, 0
        for event, other in self._sources(number, copied=copied):
            kind, size = tracker.kinds[event], tracker.sizes[event]
            if kind == ALLOCATE:
                self._numbers[number, full_group, ordinal] = self._count
                if tracker.storages[event] in tracker.counts:
                    long.tracker.counts[self._count] = tracker.counts[tracker.storages[event]]
                self.recorder.flow.short_numbers[self._count] = tracker.storages[event]
                if event in short.made_by:
                    phase, path, name = short.made_by[event]
                    long.made_by[len(long.tracker.kinds)] = (phase, self._path(path, run, full_group), name)
                long.tracker.append(kind, self._count, size)
                self._count += 1
                ordinal += 1
            elif kind == CONVOLUTION:
                long.tracker.append(kind, tracker.storages[event], size)
            else:
                source = segment
                if copied and self._reference(tracker.storages[event], segment)[:3:2] == ("near", -1):
                    # The group before the second is the first, which may number its tensors otherwise.
                    event, source = other, self._segments[self._partners[number][0]]  # noqa: PLW2901
                for long_number in self._long_numbers(tracker.storages[event], source, full_group):
                    long.tracker.append(kind, long_number, size)

    def _sources(self, number: int, *, copied: bool) -> list[tuple[int, int]]:
        """Events of a segment, beside those of the group behind where a copy is made."""
        if copied:
            return self._partners[number][1]
        begin, end = self._segments[number]
        return [(event, event) for event in range(begin.event_count, end.event_count)]

    def _long_numbers(self, storage: int, segment: _Segment, full_group: int | None) -> list[int]:
        """What a storage is called in the long pass: one, or one for each copy of its group."""
        reference = self._reference(storage, segment)
        if reference[0] == "resident":
            return [storage]
        place, ordinal = self._labels[storage]
        born = self._segments[place].begin
        run = None if born.run is None else self._runs[born.run]
        if run is None or born.group is None:
            return [self._numbers[place, None, ordinal]]
        if reference[0] == "near" and full_group is not None:
            return [self._found(place, full_group + born.group - int(segment.begin.group or 0), ordinal)]
        own = [run.full_group(born.group)]
        # Of what is freed far away, the copies go with the second group where that is far, else with the one behind.
        copied = reference[0] == "each" and (born.group == _SECOND or segment.begin.run == born.run)
        copies = run.copied_groups if copied else ()
        return [self._found(place, group, ordinal) for group in (*own, *copies)]

    def _found(self, place: int, full_group: int, ordinal: int) -> int:
        """A storage of a group by any segment that wrote the group: a copy's are under the second group's number."""
        begin = self._segments[place].begin
        for number in self._alike[begin.run, begin.phase]:
            storage = self._numbers.get((number, full_group, ordinal))
            if storage is not None:
                return storage
        raise NotAlikeError("a group's tensor is not there")

    def _path(self, path: str, run: LayerRun | None, full_group: int | None) -> str:
        """A module's path in the whole model."""
        key = path, None if run is None else run.path, full_group
        if key not in self._paths:
            self._paths[key] = self._found_path(path, run, full_group)
        return self._paths[key]

    def _found_path(self, path: str, run: LayerRun | None, full_group: int | None) -> str:
        for layer_run in self._runs if run is None else (run,):
            head = f"{layer_run.path}."
            if path.startswith(head):
                place, dot, rest = path[len(head) :].partition(".")
                group = layer_run.group_of(int(place))
                full = layer_run.full_group(group) if run is None and group is not None else full_group
                layer = int(place) if group is None or full is None else layer_run.full_layer(int(place), full)
                return f"{head}{layer}{dot}{rest}"
        return path

    def _fill_paths(self) -> None:
        """What each module was given, for every module of the whole model."""
        for path, size in self._short.input_bytes.items():
            self.recorder.input_bytes[self._path(path, None, None)] = size
            for run in self._runs:
                head = f"{run.path}."
                if path.startswith(head) and run.group_of(int(path[len(head) :].partition(".")[0])) == _SECOND:
                    for group in run.copied_groups:
                        self.recorder.input_bytes[self._path(path, run, group)] = size

    def _fill_kept(self) -> None:
        tracker = self.recorder.tracker
        for event in range(self.backward_start):
            if tracker.kinds[event] == ALLOCATE:
                self.kept[tracker.storages[event]] = tracker.whole_size(event)
            elif tracker.kinds[event] != CONVOLUTION:
                self.kept.pop(tracker.storages[event], None)


def _tail(path: str, run: LayerRun) -> str:
    """A path within its group: the layer's place counted from the group's first."""
    head = f"{run.path}."
    if not path.startswith(head):
        return path
    place, dot, rest = path[len(head) :].partition(".")
    return f"{(int(place) - run.start) % run.period}{dot}{rest}" if int(place) >= run.start else path
