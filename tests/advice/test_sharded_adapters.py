"""Where no single card holds LoRA's whole weights, LoRA over the cards that were asked for is told, sharded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import msgspec
import pytest

from advisor.advice import advise_events
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.advice.sharded_adapters import sharded_adapters
from advisor.advice.trial import Trial
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.drive import drive
from advisor.measure.traces import Traces
from advisor.optable.saved_tables import saved_tables
from advisor.present.summary import summarise
from advisor.recommend.switches import Switch, adapter_changes
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

ONE_BILLION = load_workload(
    {
        "name": "one billion",
        "model": {"source": "huggingface", "config": "llama-3.2-1b", "task": "causal-lm"},
        "data": {"samples": 1000, "sequence_length": 256},
        "training": {"batch_size": 1, "precision": "bf16_amp"},
    }
)


class Asked(NamedTuple):
    """Cards of a size that nobody makes, and how many."""

    gigabytes: float
    cards: int


class Untraceable(Traces):
    """Traces of which none may be made."""

    def find(self, *_: object) -> NoReturn:
        """Refuse."""
        raise AssertionError


@pytest.fixture(scope="module")
def answers() -> dict[Asked, AdviceRecord]:
    return {}


def answered(asked: Asked, answers: dict[Asked, AdviceRecord], workload: Workload = ONE_BILLION) -> AdviceRecord:
    if asked not in answers:
        card = msgspec.structs.replace(
            spec_table()["rtx4090"], key="small", name="Small", memory_bytes=asked.gigabytes * 1e9
        )
        request = AdviceRequest(
            workload=workload, measure=False, gpu_keys=("small",), extra_specs=(card,), counts=(asked.cards,)
        )
        answers[asked] = drive(advise_events(request))
    return answers[asked]


def loras(advice: AdviceRecord) -> Iterator[Switch]:
    return (switch for switch in advice.switches if switch.kind in {"lora", "lora_checkpointing"})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_lora_that_no_single_card_holds_is_told_over_the_cards_that_were_asked_for(
    language: str, answers: dict[Asked, AdviceRecord]
) -> None:
    advice = answered(Asked(3.1, 8), answers)
    (held,) = loras(advice)
    assert (held.device_key, held.count, held.fits) == ("small", 8, True)
    assert STRATEGY_FACTS[held.strategy].shards
    assert held.job_s is not None
    told = [text for section in summarise(advice, language).sections for text in section.sentences]  # type: ignore[arg-type]
    assert any("8 × Small" in text and "LoRA" in text and "16" in text for text in told)


def test_lora_that_one_card_holds_is_told_of_one(answers: dict[Asked, AdviceRecord]) -> None:
    assert {held.count for held in loras(answered(Asked(8.0, 2), answers))} == {1}


def test_of_one_card_nothing_is_told_over_several(answers: dict[Asked, AdviceRecord]) -> None:
    assert list(loras(answered(Asked(3.1, 1), answers))) == []


@pytest.mark.parametrize(
    ("parameters", "counts", "beyond"), [(20e9, (1, 2), False), (30e9, (1, 2), True), (30e9, (4,), False)]
)
def test_weights_that_all_cards_together_do_not_hold_are_not_traced(
    parameters: float, counts: tuple[int, ...], *, beyond: bool
) -> None:
    workload = load_workload("llama_8b")
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=("rtx3090",), counts=counts)
    table = msgspec.structs.replace(next(iter(saved_tables(workload).values())), parameter_count=int(parameters))
    (lora, _packed) = adapter_changes(workload)
    trial = Trial(request, Facts(machine=machine(), tables={}), lora.workload, {})
    assert trial.is_beyond_cards_of_the_question(table) is beyond
    asked = Trial(request, Facts(machine=machine(), tables={"amp": table}), workload, {"amp": table})
    if beyond:
        assert list(sharded_adapters(asked, frozenset(), Untraceable())) == []
