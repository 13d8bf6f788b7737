"""Claims about a model that is named by its size alone: 7B, 70B."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim, Verdict
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.claims.sized.ways import ways_of
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_judged
from tests.recommend.real_predictor import real_predictor

JUDGED: list[tuple[str, Verdict, str]] = [
    ("Llama-3 70B LoRA on one 4090", "impossible", "claim-size-beyond"),
    ("70B LoRA does not fit on one 4090", "plausible", "claim-size-beyond"),
    ("8B full fine-tune fits on a 24 GB card", "plausible_only_with", "claim-size-only-with"),
    ("一张 4090 无法全参微调 7B 模型", "plausible", "claim-size-only-with"),
    ("13B LoRA on one RTX 4090", "plausible_only_with", "claim-size-only-with"),
    ("13B QLoRA 能在 24GB 显存上跑", "plausible", "claim-size-fits"),
    ("7B LoRA on one 4090", "plausible", "claim-size-fits"),
    ("7B LoRA does not fit on one 4090", "plausible_only_with", "claim-size-fits"),
    ("70B full fine-tuning on 8 H100 with FSDP", "plausible_only_with", "claim-size-only-with"),
    ("70B full fine-tuning on 8 H100 with DDP", "impossible", "claim-size-beyond"),
    ("70B inference on two 4090 in 4 bit", "plausible", "claim-size-fits"),
    ("65B full fine-tune on one 3090 with CPU offload", "plausible_only_with", "claim-size-offloaded"),
    ("7B at 30000 tokens/s on one A100", "impossible", "claim-size-impossible"),
    ("7B model trained on 1T tokens on 8 A100 in 2 days", "impossible", "claim-size-impossible"),
    ("13B at 2000 tokens/s on one A100", "plausible_only_with", "claim-size-expected"),
    ("13B at 12000 tokens/s on 8 A100 80GB", "plausible", "claim-size-expected"),
    ("7B at 7500 tokens/s on one A100", "plausible_only_with", "claim-size-above"),
    ("7B at 90 tokens/s on one A100 SXM 80GB", "below_expected", "claim-size-below"),
    ("7B at 30000 tokens/s on one H100 SXM", "plausible_only_with", "claim-size-only-fp8"),
    ("7B inference at 5000 tokens/s on one A100", "plausible", "claim-size-possible"),
    ("ViT 22B, length 256, at 1000000 images/s on one A100", "impossible", "claim-size-impossible"),
]


@pytest.mark.parametrize(("text", "verdict", "code"), JUDGED, ids=[text for text, _, _ in JUDGED])
def test_a_model_named_by_its_size_is_judged_by_what_its_parameters_need(
    text: str, verdict: Verdict, code: str
) -> None:
    assert_judged(text, verdict, code)


def test_a_time_without_tokens_is_told_how_many_the_peak_allows() -> None:
    with pytest.raises(SaidError) as refused:
        check_claim("8 A100 SXM 80GB train a 7B model in 3 hours", real_predictor())
    # 8 x 312e12 x 1.03 FLOP/s x 10,800 s over 6 x 7e9 FLOP a token.
    assert "at most 661 M tokens" in refused.value.text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("7B on a 4090", 7e9),
        ("Qwen2.5-0.5B on a 4090", 0.5e9),
        ("1.3 billion parameters on a 4090", 1.3e9),
        ("70亿参数的模型能在4090上微调", 7e9),
        ("a 350M parameter model fits a 3090", 350e6),
        ("trained on 300B tokens, 7B, on 8 A100 in 3 days", 7e9),
    ],
)
def test_a_size_is_read_from_billions_and_never_from_tokens(text: str, read: float) -> None:
    assert parse_claim(f"{text}, fits", spec_table()).parameters == read


def test_a_model_that_is_known_by_name_is_judged_as_itself_where_its_size_agrees() -> None:
    named = check_claim("BERT-base (110M parameters) at 30 ms a step, batch 32, FP32, on a V100", real_predictor())
    assert named.claim.workload == "bert_base_sst2"


def test_eight_cards_are_no_eight_hours() -> None:
    claim = parse_claim("8 H100 train BERT-large in 20 minutes", spec_table())
    assert (claim.count, claim.job_s) == (8, 1200.0)


def test_ways_to_train_keep_ever_less() -> None:
    for claim in (Claim(), Claim(trainable="lora"), Claim(mode="inference")):
        kept = [way.parameter_bytes for way in ways_of(claim)]
        assert kept == sorted(kept, reverse=True)
    assert [round(way.parameter_bytes) for way in ways_of(Claim())] == [16, 8, 6, 4, 2]


def test_a_rate_of_each_of_several_cards_is_not_held_against_the_memory_of_one() -> None:
    answer = check_claim("7B trains at 3900 tokens/s/GPU on A100 SXM 80GB", real_predictor())
    assert answer.verdict == "plausible"
    assert [reason.code for reason in answer.reasons] == ["claim-size-expected", "claim-size-of-several"]
    alone = check_claim("7B trains at 3900 tokens/s on one A100 SXM 80GB", real_predictor())
    assert alone.verdict == "plausible_only_with"


def test_zero_2_keeps_the_weights_whole_on_each_card() -> None:
    answer = check_claim("two 3090s can train a 3B model with ZeRO-2", real_predictor())
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", "claim-size-only-with")
    assert "claim-size-zero2" in {reason.code for reason in answer.reasons}
    need = {
        way: check_claim(f"8x A100 80GB can train a 7B model with {way}", real_predictor())
        .reasons[0]
        .numbers["need_bytes"]
        for way in ("ZeRO-2", "ZeRO-3")
    }
    assert need["ZeRO-3"] == pytest.approx(16 * 7e9)
    assert need["ZeRO-2"] == pytest.approx((2 * 8 + 14) * 7e9)


def test_what_leaves_no_room_for_activations_hardly_fits() -> None:
    assert_judged("RTX A6000 48GB can do full finetune of a 3B model", "plausible_only_with", "claim-size-hardly")
    assert_judged("RTX A6000 48GB can do full finetune of a 2B model", "plausible", "claim-size-fits")


def test_a_rate_a_second_and_card_is_one_of_each_card() -> None:
    claim = parse_claim("4张A6000训练Llama-7B全参，每秒每卡900 token", spec_table())
    assert (claim.count, claim.tokens_per_s) == (4, 3600.0)


def test_nanogpts_size_is_gpt_2() -> None:
    claim = parse_claim("llm.c: 124M, 10B tokens, 1x H100, about 6 hours", spec_table())
    assert (claim.workload, claim.trained_tokens, claim.job_s) == ("gpt2_small", 1e10, 6 * 3600.0)


def test_gradients_and_states_are_of_a_training() -> None:
    assert_judged("A 1.3B GPT needs 21GB just for weights, grads and Adam states", "plausible", "claim-need-bare")
    assert_judged("7B的权重要 14 GB", "plausible", "claim-need-bare")
