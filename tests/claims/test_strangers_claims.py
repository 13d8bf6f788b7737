"""Claims by their kind of phrasing, as strangers write them: two set-ups, machines, rates of each card, many names."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.overlooked.otherwise import left_out
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError, say
from tests.claims.judged import assert_judged, assert_readable, assert_refused
from tests.recommend.real_predictor import real_predictor

READ: list[tuple[str, dict[str, object]]] = [
    # Two figures, each of one of two set-ups on the same cards.
    (
        "Training a 13B GPT on H100: bf16 runs at 0.34s/step and with fp8 0.24s/step",
        {"precision": "fp8", "reference_precision": "bf16_amp", "speed_up_ratio": pytest.approx(34 / 24)},
    ),
    (
        "7B: 3.9k tok/s/GPU w/ BF16 vs 5.6k w/ FP8",
        {"precision": "bf16_amp", "reference_precision": "fp8", "speed_up_ratio": pytest.approx(39 / 56)},
    ),
    (
        "resnet50 on 2x 2080Ti: DP takes 24s an epoch, DDP takes 18s an epoch",
        {"strategy": "ddp", "reference_strategy": "dp", "speed_up_ratio": pytest.approx(4 / 3)},
    ),
    (
        "4x RTX 4090 DDP does 14.0 samples/s, a single one did 15.4",
        {"count": 4, "reference_count": 1, "speed_up_ratio": pytest.approx(14 / 15.4)},
    ),
    (
        "4090上开bf16后，bert-large从每秒60条提到每秒130条",
        {"precision": "bf16_amp", "speed_up_ratio": pytest.approx(13 / 6), "samples_per_s": None},
    ),
    # What is named again is what the figure is said of.
    (
        "FSDP vs DDP on 8xA100 with gpt2: FSDP ~10% slower",
        {"strategy": "fsdp", "reference_strategy": "ddp", "speed_up_ratio": 0.9},
    ),
    (
        "DDP vs FSDP on 8xA100 with gpt2: FSDP is 10% slower",
        {"strategy": "fsdp", "reference_strategy": "ddp", "speed_up_ratio": 0.9},
    ),
    (
        "H100 vs A100 vs V100: H100 is 3x faster than V100 for bert-large",
        {"gpus": ("h100-pcie", "h100-sxm", "h100-nvl"), "speed_up_ratio": 3.0},
    ),
    # Machines of so many cards each.
    ("两台机器各8卡H100，比一台快1.9倍，llama 8B FSDP", {"count": 16, "reference_count": 8, "speed_up_ratio": 1.9}),
    ("2 nodes with 8 H100 each are 1.8x faster than one node", {"count": 16, "reference_count": 8}),
    ("2x8xA100 gets 1.9x over 8xA100 on bert-large", {"count": 16, "reference_count": 8}),
    ("a pair of 3090s gets 1.7x over one on ViT-B", {"count": 2, "speed_up_ratio": 1.7}),
    ("going from one 1080 Ti to two gets epochs from 27s down to 18s", {"count": 2, "speed_up_ratio": 1.5}),
    # Rates of each card, by the card's own name or with it before.
    ("~12k tok/s per H100 full finetuning an 8B on 8xH100", {"count": 8, "tokens_per_s": 96000.0}),
    ("each GPU does 1.5k tok/s on 8 A100, llama 8B", {"tokens_per_s": 12000.0}),
    # Weights of four bits without adapters are only run.
    ("my 3090 does 45 tok/s on a 4bit 13B", {"mode": "inference", "weights_bits": 4}),
    ("llama.cpp, 7B Q4_K_M, 3060 12GB: 55 t/s", {"mode": "inference", "tokens_per_s": 55.0, "weights_bits": 4}),
    ("QLoRA training of a 13B on a 3090 at 450 tok/s", {"mode": "training", "trainable": "lora"}),
    # Figures beside other words.
    ("13B on 8 A100, MFU hovering around 45%", {"mfu_fraction": 0.45}),
    ("我们H100训练7B，MFU做到了110%", {"mfu_fraction": 1.1}),
    ("adamw_8bit cut vram by around 4.5 GB for a 1B model on my 3090", {"saved_bytes": 4.5e9, "memory_ratio": None}),
    ("gradient checkpointing cut my memory usage by 40% on gpt2", {"memory_ratio": 0.6}),
    ("activation checkpointing got our peak memory from 60GB down to 30GB, llama 8B", {"memory_ratio": 0.5}),
    ("enabling TF32 sped up my ViT-B training by 25% on the 3090 (vs plain fp32)", {"speed_up_ratio": 1.25}),
    ("bf16 2x over fp32, ViT-B, A100", {"speed_up_ratio": 2.0, "reference_precision": "fp32"}),
    ("batch size 16 -> 64 = +60% samples/s on A100 for vit-b", {"speed_up_ratio": 1.6, "reference_batch_size": 16}),
    ("笔记本4090只有台式4090的60%左右速度，resnet50", {"gpus": ("rtx4090-laptop",), "speed_up_ratio": 0.6}),
    ("梯度检查点开了以后慢了大概三成，gpt2，A100", {"speed_up_ratio": 0.7, "activation_checkpointing": "full"}),
    ("用了torch.compile，ViT在A100上快了两成", {"speed_up_ratio": 1.2, "compile": True}),
    ("8卡V100跑ImageNet，ResNet50一个epoch大概16分钟", {"workload": "resnet50", "epoch_s": 960.0}),
    ("pretrained a 7B on 2T tokens in a week on 8 A100s", {"job_s": 604800.0, "fits": None}),
    ("7900 XTX gets me half the speed of a 4090 on resnet50", {"gpus": ("rx7900xtx",), "speed_up_ratio": 0.5}),
    # What is denied.
    ("You can full-finetune a 13B on a single 4090 w/o any offloading", {"fits": True, "offload": None}),
    ("no way a 30B LoRA in bf16 fits on a 3090", {"fits": False}),
    ("Llama-2 70B doesn't fit on a single H100 for LoRA in bf16.", {"fits": False}),
    ("batch size 512 OOMs on my 3090 with ResNet-50 fp16", {"fits": False, "batch_size": 512}),
    ("a 70B LoRA wont even remotely fit on an A100", {"fits": False}),
    # A number of cards is no figure, and one of them may be so many times another.
    ("You need at least 2x A100 80GB to fully finetune a 13B", {"fits": True, "count": 2}),
    ("a 4090 is like 3x a 3090 for ViT-B", {"speed_up_ratio": 3.0, "reference_gpus": ("rtx3090",)}),
    ("linear scaling up to 16 GPUs with DDP on ResNet-50 (V100)", {"count": 16, "speed_up_ratio": 16.0}),
    ("两块4090没有NVLink，DDP加速比只有1.6", {"count": 2, "speed_up_ratio": 1.6}),
    # Of two figures one may have the unit alone, and two batch sizes be told by their short name.
    (
        "It took 45 mins/epoch before and 17 after switching on AMP. ResNet-50 on a V100",
        {"precision": "fp16_amp", "reference_precision": "fp32", "speed_up_ratio": pytest.approx(45 / 17)},
    ),
    (
        "bs 16 vs bs 64 on an A100 with vit-b: 1.1x throughput for bs 64",
        {"batch_size": 64, "reference_batch_size": 16, "speed_up_ratio": 1.1},
    ),
    ("bs 1 vs bs 8 no speed difference for Llama 8B LoRA on H100?", {"speed_up_ratio": 1.0, "batch_size": 1}),
    ("AdamW 8bit saves about 6 GB on Llama 1B vs regular AdamW", {"switched": "optimizer_8bit", "saved_bytes": 6e9}),
    # A change that is told as done, on cards that stand elsewhere.
    (
        "Turned on activation checkpointing: step time went up from 1.0s to 1.32s (Llama 8B, 8xH100)",
        {"activation_checkpointing": "full", "speed_up_ratio": pytest.approx(1 / 1.32)},
    ),
    ("重计算打开后吞吐掉了25%，Llama 8B，8张A100", {"activation_checkpointing": "full", "speed_up_ratio": 0.75}),
]


@pytest.mark.parametrize(("text", "fields"), READ)
def test_a_claim_of_a_stranger_is_read_as_what_it_compares(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert {name: getattr(claim, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("H100 vs A100 vs V100: H100 is 3x faster than V100 for bert-large", ("a100",)),
        ("RN50 on 3090 24GB: 900 img/s", ()),
        ("4090 resnet50 每秒1300张，显存占用17GB，功耗400W", ("17gb", "400w", "功耗")),
        ("bf16 with fp32 optimizer states, resnet50 on a V100: 380 img/s", ("FP32",)),
    ],
)
def test_names_memory_and_power_that_are_not_looked_at_are_named(text: str, words: tuple[str, ...]) -> None:
    assert left_out(parse_claim(text, spec_table()), spec_table()) == words


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("moving the dataset to NVMe cut the epoch time from 40 to 22 min (4x V100, ResNet50)", "moving the dataset"),
        ("8 A100 train ViT-B 7x faster after tuning NCCL", "tuning nccl"),
        ("把数据搬到SSD之后，4张V100训练resnet50快了2倍", "把数据搬到ssd"),
        ("upgrading the cuda driver made my training 2x faster on a 3090", "upgrading the cuda driver"),
    ],
)
def test_what_else_was_done_on_so_many_cards_is_no_claim_of_them_against_one(text: str, change: str) -> None:
    assert change in say(assert_refused(text, "claim-change-unjudged"), "en")


@pytest.mark.parametrize(
    "text", ["Training went from 10h to 4h after adding a second 3090", "4x V100 cut it from 3 h to 1 h"]
)
def test_cards_that_were_added_are_what_brought_it(text: str) -> None:
    assert parse_claim(text, spec_table()).reference_count == 1


def test_figures_beyond_those_that_are_tried_are_taken_to_be_unread() -> None:
    rates = ", ".join(f"{rate} img/s" for rate in range(100, 1300, 100))
    with pytest.raises(SaidError):
        left_out(parse_claim(f"ResNet-50 on a V100: {rates}", spec_table()), spec_table())


def test_a_change_whose_direction_depends_on_model_and_card_is_not_judged_without_them() -> None:
    with pytest.raises(SaidError) as error:
        check_claim("FP8 is 35% faster than BF16", real_predictor())
    assert error.value.reasons[0].code == "claim-change-open"
    assert_readable(check_claim("FP8 is 35% faster than BF16 for an 8B on an H100", real_predictor()))


def test_a_length_is_the_most_that_samples_have() -> None:
    text = "QLoRA on 52k alpaca samples, 3 epochs, llama 7B, took me 5 hours on a 3090 with seq len 512"
    assert_judged(text, "plausible_only_with", "claim-size-shorter")
    assert_judged("7B on 2T tokens in a week on 8 A100s", "impossible", "claim-size-impossible")


def test_a_ratio_in_whole_times_is_impossible_only_where_what_it_stands_for_is() -> None:
    text = "A100 about 7x faster than a T4 for finetuning bert-base in mixed precision"
    assert check_claim(text, real_predictor()).verdict != "impossible"
    text = "H100 about 9x faster than an A100 for finetuning bert-base in mixed precision"
    assert check_claim(text, real_predictor()).verdict == "impossible"


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("an L4 has a third of the speed of a 4090 on ViT-B", 1 / 3),
        ("a T4 trains at about 1/4 the speed of an A100", 1 / 4),
        ("training time shrank by two thirds on a V100 with amp, resnet50", 3.0),
        ("a T4 is 60% as fast as an L4", 0.6),
        ("with bf16 it takes 60% as long on a 3090", 1 / 0.6),
        ("BERT-base runs a quarter faster in bf16 on a 3090", 1.25),
        ("mixed precision got my epoch from 11:20 down to 4:50 on a Titan RTX, ResNet-50", 680 / 290),
        ("开了amp以后resnet50在V100上的训练时间缩短了三分之一", 1.5),
    ],
)
def test_shares_in_words_and_times_of_a_clock_are_figures(text: str, ratio: float) -> None:
    assert parse_claim(text, spec_table()).speed_up_ratio == pytest.approx(ratio, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("4×H200 is 1.9x 4×H100?? for 70B LoRA", (4, 4)),
        ("two A100s are 1.7x two V100s for bert-base", (2, 2)),
        ("BERT on A100 is 6x V100", (None, 1)),
    ],
)
def test_so_many_times_so_many_cards_are_two_figures(text: str, counts: tuple[int | None, int]) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.count, claim.reference_count, claim.fits) == (*counts, None)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("unsloth is 2x faster than HF for QLoRA llama 8b on a T4", "claim-change-unjudged"),
        ("Megatron is 1.4x faster than FSDP for 13B on 8 A100", "claim-change-unjudged"),
        ("用了DeepSpeed之后训练时间缩短了三分之一（8卡A100 7B）", "claim-change-unjudged"),
        ("lower power limit to 300W and you lose only 5% on a 4090", "claim-change-unjudged"),
        ("DDP overhead on two 3090 (no nvlink) is around 25% for bert-large", "claim-figure-unread"),
    ],
)
def test_what_no_claim_is_judged_by_is_named_and_nothing_taken_in_its_place(text: str, code: str) -> None:
    assert_refused(text, code)


def test_a_link_that_stands_beside_is_no_change() -> None:
    assert_judged("2 x 4090 without NVLink are 1.7x faster than one", "plausible", "claim-efficiency-plausible")


def test_one_text_is_not_many() -> None:
    assert_judged("7B推理 4090 每秒 300 token 单条", "plausible_only_with", "claim-generated-several")


def test_a_size_that_a_name_says_is_read() -> None:
    assert parse_claim("GPT-2 medium does 45k tokens/s on an A100", spec_table()).parameters == 355e6


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("A single H100 replaces roughly three A100s for our 7B", {"speed_up_ratio": 3.0, "reference_count": 1}),
        ("4090比A100慢不少，训练llama 7B大概只有A100的七成", {"speed_up_ratio": 0.7, "gpus": ("rtx4090",)}),
        ("a 4090 is about 70% of an H200 in bert-base training", {"speed_up_ratio": 0.7, "gpus": ("rtx4090",)}),
        ("单卡H100能训完bert-base的SST-2三个epoch，其实只要6分钟", {"epoch_s": 120.0}),
        ("2 nodes over 10GbE are slower than one node (8xA100 each, bert-large)", {"count": 16, "reference_count": 8}),
        ("Switched our ViT-B runs from A100 40GB to L40S and lost about 35% throughput.", {"speed_up_ratio": 0.65}),
        ("TF32 got me +40% vs FP32 on a 3090 with ViT-B", {"speed_up_ratio": 1.4, "reference_precision": "fp32"}),
        ("Training speed dropped by half from 1 GPU to 4 GPUs with DataParallel", {"count": 4, "speed_up_ratio": 0.5}),
        ("16 GB is enough to LoRA-tune a 3B model in bf16, batch 4", {"fits": True, "parameters": 3e9}),
        ("full fine-tuning of 7B needs way more than 24GB", {"memory_bytes": 24e9, "told_as": "least"}),
        ("8bit adam freed up roughly 5 GB for Llama 1B on my 3090", {"saved_bytes": 5e9}),
    ],
)
def test_what_strangers_of_a_third_set_wrote_is_read(text: str, fields: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert {name: getattr(claim, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("用QLoRA微调70B最少要多少张4090？", "claim-without-figure"),
        ("how many 3090s for a 13B LoRA", "claim-without-figure"),
        ("4 nodes are 1.9x as fast as one node with A100s", "claim-nodes-uncounted"),
        ("the A100 is slower than the V100, 35% or so", "claim-figure-unread"),
        ("3 epochs of bert-base SST-2 take 6 minutes on an H100, and 3 hours with logging", "claim-figure-unread"),
    ],
)
def test_a_question_machines_of_no_size_and_another_figure_are_asked_back(text: str, code: str) -> None:
    assert_refused(text, code)


def test_a_need_beyond_what_is_told_holds_where_the_usual_way_takes_more() -> None:
    assert_judged("full fine-tuning of 7B needs way more than 24GB", "plausible", "claim-need-more")


def test_what_was_never_passed_is_the_most_there_is() -> None:
    claim = check_claim("Never got more than 1.3x from 2 T4s w/ DDP (bert-base)", real_predictor()).claim
    assert claim.told_as == "most"
