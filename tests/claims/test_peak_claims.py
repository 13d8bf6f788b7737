"""Claims of the memory that a step of a bundled model takes on a card, at a batch that is told or not."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from tests.claims.judged import assert_judged, assert_readable
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "gigabytes", "batch"),
    [
        ("ViT-B at batch 64 needs about 7 GB in fp16 on my 3090", 7.0, 64),
        ("QLoRA on a 3090: llama 8B, batch 1, takes about 9.5GB VRAM", 9.5, 1),
        ("3090上训练BERT-base，batch 16，显存占用大概6G", 6.0, 16),
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
