"""Claims of the memory that a step of a bundled model takes on a card, at a batch that is told or not."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import Language, sentence
from tests.claims.judged import assert_judged, assert_readable
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "gigabytes", "batch"),
    [
        ("ViT-B at batch 64 needs about 7 GB in fp16 on my 3090", 7.0, 64),
        ("QLoRA on a 3090: llama 8B, batch 1, takes about 9.5GB VRAM", 9.5, 1),
        ("3090上训练BERT-base，batch 16，显存占用大概6G", 6.0, 16),
        ("BERT-base at batch 16 in fp16 on a 3090 peaks at 6 GB", 6.0, 16),
        ("BERT-base at batch 16 peaked at around 6 GB on my 3090", 6.0, 16),
        ("ResNet-50 at batch 256 hits 22 GB on a 3090", 22.0, 256),
        ("QLoRA of Llama 8B on a 3090 used 14 GB of VRAM at batch 1", 14.0, 1),
        ("peak memory of BERT-base at batch 32 on a 3090 was 11 GB", 11.0, 32),
        ("Memory usage of GPT-2 small, batch 8, 3090: 18 GB", 18.0, 8),
        ("GPT-2 small 在 3090 上 batch 8 显存占用为 18GB", 18.0, 8),
        ("3090 上训练 GPT-2 small，batch 8，峰值显存 18 GB", 18.0, 8),
    ],
)
def test_memory_of_a_step_is_read_with_its_card_and_batch(text: str, gigabytes: float, batch: int) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.memory_bytes == pytest.approx(gigabytes * 1e9)
    assert (claim.batch_size, claim.fits) == (batch, None)
    assert claim.gpus == ("rtx3090",)


@pytest.mark.parametrize(
    ("told", "verdict", "code"),
    [
        ("7 GB", "plausible", "claim-peak-plausible"),
        ("3 GB", "plausible_only_with", "claim-peak-less"),
        ("20 GB", "below_expected", "claim-peak-more"),
    ],
)
def test_memory_of_a_step_is_held_against_what_is_predicted(told: str, verdict: Verdict, code: str) -> None:
    assert_judged(f"ViT-B at batch 64 needs about {told} in fp16 on my 3090", verdict, code)


@pytest.mark.parametrize(
    "text",
    [
        "a 3090 with 24 GB trains BERT-base at batch 16 with 300 samples/s",
        "using 8 GB cards BERT-base trains at 100 samples/s at batch 16",
        "the 24 GB of a 3090 hit 300 samples/s of BERT-base at batch 16",
    ],
)
def test_memory_of_a_card_is_none_of_a_step(text: str) -> None:
    assert parse_claim(text, spec_table()).memory_bytes is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_takes_more_memory_than_expected_is_not_called_below(language: Language) -> None:
    shown = sentence("verdict-below_expected", language)
    assert "below" not in shown
    assert "低于" not in shown


def test_without_a_batch_one_sample_and_the_usual_batch_are_looked_at_and_told() -> None:
    answer = check_claim("BERT-base training in fp16 takes 4 GB on a 3090", real_predictor())
    assert "claim-any-batch" in {reason.code for reason in answer.reasons}
    assert_readable(answer)


@pytest.mark.parametrize(
    "text",
    ["Llama 8B with AdamW needs 130GB of VRAM", "a 7B full fine-tuning needs 112 GB, so two A100 80GB"],
)
def test_what_parameters_take_is_no_memory_of_a_step(text: str) -> None:
    answer = check_claim(text, real_predictor())
    assert not answer.reasons[0].code.startswith("claim-peak")
