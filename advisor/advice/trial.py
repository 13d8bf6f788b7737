"""A changed workload as cards would train it: its set-ups predicted, and the fewest cards that hold it found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product

import msgspec

from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest, known_specs
from advisor.advice.rounds import sources_and_memory
from advisor.catalogue.precisions import TracePrecision
from advisor.catalogue.strategies import Strategy
from advisor.measure.events import RunnerEvent
from advisor.measure.traces import Traces, TraceUnanswered
from advisor.optable.op_table import OpTable
from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import MemorySolver
from advisor.predict.prediction import Candidate, Device, Prediction
from advisor.predict.sources import Sources
from advisor.recommend.candidates import (
    DEFAULT_GPU_KEYS,
    LARGER_GPU_KEYS,
    largest_gpu_keys,
    table_keys,
)
from advisor.recommend.precisions import precisions_of_gpu
from advisor.recommend.smaller_candidates import splits_layers
from advisor.workload.workload import Workload, stored_bits

Tables = Mapping[TracePrecision, OpTable]
_ON_ONE: tuple[Strategy, ...] = ("single",)
_ON_SEVERAL: tuple[Strategy, ...] = ("fsdp", "zero2", "tp")
"""FSDP keeps least, but of a model whose blocks are not known, which it gathers whole: ZeRO-2 may keep less there, and
tensor parallelism where activations are most of it."""
LARGER_COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""How many cards are tried where nothing else holds a step."""


def traced_if_taken(
    traces: Traces, workload: Workload, precisions: Iterable[TracePrecision]
) -> Generator[RunnerEvent, None, Tables]:
    """The operators of a changed workload; none where they cannot be traced: what a model does not take is no help."""
    try:
        return (yield from traces.find(workload, tuple(precisions)))
    except TraceUnanswered:
        return {}


