"""What a Hugging Face configuration says that its model is for."""

from __future__ import annotations

from typing import Any, Literal

from advisor.workload.workload import Task

DataKind = Literal["text", "image", "speech"]

_SPEECH_TYPES = frozenset(
    {
        "wav2vec2", "wav2vec2-bert", "wav2vec2-conformer", "hubert", "wavlm", "unispeech", "unispeech-sat", "sew",
        "sew-d", "data2vec-audio", "audio-spectrogram-transformer", "whisper", "speech_to_text", "mctct", "parakeet",
        "seamless_m4t", "moonshine", "clap",
    }
)  # fmt: skip
_IMAGE_TYPES = frozenset(
    {
        "vit", "deit", "beit", "swin", "swinv2", "convnext", "convnextv2", "resnet", "regnet", "mobilenet_v1",
        "mobilenet_v2", "mobilevit", "mobilevitv2", "efficientnet", "dinov2", "dinov2_with_registers", "dinov3_vit",
        "data2vec-vision", "levit", "poolformer", "cvt", "focalnet", "bit", "pvt", "pvt_v2", "segformer", "vit_mae",
        "vit_msn", "vit_hybrid", "van", "swiftformer", "efficientformer", "nat", "dinat", "hiera", "ijepa",
        "siglip_vision_model", "clip_vision_model", "imagegpt", "perceiver", "textnet", "upernet", "dpt", "yolos",
    }
)  # fmt: skip

_ENDINGS: tuple[tuple[str, Task], ...] = (
    ("ForSequenceClassification", "sequence-classification"),
    ("ForTokenClassification", "token-classification"),
    ("ForQuestionAnswering", "question-answering"),
    ("ForMaskedLM", "masked-lm"),
    ("ForCausalLM", "causal-lm"),
    ("LMHeadModel", "causal-lm"),
    ("ForImageClassification", "image-classification"),
    ("ForImageClassificationWithTeacher", "image-classification"),
    ("ForSemanticSegmentation", "semantic-segmentation"),
    ("ForAudioClassification", "speech-classification"),
    ("ForCTC", "ctc"),
    ("ForConditionalGeneration", "seq2seq-lm"),
    ("ForSpeechSeq2Seq", "speech-seq2seq"),
)

_IMAGE_ENDINGS = (
    "ForImageClassification", "ForImageClassificationWithTeacher", "ForSemanticSegmentation", "ForObjectDetection",
    "ForInstanceSegmentation", "ForUniversalSegmentation", "ForImageSegmentation", "ForDepthEstimation",
    "ForImageSuperResolution", "ForMaskedImageModeling", "ForVideoClassification", "ForPoseEstimation",
    "ForKeypointDetection", "ForImageMatting",
)  # fmt: skip
"""How the classes that take pictures are called, whatever their configuration is; detectors that are told in words
what to look for have a text model of their own."""

AUTO_CLASSES: dict[Task, str] = {
    "sequence-classification": "AutoModelForSequenceClassification",
    "token-classification": "AutoModelForTokenClassification",
    "question-answering": "AutoModelForQuestionAnswering",
    "masked-lm": "AutoModelForMaskedLM",
    "causal-lm": "AutoModelForCausalLM",
    "seq2seq-lm": "AutoModelForSeq2SeqLM",
    "image-classification": "AutoModelForImageClassification",
    "semantic-segmentation": "AutoModelForSemanticSegmentation",
    "speech-classification": "AutoModelForAudioClassification",
    "speech-seq2seq": "AutoModelForSpeechSeq2Seq",
    "ctc": "AutoModelForCTC",
    "base": "AutoModel",
}
"""The class of transformers that a task is built with."""

_TASK_KINDS: dict[Task, DataKind] = {
    "image-classification": "image",
    "semantic-segmentation": "image",
    "speech-classification": "speech",
    "speech-seq2seq": "speech",
    "ctc": "speech",
}


def data_kind(config: dict[str, Any], task: Task | None = None) -> DataKind:
    """Text, images or speech, by the task where it says so, else by what the configuration says of its model.

    That are `model_type`, sizes, and the class that it was saved as.
    """
    if task in _TASK_KINDS:
        return _TASK_KINDS[task]
    model_type = str(config.get("model_type", ""))
    if model_type in _SPEECH_TYPES or "speech" in model_type or "audio" in model_type:
        return "speech"
    if model_type in _IMAGE_TYPES or ("num_channels" in config and not {"vocab_size", "text_config"} & set(config)):
        return "image"
    if "text_config" not in config and any(name.endswith(_IMAGE_ENDINGS) for name in _architectures(config)):
        return "image"
    return "text"


def _architectures(config: dict[str, Any]) -> list[str]:
    """The classes that the configuration was saved as."""
    architectures = config.get("architectures")
    return [name for name in architectures if isinstance(name, str)] if isinstance(architectures, list) else []


def infer_task(config: dict[str, Any]) -> Task:
    """The task that the configuration's `architectures` name; `base` where they name none that is known."""
    kind = data_kind(config)
    for name in _architectures(config):
        for ending, task in _ENDINGS:
            if name.endswith(ending):
                return _for_kind(task, kind, has_vision="vision_config" in config)
    return "base"


def _for_kind(task: Task, kind: DataKind, *, has_vision: bool) -> Task:
    if task == "seq2seq-lm" and has_vision:
        return "causal-lm"
    if kind == "speech" and task == "seq2seq-lm":
        return "speech-seq2seq"
    if kind == "speech" and task == "sequence-classification":
        return "speech-classification"
    return task
