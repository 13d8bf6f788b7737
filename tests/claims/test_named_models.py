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
    assert refused.value.reasons[0].code == "claim-without-model"


def test_millions_behind_a_models_name_are_its_parameters_and_no_minutes() -> None:
    assert parse_claim(SAID.format("GPT-2 355M"), spec_table()).parameters == 355e6
    assert parse_claim("GPT-2 at 12 it/s on a 4090 took 30 m", spec_table()).parameters is None
