"""What a Hugging Face configuration says that its model is for."""

from __future__ import annotations

from typing import Any, Literal

from advisor.workload.workload import Task

DataKind = Literal["text", "image", "speech", "series"]

_SPEECH_TYPES = frozenset(
    {
        "audio-spectrogram-transformer", "canary", "clap", "cohere_asr", "dac", "data2vec-audio", "encodec",
        "fun_asr_nano_encoder", "glmasr_encoder", "hubert", "lasr_ctc", "lasr_encoder", "mctct", "mimi",
        "mimi_encoder", "moonshine", "moonshine_streaming", "nemotron3_5_asr", "nemotron3_diarization",
        "nemotron_asr_streaming", "nemotron_asr_streaming_encoder", "neucodec", "parakeet_ctc",
        "parakeet_encoder", "parakeet_rnnt", "parakeet_tdt", "qwen3_asr_encoder", "seamless_m4t", "sew",
        "sew-d", "speech_to_text", "unispeech", "unispeech-sat", "univnet", "vibevoice_acoustic_tokenizer",
        "voxtral_encoder", "voxtral_realtime_encoder", "wav2vec2", "wav2vec2-bert", "wav2vec2-conformer",
        "wavlm", "whisper", "xcodec", "xcodec2",
    }
)  # fmt: skip
_IMAGE_TYPES = frozenset(
    {
        "aimv2_vision_model", "beit", "bit", "chinese_clip_vision_model", "clip_vision_model",
        "conditional_detr", "convnext", "convnextv2", "cosmos3_edge_vision", "cvt", "d_fine", "dab-detr",
        "data2vec-vision", "deformable_detr", "deimv2", "deit", "depth_pro", "detr", "dinat", "dinov2",
        "dinov2_with_registers", "dinov3_convnext", "dinov3_vit", "donut-swin", "dpt", "edgetam",
        "edgetam_vision_model", "efficientformer", "efficientloftr", "efficientnet", "focalnet",
        "gemma3n_vision", "glm_image_vision", "glpn", "hgnet_v2", "hiera", "hunyuan_vl_vision", "ijepa",
        "imagegpt", "inkling2_vision", "internvl_vision", "levit", "lightglue", "lw_detr", "mask2former",
        "maskformer", "maskformer-swin", "mgp-str", "minicpm_ocr_vision", "minicpmv4_7_vision", "mlcd",
        "mlcd_vision_model", "mobilenet_v1", "mobilenet_v2", "mobilevit", "mobilevitv2", "muse_glimmer_vision",
        "muse_spark_vision", "nat", "omdet-turbo", "oneformer", "pe_video_encoder", "perceiver", "pixio",
        "pixtral", "poolformer", "pp_doclayout_v3", "pp_doclayout_v4", "pp_ocrv5_mobile_rec",
        "pp_ocrv5_server_rec", "pp_ocrv6_medium_det", "pp_ocrv6_small_det", "pp_ocrv6_small_rec",
        "pp_ocrv6_tiny_rec", "pvt", "pvt_v2", "qianfan_ocr_vision", "radio", "regnet", "resnet", "rf_detr",
        "rt_detr", "rt_detr_v2", "sam", "sam2", "sam2_hiera_det_model", "sam2_vision_model", "sam3_tracker",
        "sam3_vision_model", "sam3_vit_model", "sam_hq", "sam_hq_vision_model", "sam_vision_model", "sapiens2",
        "segformer", "seggpt", "siglip2_vision_model", "siglip_vision_model", "swiftformer", "swin", "swin2sr",
        "swinv2", "table-transformer", "textnet", "timesformer", "timm_backbone", "timm_wrapper",
        "tipsv2_vision_model", "upernet", "uvdoc", "van", "video_llama_3_vision", "videomae",
        "videoprism_vision_model", "vit", "vit_hybrid", "vit_mae", "vit_msn", "vitdet", "vivit", "vjepa2",
        "yolos",
    }
)  # fmt: skip
"""Pictures and films."""
_SERIES_TYPES = frozenset(
    {
        "autoformer", "decision_transformer", "informer", "patchtsmixer", "patchtst", "time_series_transformer",
        "timesfm", "timesfm2_5",
    }
)  # fmt: skip
"""Rows of numbers over time, as long as the configuration says that the model looks back.

What takes words beside pictures or sound is told by the parts of its configuration, and an unknown type is read as a
model of words; a test holds the three sets against the classes of the installed transformers.
"""

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
TARGETS = ("labels", "start_positions", "end_positions")
"""Inputs of a task's model that its loss alone reads, but where it is one of `WRITING_TASKS`; `base` has no loss."""
WRITING_TASKS: frozenset[Task] = frozenset({"seq2seq-lm", "speech-seq2seq"})
"""Whose decoder reads the targets too, a word later: without a loss it is given them as `DECODER_INPUT`."""
DECODER_INPUT = "decoder_input_ids"

_TASK_KINDS: dict[Task, DataKind] = {
    "image-classification": "image",
    "semantic-segmentation": "image",
    "speech-classification": "speech",
    "speech-seq2seq": "speech",
    "ctc": "speech",
}


def data_kind(config: dict[str, Any], task: Task | None = None) -> DataKind:
    """Text, images, speech or time series, by the task where it says so, else by what the configuration says.

    That are `model_type`, sizes, and the class that it was saved as.
    """
    if task in _TASK_KINDS:
        return _TASK_KINDS[task]
    model_type = str(config.get("model_type", ""))
    if model_type in _SERIES_TYPES:
        return "series"
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
