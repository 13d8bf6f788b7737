"""Where memory decides, the advice says what checkpointing, accumulation or a smaller optimizer would bring."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.core.sentences import Language, say
from advisor.core.units import Estimate
from advisor.hardware.machine import Machine
from advisor.optable.saved_tables import saved_tables
from advisor.predict.memory_savings import MemorySaving
from advisor.predict.prediction import Prediction
from advisor.recommend.reasons.memory import memory_story
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload

HOST = Path(__file__).resolve().parents[1] / "recorded" / "machines" / "synthetic_host_cpu_only.json"


def advice_for(name: str, *keys: str, **overrides: object) -> AdviceRecord:
    """Advice from the table alone on a host without GPUs."""
    workload = load_workload(name, overrides=overrides)
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=keys, counts=(1,))
    machine = msgspec.json.decode(HOST.read_bytes(), type=Machine)
    return advice_from_facts(request, Facts(machine=machine, tables=saved_tables(workload)))


def saved_codes(advice: AdviceRecord) -> list[str]:
    return [reason.code for reason in advice.reasons if reason.code.startswith("memory-saving")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_card_without_room_is_named_with_what_would_make_the_step_smaller(language: Language) -> None:
    advice = advice_for("llama_8b", "a100-sxm4-40", "a100-sxm4-80")
    codes = [reason.code for reason in advice.reasons]
    place = codes.index("memory-no-room")
    assert codes[place + 1 :][:3] == saved_codes(advice)
    assert advice.reasons[place].numbers["device"] == "A100 SXM4 80 GB"
    bytes_saved = [reason.figure("saved_bytes") for reason in advice.reasons[place + 1 :][:3]]
    assert bytes_saved == sorted(bytes_saved, reverse=True)
    assert "GiB" in say(advice.reasons[place], language)


def test_checkpointing_is_offered_for_activations_that_do_not_fit() -> None:
    advice = advice_for("gpt2_small", "rtx3070", batch_size=16)
    assert "memory-saving-checkpointing" in saved_codes(advice)
    assert "memory-saving-accumulation" in saved_codes(advice)


def test_where_there_is_room_nothing_is_said_of_saving() -> None:
    assert saved_codes(advice_for("bert_base_sst2", "a100-sxm4-80")) == []


def test_an_advised_set_up_that_fills_its_card_is_told_what_would_make_it_smaller() -> None:
    advice = advice_for("resnet50", "rtx3090")
    best = advice.recommendation
    assert best is not None
    saving = MemorySaving(
        kind="checkpointing", need=Estimate(value=1e9, low=1e9, high=1e9, basis="specified"), saved_bytes=2e9
    )
    asked: list[Prediction] = []

    def savings(prediction: Prediction) -> tuple[MemorySaving, ...]:
        asked.append(prediction)
        return (saving,)

    def told(share: float) -> list[str]:
        full = tuple(
            msgspec.structs.replace(one, memory_capacity_bytes=one.peak_memory_bytes.value / share)
            if one.peak_memory_bytes is not None
            else one
            for one in advice.predictions
            if one.fits
        )
        return [reason.code for reason in memory_story(advice.workload, full, best, savings)]

    assert told(0.5) == []
    assert asked == []
    assert told(0.9) == ["memory-saving-checkpointing"]
    assert asked[0].batch_size_per_device == best.batch_size_per_device
