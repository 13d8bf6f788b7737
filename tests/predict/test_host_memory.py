"""Whether the machines of the cards hold what is off-loaded to them, and on whose word."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.links import Machines
from advisor.catalogue.strategies import STRATEGIES, Strategy
from advisor.cost.memory.offloaded import offloaded_bytes
from advisor.hardware.machine import HostMemory, Machine
from advisor.predict.host_memory import ASSUMED_BYTES_PER_CARD, OffloadCapacity
from tests.cost.small_tables import training
from tests.predict.asked import HERE, candidate, model
from tests.recommend.fakes import machine

OFFLOADED = training(optimizer="adamw", offload="optimizer")
NEED = 4e6 + 4e6 + 2 * 4e6
"""Weights, gradients, Adam's two states."""


def room(**changes: object) -> Machine:
    memory = HostMemory(total_bytes=64 * 2**30, available_bytes=10_000_000, cgroup_limit_bytes=None)
    return msgspec.structs.replace(machine(), memory=memory, **changes)


def judged(host: OffloadCapacity, *, count: int = 1, here: bool = False) -> tuple[bool, str, float, float]:
    strategy: Strategy = "zero2" if count > 1 else "single"
    one = candidate(HERE, count, strategy) if here else candidate(count=count, strategy=strategy)
    fits, (reason,) = host.judged(one, model(), OFFLOADED)
    return fits, reason.code, float(reason.numbers["need_bytes"]), float(reason.numbers["room_bytes"])  # type: ignore[arg-type]


def test_weights_gradients_and_states_are_offloaded_once() -> None:
    assert offloaded_bytes(model(), OFFLOADED, "fp32", "optimizer") == pytest.approx(NEED)
    assert offloaded_bytes(model(), OFFLOADED, "fp32", "none") == 0.0


def test_what_offloads_nothing_needs_no_room() -> None:
    assert OffloadCapacity(room()).judged(candidate(), model(), training(optimizer="adamw")) == (True, ())
    assert OffloadCapacity(room()).judged(candidate(count=2, strategy="fsdp_offload"), model(), training())[1] != ()


def test_a_gpu_with_the_machines_own_memory_has_nothing_to_off_load_to() -> None:
    capacity = OffloadCapacity(room(), given_bytes=1e15)
    fits, (reason,) = capacity.judged(candidate(), model(), OFFLOADED, unified_memory=True)
    assert (fits, reason.code) == (False, "memory-host-shared")
    assert capacity.judged(candidate(), model(), training(), unified_memory=True) == (True, ())


def test_a_local_card_has_this_machines_free_memory() -> None:
    assert judged(OffloadCapacity(room()), here=True) == (False, "memory-host-here-short", NEED, 1e7)
    assert judged(OffloadCapacity(room(), given_bytes=2e7), here=True) == (True, "memory-host-here", NEED, 2e7)


def test_other_machines_have_what_is_given_or_assumed_a_card() -> None:
    assert judged(OffloadCapacity(room(), given_bytes=1e6)) == (False, "memory-host-given-short", NEED, 1e6)
    assert judged(OffloadCapacity(room())) == (True, "memory-host-assumed", NEED, ASSUMED_BYTES_PER_CARD)
    assert judged(OffloadCapacity(room()), count=8)[3] == 8 * ASSUMED_BYTES_PER_CARD


def test_more_machines_share_the_need_evenly_and_each_holds_its_own_cards() -> None:
    _, _, need, held = judged(OffloadCapacity(room()), count=16)
    assert (need, held) == (NEED / 2, 8 * ASSUMED_BYTES_PER_CARD)
    _, _, need, held = judged(OffloadCapacity(room(), machines=Machines(4, 4)), count=16)
    assert (need, held) == (NEED / 4, 4 * ASSUMED_BYTES_PER_CARD)


def test_every_replica_offloads_its_own_and_the_shards_of_one_add_up() -> None:
    host = OffloadCapacity(room())
    needs = [
        host.judged(candidate(count=4, strategy=strategy), model(), OFFLOADED)[1][0].numbers["need_bytes"]
        for strategy in STRATEGIES
        if strategy != "single"
    ]
    expected = {"dp": 4.0, "ddp": 4.0}
    assert needs == [NEED * expected.get(strategy, 1.0) for strategy in STRATEGIES if strategy != "single"]


def test_a_need_that_just_fits_fits() -> None:
    assert judged(OffloadCapacity(room(), given_bytes=NEED), here=True)[0]
    assert not judged(OffloadCapacity(room(), given_bytes=NEED - 1), here=True)[0]


@pytest.mark.parametrize(
    ("count", "counts", "told", "hosts"),
    [
        (1, (1, 8), 8, 1),
        (8, (8,), 1, 1),
        (16, (16,), 1, 1),
        (17, (17,), 1, 2),
        (16, (16,), 2, 2),
        (8, (8, 16), 2, 1),
        (4, (4, 8, 16), 2, 1),
        (8, (8,), 2, 2),
        (20, (5, 10, 20, 40), 5, 4),
        (12, (3, 6, 12, 24), 3, 2),
        (40, (40,), 2, 3),
    ],
)
def test_machines_are_the_fewest_that_hold_the_cards_where_the_most_of_all_counts_fill_them(
    count: int, counts: tuple[int, ...], told: int, hosts: int
) -> None:
    machines = Machines.holding(counts, told)
    assert machines.of(count) == hosts
    assert machines.of(count, local=True) == 1
    assert judged(OffloadCapacity(room(), machines=machines), count=count)[2] == NEED / hosts


def test_a_single_card_has_one_machine_however_many_there_are() -> None:
    assert judged(OffloadCapacity(room(), machines=Machines(8, 1)))[3] == ASSUMED_BYTES_PER_CARD
