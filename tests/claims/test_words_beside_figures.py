"""What stands beside a figure decides what it is of: bits are no card, a GPU's memory no GPU, a rate no amount."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.gpu_names import find_gpus
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize("text", ["a 4-bit model beats a 16-bit one", "a 16 bit model", "an a 2-bits model"])
def test_bits_behind_an_article_are_no_card(text: str) -> None:
    assert find_gpus(text, spec_table()).mentions == ()
    assert find_gpus("an a16 is slow", spec_table()).mentions != ()


@pytest.mark.parametrize("text", ["requires 112 GB of GPU memory", "needs 112 GB of GPU VRAM", "needs 112 GB"])
def test_what_a_model_needs_of_a_gpus_memory_names_no_gpu(text: str) -> None:
    claim = parse_claim(f"Full fine-tuning of a 7B model {text}", spec_table())
    assert (claim.memory_bytes, claim.gpus) == (112e9, ())


def test_millions_of_tokens_a_second_are_a_rate_and_no_amount() -> None:
    claim = parse_claim("nanoGPT on 8xA100 gets about 1.2M tokens/s for the 124M model", spec_table())
    assert (claim.tokens_per_s, claim.trained_tokens) == (1.2e6, None)
    whole = parse_claim("8 A100 train GPT-2 small on 300M tokens in 20 minutes", spec_table())
    assert (whole.tokens_per_s, whole.trained_tokens) == (None, 3e8)


@pytest.mark.parametrize(
    "text",
    ["8卡训练反而比单卡慢", "Two cards are slower than one", "两张卡比一张还慢", "用 DataParallel 4 卡比单卡还慢"],
)
def test_more_cards_that_nobody_names_may_be_slower_than_one(text: str) -> None:
    answer = check_claim(text, real_predictor())
    assert (answer.claim.speed_up_ratio, answer.claim.told_as, answer.claim.reference_count) == (1.0, "most", 1)
    assert answer.verdict == "below_expected" or answer.verdict.startswith("plausible")


def test_a_tiny_network_gains_little_by_a_quicker_card() -> None:
    answer = check_claim("My 4090 is only 5% faster than my 3090 on a tiny MLP", real_predictor())
    assert (answer.claim.workload, answer.verdict) == ("iris_mlp", "plausible")


def test_what_quantising_does_to_adapters_is_no_claim_of_adapters_against_all_weights() -> None:
    with pytest.raises(SaidError, match="int8 quantization"):
        check_claim("Int8 quantization made LoRA training of Llama 8B 2x slower", real_predictor())


@pytest.mark.parametrize(
    "text", ["开启梯度检查点后 batch 可以翻 4 倍", "with checkpointing the batch can be 4x larger"]
)
def test_a_batch_that_may_be_larger_is_no_speed_up(text: str) -> None:
    with pytest.raises(SaidError):
        check_claim(text, real_predictor())


def test_more_speed_is_told_in_per_cent_and_alike_is_once_as_fast() -> None:
    more = parse_claim("channels_last gave me 25% more speed for ResNet-50 on a 3090", spec_table())
    assert more.speed_up_ratio == 1.25
    alike = parse_claim("A800 和 A100 单卡性能一样", spec_table())
    assert (alike.speed_up_ratio, len(alike.reference_gpus) > 0) == (1.0, True)
