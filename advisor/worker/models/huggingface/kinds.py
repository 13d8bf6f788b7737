"""Batches of several kinds of input at once: pictures with text, films, sound with text, text for two towers."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import product
from typing import Any

import torch
from torch import Tensor

from advisor.worker.models.foreign import Config, Network
from advisor.worker.models.huggingface.documented import documented_shape
from advisor.worker.models.huggingface.inputs import images, number_of, side_of, sides_of, spectra, tokens, waves
from advisor.worker.models.huggingface.sets import Made, known_sets
from advisor.workload.workload import Task, Workload

_PICTURE_WORDS = ("image_token_id", "image_token_index", "media_token_id", "boi_token_id")
_ROUND_PICTURE = 1
"""Words before the first picture's."""
_SAID_WORDS = 128
"""Words of a decoder beside pictures or sound."""
_FRAMES = 8
"""Of a film, where the configuration names no number."""
_USUAL_PICTURE_WORDS = 256
"""Words that a picture becomes, where the model does not tell."""


def main_input_name(module: Network) -> str:
    """What the model's class calls its main input; the first where it names several, as OneFormer does."""
    named = getattr(module, "main_input_name", "input_ids")
    return named if isinstance(named, str) else str(named[0])


def forward_names(module: Network) -> set[str]:
    """What the model's forward takes by name; empty where it takes anything."""
    parameters = inspect.signature(module.forward).parameters
    own = {name for name, parameter in parameters.items() if parameter.kind is not inspect.Parameter.VAR_KEYWORD}
    return own if "input_ids" in own or len(own) == len(parameters) else set()


def named_parameters(module: Network) -> dict[str, inspect.Parameter]:
    """What the model's forward names, in its order."""
    named = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    return {
        name: parameter
        for name, parameter in inspect.signature(module.forward).parameters.items()
        if parameter.kind in named
    }


def name_picture_words(config: Config) -> None:
    """Let the last word stand for pictures where the configuration leaves open which one does."""
    for name in (*_PICTURE_WORDS, "video_token_id", "video_token_index"):
        if hasattr(config, name) and getattr(config, name) is None:
            setattr(config, name, number_of(config, "vocab_size", 2) - 1)


def may_show_pictures(module: Network) -> bool:
    """Whether a model of words also takes pictures."""
    config = module.config
    return "input_ids" in forward_names(module) and any(
        getattr(config, name, None) is not None for name in ("vision_config", "vision_tower", "vq_config")
    )


def further_batches(module: Network, task: Task, workload: Workload) -> Iterator[Made]:
    """What the model may want beside or instead of its main input, the fullest first; none for a plain model."""
    names = set(inspect.signature(module.forward).parameters)
    yield from known_sets(names, module.config, workload)
    if not _is_unusual(module, names, task):
        return
    if may_show_pictures(module):
        yield from _pictures_among_words(module, task, workload, names)
    words = (True, False) if "input_ids" in names else (False,)
    decoders = (True, False) if "decoder_input_ids" in names else (False,)
    for chosen, with_words, with_decoder in product(_kinds(module, names, workload), words, decoders):
        if chosen is not None or with_words:
            yield _joined(module.config, task, workload, chosen, words=with_words, decoder=with_decoder)


def _is_unusual(module: Network, names: set[str], task: Task) -> bool:
    """Whether the model takes more than one kind of input, or one that its configuration does not show."""
    main = main_input_name(module)
    several = len({"input_ids", "pixel_values", "input_features", "input_values", "pixel_values_videos"} & names) > 1
    asked = {
        name for name, parameter in named_parameters(module).items() if parameter.default is inspect.Parameter.empty
    }
    required = asked - {main, "input_ids", "self"}
    doubled = task == "base" and "decoder_input_ids" in names
    unshown = main not in {"input_ids", "pixel_values", "input_values", "input_features"} or main not in names
    films = "num_frames" in vars(module.config) or hasattr(module.config, "tubelet_size")
    parted = any(getattr(module.config, name, None) is not None for name in ("vision_config", "audio_config"))
    return several or bool(required) or unshown or films or doubled or parted


