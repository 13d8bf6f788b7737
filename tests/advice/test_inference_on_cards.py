"""Advice for inference: copies serve by themselves, so that only what no card holds is shared or quantised."""

from __future__ import annotations

from functools import cache

import pytest

from advisor import advise
from advisor.advice import advise_events
from advisor.advice.request import AdviceRequest
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.drive import drive
from advisor.core.sentences import say
from advisor.present import markdown_file
from advisor.recommend.strategy import best_by_count
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

_8B = {
    "model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 8192,
}  # fmt: skip
_30B = _8B | {
    "hidden_size": 6656, "intermediate_size": 17920, "num_hidden_layers": 60, "num_attention_heads": 52,
    "num_key_value_heads": 4,
}  # fmt: skip
SIZES = {"8B": _8B, "30B": _30B}
CARDS = ("rtx4090", "l40s")


def answering(size: str, **training: object) -> Workload:
    model = {"source": "huggingface", "task": "causal-lm", "config": SIZES[size]}
    data = {"samples": 10_000, "sequence_length": 2048}
    chosen = {"mode": "inference", "batch_size": 8, "precision": "bf16_true", **training}
    return load_workload({"name": f"{size} answers", "model": model, "data": data, "training": chosen})


@cache
def advice(size: str, **training: object) -> AdviceRecord:
    return advise(answering(size, **training), measure=False, gpus=CARDS)


def told(record: AdviceRecord) -> str:
    return markdown_file.encode(record, "en").decode()


def test_cards_that_hold_a_copy_are_not_made_to_share_one() -> None:
    """Eight samples need more than an RTX 4090 has, one does not: then it answers fewer at once."""
    predictions = [one for one in advice("8B").predictions if one.device.key != "cpu"]
    assert {one.device.key for one in predictions} == set(CARDS)
    assert {(one.count, one.strategy) for one in predictions} == {(1, "single")}
    assert any(one.fits is False for one in predictions)


def test_what_no_card_holds_is_shared_by_its_weights() -> None:
    strategies = {one.strategy for one in advice("30B").predictions if one.count > 1 and one.device.key != "cpu"}
    assert "fsdp" in strategies
    assert "zero2" not in strategies  # which shares gradients and states, and there are none
    assert all("parameters" in STRATEGY_FACTS[name].sharded for name in strategies - {"ddp", "dp"})


@pytest.mark.parametrize("size", ["8B", "30B"])
def test_nothing_is_accumulated_where_nothing_is_learnt(size: str) -> None:
    record = advice(size)
    assert {one.gradient_accumulation_steps for one in record.predictions} == {1}
    assert "accumul" not in told(record)


def test_weights_of_four_bits_are_offered_where_one_card_holds_them_and_adapters_are_not() -> None:
    offered = {switch.kind: switch for switch in advice("30B").switches}
    assert "quantised_weights" in offered
    assert not {"lora", "qlora"} & set(offered)
    assert offered["quantised_weights"].count == 1
    assert offered["quantised_weights"].fits
    assert "With weights in 4 bits (nf4) one" in told(advice("30B"))


def test_weights_of_sixteen_bits_are_offered_where_they_are_wider() -> None:
    """Autocast would cast them anew in each pass; nothing is added to them that 16 bits would round away."""
    wide = {switch.kind: switch for switch in advice("8B", precision="fp32", batch_size=1).switches}
    assert "half" not in wide
    half = wide["half_weights"]
    assert half.precision == "bf16_true"
    assert half.gain is not None
    assert half.gain.low > 2
    assert half.saved_bytes is not None
    assert half.saved_bytes > 8e9 * 1.9
    assert "half_weights" not in {switch.kind for switch in advice("8B").switches}


def test_quantised_weights_are_predicted_in_inference() -> None:
    whole, quantised = (
        min(one.peak_memory_bytes.value for one in record.predictions if one.peak_memory_bytes and one.count == 1)
        for record in (advice("8B"), advice("8B", quantization="nf4"))
    )
    linear_weights = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    saved = linear_weights * (16 - 4.127) / 8  # nf4 with its scales, of every linear layer but the head
    assert whole - quantised == pytest.approx(saved, rel=0.05)


def test_counts_that_inference_does_not_know_are_said_not_to_be_kept() -> None:
    request = AdviceRequest(workload=answering("8B"), measure=False, gpu_keys=("l40s",), counts=(4,))
    record = drive(advise_events(request))
    assert record.recommendation is not None
    assert record.recommendation.count == 1
    assert record.caveats[0].code == "inference-counts-not-kept"
    assert "answer 4 times as much" in say(record.caveats[0], "en")
    assert "inference-counts-not-kept" not in [caveat.code for caveat in advice("8B").caveats]


def test_of_what_shares_a_model_the_quickest_is_taken_whatever_it_asks_of_code() -> None:
    """A server splits layers or stages as readily as it shards; the host's memory comes last."""
    record = advice("30B")
    training = record.workload.training
    of_card = [one for one in record.predictions if one.device.key == "rtx4090" and one.precision == "bf16_true"]
    found = best_by_count(of_card, training, 64 * training.batch_size)
    assert {one.count for one in found} >= {2, 4, 8}
    for best in found:
        by_itself = [
            one for one in of_card if one.count == best.count and one.fits and not STRATEGY_FACTS[one.strategy].offloads
        ]
        assert STRATEGY_FACTS[best.strategy].offloads == (not by_itself)
        alike = [one for one in by_itself if one.batch_size_per_device == best.batch_size_per_device]
        assert all(best.samples_per_s.value >= 0.95 * one.samples_per_s.value for one in alike)
