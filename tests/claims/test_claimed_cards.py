"""How many cards a claim is of, how they share the work, and which bundled model it names."""

from __future__ import annotations

import dataclasses

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import Strategy
from advisor.claims.judge import check_claim
from advisor.claims.predictor import Predictor
from advisor.claims.reading.reader import parse_claim
from advisor.core.errors import InputError
from advisor.core.sentences import Names, SaidError, say
from advisor.workload.workload_file import bundled_names
from tests.recommend.real_predictor import real_predictor


def predictor_with_memory() -> Predictor:
    return dataclasses.replace(real_predictor(), solves_memory=True, _tables={})


@pytest.mark.parametrize("key", sorted(spec_table()))
@pytest.mark.parametrize("words", ["resnet50 on 4 {} at 900 images/s", "resnet50, {} x 4, 900 images/s"])
def test_the_number_beside_any_card_of_the_table_is_how_many_there_are(key: str, words: str) -> None:
    spec = spec_table()[key]
    claim = parse_claim(words.format(spec.name.partition(" (")[0]), spec_table())
    assert key in claim.gpus
    assert claim.count == 4


@pytest.mark.parametrize("key", ["v100-sxm2-32", "a6000", "rtx4090", "mi250", "h100-sxm"])
@pytest.mark.parametrize("model", ["ResNet-50", "ResNet 50", "resnet50", "GPT-2", "GPT 2", "ViT-B/16", "Qwen-2"])
def test_the_number_of_a_model_s_name_is_no_number_of_cards(model: str, key: str) -> None:
    claim = parse_claim(f"{model} {spec_table()[key].name} 800 images/s", spec_table())
    assert claim.count is None


@pytest.mark.parametrize(
    "text", ["-3 V100 train ResNet-50 at 1400 images/s", "0 A6000: resnet50 at 90 images/s", "0 GPUs"]
)
def test_no_card_or_fewer_is_refused_as_such(text: str) -> None:
    with pytest.raises(InputError, match="zero or below"):
        parse_claim(text, spec_table())


def test_a_bullet_is_no_minus() -> None:
    assert parse_claim("- 3 V100 train ResNet-50 at 1400 images/s", spec_table()).count == 3


STRATEGIES: list[tuple[str, Strategy]] = [
    ("DDP", "ddp"),
    ("DistributedDataParallel", "ddp"),
    ("nn.DataParallel", "dp"),
    ("FSDP", "fsdp"),
    ("FSDP2 full shard", "fsdp"),
    ("FULL_SHARD", "fsdp"),
    ("Fully Sharded Data Parallel", "fsdp"),
    ("ZeRO-3", "fsdp"),
    ("zero 3", "fsdp"),
    ("DeepSpeed ZeRO Stage-3", "fsdp"),
    ("zero_stage=3", "fsdp"),
    ("deepspeed stage 2", "zero2"),
    ("ZeRO-2", "zero2"),
    ("zero2", "zero2"),
    ("SHARD_GRAD_OP", "zero2"),
    ("ZeRO-3 with CPU offload", "fsdp_offload"),
    ("FSDP with offloading", "fsdp_offload"),
    ("ZeRO-Infinity", "fsdp_offload"),
    ("DeepSpeed ZeRO-3 卸载", "fsdp_offload"),
]


@pytest.mark.parametrize(("words", "meant"), STRATEGIES, ids=[words for words, _ in STRATEGIES])
def test_a_strategy_is_read_in_the_words_of_its_frameworks(words: str, meant: Strategy) -> None:
    assert parse_claim(f"{words} on 8 A100 trains llama_8b at 9 samples/s", spec_table()).strategy == meant


@pytest.mark.parametrize("words", ["HSDP", "hybrid shard", "ZeRO-1", "DeepSpeed stage 1", "tensor parallel 8"])
def test_a_strategy_that_is_not_predicted_is_named_and_never_another(words: str) -> None:
    with pytest.raises(InputError, match="not taken for another strategy"):
        parse_claim(f"{words} on 8 A100 trains llama_8b at 9 samples/s", spec_table())