def _kinds(module: Network, names: set[str], workload: Workload) -> list[Made | None]:
    """What may stand beside words: pictures, films, sound, or None."""
    config = module.config
    seen = getattr(config, "vision_config", None) or config
    heard = getattr(config, "audio_config", None) or getattr(config, "speech_config", None) or config
    kinds: list[Made | None] = [*_cut_pictures(seen, names, workload)]
    if "pixel_values" in names:
        kinds.append(lambda size: images(seen, "base", workload, size))
        if number_of(seen, "num_frames", 0) == 0:
            kinds.append(lambda size: {"pixel_values": _film(seen, workload, size, usual=1)})
        kinds.append(lambda size: {"pixel_values": _film(seen, workload, size)})
    if "pixel_values_videos" in names:
        kinds.append(lambda size: {"pixel_values_videos": _film(seen, workload, size)})
    if "input_features" in names:
        kinds.append(lambda size: spectra(heard, "base", workload, size))
        kinds.append(lambda size: _turned(spectra(heard, "base", workload, size)["input_features"]))
    if "input_values" in names:
        kinds += _sounds(module, heard, workload)
    return [*kinds, None]


def _sounds(module: Network, heard: Config, workload: Workload) -> list[Made]:
    """Sounds as they were recorded, without and with the dimension of channels: first what forward documents."""

    def plain(size: int) -> dict[str, Tensor]:
        return waves(heard, "base", workload, size)

    def in_channels(size: int) -> dict[str, Tensor]:
        return {"input_values": plain(size)["input_values"].unsqueeze(1)}

    documented = documented_shape(module, "input_values")
    one_channel = documented is not None and documented[1][1:-1] == ["1"]
    return [in_channels, plain] if one_channel else [plain, in_channels]


