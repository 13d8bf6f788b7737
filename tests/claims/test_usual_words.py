"""Turns of phrase that people use for what a claim says are read as the plain words would be."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.reading.reader import parse_claim
from tests.claims.judged import assert_judged, assert_refused


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("MI300X is on par with H100 in bf16 training of ResNet-50", 1.0),
        ("A100 vs V100 in FP16: about equal for ResNet-50", 1.0),
        ("a single H100 does about 3x the tokens/s of an A100 on a 1B model in bf16", 3.0),
        ("an L4 is about a quarter of an A100 in bf16 training", 0.25),
        ("a T4 is a third of a V100 for ResNet-50 in fp16", 1 / 3),
        ("a 3090 is half an A100 for ResNet-50", 0.5),
        ("a 3090 has half the speed of an A100 for ResNet-50", 0.5),
    ],
)
def test_two_cards_are_compared_in_other_words(text: str, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.speed_up_ratio == pytest.approx(ratio, rel=1e-3)
    assert claim.gpus
    assert claim.reference_gpus


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "batch size 从 32 加到 256,3090 上 ResNet-50 的吞吐几乎没变",
            {"speed_up_ratio": 1.0, "batch_size": 256, "reference_batch_size": 32, "gpus": ("rtx3090",)},
        ),
        (
            "4090单卡LoRA微调Llama 3 8B,一个epoch(5万条,512长度)要4个小时",
            {"sequence_length": 512, "trained_samples": 50_000, "epoch_s": 4 * 3600.0},
        ),
        ("4090 训练 ResNet-50,fp16,batch 64,每步 60 毫秒", {"batch_size": 64, "step_s": 0.06}),
    ],
)
def test_a_comma_before_a_figure_parts_it_from_what_stands_before(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert {name: getattr(claim, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("I was told DDP scales linearly, but 8 A100 gave only 6.1x on GPT-2 small", 6.1),
        ("8 A100 scale linearly on GPT-2 small", 8.0),
        ("fp8 doesn't help on L40S for BERT-large", 1.0),
        ("两块 2080 Ti 用 DataParallel 跑 BERT-base 反而更慢", 1.0),
    ],
)
def test_what_was_reached_is_claimed_and_not_what_was_expected(text: str, ratio: float) -> None:
    assert parse_claim(text, spec_table()).speed_up_ratio == pytest.approx(ratio)


def test_what_another_set_up_does_beside_the_one_that_fits_does_not_deny_it() -> None:
    text = "ZeRO-2 on 8x A100 40GB lets us train a 7B, plain DDP ran out of memory"
    assert parse_claim(text, spec_table()).fits is True
    assert parse_claim("a 7B does not fit on one A100 40GB, only LoRA fits", spec_table()).fits is False


def test_a_card_of_an_old_line_is_not_read_as_nothing() -> None:
    assert_refused("Titan X vs 2080 Ti in FP16: about equal for ResNet-50", "claim-unknown-card-alone")


def test_an_order_that_the_range_holds_is_not_called_impossible() -> None:
    assert_judged("an RTX 4070 Ti Super beats a V100 32GB for BERT in fp16", "plausible", "claim-order-open")