@pytest.mark.parametrize(
    ("text", "after", "before", "ratio"),
    [
        ("zero-3 is 2 times slower than DDP for gpt2_small on 4 A100", "fsdp", "ddp", 0.5),
        ("DDP is 1.3 times faster than DataParallel on 2 3090 with bert_base_sst2", "ddp", "dp", 1.3),
        ("going from DP to DDP made resnet50 1.5x faster on 4 V100", "ddp", "dp", 1.5),
        ("双卡 3090 上 bert-base 的 DDP 比 DataParallel 快 20%", "ddp", "dp", 1.2),
    ],
)
def test_two_strategies_are_held_against_each_other_on_the_same_cards(
    text: str, after: str, before: str, ratio: float
) -> None:
    answer = check_claim(text, real_predictor())
    claim, expected = answer.claim, answer.expected_ratio
    assert (claim.strategy, claim.reference_strategy, claim.speed_up_ratio) == (after, before, ratio)
    assert answer.reasons[0].code.startswith("claim-change-")
    assert expected is not None
    assert expected.low < expected.value < expected.high


@pytest.mark.parametrize("name", sorted(bundled_names()))
def test_every_bundled_workload_is_known_by_its_key(name: str) -> None:
    workload = parse_claim(f"{name} takes 90 ms a step on a 4090", spec_table()).workload
    assert workload == name


def test_tokens_a_second_of_a_known_model_are_samples_of_its_own_length() -> None:
    answer = check_claim("gpt2_small on one 4090: 102400 tok/s", real_predictor())
    assert answer.claim.samples_per_s == pytest.approx(100)


def test_a_rate_of_each_card_is_that_of_all_together() -> None:
    claim = parse_claim("8xA100 80GB gpt2 at 12k tokens/s/GPU", spec_table())
    assert claim.tokens_per_s == pytest.approx(96_000)


def test_a_training_of_so_many_tokens_has_the_steps_of_these_not_of_the_bundled_data() -> None:
    answer = check_claim("GPT-2 on 8 A100 SXM 40GB takes 4 days for 300B tokens at batch 12", real_predictor())
    # 4 x 86,400 s over 300e9 / 1,024 / 96 steps.
    assert answer.claimed_step_s == pytest.approx(345_600 / (300e9 / 1024 / 96), rel=1e-3)


@pytest.mark.parametrize(
    "text", ["600k iterations took 4 days", "600k steps in 4 days", "it took 4 days for 600k steps"]
)
def test_so_many_steps_in_a_time_are_a_time_of_each(text: str) -> None:
    claim = parse_claim(f"GPT-2 on 8 A100 at batch 12, {text}", spec_table())
    assert claim.step_s == pytest.approx(0.576)


def test_where_no_card_holds_a_copy_the_claim_is_judged_sharded_and_says_so() -> None:
    answer = check_claim("8 A100 80GB train llama_8b at 20000 tokens/s", predictor_with_memory())
    assert "claim-with-sharding" in {reason.code for reason in answer.reasons}
    assert "FSDP" in " ".join(say(reason, "en") for reason in answer.reasons)


def test_a_rate_of_a_size_that_does_not_fit_says_so_beside_the_speed() -> None:
    answer = check_claim("7B on one 4090 at 2000 tokens/s", real_predictor())
    assert [reason.code for reason in answer.reasons] == ["claim-size-expected", "claim-size-only-with"]
    assert answer.verdict == "plausible_only_with"


def test_the_range_by_size_is_of_more_than_one_shape_of_model() -> None:
    answer = check_claim("7B on 8 A100 80GB at 20000 tokens/s", real_predictor())
    assert "Llama 2 7B pre-training, Llama 3 8B" in say(answer.reasons[0], "en")


def test_a_change_is_said_of_the_family_where_no_variant_is_named() -> None:
    answer = check_claim("torch.compile makes ResNet-50 1.1x faster on an A100", real_predictor())
    assert "on A100 torch.compile" in say(answer.reasons[0], "en")


def test_what_fits_is_held_against_the_memory_that_a_step_can_take() -> None:
    answer = check_claim("batch 512 of resnet50 fits on a 4090", predictor_with_memory())
    assert "22.5 GiB to give" in say(answer.reasons[0], "en")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("16 A100 40GB train Llama-2-7B at 40000 tokens/s", "16 × A100 40 GB in BF16 AMP"),
        ("7B at 100000 tokens/s on one A100", "A100 has a peak of 312 TFLOP/s"),
        ("8 H100 train a 7B model at 60000 tokens/s", "8 × H100 SXM5 80 GB in BF16 AMP"),
        ("GPT-2 takes 200 ms a step at batch 8 on one H100", "on H100 "),
        ("GPT-2 takes 200 ms a step at batch 8 on one H100 NVL", "on H100 NVL 94 GB "),
        ("BERT-base takes 100 ms a step at batch 32 on an A100 80GB", "on A100 80 GB "),
    ],
)
def test_a_card_whose_variant_is_not_said_is_named_without_one_unless_a_figure_is_of_one(text: str, named: str) -> None:
    said = " ".join(say(reason, "en") for reason in check_claim(text, real_predictor()).reasons)
    assert named in said


