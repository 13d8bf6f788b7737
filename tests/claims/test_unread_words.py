"""What of a claim's text was not read is named, and what was read is not."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim
from advisor.claims.judge import check_claim
from advisor.claims.overlooked.otherwise import left_out
from advisor.claims.reading.reader import parse_claim
from tests.claims.judged import assert_judged, assert_refused
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ResNet-50 trains at 400 images/s on a V100 inside docker with mixup", ("inside docker", "mixup")),
        ("ViT-B/16 at 384 px on an H100 with bf16: 700 images per second training", ("384 px",)),
        ("BERT pretraining on 8 V100 is 7x as fast as on one", ("pretraining",)),
        ("ResNet-50 on a V100 under WSL2 at 380 img/s", ("wsl2",)),
        ("Without torch.compile I get 1.9 it/s, with it 2.6, GPT-2 small on a 3090", ("2.6",)),
        ("V100 上 ResNet-50 每秒 380 张，虚拟环境里跑的", ("虚拟环境",)),
        ("3090 训练 ResNet-50 每秒 400 张，水冷", ("水冷",)),
    ],
)
def test_words_that_the_reading_does_not_depend_on_are_named(text: str, words: tuple[str, ...]) -> None:
    assert left_out(parse_claim(text, spec_table()), spec_table()) == words


@pytest.mark.parametrize(
    "text",
    [
        "We trained our ResNet-50 on ImageNet with 8 V100 and got 7.6x the speed of a single card",
        "BERT-base fine-tuning on SST-2 takes 45 ms a step on my RTX 3090 in fp16 with batch size 32",
        "a 4090 is about 1.7x as fast as a 3090 for training in mixed precision",
        "两张 3090 用 DDP 训练 GPT-2 small 比单卡快了 1.8 倍",
        "我在一张 A100 上微调 BERT-base，batch 32，每步大概 40 毫秒",
    ],
)
def test_of_a_claim_that_is_read_whole_nothing_is_named(text: str) -> None:
    assert left_out(parse_claim(text, spec_table()), spec_table()) == ()


def test_what_was_not_read_is_told_right_behind_the_verdict() -> None:
    reasons = check_claim("ResNet-50 trains at 300 images/s on a V100 inside docker", real_predictor()).reasons
    assert [reason.code for reason in reasons[1:2]] == ["claim-left-out"]


def _read(text: str) -> Claim:
    return parse_claim(text, spec_table())


@pytest.mark.parametrize(
    "text",
    [
        "My A100 40GB gets 380 img/s training ResNet-50 in fp32 with TF32 disabled, batch 128",
        "ResNet-50 on a V100 with AMP off: 370 img/s",
        "ResNet-50 on an A100: 400 img/s (allow_tf32=False)",
        "A100 上 ResNet-50 关闭 TF32 后 380 张/秒",
        "V100 上没开混合精度，ResNet-50 每秒 370 张",
    ],
)
def test_a_precision_that_is_switched_off_is_not_what_was_computed_in(text: str) -> None:
    assert _read(text).precision == "fp32"


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("turning AMP off made ResNet-50 half as fast on a V100", "fp16_amp"),
        ("turning off AMP made ResNet-50 2x slower on a V100", "fp16_amp"),
        ("disabling TF32 made BERT-base 2x slower on an A100", "tf32"),
        ("关掉混合精度后 V100 上 ResNet-50 慢了 2 倍", "fp16_amp"),
    ],
)
def test_a_figure_of_switching_a_precision_off_is_held_against_that_precision(text: str, before: str) -> None:
    claim = _read(text)
    assert (claim.precision, claim.reference_precision, claim.speed_up_ratio) == ("fp32", before, 0.5)


def test_a_loss_below_the_expected_one_is_what_the_other_precision_does_not_gain() -> None:
    assert_judged("turning off AMP made ResNet-50 1.3x slower on a V100", "below_expected", "claim-change-below")
    answer = check_claim("turning off AMP made ResNet-50 1.3x slower on a V100", real_predictor())
    expected = answer.expected_ratio
    assert expected is not None
    assert expected.low <= expected.value <= expected.high < (answer.claim.speed_up_ratio or 0.0)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("T4 上 fp16 推理 ResNet-50 能到 1200 fps", "samples_per_s", 1200.0),
        ("ResNet-50 on an A100 runs inference at 2500 frames per second in fp16", "samples_per_s", 2500.0),
        ("4090 训练 ResNet-50 时每秒 900 帧", "samples_per_s", 900.0),
        ("MI300X is on par with H100 in bf16 training of ResNet-50", "speed_up_ratio", 1.0),
        ("我用 3090 跑 BERT-base 微调,batch 32,长度 128,一秒 9.5 步", "step_s", 1 / 9.5),
    ],
)
def test_usual_words_of_a_figure_are_read(text: str, field: str, value: float) -> None:
    assert getattr(_read(text), field) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8 A100 scale 7.2x with NVLink on ResNet-50", "NVLink"),
        ("Adding a second 3090 without NVLink got us 1.6x with DDP on BERT-base", "without NVLink"),
        ("两块3090没有NVLink，DDP训练BERT-base加速比只有1.6", "without NVLink"),
        ("2 x 3090 over PCIe, no NVLink: 1.6x with BERT-base", "without NVLink"),
        ("2x A100 PCIe 40GB give 1.9x on ResNet-50", None),
        ("2 x 3090 over PCIe 3.0 x4 give 1.2x on BERT-base", None),
    ],
)
def test_what_joins_the_cards_is_read(text: str, words: str | None) -> None:
    assert _read(text).interconnect == words


def test_a_bridge_makes_a_higher_speed_up_plausible() -> None:
    text = "2 x 3090 {} give 1.7x with DDP on BERT-base, batch 16"
    assert_judged(text.format("with NVLink"), "plausible", "claim-scaling-plausible")
    assert_judged(text.format("without NVLink"), "plausible_only_with", "claim-scaling-above")


def test_a_whole_training_of_untold_samples_is_not_called_slow_by_those_of_the_workload() -> None:
    assert_judged("Training GPT-2 124M on 8xA100 takes 4 days", "plausible_only_with", "claim-only-with-more-samples")
    answer = check_claim("GPT-2 small: an epoch takes 6 hours on a 4090", real_predictor())
    assert answer.verdict == "below_expected"
    assert "claim-samples-of-model-below" in [reason.code for reason in answer.reasons]


def test_what_8_bit_states_save_follows_from_the_number_of_parameters() -> None:
    assert_judged("8-bit Adam saved me 10 GB on a 1.5B model", "plausible", "claim-saved-plausible")
    assert_judged("8-bit Adam saved 400 GB on a 70B", "plausible", "claim-saved-plausible")
    assert_judged("8-bit Adam saved 2 GB on a 70B", "below_expected", "claim-saved-below")
    assert_refused("activation checkpointing saved 400 GB on a 70B", "claim-saved-without-model")
