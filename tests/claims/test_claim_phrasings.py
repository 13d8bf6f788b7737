"""Claims as people write them in forums: who is compared with whom, and by how much."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.reading.reader import parse_claim
from advisor.core.errors import InputError

A100 = ("a100-pcie-40", "a100-pcie-80", "a100-sxm4-40", "a100-sxm4-80")
V100 = ("v100-pcie-16", "v100-pcie-32", "v100-sxm2-16", "v100-sxm2-32")

BY_COUNT: list[tuple[str, int, int, float]] = [
    ("3 hours became 52 minutes with 2 GPUs", 2, 1, 180 / 52),
    ("4 GPUs were 2x slower", 4, 1, 0.5),
    ("4 GPUs were 2x slower than one", 4, 1, 0.5),
    ("1 GPU is 2x slower than 4 GPUs", 4, 1, 2.0),
    ("Training went from 10h to 4h after adding a second 3090", 2, 1, 2.5),
    ("bought a second 3090 and training went from 6h20m to 3h30m", 2, 1, 380 / 210),
    ("It took 3 hours on one card and 52 minutes on two", 2, 1, 180 / 52),
    ("1 GPU: 3h, 2 GPUs: 52 min", 2, 1, 180 / 52),
    ("with 1 GPU 100 img/s, with 4 GPUs 350 img/s", 4, 1, 3.5),
    ("with 4 gpus each epoch takes 12 min, before with 1 gpu 40 min", 4, 1, 40 / 12),
    ("before it took 3 hours, with 2 GPUs 52 minutes", 2, 1, 180 / 52),
    ("2 GPUs are 30% slower than 1 GPU", 2, 1, 0.7),
    ("2 cards took 30% longer than 1 card", 2, 1, 1 / 1.3),
    ("2 GPUs instead of 1 cut training time by 45%", 2, 1, 1 / 0.55),
    ("training time decreased by 40% with two cards", 2, 1, 1 / 0.6),
    ("training takes twice as long on two GPUs", 2, 1, 0.5),
    ("2x3090 no speedup at all", 2, 1, 1.0),
    ("adding a second GPU made no difference", 2, 1, 1.0),
    ("speedup from 1 to 4 GPUs is 3.9", 4, 1, 3.9),
    ("8 GPUs are 1.9 times as fast as 4 GPUs", 8, 4, 1.9),
    ("Scaling efficiency of 90% on 8 GPUs", 8, 1, 7.2),
    ("DDP with 4 GPUs is slower than single GPU by 20%", 4, 1, 0.8),
    ("3 days of training on 1 GPU shrank to 9 hours on 8 GPUs", 8, 1, 8.0),
    ("throughput rose from 200 to 380 images/s with a second GPU", 2, 1, 1.9),
    ("got 1.9x with 2 GPUs", 2, 1, 1.9),
    ("halved the training time with 2 GPUs", 2, 1, 2.0),
    ("Why is training on 2 GPUs not 2x faster? I only get 1.3x", 2, 1, 1.3),
    ("2 A100s: 3.5 min/epoch vs 6.8 min/epoch on one", 2, 1, 6.8 / 3.5),
    ("Going from 4 to 8 GPUs gives 1.6x", 8, 4, 1.6),
    ("2 GPUs aren't twice as fast, only 1.4x", 2, 1, 1.4),
    ("1 GPU is half as fast as 2 GPUs", 2, 1, 2.0),
    ("1 GPU is twice as slow as 2 GPUs", 2, 1, 2.0),
    ("为什么用两张显卡训练没有快2倍，只快了1.3倍？", 2, 1, 1.3),
    ("两张A100每轮3.5分钟，一张每轮6.8分钟", 2, 1, 6.8 / 3.5),
    ("从4卡到8卡提速1.6倍", 8, 4, 1.6),
    ("两张卡快了45%", 2, 1, 1.45),
    ("3小时变成52分钟，用了2张GPU", 2, 1, 180 / 52),
    ("训练时间从三小时缩短到五十二分钟，用了两张卡", 2, 1, 180 / 52),
    ("4张GPU反而慢了2倍", 4, 1, 0.5),
    ("四卡比单卡慢了一倍", 4, 1, 0.5),
    ("加了第二张3090后，训练时间从10小时降到4小时", 2, 1, 2.5),
    ("单卡3小时，双卡52分钟", 2, 1, 180 / 52),
    ("1张卡100张/秒，4张卡350张/秒", 4, 1, 3.5),
    ("1卡一个epoch 40分钟，4卡12分钟", 4, 1, 40 / 12),
    ("两张卡比一张卡慢30%", 2, 1, 0.7),
    ("两张卡比一张多花30%时间", 2, 1, 1 / 1.3),
    ("双卡训练时间减少了45%", 2, 1, 1 / 0.55),
    ("用2张卡后训练时间缩短到原来的60%", 2, 1, 1 / 0.6),
    ("用DataParallel两张卡反而慢了10%", 2, 1, 0.9),
    ("两张卡时间反而翻倍", 2, 1, 0.5),
    ("两张卡没有加速", 2, 1, 1.0),
    ("加一张卡速度没变", 2, 1, 1.0),
    ("从1卡到4卡加速比3.9", 4, 1, 3.9),
    ("8卡扩展效率90%", 8, 1, 7.2),
    ("4张A100用DDP跑resnet50，加速比3.7", 4, 1, 3.7),
    ("四张卡的速度是单卡的3.2倍", 4, 1, 3.2),
    ("三张卡提速两倍半", 3, 1, 2.5),
    ("双卡提速近一倍", 2, 1, 2.0),
    ("单卡一轮1小时20分，四卡25分钟", 4, 1, 3.2),
    ("两块4090比一块4090快70%", 2, 1, 1.7),
]
BY_CARD: list[tuple[str, tuple[str, ...], tuple[str, ...], float]] = [
    ("A 4090 is 20% slower than an A100 in fp32 on bert", ("rtx4090",), A100, 0.8),
    ("RTX 3090 is half as fast as A100 for resnet50", ("rtx3090",), A100, 0.5),
    ("RTX 3090 takes twice as long as A100 for resnet50", ("rtx3090",), A100, 0.5),
    ("A100用时只有V100的一半", A100, V100, 2.0),
    ("H100 SXM takes half the time of an A100 on gpt2", ("h100-sxm",), A100, 2.0),
    ("T4 is three times slower than V100 on resnet50", ("t4",), V100, 1 / 3),
    ("a 3090 is as fast as an A100 with tf32", ("rtx3090",), A100, 1.0),
    ("V100: 3 hours, A100: 1 hour for bert-large", A100, V100, 3.0),
    ("RTX 4090 beats A100 by 30% on vit", ("rtx4090",), A100, 1.3),
    ("switching from a 2080 Ti to a 4090 cut my epoch from 40 min to 15 min", ("rtx4090",), ("rtx2080ti",), 40 / 15),
    ("RTX 3090 vs RTX 4090: 100 img/s vs 170 img/s on vit", ("rtx4090",), ("rtx3090",), 1.7),
    ("3090每秒100张，4090每秒170张，vit", ("rtx4090",), ("rtx3090",), 1.7),
    ("4090比A100慢20%，fp32跑bert", ("rtx4090",), A100, 0.8),
    ("3090的速度只有A100的一半，resnet50", ("rtx3090",), A100, 0.5),
    ("L40S跑gpt2的时间是A40的一半", ("l40s",), ("a40",), 2.0),
    ("T4比V100慢三倍，resnet50", ("t4",), V100, 1 / 3),
    ("3090和A100一样快，tf32", ("rtx3090",), A100, 1.0),
    ("V100要3小时，A100只要1小时，bert-large", A100, V100, 3.0),
    ("从2080 Ti换到4090，一个epoch从40分钟变成15分钟", ("rtx4090",), ("rtx2080ti",), 40 / 15),
    ("A 4090 is twice an A100 for ResNet-50", ("rtx4090",), A100, 2.0),
    ("4090 = 2x A100 on ResNet-50", ("rtx4090",), A100, 2.0),
    ("BERT on an A100 is 3.5x a V100", A100, V100, 3.5),
    ("a 4090 equals two 3090s for ViT", ("rtx4090",), ("rtx3090",), 2.0),
    ("一张4090抵两张A100", ("rtx4090",), A100, 2.0),
    ("A100 is about double the speed of V100 for BERT", A100, V100, 2.0),
]
TIMES: list[tuple[str, str, float]] = [
    ("I train BERT-base with batch size 16 at 10 it/s on a 3060", "step_s", 0.1),
    ("unet 3.2 s/it on one T4", "step_s", 3.2),
    ("one epoch of bert base takes 15 mins on my 3090", "epoch_s", 900.0),
    ("time per epoch: 12 minutes on V100 for bert base", "epoch_s", 720.0),
    ("half an hour per epoch for resnet50 on an A100", "epoch_s", 1800.0),
    ("8 V100s finish ResNet-50 90 epochs in 6 hours", "epoch_s", 240.0),
    ("resnet 50 throughput 1300 im/s on one RTX 4090, mixed precision", "samples_per_s", 1300.0),
    ("llama 8b fsdp 8xH100 takes 2.5 s/step at batch 1 seq 4096", "step_s", 2.5),
    ("bert base fine-tuning was done after 2 hours on a T4", "job_s", 7200.0),
    ("My V100 does 2 epochs of SST-2 BERT in 10 minutes", "epoch_s", 300.0),
    ("A6000训练gpt2一个epoch要1小时20分钟", "epoch_s", 4800.0),
    ("3060上训练BERT-base，batch size 16，每秒10步", "step_s", 0.1),
    ("T4上unet 3.2秒一步", "step_s", 3.2),
    ("我的3090跑bert base一个epoch要15分钟", "epoch_s", 900.0),
    ("A100上resnet50每个epoch半小时", "epoch_s", 1800.0),
    ("A100上resnet50一个epoch40分钟", "epoch_s", 2400.0),
    ("8张V100训练ResNet-50 90轮用了6小时", "epoch_s", 240.0),
    ("A100跑ResNet-50能到2500张/s（AMP）", "samples_per_s", 2500.0),
    ("4090上gpt2每秒5万token，序列长度1024", "samples_per_s", 50000 / 1024),
    ("4090上gpt2，序列2048，每秒5000个token", "samples_per_s", 5000 / 2048),
    ("4090上gpt2，序列2048，5000 token/s", "samples_per_s", 5000 / 2048),
    ("4090上gpt2，每秒约能处理30个样本", "samples_per_s", 30.0),
    ("GPT-2 on a 4090, sequence 2048, 5000 tokens/s", "samples_per_s", 5000 / 2048),
    ("GPT-2 on a 4090 with a sequence of 2048 and 5000 tokens/s", "samples_per_s", 5000 / 2048),
]


SAMPLES: list[tuple[str, float, float | None]] = [
    ("LoRA of Llama 3 8B on 1000 samples of 2048 tokens takes 30 minutes on one A100 80GB", 1000, 2.048e6),
    ("a 7B model was fine-tuned on 52k instructions of 512 tokens in 3 hours on 8 A100", 52_000, 52_000 * 512.0),
    ("an epoch over 1.2M images takes 30 minutes with ResNet-50 on 8 V100", 1.2e6, None),
    ("fine-tuning BERT-base on 10,000 sentences took 5 minutes on a T4", 10_000, None),
    ("GPT-2 trains 1000 samples of 2048 tokens in 10 s on one H100", 1000, 2.048e6),
    ("用1000条2048 token的样本在一张A100上微调7B模型花了10分钟", 1000, 2.048e6),
    ("A100上用5万张图片训练resnet50一轮要3分钟", 50_000, None),
    ("4张A100训练resnet50一轮要30分钟", 0, None),
    ("ResNet-50 at batch 256 images takes 30 minutes an epoch on a V100", 0, None),
    ("BERT-base with 32 samples per batch takes 20 minutes an epoch on a V100", 0, None),
]


@pytest.mark.parametrize(("text", "samples", "tokens"), SAMPLES, ids=[case[0] for case in SAMPLES])
def test_how_many_samples_a_time_was_for_is_read(text: str, samples: float, tokens: float | None) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.trained_samples or 0, claim.passed_tokens) == (samples, tokens)


def test_the_samples_of_one_step_are_its_batch_over_all_cards() -> None:
    claim = parse_claim("GPT-2 takes 400 ms for 32 samples of 1024 tokens on 4 A100", spec_table())
    assert (claim.batch_size, claim.trained_samples, claim.step_s) == (8, None, 0.4)


@pytest.mark.parametrize(("text", "count", "fewer", "ratio"), BY_COUNT, ids=[case[0] for case in BY_COUNT])
def test_more_cards_against_fewer_are_understood(text: str, count: int, fewer: int, ratio: float) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.count, claim.reference_count) == (count, fewer)
    assert claim.speed_up_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(("text", "cards", "others", "ratio"), BY_CARD, ids=[case[0] for case in BY_CARD])
def test_one_card_against_another_is_understood(
    text: str, cards: tuple[str, ...], others: tuple[str, ...], ratio: float
) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.gpus, claim.reference_gpus) == (cards, others)
    assert claim.speed_up_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(("text", "field", "value"), TIMES, ids=[case[0] for case in TIMES])
def test_a_time_is_read_for_what_it_is_of(text: str, field: str, value: float) -> None:
    assert getattr(parse_claim(text, spec_table()), field) == pytest.approx(value)


def test_numbers_of_either_card_are_told_apart() -> None:
    claim = parse_claim("2x 3090 are as fast as one 4090 on vit", spec_table())
    assert (claim.count, claim.reference_count) == (2, 1)
    both = parse_claim("H100 SXM is 2 times as fast as A100 on bert-large with 8 GPUs", spec_table())
    assert (both.count, both.reference_count) == (8, 8)


def test_the_second_of_two_times_is_no_number_of_cards() -> None:
    claim = parse_claim("Training ResNet-50 on 2 V100 takes 3 hours instead of 5", spec_table())
    assert (claim.count, claim.reference_count) == (2, 1)


def test_what_was_not_reached_is_no_claim() -> None:
    with pytest.raises(InputError):
        parse_claim("2 GPUs are not twice as fast as one", spec_table())
