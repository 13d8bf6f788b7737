"""Claims that deny, ask, or tell of more cards in passing: read as told, and asked back where no figure is claimed."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.overlooked.otherwise import left_out
from advisor.claims.reading.reader import parse_claim
from advisor.claims.setting import claimed_workload
from tests.claims.judged import assert_judged, assert_refused
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
        ("这块P100一天能跑多少个epoch？resnet50", "claim-without-figure"),
        ("How many epochs of resnet50 does a P100 do in 24 hours?", "claim-without-figure"),
        ("I'm not sure about a 13B LoRA on a 3090", "claim-without-figure"),
    ],
)
def test_a_question_and_a_doubt_are_asked_back(text: str, code: str) -> None:
    assert_refused(text, code)


def test_a_figure_beside_a_question_is_claimed() -> None:
    assert parse_claim("How fast is yours? I get 300 img/s with resnet50 on a V100", spec_table()).samples_per_s == 300


def test_a_figure_that_is_passed_is_the_least_there_is() -> None:
    claim = check_claim("混合精度训练让BERT-large在V100上快了一倍多", real_predictor()).claim
    assert (claim.speed_up_ratio, claim.told_as) == (2.0, "least")


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("llama 8B，A100，每个step 4.5秒，batch 1，开了梯度检查点", "full"),
        ("BERT-large with gradient checkpointing at 300 ms a step, batch 8, on a V100", "full"),
        ("BERT-large without gradient checkpointing at 300 ms a step, batch 8, on a V100", "none"),
        ("BERT-large at 300 ms a step, batch 8, on a V100", None),
    ],
)
def test_checkpointing_beside_a_time_is_part_of_what_is_predicted(text: str, way: str | None) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.activation_checkpointing == way
    assert left_out(claim, spec_table()) == ()
    workload = claimed_workload(claim, real_predictor())
    assert workload.training.activation_checkpointing == (way or "none")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "turning off AMP made it 40% slower on a T4, resnet50",
            {"precision": "fp32", "reference_precision": "fp16_amp", "speed_up_ratio": 0.6},
        ),
        (
            "going bf16 -> fp8 on an H100 shaved 18% off each step for an 8B",
            {"precision": "fp8", "reference_precision": "bf16_amp"},
        ),
        (
            "显存占用从38G涨到61G，因为关了梯度检查点，llama 8b",
            {"activation_checkpointing": "none", "memory_ratio": pytest.approx(61 / 38)},
        ),
        (
            "H200 gives you about a third more tokens per second than H100 for 7B",
            {"speed_up_ratio": pytest.approx(4 / 3, 1e-3)},
        ),
        ("A800和A100训练速度几乎没有差别", {"speed_up_ratio": 1.0}),
    ],
)
def test_what_is_turned_off_or_changed_for_another_has_its_side(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert {name: getattr(claim, name) for name in fields} == fields


@pytest.mark.parametrize(
    "text",
    [
        "batch 8 fits, batch 16 OOMs on the 3090 for bert-large seq 512 fp16",
        "8x A100 do in 1 hour what 1 A100 does in 7 (resnet50)",
    ],
)
def test_a_second_figure_of_its_kind_is_asked_back(text: str) -> None:
    assert_refused(text, "claim-figure-unread")


def test_a_share_of_the_peak_that_was_never_passed_is_read() -> None:
    assert check_claim("never seen MFU above 45% on our A100s with a 13B", real_predictor()).claim.mfu_fraction == 0.45


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "Using two 3090s rather than one takes my epoch from 50 min to 29 min, unet",
            {"speed_up_ratio": pytest.approx(50 / 29)},
        ),
        (
            "训练时间从5小时缩到2小时40分，换成了A100（之前是V100），bert-base",
            {
                "speed_up_ratio": 1.875,
                "reference_gpus": ("v100-pcie-16", "v100-pcie-32", "v100-sxm2-16", "v100-sxm2-32"),
            },
        ),
        ("两台8卡A100机器比一台快1.85倍，bert-large", {"count": 16, "reference_count": 8, "speed_up_ratio": 1.85}),
        ("A100比V100快不了多少，大概1.5倍", {"speed_up_ratio": 1.5}),
    ],
)
def test_what_there_is_now_is_held_against_what_was(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert {name: getattr(claim, name) for name in fields} == fields


def test_a_loss_that_is_small_is_not_impossible_by_data_sheets() -> None:
    assert_judged("turning off AMP made it 40% slower on a T4, resnet50", "below_expected", "claim-change-below")
