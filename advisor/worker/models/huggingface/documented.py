"""Inputs that a model's forward documents: each is made in the shape that its description names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from advisor.worker.models.foreign import Config, Network
from advisor.worker.models.huggingface.inputs import images, number_of, row_count, side_of, spectra, waves
from advisor.workload.workload import Workload

One = Callable[[int], Tensor]
"""One input for a batch of that many samples."""
_ONE = re.compile(
    r"^\s*(?P<name>\w+)\s*\((?P<kind>[^\n]*?)(?:of|with)\s+shape\s*[`'\"]*[(\[](?P<shape>[^)\]\n]*)[)\]]",
    re.MULTILINE,
)
_BATCH = re.compile(r"batch|^b$|^bsz?$|num_(images|videos|audios|samples)$|^n$")
_SIDES = frozenset({"height", "width", "h", "w", "image_size", "image_height", "image_width"})
_WIDTHS = ("hidden_size", "embed_dim", "d_model", "hidden_dim", "dim", "n_embd", "encoder_hidden_size")
_OF_WIDTH = frozenset({*_WIDTHS, "feature_dim", "hidden", "text_hidden_size", "embedding_dim", "embedding_size"})
_CHANNELS = ("num_channels", "in_channels", "in_chans", "input_channels", "audio_channels")
_STATES = ("embeds", "hidden_states", "embeddings", "features", "states")
_GRIDS = ("grid_thw", "grid_hws", "spatial_shapes", "image_sizes")
_USUAL_CHANNELS = 3
_USUAL_WIDTH = 768


def documented_inputs(module: Network, name: str, workload: Workload) -> Iterator[One]:
    """Ways to make the input `name` of a module, the likeliest first: as documented, then as its name is used."""
    config = module.config
    yield from _grids(name, config, workload)
    documented = documented_shape(module, name)
    if documented is not None:
        kind, shape = documented
        sizes = [_size(part, config, workload) for part in shape]
        sizes = sizes if None in sizes else [None, *sizes]
        for whole in (_is_whole(name, kind), not _is_whole(name, kind)):
            yield _tensor(name, sizes, config, whole=whole)
    yield from _by_name(name, config, workload)


def documented_shape(module: Network, name: str) -> tuple[str, list[str]] | None:
    """What forward's documentation says of an input: its kind, and its dimensions by name; None where nothing."""
    text = inspect.getdoc(type(module).forward) or ""
    for match in _ONE.finditer(text):
        if match["name"] == name:
            return match["kind"], [part.strip(" `'\"*") for part in match["shape"].split(",") if part.strip()]
    return None


def _size(part: str, config: Config, workload: Workload) -> int | None:
    """One dimension by its documented name; None for the batch."""
    word = part.removeprefix("self.").removeprefix("config.").lower()
    if part.isdigit():
        return int(part)
    if _BATCH.search(word):
        return None
    if word in _SIDES:
        return side_of(getattr(config, "vision_config", None) or config, workload)
    if word in _CHANNELS or "channels" in word:
        return _first_number(config, _CHANNELS, _USUAL_CHANNELS)
    if word in _OF_WIDTH:
        return _first_number(config, (word, *_WIDTHS), _USUAL_WIDTH)
    own = number_of(config, word, 0)
    return own or row_count(config, workload)


def _first_number(config: Config, names: tuple[str, ...], default: int) -> int:
    return next((value for name in names if (value := number_of(config, name, 0))), default)


def _is_whole(name: str, kind: str) -> bool:
    whole = ("Long", "Int", "Bool", "int", "bool")
    return any(word in kind for word in whole) or name.endswith(("ids", "mask", "lengths", "labels"))


def _tensor(name: str, sizes: list[int | None], config: Config, *, whole: bool) -> One:
    def make(batch_size: int) -> Tensor:
        shape = [batch_size if size is None else size for size in sizes]
        if not whole:
            return torch.randn(shape)
        if "mask" in name:
            return torch.ones(shape, dtype=torch.long)
        if name.endswith(("input_ids", "tokens", "labels", "codes")):
            return torch.randint(0, max(1, number_of(config, "vocab_size", 2)), shape)
        return torch.zeros(shape, dtype=torch.long)

    return make


def _grids(name: str, config: Config, workload: Workload) -> Iterator[One]:
    """Numbers of a picture's patches: zeros, which fill the documented shape too, would be no picture."""
    if name.endswith(_GRIDS):
        seen = getattr(config, "vision_config", None) or config
        side = side_of(seen, workload) // max(1, number_of(seen, "patch_size", 16))
        yield lambda size: torch.tensor([[1, side, side]] * size)
        yield lambda size: torch.tensor([[side, side]] * size)


def _by_name(name: str, config: Config, workload: Workload) -> Iterator[One]:
    """By what libraries mean with such a name."""
    length, seen = row_count(config, workload), getattr(config, "vision_config", None) or config
    heard = getattr(config, "audio_config", None) or config
    if "pixel" in name or name.startswith("image"):
        yield lambda size: images(seen, "base", workload, size)["pixel_values"]
    if "mask" in name:
        yield _tensor(name, [None, length], config, whole=True)
    if name.endswith(("ids", "tokens")):
        yield _tensor(name, [None, length], config, whole=True)
    if name.endswith(_STATES):
        width = _first_number(config, _WIDTHS, _USUAL_WIDTH)
        yield lambda size: torch.randn(size, length, width)
    if any(word in name for word in ("spectro", "mel", "features", "audio", "speech")):
        yield lambda size: spectra(heard, "base", workload, size)["input_features"]
        yield lambda size: spectra(heard, "base", workload, size)["input_features"].transpose(1, 2).contiguous()
    if any(word in name for word in ("values", "wave", "audio", "hidden_states")):
        yield lambda size: waves(heard, "base", workload, size)["input_values"]
        yield lambda size: waves(heard, "base", workload, size)["input_values"].reshape(size, 1, -1)
