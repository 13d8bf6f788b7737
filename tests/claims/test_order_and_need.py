"""Claims of an order without a figure, and of the memory that a model needs."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Verdict
from advisor.claims.gpu_names import nearest_cards
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_judged
from tests.recommend.real_predictor import real_predictor

ORDERS: list[tuple[str, Verdict, str]] = [
    ("3090 is faster than 4090", "plausible_only_with", "claim-order-behind"),
    ("3090 比 4090 快", "plausible_only_with", "claim-order-behind"),
    ("3090 is slower than 4090", "plausible", "claim-order-ahead"),
    ("3090 不如 4090", "plausible", "claim-order-ahead"),
    ("4090 没有 3090 快", "plausible_only_with", "claim-order-behind"),
    ("A100 SXM 80GB beats a 4090 in BF16", "plausible", "claim-order-ahead"),
    ("A100 SXM 80GB is faster than 4090 for ResNet-50", "plausible_only_with", "claim-order-ahead-in"),
    ("P100 is faster than H100", "impossible", "claim-order-impossible"),
    ("H100 SXM outperforms A100 SXM 80GB", "plausible", "claim-order-ahead"),
]
NEEDS: list[tuple[str, Verdict, str]] = [
    ("7B full fine-tuning needs 112 GB", "plausible", "claim-need-bare"),  # 16 bytes a parameter
    ("7B 全参微调需要 120G 显存", "plausible", "claim-need-plausible"),
    ("7B 全参微调需要 80G 显存", "plausible_only_with", "claim-need-only-with"),
    ("7B full fine-tuning needs 10 GB", "impossible", "claim-need-impossible"),
    ("training 7B needs 8x its weights", "plausible", "claim-need-bare"),  # of 2 bytes each
    ("训练 7B 需要权重的 8 倍显存", "plausible", "claim-need-bare"),
    ("13B needs 26GB to run in fp16", "plausible", "claim-need-bare"),
    ("7B in fp32 needs 28GB to load", "plausible", "claim-need-bare"),
    ("70B 4-bit inference needs 35 GB", "plausible", "claim-need-bare"),
    ("70B inference in fp16 needs 70 GB", "impossible", "claim-need-impossible"),
    ("7B LoRA needs 160 GB", "plausible_only_with", "claim-need-activations"),
    ("7B full fine-tuning needs 60 GB with CPU offload", "plausible_only_with", "claim-need-offloaded"),
    ("QLoRA 70B fits in 48GB", "plausible", "claim-size-fits"),
    ("QLoRA 70B fits in 24GB", "impossible", "claim-size-beyond"),
]


@pytest.mark.parametrize(("text", "verdict", "code"), ORDERS + NEEDS, ids=[text for text, _, _ in ORDERS + NEEDS])
def test_an_order_of_cards_or_a_need_of_memory_is_judged_without_a_ratio(
    text: str, verdict: Verdict, code: str
) -> None:
    assert_judged(text, verdict, code)


def test_a_card_that_is_said_to_be_slower_is_the_one_that_is_compared_with() -> None:
    claim = parse_claim("2 x 3090 is slower than a 4090", spec_table())
    assert (claim.gpus, claim.reference_gpus) == (("rtx4090",), ("rtx3090",))
    assert (claim.count, claim.reference_count, claim.is_faster) == (1, 2, True)


def test_needed_memory_is_read_in_decimal_and_binary_units_and_in_weights() -> None:
    needed = {
        "7B needs 80 GB": 80e9,
        "7B needs about 80 GiB": 80 * 2.0**30,
        "70B training needs 1.1 TB": 1.1e12,
        "7B training takes 8 times its weights": 8 * 2 * 7e9,
        "7B needs 80 GB of host RAM": None,
    }
    read: dict[str, float | None] = {}
    for text in needed:
        try:
            read[text] = parse_claim(text, spec_table()).memory_bytes
        except SaidError:
            read[text] = None
    assert read == pytest.approx(needed)


def test_an_order_with_an_unknown_card_names_that_card() -> None:
    with pytest.raises(SaidError) as refused:
        check_claim("1650 Super is faster than 4090", real_predictor())
    assert "1650 SUPER" in refused.value.text


@pytest.mark.parametrize(("name", "unlike"), [("1660 ti", "A10"), ("b300", "RTX 3060")])
def test_a_number_of_four_digits_is_like_no_shorter_one(name: str, unlike: str) -> None:
    near = nearest_cards(name, spec_table())
    assert near
    assert not any(unlike in card for card in near)


@pytest.mark.parametrize(
    "text", ["a larger batch is 2x faster", "increasing the batch size made it 2x faster", "batch 加大 速度翻倍"]
)
def test_a_larger_batch_of_which_no_size_is_said_is_asked_for_its_sizes(text: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == "claim-without-batches"


def test_a_larger_batch_with_both_sizes_is_judged() -> None:
    answer = check_claim("ResNet-50 at batch 64 is 1.3 times as fast as at batch 32 on one RTX 4090", real_predictor())
    assert answer.claim.reference_batch_size == 32
