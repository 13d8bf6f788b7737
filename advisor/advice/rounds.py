"""One round of predictions: a workload's candidates, one kind after the other, and what they rest on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.sentences import Reason
from advisor.cost.host_time import HostSpeed
from advisor.measure.measurement import timed_loader
from advisor.optable.op_table import come_in_lists, least_batch
from advisor.predict.additions import Added
from advisor.predict.assembly import predict_candidates
from advisor.predict.calibration import host_speed, pass_floor_s
from advisor.predict.device_memory import MemorySolver
from advisor.predict.groups import Groups
from advisor.predict.host_memory import OffloadCapacity
from advisor.predict.prediction import Calibration, Candidate, Prediction
from advisor.predict.sources import Sources
from advisor.recommend.candidates import (
    LARGER_GPU_KEYS,
    enumerate_candidates,
)
from advisor.recommend.smaller_candidates import (
    candidates_in_smaller_passes,
    candidates_that_make_up,
    sharded_candidates,
)
from advisor.workload.training_checks import takes


def sources_and_memory(
    request: AdviceRequest, facts: Facts, specs: Mapping[str, GpuSpec], calibrations: tuple[Calibration, ...]
) -> tuple[Sources, MemorySolver]:
    """What predictions of this request rest on, and what answers their memory."""
    sources = Sources(
        workload=request.workload,
        tables=facts.tables,
        specs=specs,
        machine=facts.machine,
        measurements={measurement.device_key: measurement for measurement in facts.measurements},
        calibrations={calibration.device_key: calibration for calibration in calibrations},
        host=_host(facts),
        loader=timed_loader(facts.measurements),
        interconnect=request.interconnect,
        machines=request.machines,
    )
    host = OffloadCapacity(facts.machine, request.host_memory_bytes, request.machines)
    return sources, MemorySolver(request.workload.training, facts.tables, specs, facts.machine, host)


class Round:
    """The predictions of a workload with what was added to it: one kind of candidate after the other."""

    def __init__(  # noqa: PLR0913 - what predictions rest on, and which are wanted
        self,
        request: AdviceRequest,
        facts: Facts,
        specs: Mapping[str, GpuSpec],
        calibrations: tuple[Calibration, ...],
        added: Added = (),
        wanted: frozenset[tuple[str, int]] | None = None,
    ) -> None:
        """Predict nothing yet; `request` and `facts` have what is `added`, `wanted` is how many of which GPU."""
        mode = request.workload.training.mode
        self.added = added
        self.predictions: tuple[Prediction, ...] = ()
        self._present: set[tuple[object, ...]] = set()
        self.refusals: tuple[Reason, ...] = ()
        self.groups = Groups({})
        self.sources, self.memory = sources_and_memory(request, facts, specs, calibrations)
        self.wanted = wanted
        self._begun = self._filled = False
        self._request, self._facts, self._specs = request, facts, specs
        self._in_lists = come_in_lists(facts.tables.values())
        self._least = 1 if request.fixed.batch_size else least_batch(facts.tables.values(), mode)

    def begin(self) -> None:
        """Predict plain set-ups, and what makes up the batch where those do not fit."""
        if self._begun:
            return
        self._begun = True
        request = self._request
        first = self._of_cards(request.gpu_keys, local=True)
        predicted = predict_candidates(first, self.sources, self.memory.answer)
        self.predictions, self.refusals, self.groups = predicted.predictions, predicted.refusals, predicted.groups
        self._present = {prediction.set_up for prediction in self.predictions}
        if not request.fixed.batch_size:
            self._make_up()

    def first_shards(self) -> tuple[Candidate, ...]:
        """The shards that would be predicted next: what they run in is to be traced before."""
        self.begin()
        return self._open(self._sharded(self._members()))

    def fill(self) -> None:
        """Predict plain set-ups, and by turns what makes up the batch and shards where those do not fit; once."""
        if self._filled:
            return
        self._filled = True
        request = self._request
        self.begin()
        self._add(self._sharded(self._members()))
        if request.fixed.batch_size:
            self._make_up()
            self._add(self._sharded(self.predictions))
        if request.gpu_keys is None and not any(_holds_by_itself(prediction) for prediction in self.predictions):
            larger = tuple(key for key in LARGER_GPU_KEYS if key in self._specs)
            self._add(self._sharded(self._add(self._of_cards(larger))))
        self._make_up()
        self.predictions = self.memory.settled(self.predictions)

    def _members(self) -> tuple[Prediction, ...]:
        """What shards are first looked at beside.

        What would fit at another batch size than a fixed one is no reason to leave sharding out.
        """
        if not self._request.fixed.batch_size:
            return self.predictions
        own = self._request.workload.training.batch_size
        return tuple(one for one in self.predictions if one.batch_size_per_device == own)

    def _make_up(self) -> None:
        if self._request.global_batch_size is None:
            workload, largest = self._request.workload, self.memory.largest_batch
            self._add(candidates_that_make_up(workload, self.predictions, largest))
            while self._add(candidates_in_smaller_passes(workload, self.predictions)):
                continue

    def _sharded(self, members: tuple[Prediction, ...]) -> tuple[Candidate, ...]:
        asked = self._request
        batch, machines = asked.global_batch_size, asked.machines
        counts, of_cards = asked.counts, asked.card_counts
        return sharded_candidates(asked.workload, members, counts, batch, machines, of_cards, self._specs)

    def _add(self, candidates: tuple[Candidate, ...]) -> tuple[Prediction, ...]:
        """Those that are wanted and were not predicted before."""
        further = self._open(candidate for candidate in candidates if candidate.set_up not in self._present)
        if not further:
            return ()
        more = predict_candidates(further, self.sources, self.memory.answer)
        self.predictions += more.predictions
        self._present.update(prediction.set_up for prediction in more.predictions)
        self.refusals += tuple(reason for reason in more.refusals if reason not in self.refusals)
        return more.predictions

    def _open(self, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
        """Without those that are not wanted or taken, train on fewer samples than the model can, or cut lists."""
        training = self._request.workload.training
        return tuple(
            one
            for one in candidates
            if one.batch_size_per_device >= self._least
            and not (self._in_lists and one.strategy == "dp")
            and (self.wanted is None or one.device_and_count in self.wanted)
            and takes(training, one.precision, one.gradient_accumulation_steps)
        )

    def _of_cards(self, gpu_keys: tuple[str, ...] | None, *, local: bool = False) -> tuple[Candidate, ...]:
        asked = self._request
        found = enumerate_candidates(
            asked.workload,
            self._facts.machine,
            self._specs,
            gpu_keys=gpu_keys,
            counts=asked.counts,
            card_counts=asked.card_counts,
            precisions=asked.precisions,
            global_batch_size=asked.global_batch_size,
            machines=asked.machines,
            local=local,
        )
        flags = {f"{name}_added": True for name in self.added}
        return self._open(replace(candidate, **flags) if self.added else candidate for candidate in found)


Rounds = dict[Added, Round]
"""Of one request and its facts, by what was added to the workload."""


def _holds_by_itself(prediction: Prediction) -> bool:
    """Whether a set-up of GPUs fits without the memory of their machine."""
    return (
        prediction.fits is not False
        and prediction.device.key != "cpu"
        and not STRATEGY_FACTS[prediction.strategy].offloads
    )


def _host(facts: Facts) -> HostSpeed:
    """The speed of this machine's processor at issuing work: a GPU's own measurement first, else the CPU's."""
    table = facts.tables.get("fp32")
    floors = [pass_floor_s(measurement, table) for measurement in facts.measurements] if table is not None else []
    for measurement in sorted(facts.measurements, key=lambda measurement: measurement.device_key == "cpu"):
        if measurement.rates:
            return dataclasses.replace(host_speed(measurement), pass_floor_s=max(floors, default=0.0))
    return HostSpeed(pass_floor_s=max(floors, default=0.0))
