"""What one kind of input of a transformers model looks like: words, pictures, films, sound."""

from __future__ import annotations

import torch
from torch import Tensor

from advisor.worker.models.foreign import Config
from advisor.workload.defaults import ASSUMED_SPEECH_SAMPLES
from advisor.workload.picture_sides import sides_of_pictures, two_sides
from advisor.workload.workload import Task, Workload

_DEFAULT_LENGTH = 128
_MASKED_SHARE = 0.15
"""Share of tokens that BERT's masked language model predicts (Devlin et al. 2018)."""
_IGNORED = -100
_SPECIAL_WORDS = ("token_id", "token_index")
"""How a configuration's names of words end that are no ordinary ones."""
_CHARACTERS_PER_SECOND = 15
_SPEECH_RATE_HZ = 16_000
SAMPLES_OF_FRAME = 160
"""Ten milliseconds, as all common front ends step."""


def number_of(config: Config, name: str, default: int) -> int:
    """A positive whole number of the configuration or of its text or vision part."""
    for part in (config, getattr(config, "text_config", None), getattr(config, "vision_config", None)):
        value = getattr(part, name, None)
        if isinstance(value, int) and value > 0:
            return value
    return default


def text_length(config: Config, workload: Workload, *, bounded: bool = True) -> int:
    """Words of a sample: the workload's, `bounded` by the positions that the model has."""
    length = workload.data.sequence_length or _DEFAULT_LENGTH
    return min(length, number_of(config, "max_position_embeddings", length)) if bounded else length


def tokens(config: Config, task: Task, workload: Workload, batch_size: int) -> dict[str, Tensor]:
    """Words, their mask and the task's labels."""
    length = text_length(config, workload, bounded=hasattr(config, "vision_config") or task == "base")
    vocabulary = number_of(config, "vocab_size", 30522)
    shape = (batch_size, length)
    ids = _ordinary_words(config, vocabulary, shape)
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


def _ordinary_words(config: Config, vocabulary: int, shape: tuple[int, int]) -> Tensor:
    """Random words, none of which stands for a picture, a film or a sound: a model looks for what is not there."""
    first = min(3, vocabulary - 1)
    parts = (config, getattr(config, "text_config", None))
    named = [pair for part in parts if part is not None for pair in vars(part).items()]
    special = {value for name, value in named if name.endswith(_SPECIAL_WORDS) and isinstance(value, int)}
    ordinary = next((word for word in range(first, vocabulary) if word not in special), first)
    ids = torch.randint(first, vocabulary, shape)
    for word in special:
        ids = ids.masked_fill(ids == word, ordinary)
    return ids


def side_of(config: Config, workload: Workload) -> int:
    """Pixels of a picture's longer side: the workload's, else the configuration's."""
    return max(sides_of(config, workload))


def sides_of(config: Config, workload: Workload) -> tuple[int, int]:
    """Height and width of a picture: the workload's square, else the configuration's, which no assumed one replaces."""
    return sides_of_pictures(two_sides(getattr(config, "image_size", None)), workload)


def images(config: Config, task: Task, workload: Workload, batch_size: int) -> dict[str, Tensor]:
    """Pictures and the task's labels."""
    height, width = sides_of(config, workload)
    batch = {"pixel_values": torch.randn(batch_size, number_of(config, "num_channels", 3), height, width)}
    if task == "image-classification":
        batch["labels"] = torch.randint(0, max(1, config.num_labels), (batch_size,))
    elif task == "semantic-segmentation":
        batch["labels"] = torch.randint(0, max(1, config.num_labels), (batch_size, height, width))
    return batch


def _sound_length(workload: Workload) -> int | None:
    """What the data say of a sound's length; what was assumed for words says nothing of it."""
    length = workload.data.sequence_length
    is_of_words = "data.sequence_length" in workload.assumed and (length or 0) < _SPEECH_RATE_HZ
    return None if is_of_words else length


def waves(config: Config, task: Task, workload: Workload, batch_size: int) -> dict[str, Tensor]:
    """Sound as it was recorded, and the task's labels."""
    length = _sound_length(workload) or _SPEECH_RATE_HZ
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
        batch["labels"] = torch.randint(1, number_of(config, "vocab_size", 32), (batch_size, characters))
    return batch


def row_count(config: Config, workload: Workload) -> int:
    """Words of a text, or rows of a sound's spectrum, as the data have either."""
    words = text_length(config, workload)
    return words // SAMPLES_OF_FRAME if workload.data.sequence_length == ASSUMED_SPEECH_SAMPLES else words


def frame_count(workload: Workload, usual: int) -> int:
    """Rows of a spectrum: the workload's, of a hundred a second where it counts samples, else the `usual` number."""
    length = _sound_length(workload)
    if length is None:
        return usual
    return length if length < _SPEECH_RATE_HZ else length // SAMPLES_OF_FRAME


def spectra(config: Config, task: Task, workload: Workload, batch_size: int) -> dict[str, Tensor]:
    """Sound by frequency bands, and the task's labels."""
    bins = number_of(config, "num_mel_bins", 0) or number_of(config, "input_feat_per_channel", 80)
    frames = 2 * number_of(config, "max_source_positions", 1500)
    whole = getattr(config, "model_type", "") == "whisper"
    shape = (batch_size, bins, frames) if whole else (batch_size, frame_count(workload, frames), bins)
    batch = {"input_features": torch.randn(shape)}
    if task == "speech-seq2seq":
        length = min(workload.data.sequence_length or _DEFAULT_LENGTH, number_of(config, "max_target_positions", 448))
        batch["labels"] = torch.randint(3, number_of(config, "vocab_size", 32), (batch_size, length))
    elif task == "speech-classification":
        batch["labels"] = torch.randint(0, max(1, config.num_labels), (batch_size,))
    elif task == "ctc":
        batch["labels"] = torch.randint(1, number_of(config, "vocab_size", 32), (batch_size, max(1, shape[1] // 16)))
    return batch
