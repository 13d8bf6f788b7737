"""Claims as people write them, in English and Chinese."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import read_claim_file
from advisor.claims.reading.reader import parse_claim
from advisor.claims.reading.text.plain_text import MAX_CHARACTERS, normalised
from advisor.core.errors import InputError

A100 = ("a100-pcie-40", "a100-pcie-80", "a100-sxm4-40", "a100-sxm4-80")
V100 = ("v100-pcie-16", "v100-pcie-32", "v100-sxm2-16", "v100-sxm2-32")

CLAIMS: list[tuple[str, dict[str, object]]] = [
    ("用 4 张 V100 训练 ResNet-50 达到 1400 图/秒", {"count": 4, "workload": "resnet50", "samples_per_s": 1400.0}),
    (
        "Going from batch size 1 to batch size 64 made it 20 times faster on a 3090",
        {"batch_size": 64, "reference_batch_size": 1, "speed_up_ratio": 20.0},
    ),
    (
        "Raising the batch size from 16 to 64 made GPT-2 1.2x faster on an A100",
        {"batch_size": 64, "reference_batch_size": 16},
    ),
    ("批大小从 32 增加到 128，ResNet-50 在 A100 上快 1.3 倍", {"batch_size": 128, "reference_batch_size": 32}),
    ("batch 从 16 加到 32，4090 上 ResNet-50 快 1.9 倍", {"batch_size": 32, "reference_batch_size": 16}),
    ("把 batch size 从16提高到64，3090上BERT-base训练快3倍", {"batch_size": 64, "reference_batch_size": 16}),
    ("4090 上 ResNet-50 batch 16 改成 32 快了 1.9 倍", {"batch_size": 32, "reference_batch_size": 16}),
    ("bs由8升到32，A100 上 ViT 快 1.5 倍", {"batch_size": 32, "reference_batch_size": 8}),
    ("7B trains at 3900 tokens/s/GPU on A100", {"per_card": True, "count": None, "tokens_per_s": 3900.0}),
    ("7B trains at 3900 tokens/s/GPU on 8 A100", {"per_card": None, "count": 8, "tokens_per_s": 31200.0}),
    ("2 GPUs made it 3.5 times faster", {"count": 2, "speed_up_ratio": 3.5, "gpus": (), "workload": None}),
    (
        "BERT-base at 30 ms a step, batch 32, length 384, FP32, on a V100",
        {
            "gpus": V100, "workload": "bert_base_sst2", "step_s": 0.03, "batch_size": 32, "sequence_length": 384,
            "precision": "fp32",
        },
    ),
    (
        "ResNet-50 training at 5,000 images/s on one 3090",
        {"gpus": ("rtx3090",), "count": 1, "workload": "resnet50", "samples_per_s": 5000.0, "mode": "training"},
    ),
    (
        "An RTX 4090 is more than twice as fast as an A100 without mixed precision",
        {"gpus": ("rtx4090",), "reference_gpus": A100, "speed_up_ratio": 2.0, "precision": "fp32"},
    ),
    ("An epoch fell from 3 hours to 52 minutes when a second GPU was used", {"count": 2, "speed_up_ratio": 180 / 52}),
    (
        "ViT-B/16 on 8xA100 80GB, bf16, 4000 img/s",
        {"gpus": ("a100-pcie-80", "a100-sxm4-80"), "count": 8, "precision": "bf16_amp", "samples_per_s": 4000.0},
    ),
    (
        "GPT-2 on a 4090: 12 it/s, batch 8, seq length 1024, bf16",
        {"gpus": ("rtx4090",), "workload": "gpt2_small", "step_s": 1 / 12, "sequence_length": 1024},
    ),
    (
        "A100 trains BERT-large at batch 32 in 200 ms",
        {"gpus": A100, "workload": "bert_large_squad", "batch_size": 32, "step_s": 0.2, "job_s": None},
    ),
    ("One A100 trains BERT-base in 20 minutes", {"workload": "bert_base_sst2", "step_s": None, "job_s": 1200.0}),
    ("两张3090训练比单卡快3.5倍", {"gpus": ("rtx3090",), "count": 2, "speed_up_ratio": 3.5}),
    (
        "在 V100 上用 FP32 训练 BERT-base，批大小 32，长度 384，每步 30 毫秒",
        {"gpus": V100, "step_s": 0.03, "batch_size": 32, "sequence_length": 384, "precision": "fp32"},
    ),
    ("一张 RTX 3090 上 ResNet-50 每秒训练 5000 张图", {"count": 1, "samples_per_s": 5000.0, "workload": "resnet50"}),
    ("4090的速度是A100的2倍，不用混合精度", {"gpus": ("rtx4090",), "reference_gpus": A100, "precision": "fp32"}),
    ("一个 epoch 从 3 小时降到 52 分钟，用了两张显卡", {"count": 2, "speed_up_ratio": 180 / 52}),
    ("双卡4090加速1.9倍", {"gpus": ("rtx4090",), "count": 2, "speed_up_ratio": 1.9}),
    (
        "RoBERTa-large on two RTX 3090 with DDP is 45.5% faster than on one",
        {"gpus": ("rtx3090",), "count": 2, "strategy": "ddp", "speed_up_ratio": 1.455},
    ),
    (
        "Llama 3 8B at 3000 tokens/s at length 2048 on one H100 SXM",
        {"gpus": ("h100-sxm",), "workload": "llama_8b", "samples_per_s": 3000 / 2048},
    ),
    (
        "resnet50 fp16 nhwc on A100 PCIe 40GB 2470 images/s",
        {"gpus": ("a100-pcie-40",), "channels_last": True, "precision": "fp16_amp", "samples_per_s": 2470.0},
    ),
    ("LSTM on T4 takes 20 minutes per epoch", {"gpus": ("t4",), "workload": "lstm_classifier", "epoch_s": 1200.0}),
    (
        "H100 is 3x faster than A100 on BERT-large",
        {
            "gpus": ("h100-pcie", "h100-sxm", "h100-nvl"),
            "reference_gpus": A100,
            "workload": "bert_large_squad",
        },
    ),
    ("bert base on RTX 3090 Ti, 3 epochs in 38 minutes", {"gpus": ("rtx3090ti",), "epoch_s": 760.0}),
    ("A100 trains resnet-50 at 2.5k images per second with AMP", {"samples_per_s": 2500.0}),
    ("3080 images/s on resnet50 with one v100", {"gpus": V100, "samples_per_s": 3080.0, "count": 1}),
    ("U-Net on one V100 needed 2 h 46 min", {"workload": "unet_vgg16", "job_s": 9960.0}),
    ("用两张 T4 训练 resnet50 用时 3 小时", {"gpus": ("t4",), "count": 2, "job_s": 10800.0}),
    ("4 GPUs with DataParallel doubled the speed", {"count": 4, "strategy": "dp", "speed_up_ratio": 2.0}),
    ("eight GPUs tripled it", {"count": 8, "speed_up_ratio": 3.0}),
    ("FSDP on 4 cards: speed-up of 3.1", {"count": 4, "strategy": "fsdp", "speed_up_ratio": 3.1}),
    ("ResNet50 inference on a T4: 2.5k images/s, torch.compile", {"mode": "inference", "compile": True}),
    ("each iteration takes 0.3 s on an L40S with bert large", {"step_s": 0.3, "workload": "bert_large_squad"}),
    ("RNN: 每秒 340 步, T4, bs=100", {"step_s": 1 / 340, "batch_size": 100, "workload": "rnn_characters"}),
    ("iris MLP: 0.5 ms/step on 3080 Ti", {"gpus": ("rtx3080ti",), "step_s": 0.0005, "workload": "iris_mlp"}),
    ("vit at 224x224 on A40, 100 images per second", {"image_size": 224, "gpus": ("a40",)}),
    ("resnet50 on a Quadro RTX 8000 at 200 images/s", {"gpus": ("qrtx8000",)}),
    ("An RTX A6000 does resnet50 at 400 img/s in tf32", {"gpus": ("a6000",), "precision": "tf32"}),
    ("bert base, pure fp16, 40 ms per step, TITAN RTX", {"precision": "fp16", "gpus": ("titanrtx",)}),
    ("one epoch takes 1.5 days on one P100 with gpt2", {"epoch_s": 129600.0, "gpus": ("p100-pcie-16",)}),
    ("bert-base step time 45 ms on rtx 6000 ada", {"gpus": ("rtx6000ada",), "step_s": 0.045}),
    ("速度提升 77%，用了 2 张卡", {"speed_up_ratio": 1.77, "count": 2}),
    ("加速 1.8x，双卡", {"speed_up_ratio": 1.8, "count": 2}),
    ("一轮需要 30 分钟，A100 上训练 resnet50", {"epoch_s": 1800.0}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CLAIMS, ids=[text for text, _ in CLAIMS])
def test_a_sentence_is_read_as_its_claim(text: str, expected: dict[str, object]) -> None:
    claim = parse_claim(text, spec_table())
    assert claim.text == text
    for name, value in expected.items():
        found = getattr(claim, name)
        assert found == (pytest.approx(value) if isinstance(value, float) else value), name


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("my new GPU is great", "no time, rate or ratio"),
        ("A100 and V100 reach 300 images/s on resnet50", "without comparing"),
        ("x" * (MAX_CHARACTERS + 1), "characters"),
        ("from 3 hours to 0 minutes with 2 GPUs", "no time, rate or ratio"),
        ("0 times faster with 2 GPUs", "no time, rate or ratio"),
        ("0 images/s and 0 it/s on a T4", "no time, rate or ratio"),
    ],
)
def test_what_cannot_be_checked_is_refused_with_a_reason_and_a_remedy(text: str, why: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_claim(text, spec_table())
    assert why in refused.value.text
    assert refused.value.remedy


def test_a_variant_is_never_taken_for_its_namesake() -> None:
    assert parse_claim("resnet50 on a 3080 Ti: 300 images/s", spec_table()).gpus == ("rtx3080ti",)
    assert parse_claim("resnet50 on a 3080: 300 images/s", spec_table()).gpus == ("rtx3080-10", "rtx3080-12")
    assert parse_claim("resnet50 on a 3080 10 GB: 300 images/s", spec_table()).gpus == ("rtx3080-10",)
    assert parse_claim("resnet50 on a 4090 D: 300 images/s", spec_table()).gpus == ("rtx4090d",)
    assert parse_claim("resnet50 on a 4090: 300 images/s", spec_table()).gpus == ("rtx4090",)
    assert parse_claim("resnet50 on a 4090 48GB: 300 images/s", spec_table()).gpus == ("rtx4090-48",)
    assert parse_claim("resnet50 on an RTX 2080 Ti 22G: 300 images/s", spec_table()).gpus == ("rtx2080ti-22",)
    assert parse_claim("resnet50 on a 5090 D: 300 images/s", spec_table()).gpus == ("rtx5090d", "rtx5090d-v2")
    for name in ("5080 D", "4080 D", "RTX 3080 laptop", "RTX 5070 Ti Laptop", "GTX 1650", "B100", "RTX 6060", "MI100"):
        claim = parse_claim(f"resnet50 on a {name}: 300 images/s", spec_table())
        assert (claim.gpus, claim.unknown_gpus) == ((), (name.lower(),))


def test_text_is_normalised_before_it_is_read() -> None:
    assert normalised("５,000  Images\u2013per\u3000second") == "5000 images-per second"


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_a_claim_or_is_refused(text: str) -> None:
    try:
        claim = parse_claim(text, spec_table())
    except InputError:
        return
    msgspec.convert(msgspec.to_builtins(claim), type(claim))


@pytest.mark.parametrize(
    "figure",
    [
        "12,5 ms a step", "1.234,5 images/s", "1,400.5.3 images/s", "1/2 hours per epoch", "½ images/s",
        "3-4 images/s", "1:30 h per epoch", "1'400 images/s", "1_400 images/s", "2^10 images/s", ".5 images/s",
        "每步 12,5 毫秒", "1,00,000 images/s",
    ],
)  # fmt: skip
def test_a_figure_in_a_form_that_is_not_read_is_never_taken_for_its_last_part(figure: str) -> None:
    with pytest.raises(InputError, match="is not written as one number"):
        parse_claim(f"ResNet-50 on a V100: {figure}", spec_table())


@pytest.mark.parametrize(
    "text",
    [
        "ResNet-50 on a V100 at 300 ± 20 images/s", "ResNet-50 on a V100 at 300±2.5% images/s",
        "ResNet-50在V100，300张图/秒", "With torch 2.1.0 ResNet-50,300 images/s on a V100",
    ],
)  # fmt: skip
def test_spreads_card_names_and_versions_are_no_part_of_a_figure(text: str) -> None:
    claim = parse_claim(text, spec_table())
    assert (claim.samples_per_s, claim.gpus) == (300.0, V100)


def test_a_claimed_time_of_nothing_is_refused_with_its_range(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text('[[claim]]\ngpu = "rtx3090"\nworkload = "resnet50"\nstep_s = 1e-300\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"claim\.0\.step_s.*1e-15"):
        read_claim_file(file)


@pytest.mark.parametrize(
    "card",
    [
        "4090 laptop",
        "RTX 4090 Laptop",
        "4090笔记本",
        "笔记本 4090",
        "笔记本上的RTX 4090",
        "laptop RTX 4090",
        "4090 移动版",
    ],
)
def test_the_card_of_a_laptop_is_never_its_namesake(card: str) -> None:
    claim = parse_claim(f"{card} resnet50 每秒 300 张", spec_table())
    assert (claim.gpus, claim.unknown_gpus) == (("rtx4090-laptop",), ())