def test_an_impossible_step_names_the_variant_whose_peak_is_told() -> None:
    (reason, *_) = check_claim("GPT-2 takes 1 ms a step at batch 8 on one H100", real_predictor()).reasons
    assert reason.code == "claim-impossible-step"
    by_name = {spec.name: spec for spec in spec_table().values()}
    assert reason.figure("peak_flop_per_s") == by_name[str(reason.numbers["device"])].bf16_flop_per_s


def test_a_time_is_judged_by_the_samples_that_are_told_and_not_by_those_of_the_bundled_data() -> None:
    told = "an epoch of GPT-2 over 1000 samples takes 2 minutes on a T4 in FP16 AMP"
    assert check_claim(told, real_predictor()).verdict == "plausible"
    assert check_claim(told.replace("1000", "100k"), real_predictor()).verdict == "impossible"
    sized = "a 7B model is fine-tuned on 1000 samples of 2048 tokens in 5 minutes on one H100 SXM"
    assert check_claim(sized, real_predictor()).verdict != "impossible"
    assert check_claim(sized.replace("1000", "100k"), real_predictor()).verdict == "impossible"


def test_which_cards_a_name_with_several_variants_stands_for_is_said() -> None:
    said = check_claim("16 A100 train ResNet-50 at 40000 images/s", real_predictor()).reasons[-1]
    assert said.code == "claim-all-variants"
    names = tuple(spec.name for key, spec in spec_table().items() if key.startswith("a100-"))
    assert said.numbers == {"card": "A100", "names": Names(names=names)}
    by_memory = check_claim("QLoRA of llama 8b fits on one 16 GB card", predictor_with_memory()).reasons
    assert "claim-all-variants" not in {reason.code for reason in by_memory}
    one = check_claim("16 A100 SXM4 80 GB train ResNet-50 at 40000 images/s", real_predictor()).reasons
    assert "claim-all-variants" not in {reason.code for reason in one}


@pytest.mark.parametrize(
    ("text", "keys", "count"),
    [
        ("4x4090 train resnet50 at 4000 images/s", ("rtx4090",), 4),
        ("resnet50 on 12x4090D at 9000 img/s", ("rtx4090d",), 12),
        ("unet at 1920x1080 on one 3090: 30 images/s", ("rtx3090",), 1),
    ],
)
def test_a_bare_card_is_read_behind_its_count_and_never_in_the_sides_of_a_picture(
    text: str, keys: tuple[str, ...], count: int
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.gpus, claim.count, claim.unknown_gpus) == (keys, count, ())


def test_a_card_whose_clock_is_not_published_is_refused_for_that_and_not_for_its_precision() -> None:
    with pytest.raises(SaidError) as refused:
        check_claim("resnet-50 trains at 1000 images/s on an H20 in fp16", real_predictor())
    assert [reason.code for reason in refused.value.reasons] == ["predict-missing-figures"]
    assert "boost_clock_hz" in refused.value.text


@pytest.mark.parametrize(
    "text", ["H20 训练 7B 比 H800 慢 3 倍", "H800 is 3x faster than H20", "H20 is slower than H800"]
)
def test_a_card_whose_figures_are_missing_is_refused_by_these_beside_another(text: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    reason = refused.value.reasons[0]
    assert reason.code == "predict-missing-figures"
    assert reason.numbers == {"gpu": "H20 96 GB", "fields": "boost_clock_hz"}


@pytest.mark.parametrize(
    "text",
    [
        "RTX 5090 D trains ResNet-50 at 1500 images/s in FP16",
        "RTX 5090 D is twice an RTX 4090 for ResNet-50 in BF16",
        "RTX 4090 is faster than a 5090D for BERT-large",
        "Llama 3 8B LoRA fits on one RTX 5090 D",
    ],
)
def test_nothing_is_judged_of_a_card_whose_tensor_cores_rate_nobody_told(text: str) -> None:
    with pytest.raises(SaidError, match="fp16_flop_per_s"):
        check_claim(text, real_predictor())


def test_its_fp32_is_judged() -> None:
    assert (
        check_claim("RTX 5090 D in FP32 trains ResNet-50 at 10000 images/s", real_predictor()).verdict == "impossible"
    )
