"""Claims of QLoRA against LoRA, of speed and of memory: read, bounded, and held against published pairs."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim, Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_judged
from tests.recommend.real_predictor import real_predictor

PUBLISHED = Path(__file__).resolve().parents[1] / "accuracy" / "published_llm.csv"


@pytest.mark.parametrize(
    ("text", "sides", "speed", "memory"),
    [
        ("QLoRA is twice as slow as LoRA, 8B on a 4090", ("qlora", "lora"), 0.5, None),
        ("LoRA is twice as fast as QLoRA, 8B on a 4090", ("lora", "qlora"), 2.0, None),
        ("Q-LoRA is 30% slower than LoRA, 8B on a 4090", ("qlora", "lora"), 0.7, None),
        ("switching from LoRA to QLoRA made it 30% slower, 8B on a 4090", ("qlora", "lora"), 0.7, None),
        ("QLoRA costs 30 % of the speed, 8B on a 4090", ("qlora", "lora"), 0.7, None),
        ("QLoRA costs 25 %, 8B on a 4090", ("qlora", "lora"), 0.8, None),
        ("QLoRA 比 LoRA 慢一倍，8B，4090", ("qlora", "lora"), 0.5, None),
        ("QLoRA needs a quarter of the memory with 8B", ("qlora", "lora"), None, 0.25),
        ("QLoRA uses 60 % less memory than LoRA with 8B", ("qlora", "lora"), None, 0.4),
        ("QLoRA halves the memory of LoRA with 8B", ("qlora", "lora"), None, 0.5),
        ("QLoRA needs 3x less VRAM than LoRA with 8B", ("qlora", "lora"), None, 1 / 3),
        ("with QLoRA memory went from 40 GB to 10 GB, 8B", ("qlora", "lora"), None, 0.25),
        ("8B: QLoRA 的显存只需 LoRA 的四分之一", ("qlora", "lora"), None, 0.25),
        ("8B: QLoRA 比 LoRA 省 60% 显存", ("qlora", "lora"), None, 0.4),
        ("QLoRA is 30% slower and needs half the memory of LoRA, 8B on a 4090", ("qlora", "lora"), 0.7, 0.5),
        ("full fine-tuning needs 4 times the memory of LoRA, 8B", ("full", "lora"), None, 4.0),
    ],
)
def test_ways_of_training_are_read_as_after_and_before(
    text: str, sides: tuple[str, str], speed: float | None, memory: float | None
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.tuning, claim.reference_tuning) == sides
    assert claim.parameters == 8e9
    assert claim.speed_up_ratio == (pytest.approx(speed) if speed is not None else None)
    assert claim.memory_ratio == (pytest.approx(memory) if memory is not None else None)


@pytest.mark.parametrize(
    "text",
    [
        "2 A100 made LoRA of 8B 1.8x faster than one",
        "an H100 is 2x faster than an A100 with QLoRA",
        "LoRA of 7B fits a 4090",
    ],
)
def test_adapters_beside_another_comparison_are_not_what_was_changed(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.reference_tuning is None
    assert claim.memory_ratio is None


JUDGED: list[tuple[str, Verdict, str]] = [
    ("QLoRA is 10 % slower than LoRA, 8B on a 4090", "plausible", "claim-change-plausible"),
    ("QLoRA is 30 % slower than LoRA, 8B on a 4090", "plausible", "claim-change-plausible"),
    ("QLoRA is 10x slower than LoRA, 8B on a 4090", "below_expected", "claim-change-below"),
    ("QLoRA is 15 % slower than LoRA, 8B on a 4090", "plausible", "claim-change-plausible"),
    ("QLoRA is 3x faster than LoRA, 8B on a 4090", "plausible_only_with", "claim-change-above"),
    ("Llama 8B QLoRA is 10 % slower than LoRA on an A100", "plausible", "claim-change-plausible"),
    ("QLoRA needs half the memory of LoRA, 8B", "plausible", "claim-memory-plausible"),
    ("QLoRA needs a quarter of the memory of LoRA, 8B", "plausible_only_with", "claim-memory-above"),
    ("QLoRA needs a tenth of the memory of LoRA, 8B", "impossible", "claim-memory-impossible"),
    ("QLoRA needs twice the memory of LoRA, 8B", "below_expected", "claim-memory-below"),
    ("QLoRA 的显存只需 LoRA 的一半，8B", "plausible", "claim-memory-plausible"),
    (
        "QLoRA is 10 % slower and needs a tenth of the memory of LoRA, 8B on a 4090",
        "impossible",
        "claim-change-plausible",
    ),
]


@pytest.mark.parametrize(("text", "verdict", "code"), JUDGED, ids=[text for text, _, _ in JUDGED])
def test_ways_of_training_are_judged_in_both_languages(text: str, verdict: Verdict, code: str) -> None:
    assert_judged(text, verdict, code)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("QLoRA saves 150% of the memory of LoRA, 8B", "claim-saves-all-memory"),
        ("QLoRA saves 100% of the memory of LoRA, 8B", "claim-saves-all-memory"),
        ("QLoRA is slower than LoRA", "claim-change-open"),
    ],
)
def test_what_cannot_be_judged_says_why(text: str, code: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == code


def test_memory_without_a_change_is_refused() -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(Claim(memory_ratio=0.5, parameters=8e9), real_predictor())
    assert refused.value.reasons[0].code == "claim-memory-without-change"


def _published_memory() -> dict[tuple[str, int], dict[str, float]]:
    """Gigabytes of LoRA and of 4-bit LoRA as Qwen printed them for 1.8B and 14B on one A100, by model and length."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for row in csv.DictReader(PUBLISHED.open(encoding="utf-8")):
        way = row["fine_tuning"].split(" ", maxsplit=1)[0]
        if row["source"] == "QwenLM/Qwen" and row["n_gpus"] == "1" and "embedding" not in row["fine_tuning"]:
            memory = float(row["metric_printed"].split("G", maxsplit=1)[0])
            found.setdefault((row["model"], int(row["seq_len"])), {})[way] = memory
    return {key: ways for key, ways in found.items() if {"lora", "qlora"} <= set(ways)}


def test_what_published_runs_saved_is_expected_of_their_size() -> None:
    pairs = _published_memory()
    inside = [
        check_claim(
            Claim(
                gpus=("a100-sxm4-80",),
                tuning="qlora",
                reference_tuning="lora",
                parameters=1.8e9 if "1.8B" in model else 14e9,
                memory_ratio=ways["qlora"] / ways["lora"],
            ),
            real_predictor(),
        ).verdict
        == "plausible"
        for (model, _), ways in pairs.items()
    ]
    assert len(inside) >= 8
    assert sum(inside) / len(inside) >= 0.8


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("QLoRA is twice as slow as LoRA", 0.4, 1.8),
        ("gradient checkpointing costs 30 %", 0.5, 1.1),
        ("梯度检查点让 BERT-large 训练慢一半", 0.5, 1.1),
        ("torch.compile makes ResNet-50 twice as fast", 0.8, 3.0),
    ],
)
def test_a_change_on_no_named_card_is_judged_on_several_and_says_so(text: str, low: float, high: float) -> None:
    answer = check_claim(text, real_predictor())
    expected = answer.expected_ratio
    assert expected is not None
    assert low < expected.low < expected.value < expected.high < high
    assert "claim-any-card" in {reason.code for reason in answer.reasons}
    assert answer.claim.gpus == ()
