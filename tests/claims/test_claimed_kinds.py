"""Kinds of claims that were once read as another one: what is left open, unread, denied, or no speed at all."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim, Verdict
from advisor.claims.judge import check_claim
from advisor.claims.overlooked.otherwise import left_out, other_reading
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.claims.judged import assert_readable
from tests.recommend.real_predictor import real_predictor


def read(text: str) -> Claim:
    return parse_claim(text, spec_table())


def refused_as(text: str) -> str:
    with pytest.raises(SaidError) as refused:
        read(text)
    return refused.value.reasons[0].code


OPEN = [
    ("8 A100 with torch.compile: 1.3x", "change", 8),
    ("8x A100 80GB with bf16: 2.5x", "change", 8),
    ("8 张 A100 训练 GPT-2，开 torch.compile 后快了 1.3 倍", "change", 8),
    ("4 张 V100 用 channels_last 训练 ResNet-50 快了 1.2 倍", "change", 4),
]


@pytest.mark.parametrize(("text", "taken", "count"), OPEN, ids=[text for text, _, _ in OPEN])
def test_cards_beside_one_change_are_judged_in_the_way_that_alone_holds(text: str, taken: str, count: int) -> None:
    answer = check_claim(text, real_predictor())
    said = next(reason for reason in answer.reasons if reason.code == "claim-read-otherwise")
    assert (answer.verdict, said.numbers["taken"], answer.claim.reference_count) == ("plausible", taken, count)
    assert_readable(answer)


@pytest.mark.parametrize(
    "text", ["4 GPUs with compile gave 3.2x", "4 A100 in bf16 scale 3.6x", "开了 AMP，4 卡加速比 3.6"]
)
def test_cards_that_hold_by_themselves_stay_held_against_one(text: str) -> None:
    answer = check_claim(text, real_predictor())
    assert (answer.verdict, answer.claim.reference_count) == ("plausible", 1)
    assert answer.reasons[0].code == "claim-efficiency-plausible"


def test_nothing_is_left_open_where_one_card_or_scaling_is_named() -> None:
    specs = spec_table()
    for text in ("8 A100 in bf16 are 7x as fast as one", "4 A100 with bf16 scale 3.6x", "1.3x from 1 to 8 A100, bf16"):
        assert other_reading(read(text), specs) is None


FLOP_RATES: list[tuple[str, float, bool | None, Verdict]] = [
    ("GPT-3 175B training reached 102 TFLOPS per GPU on A100", 102e12, True, "plausible"),
    ("Training a 70B on H800, 400 TFLOP/s per card", 400e12, True, "plausible"),
    ("H800 训练 70B，每卡 400 TFLOPS", 400e12, True, "plausible"),
    ("a 7B on 8 A100 SXM 80GB reaches 1.1 PFLOPS", 1.1e15, None, "plausible"),
    ("7B 在 A100 上跑到 350 TFLOPS", 350e12, None, "impossible"),
]


@pytest.mark.parametrize(("text", "rate", "each", "verdict"), FLOP_RATES, ids=[text for text, *_ in FLOP_RATES])
def test_flop_a_second_are_judged_as_a_share_of_the_peak(
    text: str, rate: float, each: bool | None, verdict: Verdict
) -> None:
    answer = check_claim(text, real_predictor())
    assert answer.claim.flop_per_s == pytest.approx(rate)
    assert (answer.claim.per_card, answer.claim.fits) == (each, None)
    assert answer.verdict == verdict
    assert answer.reasons[-1].code in {"claim-mfu-of-rate", "claim-all-variants"}
    assert_readable(answer)


def test_the_peak_of_a_card_is_no_rate_that_a_training_reaches() -> None:
    assert refused_as("the 4090 has a peak of 165 TFLOPS") == "claim-without-figure"
    assert refused_as("4090 的理论峰值是 165 TFLOPS") == "claim-without-figure"


OTHERS = [
    ("accuracy improved 5 % with bf16", "accuracy"),
    ("bf16 让准确率提高了 5%", "准确率"),
    ("fine-tuning llama 8b with lora on an H100 costs $12", "costs $12"),
    ("用 4090 微调 Llama 8B 要 300 元", "300 元"),
    ("Llama 70B 在 H100 上训练耗电 2000 度", "耗电"),
    ("loss 下降快了两倍", "loss 下降快"),
    ("time to first token is 200 ms for Llama 70B on 4xH100", "time to first token"),
    ("the model converges 2x faster with batch 64 than with batch 256", "converges"),
]


@pytest.mark.parametrize(("text", "quantity"), OTHERS, ids=[text for text, _ in OTHERS])
def test_what_is_no_speed_and_no_memory_is_refused_by_its_name(text: str, quantity: str) -> None:
    with pytest.raises(SaidError) as refused:
        read(text)
    first = refused.value.reasons[0]
    assert (first.code, first.numbers["quantity"]) == ("claim-other-quantity", quantity)


@pytest.mark.parametrize(
    "text",
    [
        "bf16 trains BERT 2x faster on an A100 without loss of accuracy",
        "I rent an H100 for $2.5/h and fine-tune Llama 3 8B with LoRA at 1200 tokens/s",
        "4 块 3090 放得下 7B 的 LoRA",
        "gradient checkpointing costs 30 % on an A100",
    ],
)
def test_such_words_beside_a_speed_or_memory_refuse_nothing(text: str) -> None:
    assert read(text).text == text


def test_no_figure_is_passed_over_for_what_may_fit() -> None:
    assert refused_as("7B training on 64 A800 keeps 80 % of its links busy") == "claim-figure-unread"
    assert refused_as("4090 上微调 7B 的 GPU 显存带宽用了 80%") == "claim-figure-unread"
    assert read("70B QLoRA on one A100 80GB").fits is True


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("Fully fine-tuned a 7B on a single RTX 4090, no offload", "offload"),
        ("一张 4090 不卸载也能全参微调 7B", "offload"),
        ("ResNet-50 at 800 images/s on one V100 without torch.compile", "compile"),
        ("V100 上 ResNet-50 每秒 800 张，没有用 channels_last，不用 torch.compile", "compile"),
    ],
)
def test_what_is_told_as_left_out_is_not_taken_as_there(text: str, field: str) -> None:
    assert not getattr(read(text), field)


def test_a_ratio_of_what_is_left_out_is_turned_round() -> None:
    claim = read("without torch.compile training is 20 % slower on an A100")
    assert claim.compile is True
    assert claim.speed_up_ratio == pytest.approx(1.25)


EPOCHS = [
    ("ResNet-50 on ImageNet for 90 epochs, 8 V100, took 4 hours", 160.0),
    ("ImageNet 上 ResNet-50 训练 90 个 epoch，8 张 V100 用了 4 小时", 160.0),
    ("BERT-base 在 SST-2 上微调 3 个 epoch，3090 用了 6 分钟", 120.0),
    ("BERT-base on a 3090, 3 epochs, 6 minutes each epoch", 360.0),
    ("3090 上 BERT-base 训练 3 轮，每轮 6 分钟", 360.0),
]


@pytest.mark.parametrize(("text", "seconds"), EPOCHS, ids=[text for text, _ in EPOCHS])
def test_a_time_of_so_many_epochs_is_shared_among_them_wherever_they_are_counted(text: str, seconds: float) -> None:
    assert read(text).epoch_s == pytest.approx(seconds)


def test_named_samples_and_epochs_give_the_tokens_of_a_size() -> None:
    claim = read("llama-2-13b full finetune on 8xA100-80G takes 5 hours for 52k alpaca samples, 3 epochs, length 512")
    assert (claim.passed_tokens, claim.epoch_s) == (52_000 * 512, 6000.0)


def test_words_between_a_second_and_its_figure_are_passed() -> None:
    assert read("T4 上训练 ViT-B 每秒只有 60 张图").samples_per_s == 60
    assert read("4060 Ti 16G 微调 bert-base 每秒能跑 12 个 step，batch 32").step_s == pytest.approx(1 / 12)
    assert read("一张 3060 每秒训练 ResNet-50 十万张图").samples_per_s == 100_000
    assert read("7B 在 64 张 A800 上训练，MFU 能到 55%").mfu_fraction == pytest.approx(0.55)
    assert read("flash attention 2 让 8K 长度训练快了 3 倍").sequence_length == 8192


def test_as_much_throughput_is_a_comparison() -> None:
    claim = read("4 L40S have the same throughput as 2 A100 for ViT-B")
    assert (claim.count, claim.reference_count, claim.speed_up_ratio) == (4, 2, 1.0)
    assert read("4 张 L40S 的吞吐和 2 张 A100 差不多，ViT-B").speed_up_ratio == 1.0


LEFT_OUT = [
    ("8 H100 over 1 GbE are 7x as fast as one", ("1 gbe",)),
    ("32 张 H100 用千兆以太网训练 8B，加速比 28", ("千兆以太网",)),
    ("ResNet-50 inference at 4,000 img/s on a T4 with TensorRT INT8", ("tensorrt", "int8")),
    ("BERT-base on a 3090: 300 samples/s in FP16", ()),
    ("3090 上 BERT-base 每秒 300 条，FP16，显卡占用 95%", ("95%",)),
]


@pytest.mark.parametrize(("text", "words"), LEFT_OUT, ids=[text for text, _ in LEFT_OUT])
def test_what_a_reading_does_not_depend_on_is_told(text: str, words: tuple[str, ...]) -> None:
    assert left_out(read(text), spec_table()) == words


def test_a_gain_too_small_over_fp32_may_be_one_over_tf32() -> None:
    answer = check_claim("bf16 is 1.5x as fast as fp32 for GPT-2 on an A100 SXM 80GB", real_predictor())
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", "claim-only-over-tf32")
    on_volta = check_claim("fp16 is 1.2x as fast as fp32 for GPT-2 on a V100 SXM2 32GB", real_predictor())
    assert on_volta.verdict == "below_expected"


def test_a_round_figure_just_outside_the_range_is_no_fault() -> None:
    answer = check_claim("FSDP is 20 % slower than DDP for gpt2 on 8 A100 SXM4 80GB", real_predictor())
    assert answer.verdict == "plausible"
    assert "claim-told-round" in {reason.code for reason in answer.reasons}
    assert (
        check_claim("FSDP is 40 % slower than DDP for gpt2 on 8 A100 SXM4 80GB", real_predictor()).verdict
        == "below_expected"
    )


def test_adapters_need_their_hundredth_of_the_memory_too() -> None:
    answer = check_claim("40B LoRA on one A100 80GB", real_predictor())
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", "claim-size-only-with")


@pytest.mark.parametrize(
    "text",
    [
        "our run: 3.2 it/s, global batch 256, vit-base, 4x4090, bf16",
        "4 张 4090，全局 batch size 256，ViT-B bf16，3.2 it/s",
        "4x4090, vit-base in bf16, total batch size of 256 at 3.2 steps/s",
    ],
)
def test_a_batch_of_all_cards_is_shared_among_them(text: str) -> None:
    claim = read(text)
    assert (claim.batch_size, claim.count) == (64, 4)
    assert read("4x4090, vit-base in bf16, batch 256 at 3.2 steps/s").batch_size == 256


def test_long_times_and_small_numbers_are_read_in_words() -> None:
    years = read("Training a 7B on one 3090 would take 300 years for 2T tokens").job_s
    assert years == read("单张 3090 训练 7B，2T token 要 300 年").job_s == pytest.approx(300 * 31_557_600)
    assert read("7B 在 2023 年用 64 张 A100 训练，1T token 花了三周").job_s == pytest.approx(3 * 604_800)
    assert read("Two epochs over ImageNet on 4 A100s took 11 minutes, ResNet-50").epoch_s == pytest.approx(330)
    assert read("4 张 A100 两个 epoch 只要 11 分钟，ResNet-50").epoch_s == pytest.approx(330)


def test_a_throughput_that_went_up_or_down_is_a_ratio() -> None:
    assert read("torch.compile: ViT-B throughput up 25% on a 3090").speed_up_ratio == pytest.approx(1.25)
    assert read("checkpointing: throughput dropped by 30 % on BERT, A100").speed_up_ratio == pytest.approx(0.7)


def test_millions_of_a_model_are_its_parameters() -> None:
    for text in ("a 300M model on 6B tokens took 10h on 2 4090s", "两张 4090 用 10 小时训练 300M 模型 6B token"):
        claim = read(text)
        assert (claim.parameters, claim.trained_tokens, claim.job_s) == (3e8, 6e9, 36_000.0)


def test_what_a_card_lacks_is_not_what_it_computed_in() -> None:
    assert read("V100 不支持 bf16，用 fp16 训练 GPT-2 快了 2 倍").precision == "fp16_amp"
    assert read("A T4 doesn't support bf16, BERT-base runs at 100 samples/s in fp16").precision == "fp16_amp"
    assert read("3060 12G 训练不了 batch 32、长度 512 的 BERT-large").fits is False


def test_a_change_whose_unit_stands_behind_one_end_is_read_whole() -> None:
    for text in (
        "We cut ResNet-50 training from 14 hours to 2 by moving from one V100 to eight",
        "ResNet-50 training went from 14 to 2 hours with eight V100 instead of one",
        "从一张 V100 换成八张，ResNet-50 训练从 14 小时缩短到 2 小时",
    ):
        claim = read(text)
        assert (claim.count, claim.reference_count) == (8, 1)
        assert claim.speed_up_ratio == pytest.approx(7)


@pytest.mark.parametrize(
    "text",
    [
        "The first epoch of ResNet-50 on a V100 took 12 minutes and the second 4 minutes",
        "V100 上 ResNet-50 第一轮用了 12 分钟，第二轮 4 分钟",
        "ResNet-50 on a V100: 400 images/s in the morning, later it fell to 300",
    ],
)
def test_one_of_two_figures_alike_is_not_judged_without_the_other(text: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(text, real_predictor())
    assert refused.value.reasons[0].code == "claim-figure-unread"


@pytest.mark.parametrize(
    "text",
    [
        "Per-GPU throughput dropped from 11.2k to 9.1k tok/s when we scaled the 8B from 8 to 128 H100s",
        "从 8 卡扩展到 128 卡 H100 训练 8B，每卡吞吐从 11.2k 降到 9.1k tokens/s",
    ],
)
def test_a_speed_of_each_card_on_both_sides_is_of_all_of_them(text: str) -> None:
    claim = read(text)
    assert (claim.count, claim.reference_count) == (128, 8)
    assert claim.speed_up_ratio == pytest.approx(16 * 9.1 / 11.2)


def test_a_rate_of_each_card_is_told_in_chinese_too() -> None:
    assert read("8 卡 3090 全参微调 13B，ZeRO-3，每卡 300 token/s").tokens_per_s == 2400


def test_steps_are_counted_in_millions_and_anywhere() -> None:
    assert read("BERT-base for 1M steps at batch 256 in 4 days on 16 V100s").step_s == pytest.approx(0.3456)
    assert read("BERT-base，16 张 V100，batch 256，100 万步，用了 4 天").step_s == pytest.approx(0.3456)


def test_what_was_removed_is_held_against_having_it() -> None:
    claim = read("Removing gradient checkpointing made it 30% faster, Llama 8B on H100")
    assert (claim.activation_checkpointing, claim.reference_activation_checkpointing) == ("none", "full")
    assert read("Disabling torch.compile cost us 18% on H100 for GPT-2").speed_up_ratio == pytest.approx(1.18)


def test_pure_sixteen_bits_are_no_autocast() -> None:
    claim = read("With pure bf16 instead of AMP we save 40% memory on Llama 8B")
    assert (claim.precision, claim.reference_precision) == ("bf16_true", "fp16_amp")
    assert read("纯 bf16 训练 Llama 8B，H100 上每秒 9000 token").precision == "bf16_true"


def test_an_upgraded_link_is_no_scaling() -> None:
    assert refused_as("Upgrading from PCIe 3 to PCIe 4 gave 12% on 4x3090 DDP") == "claim-change-unjudged"
    assert refused_as("PCIe 3.0 换成 4.0，4 张 3090 的 DDP 快了 12%") == "claim-change-unjudged"


def test_two_cards_may_stand_on_either_side_of_a_mere_figure() -> None:
    claim = read("H100: 1.9x A100")
    assert (claim.speed_up_ratio, "h100-sxm" in claim.gpus, "a100-sxm4-80" in claim.reference_gpus) == (1.9, True, True)


def test_two_speeds_in_two_precisions_are_held_against_each_other() -> None:
    claim = read("H100 上 7B 预训练 BF16 每卡 3900 token/s，FP8 每卡 5600 token/s")
    assert (claim.precision, claim.reference_precision) == ("fp8", "bf16_amp")
    assert claim.speed_up_ratio == pytest.approx(5600 / 3900)
    claim = read("ResNet-50 on a V100: 390 images/s in FP32, 800 images/s with AMP")
    assert (claim.precision, claim.reference_precision) == ("fp16_amp", "fp32")
    claim = read("7B pretraining: 3.9k tok/s/GPU w/ BF16 vs 5.6k w/ FP8 on H100")
    assert (claim.precision, claim.reference_precision) == ("bf16_amp", "fp8")
    assert claim.speed_up_ratio == pytest.approx(3900 / 5600)


def test_a_size_before_an_epoch_counts_none() -> None:
    claim = read("Our H100 node (8 GPUs) finished a GPT-2 124M epoch of 9B tokens in 1.5 hours")
    assert (claim.parameters, claim.epoch_s or claim.job_s) == (1.24e8, 5400.0)


def test_integers_are_no_precision_of_a_training() -> None:
    assert refused_as("Going from FP16 to INT8 inference doubled throughput on T4") == "claim-change-unjudged"


def test_the_batch_of_an_argument_is_read() -> None:
    claim = read("2.31it/s for roberta-large, per_device_train_batch_size=16, A100, bf16")
    assert claim.batch_size == 16


def test_a_rate_is_no_card_and_a_card_may_be_written_apart() -> None:
    for text in ("A6000 x2, LLaMA 13B LoRA, 1,050 tok/s", "双 A6000 LoRA 微调 13B，每秒 1050 个 token"):
        claim = read(text)
        assert (claim.count, claim.unknown_gpus, claim.tokens_per_s) == (2, (), 1050)
    assert read("RTX 4070 Ti Super trains faster than a 3090 Ti on ViT").gpus == ("rtx4070tisuper",)


def test_an_efficiency_is_read_with_the_words_before_it() -> None:
    assert read("有人 4 张 3090 跑 GPT-2 扩展效率只有 60% 吗").speed_up_ratio == pytest.approx(2.4)
    claim = read("Selective recompute costs just 4% versus none on an A100 with a 1.3B model")
    assert claim.speed_up_ratio == pytest.approx(1 / 1.04)


def test_a_rate_behind_an_arrow_is_no_batch() -> None:
    claim = read("RTX 5090, ResNet-50 AMP channels_last batch 256 → 1,980 img/s")
    assert (claim.batch_size, claim.samples_per_s, claim.speed_up_ratio) == (256, 1980, None)


def test_hours_and_minutes_in_one_word_are_no_cards() -> None:
    claim = read("our 13B LoRA went from 6h to 4h10 by switching to flash attention on 8xA100")
    other = other_reading(claim, spec_table())
    assert other is not None
    assert (claim.count, claim.reference_count, other.attention, other.reference_count) == (8, 1, "flash", 8)
    assert claim.speed_up_ratio == pytest.approx(360 / 250)


@pytest.mark.parametrize(
    "text", ["DDP bucket size 50MB made training 5% faster on 8 V100", "换新驱动让 8 张 V100 的训练快了 5%"]
)
def test_what_is_no_cards_and_made_a_gain_on_several_is_no_scaling(text: str) -> None:
    assert refused_as(text) == "claim-change-unjudged"
    assert read("Going from one to 8 V100 made training 7x faster").count == 8
    assert read("DDP made training 3.6x faster on 4 V100").reference_count == 1
    assert read("It made training 3.6x faster on 4 V100").count == 4


def test_bare_numbers_name_the_cards_before_rtx_too() -> None:
    assert read("My 1080 Ti does 190 img/s on ResNet-50 (fp32, batch 64)").gpus == ("gtx1080ti",)


def test_a_card_replaced_with_another_is_compared_with_it() -> None:
    claim = read("1.9x when replacing 2080 Ti with 3090 in mixed precision training of ResNet-50")
    assert (claim.gpus, claim.reference_gpus) == (("rtx3090",), ("rtx2080ti",))


def test_an_epoch_of_no_told_samples_is_not_impossible_for_those_of_the_workload() -> None:
    answer = check_claim("GPT-2 on 1 epoch of WikiText in 14 minutes, RTX 3090", real_predictor())
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", "claim-only-with-fewer-samples")
    assert_readable(answer)
    named = check_claim("BERT-base trains an epoch of SST-2 in 10 seconds on one V100", real_predictor())
    assert named.verdict == "impossible"
    slower = check_claim("BERT-base trains an epoch in 3 minutes on one V100", real_predictor())
    assert "claim-samples-of-model" in {reason.code for reason in slower.reasons}
