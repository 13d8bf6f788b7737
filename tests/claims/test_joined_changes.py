"""Claims that give one figure to several changes: all of them are judged together, or none."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from tests.claims.judged import assert_judged, assert_readable, assert_refused
from tests.recommend.real_predictor import real_predictor

JOINED: list[tuple[str, dict[str, object]]] = [
    (
        "bf16 and batch 64 instead of fp32 and batch 32 gives 3x on a 3090 with ResNet-50",
        {"precision": "bf16_amp", "reference_precision": "fp32", "batch_size": 64, "reference_batch_size": 32},
    ),
    (
        "going from batch 32 fp32 to batch 128 amp made our resnet50 training 3.2x faster on a 2080 Ti",
        {"precision": "fp16_amp", "reference_precision": "fp32", "batch_size": 128, "reference_batch_size": 32},
    ),
    (
        "从batch 32的fp32换到batch 128的amp，2080 Ti上resnet50快了3.2倍",
        {"precision": "fp16_amp", "reference_precision": "fp32", "batch_size": 128, "reference_batch_size": 32},
    ),
    (
        "AMP and compile gave 3x",
        {"precision": "fp16_amp", "reference_precision": "fp32", "compile": True, "reference_compile": False},
    ),
    (
        "channels last + AMP made it 3x",
        {"precision": "fp16_amp", "reference_precision": "fp32", "switched": "channels_last", "channels_last": None},
    ),
    (
        "AMP, channels_last and torch.compile together made resnet50 3.4x faster on an A100",
        {"precision": "fp16_amp", "switched": "channels_last", "compile": True, "reference_compile": False},
    ),
    (
        "bf16加上torch.compile让3090上的GPT-2快了2.5倍",
        {"precision": "bf16_amp", "reference_precision": "fp32", "compile": True, "reference_compile": False},
    ),
    (
        "flash attention and gradient checkpointing cut memory by 60% on llama 8b",
        {"attention": "flash", "reference_attention": "eager", "reference_activation_checkpointing": "none"},
    ),
]


@pytest.mark.parametrize(("text", "fields"), JOINED)
def test_each_change_has_what_was_before_it(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert {name: getattr(claim, name) for name in fields} == fields


def test_what_stands_beside_another_change_is_on_both_sides() -> None:
    claim = parse_claim(
        "with bf16 and torch.compile, batch 64 is 1.3x faster than batch 32, gpt2 on a 3090", spec_table()
    )
    assert (claim.batch_size, claim.reference_batch_size) == (64, 32)
    assert (claim.precision, claim.reference_precision) == ("bf16_amp", None)
    assert (claim.compile, claim.reference_compile) == (True, None)


def test_several_changes_bring_what_each_of_them_does_and_their_ranges_add() -> None:
    both = check_claim(
        "bf16 and batch 64 instead of fp32 and batch 32 gives 3x on a 3090 with BERT-base", real_predictor()
    )
    one = check_claim("bf16 instead of fp32 at batch 64 gives 3x on a 3090 with BERT-base", real_predictor())
    assert both.expected_ratio is not None
    assert one.expected_ratio is not None
    assert both.expected_ratio.value > one.expected_ratio.value
    assert both.expected_ratio.high / both.expected_ratio.low > one.expected_ratio.high / one.expected_ratio.low
    assert_readable(both)


def test_what_no_two_changes_bring_is_above_and_what_they_bring_is_plausible() -> None:
    told = "bf16 and torch.compile make gpt2 {} as fast on a 4090"
    assert_judged(told.format("2.5 times"), "plausible", "claim-change-plausible")
    assert_judged(told.format("20 times"), "plausible_only_with", "claim-change-above")


def test_changes_that_are_left_out_together_are_refused() -> None:
    assert_refused("without AMP and torch.compile gpt2 is 2x slower on a 4090", "claim-changes-joined")


def test_a_ratio_of_several_changes_has_no_bound_of_the_data_sheet() -> None:
    claim = Claim(
        gpus=("rtx4090",),
        workload="gpt2_small",
        speed_up_ratio=3.0,
        precision="bf16_amp",
        reference_precision="fp32",
        compile=True,
        reference_compile=False,
    )
    assert check_claim(claim, real_predictor()).bound_ratio is None
