"""What is said of unlike cards that could train together: by the program's own steps of a small model."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from advisor.core.sentences import Names, say
from advisor.core.shown_names import shown_card
from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import MemoryAnswer, unknown_memory
from advisor.predict.prediction import Candidate, Prediction
from advisor.recommend.comparison import Comparison
from advisor.recommend.reasons.scaling import host_core_reasons, uneven_reasons
from advisor.recommend.recommendation import Limits
from tests.predict.asked import A100, HERE, SPECS, V100, candidate, sources, workload
from tests.recommend.fakes import estimate, gpu, machine

CARDS = (A100, V100)


def compared(holds: Callable[[Candidate], bool], global_limit: int = 1024) -> Comparison:
    """Both cards alone at a batch of 8, where `holds` says which of them holds it."""

    def memory(asked: Candidate) -> MemoryAnswer:
        return MemoryAnswer(peak=estimate(1e9), parts=(), capacity_bytes=8e9, fits=holds(asked))

    found = predict_candidates([candidate(card) for card in CARDS], sources(), memory)
    return Comparison(
        workload=workload(),
        goal="time",
        limits=Limits(),
        specs=SPECS,
        draws={},
        untrusted={},
        global_limit=global_limit,
        predictions=found.predictions,
        groups=found.groups,
        local_cards=CARDS,
    )


def of(comparison: Comparison, key: str) -> Prediction:
    return next(one for one in comparison.predictions if one.device.key == key)


def test_a_card_that_holds_no_batch_that_was_tried_is_named_as_the_one_that_keeps_them_apart() -> None:
    comparison = compared(lambda asked: asked.device.key == A100.key)
    (said,) = uneven_reasons(comparison, of(comparison, A100.key))
    assert said.code == "scaling-uneven-memory"
    assert said.numbers["devices"] == Names(names=(V100.name,))
    assert shown_card(V100.name) in say(said, "en")


def test_cards_that_hold_a_batch_but_may_not_grow_it_are_kept_apart_by_no_card() -> None:
    comparison = compared(lambda _asked: True, global_limit=8)
    assert list(uneven_reasons(comparison, of(comparison, A100.key))) == []


def test_unlike_cards_are_held_against_the_best_that_alike_ones_give() -> None:
    comparison = compared(lambda _asked: True)
    assert comparison.groups is not None
    both = next(one for one in comparison.groups.mixed(CARDS, "fp32", 1) if len(one.devices) == 2)
    alone = of(comparison, A100.key)
    (pays,) = uneven_reasons(comparison, of(comparison, V100.key))
    assert pays.code == "scaling-uneven-pays"
    assert pays.figure("gain_ratio") == pytest.approx(both.samples_per_s / alone.samples_per_s.value)
    faster = replace(alone, samples_per_s=estimate(3 * both.samples_per_s))
    (loses,) = uneven_reasons(comparison, faster)
    assert loses.code == "scaling-uneven-cards"
    assert loses.numbers["devices"] == A100.name
    assert loses.figure("gain_ratio") == pytest.approx(3.0)


def test_alike_cards_are_not_held_against_each_other() -> None:
    comparison = compared(lambda _asked: True)._replace(local_cards=(A100, A100))
    assert list(uneven_reasons(comparison, of(comparison, A100.key))) == []


def test_more_ranks_than_the_machine_has_cores_are_said_to_take_turns() -> None:
    own = machine(gpu(name="NVIDIA A100-SXM4-40GB", spec_key=A100.spec_key))
    here = replace(own, cpu=replace(own.cpu, physical_core_count=2, logical_core_count=2, usable_core_count=2))
    asked = sources(machine=here)
    found = predict_candidates([candidate(HERE, count) for count in (2, 4)], asked, unknown_memory)
    comparison = compared(lambda _asked: True)._replace(groups=found.groups)
    two, four = found.predictions
    assert list(host_core_reasons(comparison, two)) == []
    (said,) = host_core_reasons(comparison, four)
    assert (said.code, said.figure("count"), said.figure("cores")) == ("scaling-host-cores", 4, 2)
