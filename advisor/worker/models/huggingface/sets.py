"""Inputs that only make sense together: whichever model takes them by these names means the same sizes by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from advisor.worker.models.foreign import Config
from advisor.worker.models.huggingface.inputs import (
    SAMPLES_OF_FRAME,
    frame_count,
    images,
    number_of,
    sides_of,
    spectra,
    text_length,
    tokens,
)
from advisor.workload.defaults import ASSUMED_SPEECH_SAMPLES
from advisor.workload.workload import Workload

Made = Callable[[int], dict[str, Tensor]]
_PATCHES = 2048
"""Of a picture of a text, as the processors of Pix2Struct and its kin cut it by default."""
_PLACES = 2
"""Numbers of a patch's row and column before its pixels."""
_FRAMES_OF_SOUND = 1000
"""Ten seconds, a hundred a second."""
_FRAMES_OF_A_ROW = 2
"""That front ends of 50 rows a second join to one."""
_FRAMES_OF_A_SOUND = 5
"""That one sound of a text lasts."""


class _Set(NamedTuple):
    """What goes together."""

    wanted: frozenset[str]
    """Names by which a forward is known to take the set."""
    make: Callable[[Any, Workload, int], dict[str, Tensor]]


def known_sets(names: set[str], config: Config, workload: Workload) -> Iterator[Made]:
    """Batches of the sets that a forward with these names takes, without what it does not name."""
    for batch_set in _SETS:
        if batch_set.wanted <= names:
            yield _made(batch_set, names, config, workload)


def _made(batch_set: _Set, names: set[str], config: Config, workload: Workload) -> Made:
    return lambda size: {name: made for name, made in batch_set.make(config, workload, size).items() if name in names}


