"""Claims of generated tokens are held against what reading the weights once a token allows."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import say
from tests.recommend.real_predictor import real_predictor


@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [
        ("RTX 4090 generates 55 tokens/s with a 7B model", "plausible", "claim-generated-one"),
        ("4090 用 vLLM 推理 7B 模型，每秒 60 token", "plausible", "claim-generated-one"),
        ("4090 推理 7B 模型，每秒生成 55 个 token", "plausible", "claim-generated-one"),
        ("llama.cpp runs a 7B model at 140 tokens/s on an RTX 4090", "plausible_only_with", "claim-generated-several"),
        ("vLLM serves Llama-3-8B on A100 at 2500 tokens/s", "plausible_only_with", "claim-generated-several"),
        ("RTX 4090 generates 3 tokens/s with a 7B model", "below_expected", "claim-generated-below"),
        ("7B inference at 5000 tokens/s on one A100", "plausible", "claim-size-possible"),
    ],
)
def test_a_rate_of_generated_tokens_is_held_against_the_memory(text: str, verdict: str, code: str) -> None:
    answer = check_claim(text, real_predictor())
    assert (answer.verdict, answer.reasons[0].code) == (verdict, code)
    for language in ("en", "zh"):
        assert say(answer.reasons[0], language)


def test_weights_of_fewer_bits_are_read_in_less_time() -> None:
    (reason, *_) = check_claim("RTX 4090 generates 140 tokens/s with a 7B model in 4 bit", real_predictor()).reasons
    assert reason.code == "claim-generated-one"
    assert reason.figure("most_rate") == pytest.approx(1008e9 / 3.5e9, rel=0.01)


def test_tokens_a_second_in_chinese_are_a_rate_and_no_length() -> None:
    claim = parse_claim("H100 上训练 Llama-3-8B，每秒 12000 个 token，bf16", spec_table())
    assert (claim.tokens_per_s, claim.sequence_length, claim.mode) == (12_000, None, "training")
