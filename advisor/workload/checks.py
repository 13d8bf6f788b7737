"""Fields of a workload that must agree with each other, and sizes that no real model has."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from advisor.core.errors import InputError
from advisor.workload.defaults import position_limit
from advisor.workload.tasks import data_kind, infer_task
from advisor.workload.training_checks import Problem, training_problems
from advisor.workload.workload import HuggingFaceModel, NumbersModel, PythonModel, TemplateModel, Workload

MAX_IMAGE_SIDE = 16_384
MAX_BATCH_TOKENS = 2**31
MAX_TEMPLATE_PARAMETERS = 1e12
_TEXT_TASKS = frozenset({"token-classification", "question-answering", "masked-lm", "causal-lm", "seq2seq-lm"})
_VOCABULARY_TASKS = frozenset({"masked-lm", "causal-lm", "seq2seq-lm", "speech-seq2seq"})
_IMAGE_TASKS = frozenset({"image-classification", "semantic-segmentation"})


def check_workload(workload: Workload, name: str, config: dict[str, Any] | None) -> None:
    """Raise InputError for the first pair of fields that contradict each other.

    `name` is the file that the text begins with; `config` the Hugging Face configuration, where the model has one.
    """
    for text, remedy in _problems(workload, config):
        raise InputError(f"{name}: {text}.", remedy)


def _problems(workload: Workload, config: dict[str, Any] | None) -> Iterator[Problem]:
    yield from training_problems(workload)
    yield from _size_problems(workload)
    model = workload.model
    if isinstance(model, HuggingFaceModel) and config is not None:
        yield from _config_problems(model, workload, config)
    elif isinstance(model, TemplateModel):
        yield from _template_problems(model, workload)
    elif isinstance(model, PythonModel):
        yield from _python_problems(model)
    elif isinstance(model, NumbersModel) and workload.training.trainable != "all":
        yield ("`training.trainable`: a model given by numbers has no layers to choose from", "Set it to all.")


def _size_problems(workload: Workload) -> Iterator[Problem]:
    data, training = workload.data, workload.training
    if data.image_size is not None and data.image_size > MAX_IMAGE_SIDE:
        yield (f"`data.image_size` is {data.image_size}", f"Allowed: an integer from 1 to {MAX_IMAGE_SIDE} pixels.")
    if data.image_size is not None and data.sequence_length is not None:
        yield ("`data.image_size` and `data.sequence_length` are both given", "Give the one that the model takes.")
    if training.batch_size > data.samples:
        yield (
            f"`training.batch_size` is {training.batch_size}, but `data.samples` is {data.samples}",
            f"Allowed: an integer from 1 to {data.samples}.",
        )
    tokens = training.batch_size * (data.sequence_length or 1)
    if tokens > MAX_BATCH_TOKENS:
        yield (
            f"`training.batch_size` times `data.sequence_length` is {tokens}",
            f"At most {MAX_BATCH_TOKENS} fit any device: lower one of them.",
        )


def _config_problems(model: HuggingFaceModel, workload: Workload, config: dict[str, Any]) -> Iterator[Problem]:
    data, kind = workload.data, data_kind(config, model.task)
    task = model.task or infer_task(config)
    if workload.training.chunked_loss and task not in _VOCABULARY_TASKS:
        yield (
            f"`training.chunked_loss` is true, but a {task} model has no logits over a vocabulary",
            "Set it to false.",
        )
    own_kind = data_kind(config)
    if (model.task in _TEXT_TASKS and own_kind == "image") or (kind == "speech" and own_kind == "image"):
        yield (
            f"`model.task` is `{model.task}`, but the configuration is of {own_kind} type `{config.get('model_type')}`",
            "Choose a task of that kind.",
        )
    if model.task in _IMAGE_TASKS and own_kind == "text" and "vision_config" not in config:
        yield (
            f"`model.task` is `{model.task}`, but the configuration is of {own_kind} type `{config.get('model_type')}`",
            "Choose a task of that kind.",
        )
    if kind == "image" and data.image_size is None:
        yield ("`data.image_size` is missing, but the model takes images", "Give the side in pixels.")
    if kind != "image" and data.sequence_length is None:
        yield (
            f"`data.sequence_length` is missing, but the model takes {kind}",
            "Give it in tokens, for speech in samples of the wave.",
        )
    limit = position_limit(config)
    if limit is not None and (data.sequence_length or 0) > limit:
        yield (
            f"`data.sequence_length` is {data.sequence_length}",
            f"This model has positions for 1 to {limit} tokens.",
        )
    patch, side = config.get("patch_size"), data.image_size
    if isinstance(patch, int) and side is not None and 0 < side < patch:
        yield (f"`data.image_size` is {side}", f"One patch of this model is {patch} pixels wide already.")


def _template_problems(model: TemplateModel, workload: Workload) -> Iterator[Problem]:
    data, template = workload.data, model.template
    if template in {"rnn", "gru", "lstm", "transformer"} and data.sequence_length is None:
        yield (f"`data.sequence_length` is missing, but `model.template` is `{template}`", "Give it in tokens.")
    if template == "cnn" and data.image_size is None:
        yield ("`data.image_size` is missing, but `model.template` is `cnn`", "Give the side in pixels.")
    if template == "mlp" and len(model.layers) < 2:  # noqa: PLR2004 - input and output
        yield ("`model.layers` of an mlp has one size", "Give input, hidden and output sizes.")
    if template in {"rnn", "gru", "lstm", "transformer"} and len(set(model.layers)) > 1:
        yield (f"`model.layers` of `{template}` lists different sizes", "Give the same size once a layer.")
    heads = model.heads
    if template == "transformer" and heads is not None and model.layers[0] % heads:
        yield (f"`model.heads` is {heads}", f"It must divide the width {model.layers[0]}.")
    if _template_parameters(model) > MAX_TEMPLATE_PARAMETERS:
        yield ("`model.layers` make over 10^12 parameters", "Give the sizes of a real model.")


def _template_parameters(model: TemplateModel) -> float:
    """Roughly how many weights the layers hold; only its order of magnitude matters."""
    widths = model.layers
    pairs = sum(before * after for before, after in itertools.pairwise(widths))
    table = (model.vocabulary_size or 0) * (model.embedding_size or widths[0])
    return float(pairs + 12 * sum(width * width for width in widths if model.template != "mlp") + table)


def _python_problems(model: PythonModel) -> Iterator[Problem]:
    if not model.file.endswith(".py"):
        yield (f"`model.file` is `{model.file[:80]}`", "Give a Python file, ending in .py.")
