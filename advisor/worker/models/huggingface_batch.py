"""Random batches of the kind that a transformers model takes: text, images or speech, with the task's labels."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from advisor.worker.models.architecture import Batch
from advisor.workload.workload import Task, Workload

_DEFAULT_LENGTH = 128
_DEFAULT_SIDE = 224
_MASKED_SHARE = 0.15
"""Share of tokens that BERT's masked language model predicts (Devlin et al. 2018)."""
_IGNORED = -100
_CHARACTERS_PER_SECOND = 15
_SPEECH_RATE_HZ = 16_000


def batch_maker(module: Any, task: Task, workload: Workload) -> Callable[[int], Batch]:  # noqa: ANN401 - transformers
    """A function from batch size to a batch for `module`; lengths come from the workload's data."""
    kind = getattr(module, "main_input_name", "input_ids")
    config = module.config
    makers: dict[str, Callable[[Any, Task, Workload, int], dict[str, Tensor]]] = {
        "pixel_values": _images,
        "input_values": _waves,
        "input_features": _spectra,
    }
    maker = makers.get(kind, _tokens)
    wanted = _forward_names(module)

    def make_batch(batch_size: int) -> Batch:
        batch = maker(config, task, workload, batch_size)
        batch.update(_second_input(batch, module, workload, batch_size))
        return {name: tensor for name, tensor in batch.items() if not wanted or name in wanted}

    return make_batch


def _forward_names(module: Any) -> set[str]:  # noqa: ANN401 - transformers' types
    """What the model's forward takes by name; empty where it takes anything."""
    parameters = inspect.signature(module.forward).parameters
    own = {name for name, parameter in parameters.items() if parameter.kind is not inspect.Parameter.VAR_KEYWORD}
    return own if "input_ids" in own or len(own) == len(parameters) else set()


def _second_input(batch: dict[str, Tensor], module: Any, workload: Workload, batch_size: int) -> dict[str, Tensor]:  # noqa: ANN401
    """The image or text that a model of both (CLIP and its kin) wants beside its main input."""
    names, config = _forward_names(module), module.config
    vision, text = getattr(config, "vision_config", None), getattr(config, "text_config", None)
    if vision is None or text is None or getattr(module, "can_generate", bool)():
        return {}
    if "pixel_values" in names and "pixel_values" not in batch:
        return _images(vision, "base", workload, batch_size)
    if "input_ids" in names and "input_ids" not in batch:
        return _tokens(text, "base", workload, batch_size)
    return {}


def _of(config: Any, name: str, default: int) -> int:  # noqa: ANN401 - transformers' types
    for part in (config, getattr(config, "text_config", None), getattr(config, "vision_config", None)):
        value = getattr(part, name, None)
        if isinstance(value, int):
            return value
    return default


def _tokens(config: Any, task: Task, workload: Workload, batch_size: int) -> dict[str, Tensor]:  # noqa: ANN401
    length = workload.data.sequence_length or _DEFAULT_LENGTH
    if hasattr(config, "vision_config") or task == "base":
        length = min(length, _of(config, "max_position_embeddings", length))
    vocabulary = _of(config, "vocab_size", 30522)
    shape = (batch_size, length)
    ids = torch.randint(min(3, vocabulary - 1), vocabulary, shape)
    batch = {"input_ids": ids, "attention_mask": torch.ones(shape, dtype=torch.long)}
    if task in {"sequence-classification", "token-classification"}:
        labels_shape = (batch_size,) if task == "sequence-classification" else shape
        batch["labels"] = torch.randint(0, max(1, config.num_labels), labels_shape)
    elif task == "question-answering":
        batch["start_positions"] = torch.randint(0, length, (batch_size,))
        batch["end_positions"] = torch.randint(0, length, (batch_size,))
    elif task == "masked-lm":
        chosen = torch.rand(shape) < _MASKED_SHARE
        batch["labels"] = torch.where(chosen, ids, torch.full_like(ids, _IGNORED))
    elif task == "causal-lm":
        batch["labels"] = ids.clone()
    elif task == "seq2seq-lm":
        batch["labels"] = torch.randint(min(3, vocabulary - 1), vocabulary, shape)
    elif getattr(config, "is_encoder_decoder", False):
        batch["decoder_input_ids"] = ids.clone()
    return batch


def _side(config: Any, workload: Workload) -> int:  # noqa: ANN401 - transformers' types
    configured = getattr(config, "image_size", None)
    return workload.data.image_size or (configured if isinstance(configured, int) else _DEFAULT_SIDE)


def _images(config: Any, task: Task, workload: Workload, batch_size: int) -> dict[str, Tensor]:  # noqa: ANN401
    side = _side(config, workload)
    batch = {"pixel_values": torch.randn(batch_size, _of(config, "num_channels", 3), side, side)}
    if task == "image-classification":
        batch["labels"] = torch.randint(0, max(1, config.num_labels), (batch_size,))
    elif task == "semantic-segmentation":
        batch["labels"] = torch.randint(0, max(1, config.num_labels), (batch_size, side, side))
    return batch


def _waves(config: Any, task: Task, workload: Workload, batch_size: int) -> dict[str, Tensor]:  # noqa: ANN401
    length = workload.data.sequence_length or _SPEECH_RATE_HZ
    bins, frames = getattr(config, "num_mel_bins", None), getattr(config, "max_length", None)
    channels = getattr(config, "audio_channels", None)
    shape: tuple[int, ...] = (batch_size, length)
    if isinstance(bins, int) and isinstance(frames, int):
        shape = (batch_size, frames, bins)
    elif isinstance(channels, int):
        shape = (batch_size, channels, length)
    batch = {"input_values": torch.randn(shape)}
    if task == "speech-classification":
        batch["labels"] = torch.randint(0, max(1, config.num_labels), (batch_size,))
    elif task == "ctc":
        characters = max(1, length * _CHARACTERS_PER_SECOND // _SPEECH_RATE_HZ)
        batch["labels"] = torch.randint(1, _of(config, "vocab_size", 32), (batch_size, characters))
    return batch


def _spectra(config: Any, task: Task, workload: Workload, batch_size: int) -> dict[str, Tensor]:  # noqa: ANN401
    bins = _of(config, "num_mel_bins", 0) or _of(config, "input_feat_per_channel", 80)
    frames = 2 * _of(config, "max_source_positions", 1500)
    whole = getattr(config, "model_type", "") == "whisper"
    shape = (batch_size, bins, frames) if whole else (batch_size, workload.data.sequence_length or frames, bins)
    batch = {"input_features": torch.randn(shape)}
    if task == "speech-seq2seq":
        length = min(workload.data.sequence_length or _DEFAULT_LENGTH, _of(config, "max_target_positions", 448))
        batch["labels"] = torch.randint(3, _of(config, "vocab_size", 32), (batch_size, length))
    elif task == "speech-classification":
        batch["labels"] = torch.randint(0, max(1, config.num_labels), (batch_size,))
    elif task == "ctc":
        batch["labels"] = torch.randint(1, _of(config, "vocab_size", 32), (batch_size, max(1, shape[1] // 16)))
    return batch
