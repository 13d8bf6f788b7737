"""What is said where memory decides, and what a freed set-up would gain."""

from __future__ import annotations

import msgspec
import pytest

from advisor.core.units import Estimate
from advisor.predict.memory_savings import MemorySaving
from advisor.predict.prediction import Candidate, Device, Prediction
from advisor.recommend.alternatives import freed_alternative
from advisor.recommend.reasons.memory import memory_story
from tests.recommend.fakes import TRANSFORMER, predict, workload

WORK = workload("fp16_amp", batch_size=512)
GIB = 2.0**30
SAVING = MemorySaving(
    kind="checkpointing",
    need=Estimate(value=GIB, low=GIB, high=GIB, basis="specified"),
    saved_bytes=5 * GIB,
    extra_flop_fraction=0.3,
)


def lacking(name: str, batch_size: int, need_bytes: float) -> Prediction:
    """A card of 8 GiB whose step needs more."""
    device = Device(key=name, name=name, spec_key=None, local=False)
    # A number read anew each time is no object that another one shares.
    candidate = Candidate(
        device=device, count=1, strategy="single", precision="fp16_amp", batch_size_per_device=int(str(batch_size))
    )
    need = Estimate(value=need_bytes, low=need_bytes, high=need_bytes, basis="specified")
    made = predict(candidate, TRANSFORMER, WORK)
    return msgspec.structs.replace(made, peak_memory_bytes=need, memory_capacity_bytes=8 * GIB, fits=False)


def test_the_card_that_lacks_least_at_the_workloads_own_batch_is_named_with_what_it_needs() -> None:
    cards = [lacking("far", 512, 20 * GIB), lacking("near", 512, 9 * GIB), lacking("other batch", 64, 8.5 * GIB)]
    told = memory_story(WORK, cards, None, lambda _: (SAVING,))
    assert [reason.code for reason in told] == ["memory-no-room", "memory-saving-checkpointing"]
    assert (told[0].numbers["device"], told[0].numbers["batch"]) == ("near", 512)
    assert told[0].numbers["need_bytes"] == 9 * GIB


def test_without_a_saving_nothing_is_said_of_the_card_that_lacks_room() -> None:
    assert memory_story(WORK, [lacking("near", 512, 9 * GIB)], None, lambda _: ()) == ()


def test_a_freed_set_up_says_how_many_times_as_fast_it_is() -> None:
    fixed, free = lacking("card", 8, GIB), lacking("card", 512, GIB)
    freed = freed_alternative(free, fixed)
    assert freed.reason.code == "alternative-freed"
    assert freed.reason.numbers["gain_ratio"] == pytest.approx(free.samples_per_s.value / fixed.samples_per_s.value)
