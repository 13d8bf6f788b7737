"""What is said of a claim that cannot be judged: the missing part, and what was understood."""

from __future__ import annotations

import dataclasses

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.errors import InputError
from advisor.core.sentences import Names, SaidError, Value, error_text, say, sentence
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("Training is slower than before", "not by how much", "没有说快慢多少"),
        ("训练比以前慢", "not by how much", "没有说快慢多少"),
        ("resnet50 takes forever on V100", "no time, rate or ratio", "没有给出可以核对的时间"),
        ("resnet50 at 300 images/s", "names no GPU", "没有提到 GPU"),
        ("300 images/s on a V100", "names no model", "没有提到本程序认识的模型"),
        ("it became 1.8 times faster", "by how many GPUs", "没有说用了几张 GPU"),
        ("resnet50 at 30000 tokens/s on one A100", "no sequence length", "没有给出序列长度"),
        ("DDP is 1.3x faster than DP on an A100", "on how many cards", "用了几张卡"),
        ("A100 上 DDP 比 DP 快 20%", "on how many cards", "用了几张卡"),
        ("HSDP on 16 H100 trains llama_8b at 9 samples/s", "not taken for another strategy", "不会把它当作另一种"),
        ("A100 and V100 reach 300 images/s on resnet50", "without comparing", "没有比较它们"),
        ("7B 训练 on 8 A100 takes 3 h", "how many tokens were trained on", "没有说训练了多少词元"),
        ("7B on an A100: 2 s a step", "how many tokens a step holds", "没有说每步有多少词元"),
        ("ViT-22B on one A100 at 100 images/s", "how many tokens a sample has", "没有说每个样本有多少词元"),
        ("Mixtral 8x7B LoRA on one A100", "mixture of experts", "混合专家"),
        ("a 7B model trains at 300 tokens/s", "names no GPU", "没有提到 GPU"),
    ],
)
def test_the_missing_part_is_named_in_the_language_of_the_reader(text: str, english: str, chinese: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    for language, part in (("en", english), ("zh", chinese)):
        told, remedy = error_text(refused.value, language)  # type: ignore[arg-type]
        assert part in told
        assert remedy
    assert refused.value.text == error_text(refused.value, "en")[0]


def test_what_was_understood_is_told_beside_what_is_missing() -> None:
    with pytest.raises(SaidError) as refused:
        check_claim("resnet50 in AMP at 300 images/s", real_predictor())
    assert "Understood: resnet50 · FP16 AMP · 300/s." in refused.value.text


@pytest.mark.parametrize(
    ("text", "card", "near"),
    [
        ("resnet50 on an RTX 6060: 300 ms a step", "RTX 6060", "RTX 4060"),
        ("BERT-base on GTX 1650, 12 it/s", "GTX 1650", "GTX 1660 Ti"),
        ("B100上bert large每步30ms", "B100", "H100"),
        ("我的4050用amp跑resnet50每秒350张", "4050", "RTX 4070"),
    ],
)
def test_a_card_beyond_the_table_is_named_with_its_nearest_names(text: str, card: str, near: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert f"the card {card}, which is not in the spec table" in refused.value.text
    assert near in refused.value.text
    assert "none of them is taken in its place" in refused.value.text
    assert "不会用其中任何一种代替它" in error_text(refused.value, "zh")[0]


def test_a_card_like_no_other_gets_no_nearest_name() -> None:
    with pytest.raises(SaidError, match="no name there is like it"):
        check_claim("TPU v3 does resnet50 at 3000 images/s", real_predictor())


def test_more_than_linear_is_impossible_with_any_card_and_the_unknown_one_is_named() -> None:
    answer = check_claim("2 RTX 6060 were 3.5 times faster than one on resnet50", real_predictor())
    assert answer.verdict == "impossible"
    assert answer.reasons[-1].code == "claim-unknown-card"


def test_alternatives_are_joined_by_or() -> None:
    precisions = Names(names=("FP32", "TF32", "BF16 AMP"), alternatives=True)
    numbers: dict[str, Value] = {"precisions": precisions, "device": "a", "other": "b", "claimed_ratio": 2.0}
    assert "FP32, TF32 or BF16 AMP" in sentence("claim-ratio-only-with-precision", "en", **numbers)
    assert "FP32、TF32 或 BF16 AMP" in sentence("claim-ratio-only-with-precision", "zh", **numbers)


@pytest.mark.parametrize(
    "text", ["ResNet-50 on a V100 at batch 64 takes -5 ms a step", "ResNet-50 on a V100 trains at -800 images/s"]
)
def test_a_figure_below_zero_is_refused_and_not_read_without_its_sign(text: str) -> None:
    with pytest.raises(SaidError) as refused:
        parse_claim(text, spec_table())
    assert refused.value.reasons[0].code == "claim-number-negative"


def test_a_dash_between_words_is_no_minus() -> None:
    assert parse_claim("ResNet-50 on a V100 - 80 ms a step at batch 64", spec_table()).step_s == 0.08


@pytest.mark.parametrize(
    ("size", "code"),
    [
        ("batch 64.5", "claim-number-form"),
        ("batch size 2^10", "claim-number-form"),
        ("batch=1e12", "claim-number-form"),
        ("batch 64-128", "claim-number-form"),
        ("sequence length 5e2, batch 8", "claim-number-form"),
        ("batch 2000000000000", "claim-number-beyond"),
        ("批大小 9999999999999", "claim-number-beyond"),
        ("batch 0", "claim-number-negative"),
    ],
)
def test_a_size_that_is_no_whole_number_in_reach_is_refused_and_never_read_by_its_first_digits(
    size: str, code: str
) -> None:
    with pytest.raises(SaidError) as refused:
        parse_claim(f"BERT-base, {size}, on one A100 takes 0.5 s a step", spec_table())
    assert refused.value.reasons[0].code == code


@pytest.mark.parametrize(
    ("text", "batch_size", "length"),
    [
        ("ResNet-50 with batch 1k on A100 takes 0.5 s a step", 1024, None),
        ("ResNet-50 在 A100 上批大小 4k 每步 0.5 秒", 4096, None),
        ("GPT-2 small with sequence length 2k, bs 8, takes 80 ms a step on H100", 8, 2048),
        ("ResNet-50, batch 64, on A100: 0.1 s a step", 64, None),
    ],
)
def test_sizes_in_k_are_powers_of_two(text: str, batch_size: int, length: int | None) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.batch_size, claim.sequence_length) == (batch_size, length)


@pytest.mark.parametrize("said", ["scales 15.2x", "scaled to 15.2 times", "scales by about 15.2 ×"])
def test_what_scales_by_a_number_is_that_many_times_as_fast(said: str) -> None:
    claim = parse_claim(f"ResNet-50 on 16 V100 {said}", spec_table())
    assert (claim.count, claim.speed_up_ratio) == (16, 15.2)


@pytest.mark.parametrize(
    "text", ["Can a 4090 train Llama 3 8B LoRA at 900 words per second?", "4090能训练Llama 3 8B LoRA，每秒9000字"]
)
def test_a_speed_whose_figure_is_not_read_is_refused_and_never_answered_as_whether_it_fits(text: str) -> None:
    with pytest.raises(InputError):
        parse_claim(text, spec_table())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("BERT-large at 40% MFU in fp16 on a 1080 Ti", "claim-card-lacks-precision"),
        ("BERT-large takes 2 s a step in fp16 on a 1080 Ti", "claim-card-lacks-precision"),
        ("bf16 made BERT-large 1.5x faster on a 1080 Ti", "claim-card-lacks-precision"),
        ("FP8 is 1.3x faster than BF16 for an 8B on an A100", "claim-card-lacks-precision"),
        ("Llama 8B trains on 4 x 3090 at 300 tokens/s, length 777", "claim-without-trace"),
        ("BERT-large at length 777 fits on a 1080 Ti", "claim-without-trace"),
        ("Llama 8B fits on 4 x 3090", "claim-without-memory"),
    ],
)
def test_what_cannot_be_predicted_names_the_cause(text: str, code: str) -> None:
    """The tests' predictor traces no other length and solves no memory."""
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == code
    assert all("{" not in say(reason, language) for reason in refused.value.reasons for language in ("en", "zh"))


def test_a_card_without_half_precision_is_asked_what_fits_in_single_precision() -> None:
    predictor = dataclasses.replace(real_predictor(), solves_memory=True)
    assert check_claim("BERT-large fits on a 1080 Ti", predictor).reasons[0].code == "claim-fits"
