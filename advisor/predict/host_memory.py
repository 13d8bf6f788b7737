"""What off-loading keeps in the memory of a machine, and what that machine has room for."""

from __future__ import annotations

import math

from advisor.catalogue.links import USUAL_MACHINES, Machines
from advisor.catalogue.precisions import ComputedPrecision
from advisor.catalogue.strategies import SHARDING, STRATEGY_FACTS
from advisor.core.sentences import Reason
from advisor.cost.memory.offloaded import offloaded_bytes
from advisor.hardware.machine import Machine
from advisor.optable.op_table import OpTable
from advisor.predict.prediction import SetUp
from advisor.workload.workload import Offload, Training

ASSUMED_BYTES_PER_CARD = 96 * 2.0**30
"""Host memory a card where nothing is known: p3dn.24xlarge has 768 GiB for eight V100, g6e.12xlarge 384 GiB for four
L40S (AWS instance types, 2024); desktops with one or two cards mostly have less, so the assumption is always said."""


class OffloadCapacity:
    """Whether the machines that hold the cards have room for what is off-loaded to them."""

    def __init__(self, machine: Machine, given_bytes: float | None = None, machines: Machines = USUAL_MACHINES) -> None:
        """`given_bytes`: of each machine with cards, as the user says; None: this one's for itself, else assumed."""
        self._here_bytes = float(machine.memory.available_bytes)
        self._given_bytes = given_bytes
        self._machines = machines
        self._replicas: dict[tuple[int, int, ComputedPrecision], tuple[OpTable, Training, float]] = {}
        """By whose numbers: the table and the training, which are held here too, and the precision."""

    def judged(
        self, candidate: SetUp, table: OpTable, training: Training, *, unified_memory: bool = False
    ) -> tuple[bool, tuple[Reason, ...]]:
        """Whether a set-up's machines hold what it off-loads, and the sentence that says so; True for other set-ups.

        `unified_memory`: the GPU's memory is the machine's own, where off-loading frees nothing.
        """
        kind: Offload = "parameters" if STRATEGY_FACTS[candidate.strategy].offloads else training.offload
        if kind == "none":
            return True, ()
        if unified_memory:
            return False, (Reason(code="memory-host-shared"),)
        machines = self._machines.of(candidate.count, local=candidate.device.local)
        replica = self._replica_bytes(candidate, table, training, kind)
        shared = kind != "activations" and candidate.strategy in SHARDING
        need = replica * (1 if shared else candidate.count) / machines
        code, room = self._room(candidate, machines)
        fits = need <= room
        return fits, (Reason.of(code if fits else f"{code}-short", need_bytes=need, room_bytes=room),)

    def _replica_bytes(self, candidate: SetUp, table: OpTable, training: Training, kind: Offload) -> float:
        """What one replica off-loads: of a model's state it is asked for by every set-up and alike in all batches."""
        precision = candidate.precision
        if kind == "activations":
            return offloaded_bytes(table, training, precision, kind, candidate.batch_size_per_device)
        key = (id(table), id(training), precision)
        if key not in self._replicas:
            self._replicas[key] = (table, training, offloaded_bytes(table, training, precision, kind))
        return self._replicas[key][2]

    def _room(self, candidate: SetUp, machines: int) -> tuple[str, float]:
        if candidate.device.local:
            return "memory-host-here", self._given_bytes or self._here_bytes
        if self._given_bytes is not None:
            return "memory-host-given", self._given_bytes
        return "memory-host-assumed", ASSUMED_BYTES_PER_CARD * math.ceil(candidate.count / machines)
