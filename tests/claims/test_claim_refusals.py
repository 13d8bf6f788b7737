"""What is said of a claim that cannot be judged: the missing part, and what was understood."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import Names, SaidError, Value, error_text, sentence
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("Two cards are slower than one", "not by how much", "没有说快慢多少"),
        ("两张卡比一张还慢", "not by how much", "没有说快慢多少"),
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
        ("resnet50 on an RTX 4060: 300 ms a step", "RTX 4060", "RTX 4070"),
        ("BERT-base on RTX 5060, 12 it/s", "RTX 5060", "RTX 5070"),
        ("H800上bert large每步30ms", "H800", "H100"),
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
    answer = check_claim("2 RTX 4060 were 3.5 times faster than one on resnet50", real_predictor())
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
