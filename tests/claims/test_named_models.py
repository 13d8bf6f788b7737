"""A model's name in a claim stands for the bundled workload only where nothing beside it makes it another model."""

from __future__ import annotations

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.judge import check_claim
from advisor.claims.reading.reader import parse_claim
from advisor.core.sentences import SaidError
from tests.recommend.real_predictor import real_predictor

SAID = "{} takes 100 ms a step on a 3090"


@pytest.mark.parametrize(
    "name",
    [
        "Stable Diffusion UNet", "SD 1.5 UNet", "3D U-Net", "Swin-UNet", "Attention U-Net", "UNet++", "UNet 3+",
        "BERT-tiny", "BERT-medium", "BERT4Rec", "Wide-ResNet-50-2", "SE-ResNet50", "ResNet-50-D",
        "Mask R-CNN (ResNet-50)", "DeepLabV3 ResNet50", "CLIP RN50", "CLIP ViT-B/16", "ViT-B/32", "ViT-L/16",
        "ViT-Large", "ViT-S", "ViT-tiny", "GPT-2 medium", "distil-whisper", "XLM-RoBERTa large", "Code Llama 8B",
    ],
)  # fmt: skip
def test_a_larger_smaller_or_other_model_is_not_taken_for_the_one_whose_name_it_holds(name: str) -> None:
    assert parse_claim(SAID.format(name), spec_table()).workload is None


@pytest.mark.parametrize(
    ("name", "workload"),
    [
        ("U-Net", "unet_vgg16"), ("BERT", "bert_base_sst2"), ("BERT-base", "bert_base_sst2"),
        ("ResNet-50", "resnet50"), ("resnet50", "resnet50"), ("ResNet50 v1.5", "resnet50"), ("ViT", "vit_base"),
        ("ViT-B/16", "vit_base"), ("GPT-2 small", "gpt2_small"), ("GPT-2", "gpt2_small"), ("LSTM", "lstm_classifier"),
        ("flash attention BERT", "bert_base_sst2"), ("dit_xl2", "dit_xl2"), ("Llama 3 8B", "llama_8b"),
    ],
)  # fmt: skip
def test_the_model_itself_is_known_by_its_usual_names(name: str, workload: str) -> None:
    assert parse_claim(SAID.format(name), spec_table()).workload == workload


@pytest.mark.parametrize("name", ["ViT-L/16", "Stable Diffusion UNet", "BERT-tiny"])
def test_a_claim_of_a_model_that_is_not_known_says_so(name: str) -> None:
    with pytest.raises(SaidError) as refused:
        check_claim(SAID.format(name), real_predictor())
    assert refused.value.reasons[0].code == "claim-model-not-bundled"
    assert str(refused.value.reasons[0].numbers["model"]) in name


def test_millions_behind_a_models_name_are_its_parameters_and_no_minutes() -> None:
    assert parse_claim(SAID.format("GPT-2 355M"), spec_table()).parameters == 355e6
    assert parse_claim("GPT-2 at 12 it/s on a 4090 took 30 m", spec_table()).parameters is None


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("EfficientNet-B0 trains at 700 images/s on a V100 with AMP", "EfficientNet-B0"),
        ("We trained YOLOv8m in 14 hours on one 4090", "YOLOv8m"),
        ("SDXL LoRA trains at 1.2 it/s on a 4090", "SDXL"),
        ("Stable Diffusion XL fits in 12 GB on a 3060", "Stable Diffusion XL"),
        ("ResNet-101在A100上每秒800张", "ResNet-101"),
        ("4090训练Swin-T每秒600张", "Swin-T"),
        ("whisper large-v3 fine-tuning on an A100: 2.1 s/step", "whisper large-v3"),
        ("torch.compile doubled the speed of my ResNet-18 on an RTX 2080 Ti", "ResNet-18"),
        ("T5-base trains 1.4x faster in bf16 than in fp32 on an A100", "T5-base"),
    ],
)
def test_a_model_that_is_not_bundled_is_named_whatever_is_claimed_of_it(text: str, model: str) -> None:
    assert parse_claim(text, spec_table()).other_model == model


@pytest.mark.parametrize(
    "text",
    [
        "Qwen2.5 7B LoRA: 1500 tokens/s on a 4090",
        "ResNet-50 is 2x faster on a 4090 than on a 3090",
        "ssd instead of hdd made ResNet-50 training 2x faster on a 3090",
        "llama.cpp generates 100 tokens/s with an 8B model on a 4090",
    ],
)
def test_a_model_of_a_size_or_a_bundled_one_is_no_other(text: str) -> None:
    try:
        claim = parse_claim(text, spec_table())
    except SaidError:
        return
    assert claim.other_model is None


def test_two_cards_are_judged_for_an_unbundled_model_by_others_that_are_named() -> None:
    answer = check_claim("EfficientNet-B0 trains 2x faster on a 4090 than on a 3090", real_predictor())
    told = [reason for reason in answer.reasons if reason.code == "claim-other-model-like"]
    assert [reason.numbers["model"] for reason in told] == ["EfficientNet-B0"]
    assert all(reason.code != "claim-left-out" for reason in answer.reasons)


def test_a_change_is_judged_for_an_unbundled_model_by_others_that_are_named() -> None:
    answer = check_claim("T5-base trains 1.4x faster in bf16 than in fp32 on an A100", real_predictor())
    assert "claim-other-model-like" in {reason.code for reason in answer.reasons}
