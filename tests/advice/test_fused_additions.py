"""A fused optimizer is what frees memory first: where torch has one, and before anything is off-loaded."""

from __future__ import annotations

import pytest

from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.predict.additions import possible_additions
from advisor.present.summary import summarise
from advisor.recommend.recommendation import prediction_of
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tests.advice.test_lightened import GPT2, alone, answered, card


@pytest.mark.parametrize(
    "settings",
    [
        {"fused_optimizer": True},
        {"optimizer": "adafactor"},
        {"optimizer_bits": 8},
        {"optimizer_in_backward": True},
        {"offload": "optimizer"},
        {"trainable": "lora", "lora_rank": 8, "lora_targets": "attention"},
    ],
)
def test_an_optimizer_is_fused_where_torch_can_and_all_weights_step_at_once(settings: dict[str, object]) -> None:
    added = possible_additions(with_training(GPT2, **settings), keep_checkpointing=False)
    assert not any("fused_optimizer" in one for one in added)


def test_a_card_that_holds_a_step_with_a_fused_optimizer_is_not_told_to_off_load() -> None:
    """Torch's default optimizer copies all weights for a moment; the fused one steps the same in one kernel."""
    few_samples = with_training(load_workload("bert_large_squad"), batch_size=1)
    plain = alone(few_samples, card(6.5e9))
    without = prediction_of(plain.predictions, plain.recommendation)
    assert without is None or STRATEGY_FACTS[without.strategy].offloads
    advice = answered(few_samples, card(6.5e9))
    chosen = advice.recommendation
    assert chosen is not None
    assert (chosen.strategy, chosen.fused_optimizer_added, chosen.checkpointing_added) == ("single", True, False)
    assert advice.workload.training.fused_optimizer, "its script steps so"
    assert chosen.why[0].code == "why-fused-optimizer-added"
    assert "the fused optimizer" in summarise(advice, "en").headline
    assert "融合优化器" in summarise(advice, "zh").headline
