"""Random batches of the kind that a transformers model takes: text, images or speech, with the task's labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

from advisor.worker.models.foreign import Network
from advisor.worker.models.huggingface.inputs import images, spectra, tokens, waves
from advisor.worker.models.huggingface.kinds import forward_names, further_batches, main_input_name, may_show_pictures
from advisor.worker.models.huggingface.search import Search
from advisor.worker.models.huggingface.sets import Made
from advisor.workload.workload import Task, Workload


class BatchMaker(NamedTuple):
    """What gives a model its inputs."""

    make_batch: Made
    text_only: bool = False
    """A model of pictures and text that runs on text alone here, since its pictures could not be made."""
    refused: bool = False
    """Whether forward takes none that was tried."""


def batch_maker(module: Network, task: Task, workload: Workload, *, tried: bool) -> BatchMaker:
    """A function from batch size to a batch for `module`; lengths come from the workload's data.

    A model with inputs of several kinds is given the first of several batches that its forward takes; `tried`: so is
    every other, and where none runs, what forward asks for is added.
    """
    plain = _plain(module, task, workload)
    others = tuple(further_batches(module, task, workload))
    if not others and not tried:
        return BatchMaker(plain)
    search = Search(module, workload)
    for made in (*others, plain):
        if search.complaint(made) is None:
            shows = made is not plain or not may_show_pictures(module)
            return BatchMaker(_known_names(module, made), text_only=not shows)
    complete = search.batch((plain, *others, lambda _batch_size: {}))
    if complete is None:
        return BatchMaker(search.furthest or plain, text_only=may_show_pictures(module), refused=True)
    return BatchMaker(complete, text_only=may_show_pictures(module) and "pixel_values" not in complete(1))


def _known_names(module: Network, make_batch: Made) -> Made:
    wanted = forward_names(module)
    return lambda batch_size: {
        name: tensor for name, tensor in make_batch(batch_size).items() if not wanted or name in wanted
    }


def _plain(module: Network, task: Task, workload: Workload) -> Made:
    kind = main_input_name(module)
    config = module.config
    makers: dict[str, Callable[[Any, Task, Workload, int], dict[str, Tensor]]] = {
        "pixel_values": images,
        "input_values": waves,
        "input_features": spectra,
    }
    maker = makers.get(kind, tokens)

    def make_batch(batch_size: int) -> dict[str, Tensor]:
        batch = maker(config, task, workload, batch_size)
        batch.update(_second_input(batch, module, workload, batch_size))
        return batch

    return _known_names(module, make_batch)


def _second_input(batch: dict[str, Tensor], module: Network, workload: Workload, batch_size: int) -> dict[str, Tensor]:
    """The image or text that a model of both (CLIP and its kin) wants beside its main input."""
    names, config = forward_names(module), module.config
    vision, text = getattr(config, "vision_config", None), getattr(config, "text_config", None)
    if vision is None or text is None or getattr(module, "can_generate", bool)():
        return {}
    if "pixel_values" in names and "pixel_values" not in batch:
        return images(vision, "base", workload, batch_size)
    if "input_ids" in names and "input_ids" not in batch:
        return tokens(text, "base", workload, batch_size)
    return {}
