"""A set-up whose memory range passes what its device can give: left inside a tie, and never advised without a word."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.strategies import Strategy
from advisor.core.records import shared_fields
from advisor.core.sentences import Arguments, Language, Reason, say
from advisor.core.units import Estimate
from advisor.cost.parts import Part
from advisor.predict.prediction import Prediction, SetUpFigures
from advisor.recommend.comparison import Finalist
from advisor.recommend.ranking import Row
from advisor.recommend.reasons.memory_room import left_for_room, room_reasons, roomier, with_quicker_room
from advisor.recommend.reasons.set_up import why
from advisor.recommend.recommendation import Goal, Recommendation
from advisor.recommend.smaller_candidates import candidates_that_make_up
from advisor.recommend.strategy import best_by_count
from advisor.recommend.switches import Switch, SwitchKind
from advisor.recommend.tie_decision import preference, tie_decision
from advisor.recommend.winner import find_winner, with_room_in_ties
from advisor.store.advice_record import AdviceRecord
from tests.recommend.fakes import SPECS, comparison, estimate, workload
from tests.recommend.test_batch_and_strategy import OWN, one
from tests.recommend.test_fixed_and_ties import advised
from tests.recommend.test_tie_decision import compared

GIB = 2.0**30
ROOM = 22.5
"""What a card of 24 GiB can give."""


def needing(made: Prediction, value: float, high: float) -> Prediction:
    need = Estimate(value=value * GIB, low=value * GIB * 0.9, high=high * GIB, basis="specified")
    return msgspec.structs.replace(made, peak_memory_bytes=need, memory_capacity_bytes=24 * GIB, fits=True)


def said(advice: AdviceRecord) -> set[str]:
    chosen = advice.recommendation
    assert chosen is not None
    return {reason.code for reason in (*chosen.why, *advice.caveats)}


@pytest.mark.parametrize(("high", "may"), [(ROOM, False), (ROOM + 0.1, True)])
def test_it_may_run_out_where_the_range_passes_what_the_device_can_give(high: float, may: bool) -> None:
    assert needing(one(16, 100), 20.0, high).may_run_out is may
    assert not msgspec.structs.replace(needing(one(16, 100), 20.0, high), fits=False).may_run_out


@pytest.mark.parametrize(
    ("need", "high", "odds"), [(20.0, ROOM, 0.0), (ROOM, 25.0, 0.5), (20.0, 25.0, 0.249), (21.0, 25.0, 0.306)]
)
def test_odds_of_running_out_are_those_of_the_range_up_to_a_half(need: float, high: float, odds: float) -> None:
    told = needing(one(16, 100), need, high)
    assert told.odds_of_running_out == pytest.approx(odds, abs=1e-3)
    assert told.likely_runs_out is (odds > 1 / 4)


@pytest.mark.parametrize(
    ("rate", "need", "taken"),
    [(96.0, 20.0, "fsdp"), (94.0, 20.0, "zero2"), (94.0, 21.0, "fsdp"), (81.0, 21.0, "fsdp"), (79.0, 21.0, "zero2")],
)
def test_what_has_room_is_taken_at_five_percent_and_at_twenty_where_the_other_likely_runs_out(
    rate: float, need: float, taken: Strategy
) -> None:
    full = needing(one(16, 100.0, count=2, strategy="zero2"), need, 25.0)
    roomy = needing(one(16, rate, count=2, strategy="fsdp"), 12.0, 14.0)
    (best,) = best_by_count([full, roomy], OWN, 1024)
    assert best.strategy == taken


@pytest.mark.parametrize("goal", ["time", "cost", "energy"])
def test_inside_a_tie_of_cards_the_one_with_room_is_taken_and_it_is_said(goal: Goal) -> None:
    figures = {"job_s": 90.0, "energy_j": 9.0, "cost": 9.0}
    better = {name: estimate(value) for name, value in figures.items()}
    worse = {name: estimate(value * 1.05) for name, value in figures.items()}
    full = msgspec.structs.replace(needing(one(16, 100), 21.0, 25.0), currency="EUR", **better)
    roomy = msgspec.structs.replace(needing(one(16, 95), 12.0, 14.0), currency="EUR", **worse)
    tied = [Row(prediction=each, place=1, tied=True, trusted=True) for each in (full, roomy)]
    assert min(tied, key=lambda row: preference(row, tied, compared(goal))).prediction is roomy
    (told,) = tie_decision(compared(goal), roomy, [full])
    assert told.code == "why-tie-memory"
    for language in ("en", "zh"):
        assert "{" not in say(told, language)


@pytest.mark.parametrize("goal", ["time", "cost", "energy"])
def test_inside_a_tie_what_holds_a_step_by_itself_comes_before_what_leans_on_the_host(goal: Goal) -> None:
    figures = {"job_s": 90.0, "energy_j": 9.0, "cost": 9.0}
    better = {name: estimate(value) for name, value in figures.items()}
    worse = {name: estimate(value * 1.05) for name, value in figures.items()}
    leaning = msgspec.structs.replace(
        needing(one(16, 100, count=2, strategy="fsdp_offload"), 9.0, 10.0), currency="EUR", **better
    )
    plain = msgspec.structs.replace(needing(one(16, 95), 21.0, 25.0), currency="EUR", **worse)
    tied = [Row(prediction=each, place=1, tied=True, trusted=True) for each in (leaning, plain)]
    assert min(tied, key=lambda row: preference(row, tied, compared(goal))).prediction is plain
    (told,) = tie_decision(compared(goal), plain, [leaning])
    assert told.code == "why-tie-plain"
    assert "2 × RTX 4090" in say(told, "en")
    assert "2 × RTX 4090" in say(told, "zh")


def test_a_card_without_room_that_would_not_have_been_taken_is_not_named() -> None:
    roomy = msgspec.structs.replace(needing(one(16, 100), 12.0, 14.0), energy_j=estimate(5.0))
    full = msgspec.structs.replace(needing(one(16, 90), 21.0, 25.0), energy_j=estimate(6.0))
    (told,) = tie_decision(compared("energy"), roomy, [full])
    assert told.code == "why-tie-energy"


def test_what_is_advised_without_room_names_the_nearest_that_has_it() -> None:
    full = needing(one(16, 100), 21.0, 25.0)
    half, quarter = needing(one(8, 90), 15.0, 17.0), needing(one(4, 70), 10.0, 12.0)
    asked = comparison(16, 1024, 4096, (full, half, quarter))
    assert roomier(asked, full) is half
    more = needing(one(16, 190, count=2, strategy="fsdp"), 12.0, 14.0)
    assert roomier(comparison(16, 1024, 4096, (full, more)), full) is more
    assert roomier(comparison(16, 1024, 4096, (full,)), full) is None


def test_eight_cards_take_fsdp_where_zero2_is_as_fast_and_might_run_out() -> None:
    advice = advised("llama_7b_pretraining", "a100-sxm4-40", counts=(8,))
    chosen = advice.recommendation
    assert chosen is not None
    assert (chosen.strategy, chosen.batch_size_per_device) == ("fsdp", 1)
    (left,) = [reason for reason in chosen.why if reason.code == "why-room-first"]
    assert (left.numbers["strategy"], left.numbers["other_strategy"]) == ("FSDP", "ZeRO-2")
    assert left.figure("high_bytes") > left.figure("capacity_bytes")
    assert 1.005 <= left.figure("speed_ratio") < 1.05
    assert not {code for code in said(advice) if code.startswith("caveat-memory-range")}


@pytest.mark.parametrize(("rate", "taken"), [(96.0, "zero2"), (94.0, "ddp")])
def test_whole_copies_that_might_run_out_give_way_to_sharding_that_is_as_fast(rate: float, taken: Strategy) -> None:
    full = needing(one(16, 100.0, count=2, strategy="ddp"), 21.0, 25.0)
    roomy = needing(one(16, rate, count=2, strategy="zero2"), 12.0, 14.0)
    less = needing(one(8, 80.0, count=2, strategy="zero2"), 10.0, 11.0)
    (best,) = best_by_count([full, less, roomy], OWN, 1024)
    assert (best.strategy, best.batch_size_per_device) == (taken, 16)
    sure = needing(full, 21.0, 22.0)
    (best,) = best_by_count([sure, less, roomy], OWN, 1024)
    assert best.strategy == "ddp", "what has room is left whole"


def test_two_large_cards_shard_what_they_hold_whole_with_part_of_its_range_alone() -> None:
    chosen = advised("llama_8b", "b200-sxm", counts=(2,), goal="cost").recommendation
    assert chosen is not None
    assert (chosen.strategy, chosen.batch_size_per_device) == ("zero2", 8)
    (left,) = [reason for reason in chosen.why if reason.code == "why-room-first"]
    assert left.numbers["other_strategy"] == "DDP"
    assert left.figure("high_bytes") > left.figure("capacity_bytes")
    assert 1.005 <= left.figure("speed_ratio") < 1.05


def test_an_advice_that_might_run_out_says_so_with_the_figures_and_what_has_room() -> None:
    advice = advised("llama_8b", "a100-pcie-40", counts=(8,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.peak_memory_bytes is not None
    (told,) = [reason for reason in advice.caveats if reason.code == "caveat-memory-range-instead"]
    assert told.figure("high_bytes") == chosen.peak_memory_bytes.high > told.figure("capacity_bytes")
    assert told.figure("most_bytes") <= told.figure("capacity_bytes")
    assert (told.numbers["batch"], told.numbers["strategy"], told.numbers["more"]) == (2, "same", 0)
    assert "take batch size 2 × 2: at most" in say(told, "en")
    assert "批大小 2" in say(told, "zh")
    assert "why-memory-tight" not in said(advice), "said once"


def test_by_energy_fewer_cards_that_might_run_out_come_after_more_that_have_room() -> None:
    advice = advised("llama_8b", "h100-nvl", counts=(1, 2, 4), goal="energy")
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.count == 4
    assert "why-tie-memory" in said(advice)
    rows = [advice.predictions[place] for place in advice.best_set_ups]
    (two,) = [row for row in rows if row.count == 2]
    assert two.may_run_out


def test_nothing_is_said_where_the_whole_range_has_room() -> None:
    roomy = needing(one(16, 100), 12.0, 14.0)
    asked = comparison(16, 1024, 4096, (roomy,))
    assert list(left_for_room(asked, Finalist(chosen=roomy, by_count=(roomy,)))) == []
    advice = advised("bert_base_sst2", "h100-sxm", counts=(1,))
    chosen: Recommendation | None = advice.recommendation
    assert list(room_reasons(asked._replace(predictions=advice.predictions), (chosen,))) == []


def test_a_precision_that_was_asked_for_and_has_no_room_is_said_to_have_none() -> None:
    advice = advised("llama_8b", "h200-sxm", counts=(1,))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.precision == "tf32"
    told = chosen.why[0]
    assert (told.code, told.numbers["precision"], told.numbers["used"]) == ("why-precision-room", "BF16", "TF32")
    assert told.figure("need_bytes") > told.figure("capacity_bytes")
    assert "why-precision-room" not in said(advised("llama_8b", "b200-sxm", counts=(1,)))


def of_another_card(made: Prediction) -> Prediction:
    return msgspec.structs.replace(made, device=msgspec.structs.replace(made.device, key="other", name="Other"))


def alone(made: Prediction, rate: float) -> Prediction:
    """With a rate, and no other figure that a tie could be decided by."""
    return msgspec.structs.replace(made, samples_per_s=estimate(rate, 0.3), job_s=estimate(1e4 / rate, 0.3))


@pytest.mark.parametrize(("rate_with_room", "taken"), [(95.0, "rtx4090"), (80.0, "other")])
def test_a_card_that_may_run_out_takes_part_in_a_tie_with_the_batch_that_has_room(
    rate_with_room: float, taken: str
) -> None:
    full = alone(needing(one(16, 1), 21.0, 25.0), 100.0)
    less = alone(needing(one(8, 1, steps=2), 12.0, 14.0), rate_with_room)
    rival = of_another_card(alone(needing(one(16, 1), 12.0, 14.0), 90.0))
    asked = comparison(16, 1024, 4096, (full, less, rival))
    before = tuple(Finalist(chosen=each, by_count=(each,)) for each in (full, rival))
    winner = find_winner(asked, before)
    assert winner is not None
    assert winner.finalist.chosen is rival, "what has room comes first inside a tie"
    after = with_room_in_ties(asked, before)
    assert [finalist.chosen for finalist in after] == [less, rival]
    assert [finalist.by_count for finalist in after] == [(less,), (rival,)]
    winner = find_winner(asked, after)
    assert winner is not None
    assert winner.finalist.chosen.device.key == taken


def test_where_all_of_a_tie_may_run_out_or_nothing_smaller_has_room_they_stay() -> None:
    full = alone(needing(one(16, 1), 21.0, 25.0), 100.0)
    less = alone(needing(one(8, 1, steps=2), 12.0, 14.0), 95.0)
    also = of_another_card(alone(needing(one(16, 1), 21.0, 25.0), 99.0))
    roomy = of_another_card(alone(needing(one(16, 1), 12.0, 14.0), 99.0))
    for finalists, made in (((full, also), (full, less, also)), ((full, roomy), (full, roomy))):
        before = tuple(Finalist(chosen=each, by_count=(each,)) for each in finalists)
        assert with_room_in_ties(comparison(16, 1024, 4096, made), before) == before


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_smaller_batch_for_its_room_says_what_the_workloads_own_might_need(language: Language) -> None:
    full = needing(one(16, 100), 21.0, 25.0)
    less = needing(one(8, 99, steps=2), 12.0, 14.0)
    asked = comparison(16, 1024, 4096, (full, less))
    (told,) = [
        reason
        for reason in why(asked, Finalist(chosen=less, by_count=(less,)), ())
        if reason.code.startswith(("why-batch", "why-accumulation"))
    ]
    assert told.code == "why-batch-room"
    assert (told.figure("high_bytes"), told.figure("capacity_bytes")) == (25.0 * GIB, less.usable_memory_bytes)
    text = say(told, language)
    assert "25.0 GiB" in text
    assert ("2 micro-batches" if language == "en" else "2 个这样的微批") in text


def test_a_batch_that_may_run_out_is_also_tried_in_passes_that_have_room() -> None:
    work = workload(batch_size=16)
    known = [needing(one(4, 60), 8.0, 9.0), needing(one(8, 80), 14.0, 16.0), needing(one(16, 100), 21.0, 25.0)]
    (made,) = candidates_that_make_up(work, known, lambda _: None)
    assert (made.batch_size_per_device, made.gradient_accumulation_steps) == (8, 2)
    sure = [*known[:2], needing(one(16, 100), 21.0, 22.0)]
    assert candidates_that_make_up(work, sure, lambda _: None) == ()
    none = [needing(one(8, 80), 21.0, 24.0), needing(one(16, 100), 21.0, 25.0)]
    assert candidates_that_make_up(work, none, lambda _: None) == ()
    serving = msgspec.structs.replace(work, training=msgspec.structs.replace(work.training, mode="inference"))
    assert candidates_that_make_up(serving, known, lambda _: None) == ()


def test_where_only_accumulating_is_left_out_that_is_said_and_not_the_batch_size_that_is_taken_already() -> None:
    full = needing(msgspec.structs.replace(one(2, 100), gradient_accumulation_steps=4, global_batch_size=8), 14.0, 23.0)
    plain = needing(one(2, 83), 11.0, 12.0)
    asked = comparison(8, 1024, 4096, (full, plain))
    advised_one = Recommendation(**shared_fields(full, SetUpFigures), goal="time", why=())
    (told,) = room_reasons(asked, (advised_one,))
    assert told.code == "caveat-memory-range-one-pass"
    assert "do not accumulate: one pass of 2 samples a step needs 12.0 GiB at most, at 0.83 times" in say(told, "en")
    assert "请不要累积梯度" in say(told, "zh")


@pytest.mark.parametrize(("waits_s", "told"), [(0.6, True), (0.1, False)])
def test_a_rival_that_waits_for_its_hosts_memory_is_explained_by_that_and_not_by_a_rate(
    waits_s: float, told: bool
) -> None:
    ahead = alone(needing(one(16, 1), 12.0, 14.0), 100.0)
    made = alone(needing(one(16, 1, count=2, strategy="fsdp_offload"), 9.0, 10.0), 20.0)
    busy = (Part(kind="forward", duration_s=1 - waits_s), Part(kind="communication", duration_s=waits_s))
    rival = msgspec.structs.replace(of_another_card(made), parts=busy, step_s=estimate(1.0))
    rows = [Row(prediction=each, place=place, tied=False, trusted=True) for place, each in ((1, ahead), (2, rival))]
    asked = comparison(16, 1024, 4096, (ahead, rival))._replace(specs=SPECS)
    reasons = list(why(asked, Finalist(chosen=ahead, by_count=(ahead,)), rows))
    leans = [reason for reason in reasons if reason.code == "why-rival-leans"]
    assert bool(leans) is told
    for reason in leans:
        assert reason.figure("share_fraction") == pytest.approx(waits_s)
        assert "60 %" in say(reason, "en")
        assert "60 %" in say(reason, "zh")


def switched(kind: SwitchKind, speed_ratio: float, high: float, device: str = "A") -> Switch:
    return Switch(
        kind=kind,
        device_key="a",
        device_name=device,
        count=1,
        strategy="single",
        batch_size_per_device=1,
        gradient_accumulation_steps=1,
        step_s=estimate(1.0),
        gain=estimate(speed_ratio),
        peak_memory_bytes=Estimate(value=high * GIB, low=high * GIB, high=high * GIB, basis="specified"),
        saved_bytes=None,
        fits=True,
    )


FIGURES: Arguments = {"device": "A", "high_bytes": 24.0 * GIB, "capacity_bytes": ROOM * GIB, "odds_fraction": 0.3}
OTHER: Arguments = {"more": 0, "strategy": "fsdp", "batch": 1, "steps": 8, "most_bytes": 20 * GIB, "speed_ratio": 0.16}


@pytest.mark.parametrize(
    ("caveat", "switches", "remedy"),
    [
        (Reason.of("caveat-memory-range", **FIGURES), (switched("checkpointing", 0.76, 19.4),), "checkpointing"),
        (
            Reason.of("caveat-memory-range-instead", **FIGURES, **OTHER),
            (switched("checkpointing", 0.76, 19.4), switched("chunked_loss", 1.0, 22.0)),
            "chunked_loss",
        ),
        (Reason.of("caveat-memory-range-instead", **FIGURES, **OTHER), (switched("checkpointing", 0.1, 19.4),), None),
        (Reason.of("caveat-memory-range", **FIGURES), (switched("checkpointing", 0.76, 23.0),), None),
        (Reason.of("caveat-memory-range", **FIGURES), (switched("qlora", 0.9, 9.0),), None),
        (Reason.of("caveat-memory-range", **FIGURES), (switched("checkpointing", 0.76, 19.4, device="B"),), None),
    ],
)
def test_what_runs_out_is_remedied_by_the_quickest_that_trains_alike_and_has_room(
    caveat: Reason, switches: tuple[Switch, ...], remedy: str | None
) -> None:
    before = Reason.of("caveat-no-prices")
    first, told = with_quicker_room((before, caveat), switches)
    assert first == before
    if remedy is None:
        assert told == caveat
    else:
        assert told.numbers["switch"] == remedy
        assert "If yours does, add" in say(told, "en")
        assert "若真的不足，请加上" in say(told, "zh")