@dataclasses.dataclass(frozen=True)
class Trial:
    """A workload, as it was asked for or changed, and the operators that were traced of it."""

    request: AdviceRequest
    facts: Facts
    workload: Workload
    tables: Tables

    def changed(self, workload: Workload, tables: Tables) -> Trial:
        """The same question of another workload; without `tables` nothing of it can be predicted."""
        return dataclasses.replace(self, workload=workload, tables=tables)

    @cached_property
    def _rests_on(self) -> tuple[Sources, MemorySolver]:
        asked = msgspec.structs.replace(self.request, workload=self.workload)
        facts = msgspec.structs.replace(self.facts, tables=dict(self.tables))
        sources, memory = sources_and_memory(asked, facts, known_specs(self.request), ())
        # What was timed of the loader and the host holds for any step; the steps that were timed are those of the
        # advice.
        return dataclasses.replace(sources, measurements={}), memory

    @property
    def memory(self) -> MemorySolver:
        """What answers the memory of its set-ups."""
        return self._rests_on[1]

    def predicted(self, candidates: Iterable[Candidate]) -> tuple[Prediction, ...]:
        """The set-ups from the table alone; those that cannot be predicted are left out."""
        sources, memory = self._rests_on
        return predict_candidates(tuple(candidates), sources, memory.answer).predictions

    def on_larger_cards(self) -> Prediction | None:
        """The fewest cards that hold it, whole or sharded; of as few, the smallest, and of these the fastest.

        Looked at are those of 80 GB and more, the largest of the table too, so that no fewer are known to do, and the
        usual ones that compute in the precision: who lacks 2 GB of a small card needs no large one.
        """
        specs, own = known_specs(self.request), self.workload.training.precision
        usual = (key for key in DEFAULT_GPU_KEYS if key in specs and own in precisions_of_gpu(specs[key], (own,)))
        return self._on_fewest((*usual, *LARGER_GPU_KEYS, *largest_gpu_keys(specs)), LARGER_COUNTS, smallest=True)

    def on_cards_asked_for(self, beyond: Sequence[Trial] = ()) -> Prediction | None:
        """As many cards as were asked for that hold it, in a way in which none of the trials `beyond` is held.

        Where so many do not, the fewest that do: of the cards of the question, else of 80 GB and more.
        """
        asked = table_keys(known_specs(self.request), self.request.gpu_keys)
        as_asked = self.on_cards_of_the_question(beyond)
        if as_asked is not None:
            return as_asked
        found = (self._on_fewest(keys, LARGER_COUNTS, beyond=beyond) for keys in (asked, LARGER_GPU_KEYS))
        return next((held for held in found if held is not None), None)

    def on_cards_of_the_question(self, beyond: Sequence[Trial] = ()) -> Prediction | None:
        """The fewest cards that hold it, of those and of as many as were asked for; `beyond` as above."""
        asked = table_keys(known_specs(self.request), self.request.gpu_keys)
        return self._on_fewest(asked, self.request.every_count, beyond=beyond, as_named=True)

    def on_one_card(self) -> Prediction | None:
        """The fastest set-up on one card that holds it.

        Looked at are all cards of the question; where it names none, those of 80 GB and more too if the usual ones
        fail, and the largest of the table if these do.
        """
        found = (self._fastest_held(self.on_cards(keys, 1)) for keys in self._single_cards())
        return next((held for held in found if held is not None), None)

    def is_beyond_one_card(self, table: OpTable | None) -> bool:
        """Whether its weights alone are more than the largest of the cards that `on_one_card` tries.

        Weights count as least as they can be stored: packed ones without their scales, others as 16 bits. `table` is
        that of the workload as it was asked for: this one is not traced yet.
        """
        specs = known_specs(self.request)
        keys = (key for keys in self._single_cards() for key in keys if key in specs)
        return self._is_beyond([specs[key].memory_bytes for key in keys], table)

    def is_beyond_cards_of_the_question(self, table: OpTable | None) -> bool:
        """The same of the cards that were asked for, as many of each as were, which share the weights."""
        specs = known_specs(self.request)
        keys = (key for key in table_keys(specs, self.request.gpu_keys) if key in specs)
        most = ((specs[key].memory_bytes, max(self.request.counts_of(key))) for key in keys)
        return self._is_beyond([None if one is None else one * count for one, count in most], table)

    def _is_beyond(self, rooms: Sequence[float | None], table: OpTable | None) -> bool:
        training = self.workload.training
        if table is None or training.offload == "parameters" or None in rooms:
            return False
        return table.parameter_count * (stored_bits(training) or 16) / 8 > max(filter(None, rooms), default=math.inf)

    def _single_cards(self) -> list[Sequence[str]]:
        specs = known_specs(self.request)
        asked: list[Sequence[str]] = [tuple(table_keys(specs, self.request.gpu_keys))]
        return [*asked, LARGER_GPU_KEYS, largest_gpu_keys(specs)] if self.request.gpu_keys is None else asked

    def _on_fewest(
        self,
        keys: Sequence[str],
        counts: tuple[int, ...],
        *,
        smallest: bool = False,
        as_named: bool = False,
        beyond: Sequence[Trial] = (),
    ) -> Prediction | None:
        """The fewest of these cards that hold it, whole or sharded; of as few, the fastest.

        `as_named`: only as many of each as the question names. `smallest`: of as few those of the least memory, and of
        these the fastest. `beyond`: the same with less changed; a set-up that holds one of these owes nothing to the
        change, and is left out.
        """

        def cards(count: int) -> Iterable[str]:
            return (key for key in keys if not as_named or count in self.request.counts_of(key))

        ways = (self._needing_it(self.on_cards(cards(count), count), beyond) for count in sorted(set(counts)))
        held = (self._fastest_held(candidates, smallest=smallest) for candidates in ways)
        return next((found for found in held if found is not None), None)

    @staticmethod
    def _needing_it(candidates: Sequence[Candidate], beyond: Sequence[Trial]) -> Sequence[Candidate]:
        held = {one.set_up for trial in beyond for one in trial.predicted(candidates) if one.fits}
        return [candidate for candidate in candidates if candidate.set_up not in held]

    def _fastest_held(self, candidates: Sequence[Candidate], *, smallest: bool = False) -> Prediction | None:
        held = [prediction for prediction in self.predicted(candidates) if prediction.fits]
        # What asks for other code of the model is named only where nothing else holds it.
        held = [one for one in held if one.holds_plainly] or held
        if smallest:
            rooms = [prediction.memory_capacity_bytes or math.inf for prediction in held]
            held = [prediction for prediction, room in zip(held, rooms, strict=True) if room == min(rooms)]
        # What it needs is told beside what others lack: with the allocator's own waste, as theirs is.
        replayed = map(self.memory.replayed, sorted(held, key=lambda prediction: -prediction.samples_per_s.value))
        return next((prediction for prediction in replayed if prediction.fits), None)

    def on_cards(self, keys: Iterable[str], count: int) -> list[Candidate]:
        """It on so many of each card that is known, sharded on several, at its batch size and at one sample."""
        specs, training = known_specs(self.request), self.workload.training
        # Help for a batch that is fixed holds that batch.
        sizes = {training.batch_size} if self.request.fixed.batch_size else {1, training.batch_size}
        candidates = (
            Candidate(
                device=Device(key=key, name=specs[key].name, spec_key=key, local=False),
                count=count,
                strategy=strategy,
                precision=precision,
                batch_size_per_device=size,
                gradient_accumulation_steps=math.ceil(training.gradient_accumulation_steps / count),
            )
            for key, size in product(keys, sorted(sizes))
            if key in specs
            for strategy in (_ON_ONE if count == 1 else _ON_SEVERAL)
            for precision in precisions_of_gpu(specs[key], (training.precision,))
        )
        machines = self.request.machines
        return [one for one in candidates if one.strategy != "tp" or splits_layers(one, self.workload, machines)]
