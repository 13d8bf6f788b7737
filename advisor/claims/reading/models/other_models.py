"""Models that people name and that are not bundled, so that no other one is taken in their place."""

from __future__ import annotations

import re

from advisor.claims.reading.models.model_words import BUNDLED_NAMES
from advisor.claims.reading.numbers.number_words import search

_OF_PICTURES = (
    r"(?:efficient|mobile|squeeze|shuffle|dense|alex|mnas|ghost|reg|hr|seg|link|point)-?net|convnext|inception|xception|vgg"
    r"|(?:wide|se|3d)[\s_-]?resnet|resnext|resnest|resnet|swin|deit|beit|coatnet|maxvit|mae|dino(?:[\s-]?v\d)?"
    r"|(?:open[\s_-]?)?clip|siglip|blip|segment anything|segformer|mask2former|(?:rt-?)?detr|yolo\w*"
    r"|(?:faster|mask|cascade)[\s-]*r-?cnn|retinanet|deeplab\w*|fcos|centernet|(?:nn|3d|attention) ?u-?net|unetr"
    r"|u-?net\s?\+\+|simclr|moco|byol"
)
_THAT_DRAW = (
    r"stable[\s-]*diffusion|latent[\s-]*diffusion|sdxl|sd[\s-]?(?:1\.\d|2\.\d|3(?:\.\d)?|xl)|flux(?:\.1)?|controlnet"
    r"|dreambooth|pix2pix|cyclegan|stylegan\d?|gans?|ddpm|vae|vq-?gan|nerf|gaussian splatting"
)
_OF_TEXT = (
    r"qwen|mistral|mixtral|gemma|deepseek|chatglm|baichuan|internlm|falcon|bloomz?|pythia|gpt-?(?:neo\w*|j)|mpt"
    r"|code ?llama|llama(?!\.cpp)|alpaca|vicuna|starcoder|olmo|smollm|tinyllama|rwkv|mamba|(?:flan-?|m)?t5|bart|pegasus"
    r"|deberta|distil(?:bert|gpt2|roberta)|electra|albert|xlm(?:-?r(?:oberta)?)?|xlnet|roberta|longformer|bigbird|modernbert"
    r"|minilm|bert|gpt|(?:opt|phi|yi|glm)[\s_-]?\d"
)
_OTHERS = (
    r"wav2vec\w*|hubert|conformer|tacotron\w*|fastspeech\w*|whisper|rnn-?t|alphafold\w*|openfold|esm-?\d|dlrm|bert4rec"
    r"|graphsage|gnns?|timesformer|videomae|slowfast"
)
_SIZE = (
    r"(?:[\s_/-]*(?:v?\d{1,3}(?:\.\d{1,2})?|[a-z]\d{1,2}"
    r"|nano|tiny|mini|small|base|medium|large|huge|giant|xl|xxl)|[_/-][a-z])(?![a-z0-9])"
)
_OF_A_VIT = r"\bvit[\s_/-]*(?:ti|tiny|s|small|l|large|h|huge|g|giant)(?:[\s_/-]*(?:8|14|16|32))?(?![a-z0-9])"
_NAMED = rf"{_OF_A_VIT}|(?<![a-z0-9])(?:{_OF_PICTURES}|{_THAT_DRAW}|{_OF_TEXT}|{_OTHERS})(?:{_SIZE}){{0,3}}(?![a-z0-9])"


def model_places(plain: str) -> list[tuple[int, int]]:
    """Where each model is named, bundled or not, once each, in the text's order."""
    names: dict[str, tuple[int, int]] = {}
    for pattern in (*BUNDLED_NAMES, _NAMED):
        for match in re.finditer(pattern, plain, re.ASCII):
            if not any(start < match.end() and match.start() < end for start, end in names.values()):
                names.setdefault(match.group(), match.span())
    return sorted(names.values())


def find_other_model(plain: str, text: str) -> str | None:
    """The model that is named and not bundled, as the text writes it; None: none is. `plain`: the text, normalised."""
    match = search(_NAMED, plain)
    if match is None:
        return None
    name = match.group().strip()
    written = re.search(re.escape(name), text, re.IGNORECASE)
    return name if written is None else written.group()
