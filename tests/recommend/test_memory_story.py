"""What is said where memory decides, and what a freed set-up would gain."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from advisor.core.sentences import Names, Reason, say
from advisor.core.units import Estimate
from advisor.predict.memory_savings import MemorySaving
from advisor.predict.prediction import Candidate, Device, Prediction, SetUp
from advisor.recommend.advise_from import recommend
from advisor.recommend.alternatives import freed_alternative
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.fixed import Fixed
from advisor.recommend.reasons.memory import memory_story
from tests.recommend.fakes import SPECS, TRANSFORMER, machine, predict, predict_all, workload
from tests.recommend.test_recommend import advise, best_of

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
    cards = [lacking("far", 512, 17 * GIB), lacking("near", 512, 10 * GIB), lacking("other batch", 64, 8.5 * GIB)]
    told = memory_story(WORK, cards, None, lambda _: (SAVING,))
    assert [reason.code for reason in told] == ["memory-no-room", "memory-saving-checkpointing"]
    assert (told[0].numbers["device"], told[0].numbers["batch"]) == ("near", 512)
    assert told[0].numbers["need_bytes"] == 10 * GIB


@pytest.mark.parametrize("names", [("alpha", "beta"), ("beta", "alpha")])
def test_of_cards_that_lack_the_same_the_first_by_name_is_named(names: tuple[str, str]) -> None:
    told = memory_story(WORK, [lacking(name, 512, 9 * GIB) for name in names], None, lambda _: (SAVING,))
    assert told[0].numbers["device"] == "alpha"


@pytest.mark.parametrize(("fraction", "codes"), [(0.84, []), (0.86, ["memory-saving-checkpointing"])])
def test_a_saving_is_told_where_the_advised_step_fills_most_of_its_card(fraction: float, codes: list[str]) -> None:
    work = workload("fp16_amp")
    best = best_of(advise(work, TRANSFORMER, keys=("rtx3090",)))
    candidate = Candidate(**{name: getattr(best, name) for name in SetUp.__struct_fields__})
    need = Estimate(value=fraction * 8 * GIB, low=GIB, high=7.2 * GIB, basis="specified")
    made = predict(candidate, TRANSFORMER, work)
    step = msgspec.structs.replace(made, peak_memory_bytes=need, memory_capacity_bytes=8 * GIB, fits=True)
    assert [reason.code for reason in memory_story(work, [step], best, lambda _: (SAVING,))] == codes


def test_without_a_saving_nothing_is_said_of_the_card_that_lacks_room() -> None:
    assert memory_story(WORK, [lacking("near", 512, 9 * GIB)], None, lambda _: ()) == ()


def test_a_saving_that_is_nothing_beside_what_the_card_lacks_is_not_told() -> None:
    short = lacking("near", WORK.training.batch_size, 40 * GIB)
    trifle = msgspec.structs.replace(SAVING, kind="adafactor", saved_bytes=0.01 * GIB)
    told = memory_story(WORK, [short], None, lambda _: (SAVING, trifle))
    assert len(told) == 2, "the lack and what would make a difference"
    assert memory_story(WORK, [short], None, lambda _: (trifle,)) == ()


def test_a_freed_set_up_says_how_many_times_as_fast_it_is() -> None:
    fixed, free = lacking("card", 8, GIB), lacking("card", 512, GIB)
    freed = freed_alternative(free, fixed)
    assert freed.reason.code == "alternative-freed"
    assert freed.reason.numbers["gain_ratio"] == pytest.approx(free.samples_per_s.value / fixed.samples_per_s.value)


@pytest.mark.parametrize(("offload", "code"), [("none", "caveat-wide"), ("optimizer", "caveat-wide-offload")])
def test_a_wide_range_says_what_it_comes_from(offload: str, code: str) -> None:
    answer = advise(workload(offload=offload), replace(TRANSFORMER, spread=0.7), keys=("rtx3090",))
    best = best_of(answer)
    assert best.step_s.high > 4 * best.step_s.low
    assert [caveat.code for caveat in answer.caveats if caveat.code.startswith("caveat-wide")] == [code]


def test_cards_that_cannot_hold_the_step_alone_are_named_for_an_advice_of_one_card() -> None:
    work, physics = workload("fp32", batch_size=4), replace(TRANSFORMER, memory_fixed_bytes=44e9)
    candidates = enumerate_candidates(work, machine(), SPECS, gpu_keys=("rtx4090", "l40s"), counts=(1,))
    best = recommend(work, machine(), predict_all(candidates, physics, work), specs=SPECS).recommendation
    assert best is not None
    assert best.device.key == "l40s"
    elsewhere = next(reason for reason in best.why if reason.code == "why-memory-elsewhere")
    assert elsewhere.numbers["devices"] == Names(names=("GeForce RTX 4090",))


def test_a_card_that_can_give_what_is_told_as_the_need_is_not_said_to_lack_room() -> None:
    work, physics = workload("fp32", batch_size=4), replace(TRANSFORMER, memory_fixed_bytes=44e9)
    candidates = enumerate_candidates(work, machine(), SPECS, gpu_keys=("rtx4090", "l40s"), counts=(1,))
    made = predict_all(candidates, physics, work)
    # It does not fit for another cause, such as a host without room for what is off-loaded.
    other = [
        msgspec.structs.replace(one, memory_capacity_bytes=80e9) if one.device.key == "rtx4090" else one for one in made
    ]
    best = recommend(work, machine(), other, specs=SPECS).recommendation
    assert best is not None
    assert "why-memory-elsewhere" not in {reason.code for reason in best.why}


def test_no_card_is_said_to_lack_the_room_that_it_has() -> None:
    short = msgspec.structs.replace(lacking("near", 16, 9 * GIB), memory_capacity_bytes=80 * GIB)
    asked = msgspec.structs.replace(WORK, training=msgspec.structs.replace(WORK.training, batch_size=16))
    assert memory_story(asked, [short], None, lambda _: (SAVING,)) == ()


def test_an_advised_step_whose_memory_nobody_solved_for_has_no_saving_told() -> None:
    work = workload("fp16_amp")
    best = best_of(advise(work, TRANSFORMER, keys=("rtx3090",)))
    candidate = Candidate(**{name: getattr(best, name) for name in SetUp.__struct_fields__})
    unsolved = msgspec.structs.replace(predict(candidate, TRANSFORMER, work), peak_memory_bytes=None, fits=None)
    assert memory_story(work, [unsolved], best, lambda _: (SAVING,)) == ()
    assert memory_story(work, [], best, lambda _: (SAVING,)) == ()


def test_where_nothing_fits_the_off_loading_that_lacks_least_of_the_hosts_memory_is_named() -> None:
    def lean(need: float, batch: int) -> Prediction:
        note = Reason.of("memory-host-given-short", need_bytes=need, room_bytes=8 * GIB)
        return msgspec.structs.replace(lacking("card", batch, 9 * GIB), strategy="fsdp_offload", notes=(note,))

    answer = recommend(WORK, machine(), [lean(90 * GIB, 512), lean(20 * GIB, 64), lacking("card", 8, 9 * GIB)])
    assert answer.recommendation is None
    assert [(one.code, one.numbers.get("need_bytes")) for one in answer.caveats][:2] == [
        ("caveat-nothing-fits", None),
        ("memory-host-given-short", 20 * GIB),
    ]


def test_where_only_the_hosts_memory_lacks_neither_smaller_samples_nor_batches_are_advised() -> None:
    note = Reason.of("memory-host-given-short", need_bytes=90 * GIB, room_bytes=8 * GIB)
    off_loaded = msgspec.structs.replace(lacking("card", 1, 4 * GIB), strategy="fsdp_offload", notes=(note,))
    answer = recommend(WORK, machine(), [off_loaded, lacking("card", 1, 9 * GIB)])
    assert [one.code for one in answer.caveats][:2] == ["caveat-nothing-fits-host", "memory-host-given-short"]


def test_a_batch_that_is_fixed_where_it_is_best_anyhow_has_no_better_alternative() -> None:
    work, here = workload("fp32"), machine()
    found = enumerate_candidates(work, here, SPECS, gpu_keys=("rtx3090",), counts=(1,), batch_sizes=(4, 16))
    known = predict_all(found, TRANSFORMER, work)
    kept = recommend(work, here, known, specs=SPECS, fixed=Fixed(batch_size=True))
    assert kept.recommendation is not None
    assert kept.recommendation.batch_size_per_device == 16
    assert "alternative-freed" not in {one.reason.code for one in kept.alternatives}
    small = msgspec.structs.replace(work, training=msgspec.structs.replace(work.training, batch_size=4))
    slower = recommend(small, here, known, specs=SPECS, fixed=Fixed(batch_size=True))
    assert "alternative-freed" in {one.reason.code for one in slower.alternatives}


@pytest.mark.parametrize("way", ["asked", "added"])
def test_checkpointing_that_was_tried_is_no_longer_advised_to_be_tried(way: str) -> None:
    asked = workload(activation_checkpointing="full" if way == "asked" else "none")
    here = machine()
    found = enumerate_candidates(asked, here, SPECS, gpu_keys=("l40s",), local=False)
    too_large = replace(TRANSFORMER, memory_fixed_bytes=500e9)
    known = [
        msgspec.structs.replace(one, checkpointing_added=way == "added") for one in predict_all(found, too_large, asked)
    ]
    (told,) = [one for one in recommend(asked, here, known, specs=SPECS).caveats if "nothing-fits" in one.code]
    assert told.code == "caveat-nothing-fits-at-one-checkpointed"
    assert "Try activation checkpointing" not in say(told, "en")
    assert "请尝试激活检查点" not in say(told, "zh")
