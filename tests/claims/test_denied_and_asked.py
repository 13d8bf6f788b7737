"""Claims that deny, ask, or tell of more cards in passing: read as told, and asked back where no figure is claimed."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.reading.otherwise import left_out
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("There's no way to full finetune an 8B on 2x A100 40GB", {"fits": False, "count": 2}),
        ("70B at 4-bit won't run on a single 3090", {"fits": False, "count": 1}),
        ("16 -> 32 GPUs: +88% throughput on A100s with BERT-large", {"count": 32, "reference_count": 16}),
        ("7B全量微调至少要两张80G的A100", {"fits": True, "count": 2}),
        ("我用两张卡训练，速度反而变慢了，只有单卡的80%（2080Ti，resnet50）", {"count": 2, "speed_up_ratio": 0.8}),
        # A figure right behind a Chinese word of less is read whole.
        ("4卡A100用ZeRO-2比DDP省40%显存，llama 1b", {"memory_ratio": 0.6}),
        ("用bf16省时间40%，3090，bert-base", {"speed_up_ratio": pytest.approx(1 / 0.6)}),
        # Cards that are told apart by a word beside their names.
        ("My 4090 laptop gets roughly 55% of the desktop 4090's throughput in ViT training", {"speed_up_ratio": 0.55}),
        ("Two 4080s outrun one 4090 on ResNet-50 by about 30%", {"count": 2, "speed_up_ratio": 1.3}),
        ("bf16和fp16速度没区别（4090）", {"reference_precision": "fp16_amp", "speed_up_ratio": 1.0}),
        ("does batch 96 of ViT-B/16 in AMP fit in 16 gigs?", {"fits": True, "batch_size": 96}),
    ],
)
def test_what_is_told_in_passing_is_read(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert {name: getattr(claim, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Out of the box the A6000 is within 10% of a 3090 Ti.", "claim-figure-unread"),
        ("这块P100一天能跑多少个epoch？resnet50", "claim-without-figure"),
        ("How many epochs of resnet50 does a P100 do in 24 hours?", "claim-without-figure"),
        ("I'm not sure about a 13B LoRA on a 3090", "claim-without-figure"),
    ],
)
def test_a_question_and_a_doubt_are_asked_back(text: str, code: str) -> None:
    with pytest.raises(SaidError) as error:
        check_claim(text, real_predictor())
    assert error.value.reasons[0].code == code


def test_a_figure_beside_a_question_is_claimed() -> None:
    assert parse_claim("How fast is yours? I get 300 img/s with resnet50 on a V100", spec_table()).samples_per_s == 300


def test_a_figure_that_is_passed_is_the_least_there_is() -> None:
    claim = check_claim("混合精度训练让BERT-large在V100上快了一倍多", real_predictor()).claim
    assert (claim.speed_up_ratio, claim.told_as) == (2.0, "least")


def test_checkpointing_beside_a_time_is_said_not_to_be_looked_at() -> None:
    claim = parse_claim("llama 8B，A100，每个step 4.5秒，batch 1，开了梯度检查点", spec_table())
    assert left_out(claim, spec_table()) == ("梯度检查点",)
