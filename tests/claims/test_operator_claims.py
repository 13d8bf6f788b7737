"""Claims of fused attention and of checkpointing: read, judged by both traces, and held against published pairs."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim, Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.recommend.published_pairs import published_pairs
from tests.claims.judged import assert_judged
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "sides", "ratio"),
    [
        ("flash attention made training 3x faster on an A100", ("flash", "eager"), 3.0),
        ("FlashAttention-2 is 2x faster than SDPA on an A100", ("flash", "sdpa"), 2.0),
        ("flash atention gives a 2x speedup on an A100", ("flash", "eager"), 2.0),
        ("without flash attention training is 2x slower on an A100", ("eager", "flash"), 0.5),
        ("switching from eager attention to sdpa doubled the speed on an A100", ("sdpa", "eager"), 2.0),
        ("flash attention 让训练快了 3 倍，A100", ("flash", "eager"), 3.0),
        ("flash attention made training 2x faster on 8 A100", ("flash", "eager"), 2.0),
    ],
)
def test_ways_of_attention_are_read_as_after_and_before(text: str, sides: tuple[str, str], ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.attention, claim.reference_attention) == sides
    assert claim.speed_up_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("text", "sides", "speed", "memory"),
    [
        ("gradient checkpointing costs 30 % on an A100", ("full", "none"), 1 / 1.3, None),
        ("gradient checkpoiting costs 30 % of the speed on an A100", ("full", "none"), 0.7, None),
        ("activation checkpointing adds 33% overhead on an A100", ("full", "none"), 1 / 1.33, None),
        ("selective activation checkpointing costs 5% on an A100", ("selective", "none"), 1 / 1.05, None),
        ("without gradient checkpointing it is 30% faster on an A100", ("none", "full"), 1.3, None),
        ("梯度检查点多花 30% 时间，A100", ("full", "none"), 1 / 1.3, None),
        ("梯度检查点的开销为 30%，A100", ("full", "none"), 1 / 1.3, None),
        ("gradient checkpointing halves the memory", ("full", "none"), None, 0.5),
        ("梯度检查点使显存减半", ("full", "none"), None, 0.5),
        ("checkpointing saves 60 % of the memory and costs 25 % on an A100", ("full", "none"), 0.8, 0.4),
    ],
)
def test_checkpointing_is_read_with_what_it_costs_and_saves(
    text: str, sides: tuple[str, str], speed: float | None, memory: float | None
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.activation_checkpointing, claim.reference_activation_checkpointing) == sides
    assert claim.speed_up_ratio == (pytest.approx(speed) if speed is not None else None)
    assert claim.memory_ratio == (pytest.approx(memory) if memory is not None else None)


@pytest.mark.parametrize(
    "text",
    [
        "8 A100 with flash attention are 7x faster than one",
        "BERT-large with gradient checkpointing at 300 ms a step, batch 8, on a V100",
        "an A100 is 2x faster than a V100 with gradient checkpointing",
    ],
)
def test_a_setting_beside_another_figure_is_not_what_was_changed(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.reference_attention, claim.reference_activation_checkpointing) == (None, None)


JUDGED: list[tuple[str, Verdict, str]] = [
    ("flash attention made training of GPT-2 1.5x faster on an A100", "plausible", "claim-change-plausible"),
    ("flash attention made training of GPT-2 10x faster on an A100", "plausible_only_with", "claim-change-above"),
    ("flash attention made training of GPT-2 2x slower on an A100", "below_expected", "claim-change-below"),
    ("flash attention needs 60 % of the memory for GPT-2", "plausible", "claim-memory-plausible"),
    ("flash attention needs half the memory for GPT-2", "plausible_only_with", "claim-memory-above"),
    ("flash attention needs a third of the memory for GPT-2", "plausible_only_with", "claim-memory-above"),
    ("gradient checkpointing costs 30 % on BERT-large on an A100", "plausible", "claim-change-plausible"),
    ("gradient checkpointing costs 30 % with 7B on 8 A100", "plausible", "claim-change-plausible"),
    ("gradient checkpointing costs 300 % on BERT-large on an A100", "below_expected", "claim-change-below"),
    ("gradient checkpointing is 2x faster on BERT-large on an A100", "plausible_only_with", "claim-change-above"),
    ("gradient checkpointing halves the memory of BERT-large", "plausible", "claim-memory-plausible"),
    ("gradient checkpointing doubles the memory of BERT-large", "below_expected", "claim-memory-below"),
    ("梯度检查点使 BERT-large 的显存减半", "plausible", "claim-memory-plausible"),
]


@pytest.mark.parametrize(("text", "verdict", "code"), JUDGED, ids=[text for text, _, _ in JUDGED])
def test_attention_and_checkpointing_are_judged_in_both_languages(text: str, verdict: Verdict, code: str) -> None:
    assert_judged(text, verdict, code)


def test_what_checkpointing_cost_and_saved_in_published_pairs_is_plausible() -> None:
    entries = [one for one in published_pairs() if (one.switch, one.family) == ("checkpointing", "language")]
    assert len(entries) == 2
    for entry in entries:
        claim = Claim(
            gpus=(entry.gpu_key,),
            activation_checkpointing="full",
            reference_activation_checkpointing="none",
            speed_up_ratio=entry.median_gain_ratio,
            memory_ratio=1 - (entry.median_saved_fraction or 0.0),
        )
        answer = check_claim(claim, real_predictor())
        assert (entry.source, answer.verdict) == (entry.source, "plausible")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("gradient checkpointing halves the memory", ["claim-any-batch", "claim-panel-like"]),
        ("gradient checkpointing halves the memory of gpt2", ["claim-any-batch"]),
        ("gradient checkpointing halves the memory of gpt2 at batch 8", []),
    ],
)
def test_what_a_claim_of_memory_leaves_open_is_told_with_its_range(text: str, codes: list[str]) -> None:
    answer = check_claim(text, real_predictor())
    assert [reason.code for reason in answer.reasons if reason.code in {"claim-any-batch", "claim-panel-like"}] == codes


def test_a_claim_of_memory_that_names_its_model_has_a_narrower_range() -> None:
    texts = ("gradient checkpointing halves the memory", "gradient checkpointing halves the memory of gpt2 at batch 8")
    open_range, named = (check_claim(text, real_predictor()).expected_memory_ratio for text in texts)
    assert open_range is not None
    assert named is not None
    assert named.high - named.low < open_range.high - open_range.low
