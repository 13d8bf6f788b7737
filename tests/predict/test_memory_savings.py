"""What would save memory, by how much, and at what cost."""

from __future__ import annotations

import msgspec
import pytest

from advisor.core.sentences import Language, say
from advisor.cost.memory import need as need_module
from advisor.cost.memory.fragmentation import needed_bytes
from advisor.cost.memory.replay import StepSetup, Stream
from advisor.predict import memory_savings as memory_savings_module
from advisor.predict.memory_savings import memory_savings, saving_reason
from advisor.predict.ranges.memory_range import need_range
from advisor.workload.workload import Mode
from tests.cost.test_memory import bert, need, training


def test_without_a_timeline_no_saving_is_known() -> None:
    table = msgspec.structs.replace(bert(), memory=None)
    assert memory_savings(table, training(), "fp32", 8, compute_capability=None) == ()


def test_every_saving_saves_and_the_largest_comes_first() -> None:
    found = memory_savings(bert(), training(batch_size=32), "fp32", 32, compute_capability="8.0")
    now = need(batch_size=32).need_bytes
    assert {"accumulation", "optimizer_8bit", "adafactor", "sgd_momentum"} <= {saving.kind for saving in found}
    assert all(0 < saving.saved_bytes == pytest.approx(now - saving.need.value) for saving in found)
    assert [s.saved_bytes for s in found] == sorted((s.saved_bytes for s in found), reverse=True)


def test_of_a_long_timeline_only_the_step_as_it_is_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    replayed = memory_savings(bert(), training(batch_size=32), "fp32", 32, compute_capability="8.0")
    asked: list[float] = []

    def noted(stream: Stream, setup: StepSetup, batch_size: float) -> float:
        asked.append(batch_size)
        return needed_bytes(stream, setup, batch_size)

    monkeypatch.setattr(need_module, "needed_bytes", noted)
    monkeypatch.setattr(memory_savings_module, "EVENTS_OF_EACH_BATCH", 0)
    found = memory_savings(bert(), training(batch_size=32), "fp32", 32, compute_capability="8.0")
    assert asked == [32]
    needs = {saving.kind: saving.need.value for saving in replayed}
    assert {saving.kind: saving.need.value for saving in found} == pytest.approx(needs, rel=0.05)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_saving_has_its_sentence(language: Language) -> None:
    for saving in memory_savings(bert(), training(batch_size=32), "fp32", 32, compute_capability="8.0"):
        assert "iB" in say(saving_reason(saving), language)


def test_checkpointing_computes_forward_again_and_keeps_a_fraction() -> None:
    found = memory_savings(bert(), training(batch_size=32), "fp32", 32, compute_capability="8.0")
    saving = next(saving for saving in found if saving.kind == "checkpointing")
    assert saving.extra_flop_fraction == pytest.approx(1 / 3, abs=0.02)
    assert saving.need.value < 0.5 * need(batch_size=32).need_bytes


def test_what_checkpointing_leaves_is_as_uncertain_as_the_need_and_as_what_it_saves() -> None:
    found = memory_savings(bert(), training(batch_size=32), "fp32", 32, compute_capability="8.0")
    saving = next(saving for saving in found if saving.kind == "checkpointing")
    now = need_range(need(batch_size=32))
    assert saving.need.value - saving.need.low == pytest.approx(now.value - now.low + 0.08 * saving.saved_bytes)
    assert saving.need.high - saving.need.value == pytest.approx(now.high - now.value + 0.08 * saving.saved_bytes)


def test_what_is_small_already_is_not_offered_again() -> None:
    def kinds(**changes: object) -> set[str]:
        asked = training(batch_size=1, **changes)
        return {saving.kind for saving in memory_savings(bert(), asked, "fp32", 1, compute_capability="8.0")}

    assert "accumulation" not in kinds()
    assert "optimizer_8bit" not in kinds(optimizer="adamw", optimizer_bits=8)
    assert not {"adafactor", "sgd_momentum", "optimizer_8bit"} & kinds(optimizer="sgd")
    assert "checkpointing" not in kinds(activation_checkpointing="full")


@pytest.mark.parametrize(("mode", "saves"), [("training", True), ("forward_backward", True), ("inference", False)])
def test_checkpointing_saves_wherever_there_is_a_backward_pass(mode: Mode, saves: bool) -> None:
    found = memory_savings(bert(), training(batch_size=32, mode=mode), "fp32", 32, compute_capability="8.0")
    assert ("checkpointing" in {saving.kind for saving in found}) is saves
