"""The words of a claim that name a bundled workload's model, and those that make another model out of such a name."""

from __future__ import annotations

import re

from advisor.claims.reading.numbers.number_words import search

_LLAMA_8B = r"(?<!code )(?<!code-)\bllama(?:[\s_-]*[23](?:\.1)?)?[\s_-]*8\s*b"
_LLAMA_1B = r"\bllama(?:[\s_-]*3(?:\.2)?)?[\s_-]*1\s*b"
_MODELS = (
    (r"\broberta[\s_-]*large", "roberta_large_classification"),
    (r"\bbert[\s_-]*large", "bert_large_squad"),
    (r"\bbert(?:[\s_-]*base)?(?![a-z])", "bert_base_sst2"),
    (r"\b(?:resnet|rn)[\s_-]*(?:v1\.5[\s_-]*)?50(?!\d)", "resnet50"),
    (r"\bvit(?:[\s_/-]*b(?:ase)?(?:[\s_/-]*16)?)?(?![a-z])|\bvision transformer", "vit_base"),
    (r"\bnanogpt\b|\bgpt[\s_-]*2[\s_-]*\(?124m\b|(?<![\w.])124m\b(?=[^.;]{0,40}\btok)", "gpt2_small"),
    (r"\bgpt[\s_-]*2(?:[\s_-]*small)?(?![\s_-]*(?:medium|large|xl))", "gpt2_small"),
    (rf"{_LLAMA_8B}[^.,;]{{0,30}}\bqlora\b|\bqlora\b[^.,;]{{0,30}}{_LLAMA_8B}", "llama_8b_qlora"),
    (rf"{_LLAMA_8B}[^.,;]{{0,30}}\blora\b|\blora\b[^.,;]{{0,30}}{_LLAMA_8B}", "llama_8b_lora"),
    (_LLAMA_8B, "llama_8b"),
    (rf"{_LLAMA_1B}[^.,;]{{0,30}}\bqlora\b|\bqlora\b[^.,;]{{0,30}}{_LLAMA_1B}", "llama_1b_qlora"),
    (rf"{_LLAMA_1B}[^.,;]{{0,30}}\blora\b|\blora\b[^.,;]{{0,30}}{_LLAMA_1B}", "llama_1b_lora"),
    (r"(?<!attention )(?<!attention-)\bu[\s_-]?net\b", "unet_vgg16"),
    (r"\bwhisper(?:[\s_-]*small)?(?![\s_-]*(?:tiny|base|medium|large|turbo))(?![a-z])", "whisper_small"),
    (r"\bdit[\s_-]*xl(?:[\s_/-]*2)?(?!\d)", "dit_xl2"),
    (r"\biris\b|鸢尾|\b(?:tiny|small|little|toy)[\s-]*mlp\b|小(?:型)?\s*mlp\b", "iris_mlp"),
    (r"\blstm\b", "lstm_classifier"),
    (r"\brnn\b|循环神经网络", "rnn_characters"),
)
"""Bundled workloads by the names of their models."""
BUNDLED_NAMES = tuple(pattern for pattern, _ in _MODELS)
_WHOLE = (
    r"\b(?:(?:faster|mask|cascade)[\s-]*r-?cnn|retinanet|deeplab\w*|fcos|yolo\w*|(?:stable|latent)[\s-]*diffusion|sdxl"
    r"|controlnet|dreambooth|simclr|moco|byol)\b"
)
"""Models of which another one is a part: `Mask R-CNN with ResNet-50` is no ResNet-50."""
_BEFORE = (
    r"(?:\b(?:sd[\s\d.]*|diffusion|ddpm|[23]d|swin|trans|res|pix2pix|wide|se|clip|open_?clip|blip|sam|dino"
    r"(?:[\s-]?v\d)?|mae|xlm|distil|mobile|multilingual|detr)[\s_-]*\(?)$"
)
_SIZE = r"tiny|mini|small|medium|large|huge|giant|xl|ti|[slhg]"
_COUNTS = r"\s*(?:[x×*]|gpus?|cards?|samples|images)"
_BEHIND = {
    "bert_base_sst2": rf"[\s_-]*(?:(?:{_SIZE})(?![a-z])|4rec)",
    "resnet50": r"[\s_-]*(?:x\d|[cds](?![a-z])|fpn)",
    "vit_base": rf"[\s_/-]*(?:(?:{_SIZE})(?![a-z])|(?:patch)?(?:8|14|32)(?![\d.]|{_COUNTS}))",
    "gpt2_small": rf"[\s_-]*(?:{_SIZE})(?![a-z])",
    "unet_vgg16": r"\s*(?:\+|3\s*\+)",
    "rnn_characters": r"[\s_-]*t(?:ransducer)?(?![a-z])",
    "lstm_classifier": r"[\s_-]*crf",
}
"""What stands behind a name that is another model's, such as its size: `ViT-L`, `BERT-tiny`, `U-Net++`."""


def find_model(plain: str) -> str | None:
    """The bundled workload of the model that is named first; None: none is, or only as a part of another model."""
    if search(_WHOLE, plain) is not None:
        return None
    for pattern, meant in _MODELS:
        for match in re.finditer(pattern, plain, re.ASCII):
            behind = re.match(_BEHIND[meant], plain[match.end() :], re.ASCII) if meant in _BEHIND else None
            if behind is None and search(_BEFORE, plain[: match.start()]) is None:
                return meant
    return None
