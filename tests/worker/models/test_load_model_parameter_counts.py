"""Bundled workloads have the parameter counts that their authors or libraries publish."""

from __future__ import annotations

import pytest
from torch._subclasses.fake_tensor import FakeTensorMode

from advisor.worker.models.load_model import LoadedModel, load
from advisor.workload.workload_file import bundled_names, load_workload

PUBLISHED = {
    # 4·10+10 + 10·3+3: weights and biases by hand
    "iris_mlp": 83,
    # by hand, torch's two biases a cell: 128·8 + (8·256 + 256·256 + 2·256) + 257
    "rnn_characters": 69_377,
    # by hand: 20,000·128 + 4·(128·128 + 128·128 + 2·128) + 2·129
    "lstm_classifier": 2_692_354,
    # torchvision's table of models: resnet50, 25,557,032
    "resnet50": 25_557_032,
    # Transformers' documentation and timm: ViT-B/16 with 1000 classes, 86,567,656
    "vit_base": 86_567_656,
    # BertModel of bert-base-uncased 109,482,240 ("110M", Devlin et al. 2018), and a head of 768·2+2
    "bert_base_sst2": 109_482_240 + 1_538,
    # bert-large-uncased 335,141,888 with its pooler of 1024·1024+1024, which question answering has not; head 1024·2+2
    "bert_large_squad": 335_141_888 - 1_049_600 + 2_050,
    # RobertaForSequenceClassification of roberta-large, 355,361,794 ("355M", Liu et al. 2019)
    "roberta_large_classification": 355_361_794,
    # GPT-2 small: 124,439,808 ("124M", model card)
    "gpt2_small": 124_439_808,
    # Llama 3 8B: 8,030,261,248 (safetensors index of the model)
    "llama_8b": 8_030_261_248,
    # Llama 2 7B: 6,738,415,616 (safetensors index of the model)
    "llama_7b_pretraining": 6_738_415_616,
    # WhisperForConditionalGeneration of whisper-small: 241,734,912 ("244M", Radford et al. 2022)
    "whisper_small": 241_734_912,
    # DiT-XL/2 ("675M", Peebles and Xie 2023), counted by the authors' own code
    "dit_xl2": 675_129_632,
}
LLAMA_1B = 1_235_814_400
"""Llama 3.2 1B (safetensors index of the model)."""
# Rank 16 by the sum of both sides of every linear layer of a block, by the blocks:
# 1B: (2·4096 + 2·2560 + 3·10240) · 16 blocks; 8B: (2·8192 + 2·5120 + 3·18432) · 32 blocks.
ADAPTED = {
    "llama_1b_lora": LLAMA_1B + 16 * 44_032 * 16,
    "llama_1b_qlora": LLAMA_1B + 16 * 44_032 * 16,
    "llama_8b_lora": PUBLISHED["llama_8b"] + 16 * 81_920 * 32,
    "llama_8b_qlora": PUBLISHED["llama_8b"] + 16 * 81_920 * 32,
}
VGG16_CONVOLUTIONS = 14_714_688
"""Keras Applications: VGG16 without its top."""


def built(name: str) -> LoadedModel:
    with FakeTensorMode():
        return load(load_workload(name))


def count(model: LoadedModel) -> int:
    return sum(parameter.numel() for parameter in model.module.parameters())


@pytest.mark.parametrize("name", PUBLISHED | ADAPTED)
def test_a_bundled_workload_has_the_published_parameter_count(name: str) -> None:
    assert count(built(name)) == (PUBLISHED | ADAPTED)[name]


def test_the_encoder_of_the_u_net_is_vgg16() -> None:
    encoder = built("unet_vgg16").module.get_submodule("encoder")
    assert sum(parameter.numel() for parameter in encoder.parameters()) == VGG16_CONVOLUTIONS


def test_every_bundled_workload_is_counted() -> None:
    assert set(bundled_names()) == {*PUBLISHED, *ADAPTED, "unet_vgg16"}


def test_tied_weights_stay_tied_when_their_initialisation_is_skipped() -> None:
    module = built("gpt2_small").module
    assert module.get_parameter("lm_head.weight") is module.get_parameter("transformer.wte.weight")


PUBLISHED_CONFIGURATIONS = {
    # The published `config.json` of each without what names words and versions; the count of its safetensors index.
    30_532_122_624: {  # Qwen3-30B-A3B: its head size is no field that its class declares
        "model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "decoder_sparse_step": 1, "head_dim": 128,
        "hidden_size": 2048, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_attention_heads": 32,
        "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48, "num_key_value_heads": 4,
        "tie_word_embeddings": False, "vocab_size": 151_936,
    },
    7_069_016_064: {  # BLOOM 7B1: nor is its width
        "model_type": "bloom", "architectures": ["BloomForCausalLM"], "n_embed": 4096, "n_layer": 30,
        "num_attention_heads": 32, "seq_length": 2048, "vocab_size": 250_880,
    },
    2_208_985_600: {  # Qwen2-VL 2B: the sizes of its text part lie beside its vision part
        "model_type": "qwen2_vl", "architectures": ["Qwen2VLForConditionalGeneration"], "hidden_size": 1536,
        "image_token_id": 151_655, "intermediate_size": 8960, "num_attention_heads": 12, "num_hidden_layers": 28,
        "num_key_value_heads": 2, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
        "rope_theta": 1_000_000.0, "tie_word_embeddings": True, "video_token_id": 151_656, "vocab_size": 151_936,
        "vision_config": {
            "depth": 32, "embed_dim": 1280, "hidden_size": 1536, "mlp_ratio": 4, "num_heads": 16, "in_chans": 3,
            "patch_size": 14, "spatial_merge_size": 2, "spatial_patch_size": 14, "temporal_patch_size": 2,
        },
    },
    # DeBERTa v3 base, by hand: 128,100·768 + 2·768 + 12·7,087,872 + 512·768 for places and their norm of 2·768, which
    # only a word that the class declares nowhere asks for
    183_831_552: {
        "model_type": "deberta-v2", "architectures": ["DebertaV2Model"], "vocab_size": 128_100, "hidden_size": 768,
        "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "relative_attention": True,
        "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True, "pos_att_type": "p2c|c2p",
        "position_biased_input": False, "max_relative_positions": -1, "type_vocab_size": 0,
    },
    20_914_757_184: {  # gpt-oss 20B
        "model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"], "experts_per_token": 4, "head_dim": 64,
        "hidden_size": 2880, "intermediate_size": 2880, "num_attention_heads": 64, "num_experts_per_tok": 4,
        "num_hidden_layers": 24, "num_key_value_heads": 8, "num_local_experts": 32, "tie_word_embeddings": False,
        "vocab_size": 201_088,
    },
}  # fmt: skip


@pytest.mark.parametrize("published", PUBLISHED_CONFIGURATIONS, ids="{:,}".format)
def test_a_published_configuration_has_the_published_parameter_count(published: int) -> None:
    config = PUBLISHED_CONFIGURATIONS[published]
    workload = load_workload(
        {
            "name": str(config["model_type"]),
            "model": {"source": "huggingface", "config": config},
            "data": {"samples": 1000, "sequence_length": 128},
            "training": {"precision": "bf16_true", "batch_size": 1},
        }
    )
    with FakeTensorMode():
        assert count(load(workload)) == published