def _cut_pictures(seen: Config, names: set[str], workload: Workload) -> Iterator[Made]:
    """Pictures that were cut into patches beforehand: one after the other with their grids, or side by side."""
    rows, width, grid = _patches(seen, workload)
    place = next((name for name in ("hidden_states", "pixel_values") if name in names), None)
    grids = next((name for name in ("grid_thw", "grid_thws", "image_grid_thw") if name in names), None)
    merged = number_of(seen, "spatial_merge_size", 2)

    side = number_of(seen, "patch_size", 14)

    def packed(size: int, patch: tuple[int, ...] = (width,)) -> dict[str, Tensor]:
        assert place is not None
        assert grids is not None
        batch = {place: torch.randn(size * rows, *patch), grids: torch.tensor([grid] * size)}
        return batch | ({"merge_sizes": torch.tensor([merged] * size)} if "merge_sizes" in names else {})

    def padded(size: int) -> dict[str, Tensor]:
        batch = {"pixel_values": torch.randn(size, rows, width), "spatial_shapes": torch.tensor([grid[1:]] * size)}
        mask = torch.ones(size, rows, dtype=torch.long)
        return batch | ({"pixel_attention_mask": mask} if "pixel_attention_mask" in names else {})

    if place is not None and grids is not None:
        yield packed
        yield lambda size: packed(size, (width // side**2, side, side))
    if {"pixel_values", "spatial_shapes"} <= names:
        yield padded


def _turned(bands: Tensor) -> dict[str, Tensor]:
    return {
        "input_features": bands.transpose(1, 2).contiguous(),
        "input_features_mask": torch.ones(bands.shape[0], bands.shape[1], dtype=torch.long),
    }


def _film(config: Config, workload: Workload, batch_size: int, usual: int = _FRAMES) -> Tensor:
    frames = number_of(config, "num_frames", usual)
    return torch.randn(batch_size, frames, number_of(config, "num_channels", 3), *sides_of(config, workload))


def _joined(  # noqa: PLR0913 - what a batch is joined of
    config: Config, task: Task, workload: Workload, beside: Made | None, *, words: bool, decoder: bool
) -> Made:
    text = getattr(config, "text_config", None) or getattr(config, "decoder", None) or config

    def make(batch_size: int) -> dict[str, Tensor]:
        batch: dict[str, Tensor] = {} if beside is None else beside(batch_size)
        if words:
            batch |= tokens(text, task if beside is None else "base", workload, batch_size)
        if decoder:
            # A sound's length is counted in samples: what is said of it is as long as a usual sentence.
            asked = workload.data.sequence_length if beside is None else None
            length = min(asked or _SAID_WORDS, number_of(text, "max_target_positions", _SAID_WORDS))
            batch["decoder_input_ids"] = torch.randint(0, number_of(text, "vocab_size", 2), (batch_size, length))
        return batch

    return make


def _pictures_among_words(module: Network, task: Task, workload: Workload, names: set[str]) -> Iterator[Made]:
    """One picture a sample, in the place of as many words as the model makes of it."""
    config = module.config
    word = next((value for name in _PICTURE_WORDS if isinstance(value := getattr(config, name, None), int)), None)
    seen = getattr(config, "vision_config", None)
    if word is None or seen is None or "pixel_values" not in names:
        return
    patches = _patches(seen, workload) if "image_grid_thw" in names else None

    def pictures(batch_size: int) -> dict[str, Tensor]:
        if patches is None:
            return images(seen, "base", workload, batch_size)
        rows, width, grid = patches
        return {
            "pixel_values": torch.randn(batch_size * rows, width),
            "image_grid_thw": torch.tensor([grid] * batch_size),
        }

    count = _words_of_picture(module, seen, pictures, patches)

    def make(batch_size: int) -> dict[str, Tensor]:
        batch = tokens(config, task, workload, batch_size)
        ids = batch["input_ids"]
        shown = torch.full((batch_size, count), word)
        with_pictures = torch.cat([ids[:, :_ROUND_PICTURE], shown, ids[:, _ROUND_PICTURE:]], dim=1)
        batch |= {"input_ids": with_pictures, "attention_mask": torch.ones_like(with_pictures)}
        batch["mm_token_type_ids"] = (with_pictures == word).long()
        batch["token_type_ids"] = batch["mm_token_type_ids"]
        if "labels" in batch:
            batch["labels"] = with_pictures.clone()
        return batch | pictures(batch_size)

    yield make


def _patches(seen: Config, workload: Workload) -> tuple[int, int, list[int]]:
    """Rows and width of a picture cut into patches beforehand, and its grid (time, height, width)."""
    size = number_of(seen, "patch_size", 14)
    merge = number_of(seen, "spatial_merge_size", 2)
    side = max(1, round(side_of(seen, workload) / (size * merge))) * merge
    channels = number_of(seen, "in_channels", number_of(seen, "in_chans", 3))
    return side * side, channels * number_of(seen, "temporal_patch_size", 1) * size * size, [1, side, side]


def _words_of_picture(module: Network, seen: Config, pictures: Made, patches: tuple[int, int, list[int]] | None) -> int:
    """How many words one picture becomes: told by the grid, else by what the model makes of one."""
    if patches is not None:
        return int(patches[0] // number_of(seen, "spatial_merge_size", 2) ** 2)
    look = getattr(module, "get_image_features", None) or getattr(
        getattr(module, "model", None), "get_image_features", None
    )
    if look is None:
        return number_of(module.config, "mm_tokens_per_image", _USUAL_PICTURE_WORDS)
    try:
        with torch.no_grad():
            made = look(**pictures(1))
    except Exception:  # noqa: BLE001 - whatever a library's method raises, it tells no number
        return number_of(module.config, "mm_tokens_per_image", _USUAL_PICTURE_WORDS)
    tensor = _first_tensor(getattr(made, "pooler_output", None)) if hasattr(made, "pooler_output") else None
    tensor = tensor if tensor is not None else _first_tensor(made)
    return _USUAL_PICTURE_WORDS if tensor is None else int(tensor.shape[:-1].numel())


def _first_tensor(made: Any) -> Tensor | None:  # noqa: ANN401 - whatever a model returns
    if isinstance(made, Tensor):
        return made
    if isinstance(made, (list, tuple)) and made:
        return _first_tensor(made[0])
    values = getattr(made, "values", None)
    return next((tensor for tensor in values() if isinstance(tensor, Tensor)), None) if callable(values) else None