def _series(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Time series as long as the model looks back, in as many channels as it takes at once."""
    length = number_of(config, "context_length", text_length(config, workload))
    channels = number_of(config, "num_input_channels", 0)
    shape = (size, length, channels) if channels else (size, length)
    ahead = number_of(config, "prediction_length", 0)
    return {
        "past_values": torch.randn(shape),
        "past_values_padding": torch.zeros(size, length, dtype=torch.long),
        "freq": torch.zeros(size, 1, dtype=torch.long),
    } | ({"future_values": torch.randn(size, ahead, *shape[2:])} if ahead else {})


def _flattened(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """A picture of a text as rows of a patch's place and its pixels, and what is said of it."""
    seen = getattr(config, "vision_config", None) or config
    text = getattr(config, "text_config", None)
    rows = min(_PATCHES, number_of(seen, "seq_len", number_of(seen, "max_num_patches", _PATCHES)))
    pixels = number_of(seen, "patch_embed_hidden_size", number_of(seen, "patch_size", 16) ** 2 * 3)
    batch = {
        "flattened_patches": torch.cat([torch.ones(size, rows, _PLACES), torch.randn(size, rows, pixels)], dim=2),
        "attention_mask": torch.ones(size, rows, dtype=torch.long),
    }
    if text is not None:
        shape = (size, text_length(text, workload))
        batch["labels"] = torch.randint(0, number_of(text, "vocab_size", 2), shape)
    return batch


def _tiles(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """One picture a sample, cut into as many tiles as a model takes."""
    tiles = number_of(config, "max_num_tiles", 4)
    sides = sides_of(config, workload)
    return {
        "pixel_values": torch.randn(size, 1, tiles, number_of(config, "num_channels", 3), *sides),
        "aspect_ratio_ids": torch.ones(size, 1, dtype=torch.long),
        "aspect_ratio_mask": torch.ones(size, 1, tiles, dtype=torch.long),
    }


def _looked_at(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Words with one picture beside them, which each of them looks at."""
    words = tokens(config, "base", workload, size)
    seen = getattr(config, "vision_config", None) or config
    return {
        **words,
        "pixel_values": images(seen, "base", workload, size)["pixel_values"].unsqueeze(1),
        "image_attention_mask": torch.ones(*words["input_ids"].shape, 1, dtype=torch.long),
    }


def _placed(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Words with a picture in the place of as many of them as the model makes of one, told by a mask."""
    text = getattr(config, "text_config", None) or config
    words = tokens(text, "base", workload, size)["input_ids"]
    places = number_of(config, "latent_query_num", 64)
    shown = torch.cat([torch.zeros(size, places, dtype=torch.long), words], dim=1)
    mask = torch.zeros_like(shown)
    mask[:, :places] = 1
    seen = getattr(config, "vision_config", None) or config
    return {
        "pixel_values": images(seen, "base", workload, size)["pixel_values"],
        "input_ids": shown,
        "attention_mask": torch.ones_like(shown),
        "image_embeds_position_mask": mask,
    }


def _heard_in_a_row(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Sounds by their bands one behind the other, and how long each is."""
    frames, bands = spectra(config, "base", workload, 1)["input_features"].shape[1:]
    return {
        "input_features": torch.randn(bands, size * frames),
        "feature_lens": torch.full((size,), frames, dtype=torch.long),
    }


def _heard(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Sounds by their bands, and a mask that is true where there is none."""
    frames = frame_count(workload, _FRAMES_OF_SOUND)
    return {
        "audio_mel": torch.randn(size, frames, number_of(config, "input_feat_size", 128)),
        "audio_mel_mask": torch.zeros(size, frames, dtype=torch.bool),
    }


def _grid(config: Config, workload: Workload) -> tuple[int, int, int, int]:
    """A patch's side and its channels, and the patches of a picture's height and width, in whole poolings."""
    side, pooled = number_of(config, "patch_size", 16), number_of(config, "pooling_kernel_size", 1)
    height, width = (max(1, side_length // (side * pooled)) * pooled for side_length in sides_of(config, workload))
    return side, number_of(config, "num_channels", 3), height, width


def _patches_with_places(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Pictures as rows of patches, and each patch's column and row."""
    side, channels, height, width = _grid(config, workload)
    places = torch.cartesian_prod(torch.arange(height), torch.arange(width)).flip(1)
    return {
        "pixel_values": torch.rand(size, height * width, channels * side * side),
        "pixel_position_ids": places.expand(size, -1, -1).contiguous(),
    }


def _patches_in_a_row(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """The patches of all pictures side by side as one long picture, and the grid of each."""
    side, channels, height, width = _grid(config, workload)
    height, width = (
        patch_count // 4 * 4 or 4 for patch_count in (height, width)
    )  # windows of two by two are joined twice
    return {
        "pixel_values": torch.randn(1, channels, side, size * height * width * side),
        "target_sizes": torch.tensor([[height, width]] * size, dtype=torch.int32),
    }


def _spoken(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Sounds of a text to learn its pitch, energy and spectrum from, with how many frames each of them lasts."""
    each = _FRAMES_OF_A_SOUND
    of_sound = workload.data.sequence_length == ASSUMED_SPEECH_SAMPLES
    length = frame_count(workload, _FRAMES_OF_SOUND) // each if of_sound else text_length(config, workload)
    shape = (size, length)
    return {
        "input_ids": torch.randint(1, number_of(config, "vocab_size", 2), shape),
        "attention_mask": torch.ones(shape, dtype=torch.long),
        "duration_labels": torch.full(shape, each, dtype=torch.long),
        "pitch_labels": torch.randn(*shape, 1),
        "energy_labels": torch.randn(*shape, 1),
        "spectrogram_labels": torch.randn(size, length * each, number_of(config, "num_mel_bins", 80)),
    }


def _of_a_robot(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """What a robot sees, is told and how it stands, with the movements that it is to learn."""
    vlm = getattr(config, "vlm_config", None) or config
    seen, text = getattr(vlm, "vision_config", vlm), getattr(vlm, "text_config", vlm)
    picture = images(seen, "base", workload, size)["pixel_values"].unsqueeze(1)
    patches = (picture.shape[-1] // number_of(seen, "patch_size", 14)) ** 2
    word = number_of(vlm, "image_token_id", number_of(vlm, "image_token_index", 0))
    instruction = tokens(text, "base", workload, size)["input_ids"]
    words = torch.cat([torch.full((size, patches), word), instruction], dim=1)
    chunk = number_of(config, "chunk_size", 50)
    return {
        "state": torch.randn(size, number_of(config, "max_state_dim", 32)),
        "actions": torch.randn(size, chunk, number_of(config, "max_action_dim", 32)),
        "pixel_values": picture,
        "pixel_attention_mask": torch.ones(size, 1, dtype=torch.bool),
        "input_ids": words,
        "attention_mask": torch.ones_like(words),
    }


def _rows(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Whatever was made rows of the model's width beforehand."""
    return {"inputs": torch.randn(size, text_length(config, workload), number_of(config, "d_model", 768))}


def _read_aloud(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """A text, or a sound, and the spectrum of what is to be said in a speaker's voice."""
    each = number_of(config, "reduction_factor", 1)
    frames = frame_count(workload, _FRAMES_OF_SOUND) // each * each
    length = min(text_length(config, workload), number_of(config, "max_text_positions", frames), frames)
    shape = (size, length)
    return {
        "input_ids": torch.randint(3, number_of(config, "vocab_size", 81), shape),
        "input_values": torch.randn(size, frames * SAMPLES_OF_FRAME),
        "labels": torch.randn(size, frames, number_of(config, "num_mel_bins", 80)),
        "speaker_embeddings": torch.randn(size, number_of(config, "speaker_embedding_dim", 512)),
    }


def _rows_of_sound(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Sounds heard and said as rows of the model's width: without a part that makes them of waves and spectra."""
    shape = (size, frame_count(workload, _FRAMES_OF_SOUND), number_of(config, "hidden_size", 768))
    return {"input_values": torch.randn(shape), "decoder_input_values": torch.randn(shape)}


def _heard_twice(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """Sounds as they were recorded, and by their bands for what tells their meaning."""
    frames = frame_count(workload, _FRAMES_OF_SOUND) // _FRAMES_OF_A_ROW
    meaning = getattr(config, "semantic_model_config", None) or config
    return {
        "input_values": torch.randn(size, 1, frames * _FRAMES_OF_A_ROW * SAMPLES_OF_FRAME),
        "input_features": torch.randn(size, frames, number_of(meaning, "feature_projection_input_dim", 160)),
    }


def _prompted(config: Config, workload: Workload, size: int) -> dict[str, Tensor]:
    """A picture below another one with its mask: together they have the configured height."""
    height, width = sides_of(config, workload)
    upper = height // 2 if height > width else height
    shape = (size, number_of(config, "num_channels", 3), upper, width)
    return {name: torch.randn(shape) for name in ("pixel_values", "prompt_pixel_values", "prompt_masks", "labels")}


_SETS = (
    _Set(frozenset({"inputs", "subsampled_output_points"}), _rows),
    _Set(frozenset({"stop_labels", "speaker_embeddings"}), _read_aloud),
    _Set(frozenset({"decoder_input_values", "speaker_embeddings"}), _rows_of_sound),
    _Set(frozenset({"input_values", "input_features", "padding_mask"}), _heard_twice),
    _Set(frozenset({"pixel_values", "prompt_pixel_values", "prompt_masks"}), _prompted),
    _Set(frozenset({"past_values"}), _series),
    _Set(frozenset({"flattened_patches"}), _flattened),
    _Set(frozenset({"aspect_ratio_ids", "aspect_ratio_mask"}), _tiles),
    _Set(frozenset({"pixel_values", "image_attention_mask", "perceiver_embeddings"}), _looked_at),
    _Set(frozenset({"pixel_values", "image_embeds_position_mask"}), _placed),
    _Set(frozenset({"input_features", "feature_lens"}), _heard_in_a_row),
    _Set(frozenset({"audio_mel", "audio_mel_mask"}), _heard),
    _Set(frozenset({"pixel_values", "pixel_position_ids"}), _patches_with_places),
    _Set(frozenset({"pixel_values", "target_sizes"}), _patches_in_a_row),
    _Set(frozenset({"spectrogram_labels", "duration_labels", "pitch_labels", "energy_labels"}), _spoken),
    _Set(frozenset({"state", "actions", "pixel_values"}), _of_a_robot),
)
