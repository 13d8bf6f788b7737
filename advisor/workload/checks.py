"""Fields of a workload that must agree with each other, and sizes that no real model has."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from advisor.core.sentences import Listed, Reason, SaidError
from advisor.workload.defaults import position_limit
from advisor.workload.tasks import data_kind, infer_task
from advisor.workload.training_checks import Problem, is_but, quoted, reason, training_problems
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
    for what, remedy in _problems(workload, config):
        raise SaidError((reason("in-file", path=name, problem=Listed(reasons=(what,))),), remedy)


def _problems(workload: Workload, config: dict[str, Any] | None) -> Iterator[Problem]:
    yield from training_problems(workload)
    yield from _size_problems(workload)
    model = workload.model
    if isinstance(model, HuggingFaceModel) and config is not None:
        yield from _config_problems(model, workload, config)
    elif isinstance(model, TemplateModel):
        yield from _template_problems(model, workload)
    elif isinstance(model, PythonModel) and not model.file.endswith(".py"):
        yield _is("model.file", model.file[:80]), reason("python-file")
    elif isinstance(model, NumbersModel) and workload.training.trainable != "all":
        yield reason("no-layers", field="training.trainable"), reason("set-it", value="all")


def _size_problems(workload: Workload) -> Iterator[Problem]:
    data, training = workload.data, workload.training
    if data.image_size is not None and data.image_size > MAX_IMAGE_SIDE:
        yield _is("data.image_size", data.image_size), reason("side-range", high=str(MAX_IMAGE_SIDE))
    if data.image_size is not None and data.sequence_length is not None:
        yield reason("both", field="data.image_size", other="data.sequence_length"), reason("give-one")
    if training.batch_size > data.samples:
        wrong = is_but("training.batch_size", training.batch_size, "data.samples", data.samples)
        yield wrong, reason("range", low="1", high=str(data.samples))
    tokens = training.batch_size * (data.sequence_length or 1)
    if tokens > MAX_BATCH_TOKENS:
        wrong = reason("product", field="training.batch_size", other="data.sequence_length", value=str(tokens))
        yield wrong, reason("most", limit=str(MAX_BATCH_TOKENS))


def _is(field: str, value: object) -> Reason:
    return reason("is", field=field, value=quoted(value))


def _config_problems(model: HuggingFaceModel, workload: Workload, config: dict[str, Any]) -> Iterator[Problem]:
    data, kind = workload.data, data_kind(config, model.task)
    task = model.task or infer_task(config)
    if workload.training.chunked_loss and task not in _VOCABULARY_TASKS:
        yield reason("no-logits", field="training.chunked_loss", task=str(task)), reason("set-it", value="false")
    own_kind = data_kind(config)
    odd = (model.task in _TEXT_TASKS and own_kind == "image") or (kind == "speech" and own_kind == "image")
    if odd or (model.task in _IMAGE_TASKS and own_kind == "text" and "vision_config" not in config):
        type_ = quoted(str(config.get("model_type")))
        wrong = reason("task-kind", field="model.task", value=quoted(str(model.task)), kind=own_kind, type=type_)
        yield wrong, reason("task-of-kind")
    if kind == "image" and data.image_size is None:
        yield reason("takes", field="data.image_size", kind="images"), reason("give-side")
    if kind in {"text", "speech"} and data.sequence_length is None:
        yield reason("takes", field="data.sequence_length", kind=kind), reason("give-tokens-or-wave")
    limit = position_limit(config)
    if limit is not None and (data.sequence_length or 0) > limit:
        yield _is("data.sequence_length", data.sequence_length), reason("positions", high=str(limit))
    patch, side = config.get("patch_size"), data.image_size
    if isinstance(patch, int) and side is not None and 0 < side < patch:
        yield _is("data.image_size", side), reason("patch", patch=str(patch))


def _template_problems(model: TemplateModel, workload: Workload) -> Iterator[Problem]:
    data, template = workload.data, model.template
    if template in {"rnn", "gru", "lstm", "transformer"} and data.sequence_length is None:
        yield _missing_for("data.sequence_length", template), reason("give-tokens")
    if template == "cnn" and data.image_size is None:
        yield _missing_for("data.image_size", template), reason("give-side")
    if template == "mlp" and len(model.layers) < 2:  # noqa: PLR2004 - input and output
        yield reason("one-size", field="model.layers"), reason("give-sizes")
    if template in {"rnn", "gru", "lstm", "transformer"} and len(set(model.layers)) > 1:
        yield reason("different-sizes", field="model.layers", template=quoted(template)), reason("same-size")
    heads = model.heads
    if template == "transformer" and heads is not None and model.layers[0] % heads:
        yield _is("model.heads", heads), reason("divide", width=str(model.layers[0]))
    if _template_parameters(model) > MAX_TEMPLATE_PARAMETERS:
        yield reason("too-many-parameters", field="model.layers"), reason("real-sizes")


def _missing_for(field: str, template: str) -> Reason:
    return reason("missing", field=field, other="model.template", found=quoted(template))


def _template_parameters(model: TemplateModel) -> float:
    """Roughly how many weights the layers hold; only its order of magnitude matters."""
    widths = model.layers
    pairs = sum(before * after for before, after in itertools.pairwise(widths))
    table = (model.vocabulary_size or 0) * (model.embedding_size or widths[0])
    return float(pairs + 12 * sum(width * width for width in widths if model.template != "mlp") + table)
