"""Claims of generated tokens are held against what reading the weights once a token allows."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.generated import cached_bytes_per_token
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
        ("70B inference on one 4090 at 50 tokens/s", "plausible_only_with", "claim-generated-no-room"),
        ("70B generates 5 tokens/s on one 4090", "plausible_only_with", "claim-generated-no-room"),
        ("70B int8 inference on one A100 40GB at 20 tokens/s", "plausible_only_with", "claim-generated-no-room"),
        ("70B int8 inference on 2 A100 40GB at 20 tokens/s", "plausible", "claim-generated-one"),
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


@pytest.mark.parametrize(
    ("length", "verdict"),
    [("", "plausible"), (" at length 1024", "plausible"), (" at length 32768", "plausible_only_with")],
)
def test_a_long_texts_keys_and_values_are_read_with_each_token(length: str, verdict: str) -> None:
    answer = check_claim(f"RTX 4090 generates 55 tokens/s with llama_8b{length}", real_predictor())
    assert answer.verdict == verdict
    read = answer.reasons[0].figure("cache_bytes")
    assert read == (int(length.rsplit(maxsplit=1)[-1]) * 2 * 32 * 8 * 128 * 2 if length else 0)
    assert answer.reasons[0].figure("most_rate") == pytest.approx(1008e9 / (16.06e9 + read), rel=0.01)


@pytest.mark.parametrize(
    ("config", "kept"),
    [
        ({"n_layer": 12, "n_head": 12, "n_embd": 768}, 12 * 768 * 2 * 2),
        (
            {"num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64},
            2 * 2 * 64 * 2 * 2,
        ),
        (
            {"num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "num_attention_heads": 128},
            61 * 576 * 2,
        ),
        ({"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 64, "sliding_window": 4096}, 0),
        ({}, 0),
    ],
    ids=["one of each head", "grouped heads", "compressed", "layers that forget", "nothing told"],
)
def test_what_a_layer_keeps_of_a_token_follows_its_heads(config: dict[str, int], kept: int) -> None:
    assert cached_bytes_per_token(config) == kept


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("Llama-3-8B 在 H100 上 128k 上下文每秒生成 150 token", 131072),
        ("A100 generates 100 tokens/s with Llama 3 8B at 128k context", 131072),
        ("A100 generates 100 tokens/s with Llama 3 8B at a 4096-token context", 4096),
        ("A100 generates 100 tokens/s with Llama 3 8B, context of 32k", 32768),
        ("4090 用 llama_8b 每秒生成 30 个 token，上下文 8192", 8192),
        ("In the context of 8 GPUs, A100 generates 100 tokens/s with Llama 3 8B", None),
    ],
)
def test_a_context_is_the_length_of_the_text(text: str, length: int | None) -> None:
    assert parse_claim(text, spec_table()).sequence_length == length


def test_what_a_long_context_takes_can_make_a_rate_implausible() -> None:
    without = check_claim("A100 generates 100 tokens/s with Llama 3 8B", real_predictor())
    answer = check_claim("A100 generates 100 tokens/s with Llama 3 8B at 128k context", real_predictor())
    assert (without.verdict, answer.verdict) == ("plausible", "plausible_only_with")
