"""The model part of the launch script, source by source: `build_model`, `make_sample` and `compute_loss` as text."""

from __future__ import annotations

import pprint
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from advisor.present.script.parts import part
from advisor.workload.model_config import resolve_config
from advisor.workload.picture_sides import sides_in_config, sides_of_pictures, two_sides
from advisor.workload.python_home import home_of
from advisor.workload.python_source import file_of, is_file, read_code
from advisor.workload.tasks import AUTO_CLASSES, DECODER_INPUT, WRITING_TASKS, infer_task
from advisor.workload.workload import HuggingFaceModel, PythonModel, Task, TemplateModel, Workload, length_of

_WITHOUT_SAMPLE: frozenset[Task | None] = frozenset({None, "base", "ctc"})
"""Tasks whose samples and loss the script leaves to the user; None: not known."""
_TEXT_LABELS = {
    "sequence-classification": '"labels": torch.randint(0, LABELS, ())',
    "token-classification": '"labels": torch.randint(0, LABELS, (LENGTH,))',
    "question-answering": '"start_positions": torch.randint(0, LENGTH, ()), '
    '"end_positions": torch.randint(0, LENGTH, ())',
    "masked-lm": '"labels": ids.clone()',
    "causal-lm": '"labels": ids.clone()',
    "seq2seq-lm": '"labels": ids.clone()',
}


class ModelCode(NamedTuple):
    """Python source that defines `build_model`, `make_sample` and `compute_loss`."""

    text: str
    left_to_user: Literal["nothing", "data", "model and data"] = "nothing"
    """What the source only names, for its user to write."""


def model_code(workload: Workload, sides: tuple[int, int] | None) -> ModelCode:
    """The model of a workload and its samples.

    `sides`: height and width of pictures, where the model's class has its own and the workload told none.
    """
    model = workload.model
    if isinstance(model, HuggingFaceModel):
        return _huggingface(model, workload, sides)
    if isinstance(model, PythonModel):
        return ModelCode(_python(model, workload))
    if isinstance(model, TemplateModel) and model.template != "transformer":
        return ModelCode(_template(model, workload))
    return ModelCode(part("own_model", why="this workload describes it by numbers alone"), "model and data")


def _huggingface(model: HuggingFaceModel, workload: Workload, sides: tuple[int, int] | None) -> ModelCode:
    config = {name: value for name, value in resolve_config(model.config).items() if name not in _STORED_TYPES}
    task = _task(model, config)
    if task is None or task in _WITHOUT_SAMPLE:
        return ModelCode(_without_sample(model, workload, config, sides), "data")
    shown = pprint.pformat(config, width=110, sort_dicts=True)
    # Unasked, transformers takes fused attention where the model has it; asked, it refuses a model without.
    sample = _sample(task, workload, config, sides)
    infers = workload.training.mode == "inference"
    if infers and task in WRITING_TASKS:
        sample = sample.replace('"labels"', f'"{DECODER_INPUT}"')
    uncached = task in {"causal-lm", *WRITING_TASKS} and not infers
    constants = {
        "LENGTH": f"LENGTH = {workload.data.sequence_length or 128}",
        "VOCABULARY": f"VOCABULARY = {_vocabulary(config)}",
        "LABELS": f"LABELS = {_label_count(config)}",
    }
    text = part(
        "huggingface",
        config=shown,
        constants="\n".join(line for name, line in constants.items() if name in sample),
        auto_class=AUTO_CLASSES[task],
        settings="    config.use_cache = False  # keys and values are kept for generating alone\n" * uncached
        + _missing_tokens(task, config),
        attention=", attn_implementation='eager'" if workload.training.attention == "eager" else "",
        sample=sample,
    )
    return ModelCode(text)


def _missing_tokens(task: Task, config: dict[str, Any]) -> str:
    """Lines for tokens that a loss needs and a bare configuration may leave open, as they were predicted with."""
    needed = {"decoder_start_token_id": task in WRITING_TASKS}
    needed["pad_token_id"] = task in {"sequence-classification", *WRITING_TASKS}
    return "".join(
        f'    if getattr(config, "{name}", None) is None:\n        config.{name} = 0  # a checkpoint tells its own\n'
        for name, wanted in needed.items()
        if wanted and config.get(name) is None
    )


def _without_sample(
    model: HuggingFaceModel, workload: Workload, config: dict[str, Any], sides: tuple[int, int] | None
) -> str:
    """The model as it was predicted; what it is fed and taught is the user's: no task of this program tells."""
    named = [name for name in config.get("architectures") or [] if isinstance(name, str) and name.isidentifier()]
    auto = AUTO_CLASSES[model.task or infer_task(config)]
    own = named[0] if named and model.task is None else None
    if sides is None and workload.data.image_size is not None:
        sides = sides_of_pictures(sides_in_config(config), workload)
    return part(
        "huggingface_own_data",
        config=pprint.pformat(config, width=110, sort_dicts=True),
        class_name=own or auto,
        call=f"{own}(config)" if own else f"{auto}.from_config(config)",
        side=f", pictures of {sides[0]} x {sides[1]} pixels" if sides else "",
    )


def task_of(workload: Workload) -> Task | None:
    """The task whose class of transformers the script builds; None: another source, or one that is the user's."""
    model = workload.model
    task = _task(model, resolve_config(model.config)) if isinstance(model, HuggingFaceModel) else None
    return None if task in _WITHOUT_SAMPLE else task


def _task(model: HuggingFaceModel, config: dict[str, Any]) -> Task | None:
    several_kinds = {"vision_config", "audio_config"} & set(config)
    return model.task or (None if several_kinds else infer_task(config))


_STORED_TYPES = ("dtype", "torch_dtype")
"""How a checkpoint is stored: transformers would build the model so, whatever precision is advised."""
_USUAL_VOCABULARY = 30_522
_USUAL_LABELS = 2
_WHISPER_WORDS = 448


def _vocabulary(config: dict[str, Any]) -> int:
    text = config.get("text_config")
    vocabulary_size = config.get("vocab_size", text.get("vocab_size") if isinstance(text, dict) else None)
    return vocabulary_size if isinstance(vocabulary_size, int) else _USUAL_VOCABULARY


def _label_count(config: dict[str, Any]) -> int:
    label_count = config.get("num_labels", len(config.get("id2label") or ()) or _USUAL_LABELS)
    return label_count if isinstance(label_count, int) else _USUAL_LABELS


def _sample(task: Task, workload: Workload, config: dict[str, Any], sides: tuple[int, int] | None) -> str:
    """The body of `make_sample`: one random sample of the task's shapes."""
    data = workload.data
    if task in {"image-classification", "semantic-segmentation"}:
        height, width = sides or sides_of_pictures(two_sides(config.get("image_size")), workload)
        labels = "()" if task == "image-classification" else f"({height}, {width})"
        return (
            f"    pixels = torch.randn({config.get('num_channels', 3)}, {height}, {width})\n"
            f'    return {{"pixel_values": pixels, "labels": torch.randint(0, LABELS, {labels})}}'
        )
    if task == "speech-classification":
        return (
            f"    wave = torch.randn({data.sequence_length or 16_000})\n"
            '    return {"input_values": wave, "labels": torch.randint(0, LABELS, ())}'
        )
    if task == "speech-seq2seq":
        bins, frames = config.get("num_mel_bins", 80), 2 * int(config.get("max_source_positions", 1500))
        words = min(data.sequence_length or 128, int(config.get("max_target_positions", _WHISPER_WORDS)))
        return (
            f"    bands = torch.randn({bins}, {frames})\n"
            f'    return {{"input_features": bands, "labels": torch.randint(3, VOCABULARY, ({words},))}}'
        )
    return (
        "    ids = torch.randint(3, VOCABULARY, (LENGTH,))\n"
        f'    return {{"input_ids": ids, "attention_mask": torch.ones_like(ids), {_TEXT_LABELS[str(task)]}}}'
    )


def _python(model: PythonModel, workload: Workload) -> str:
    path = file_of(model, workload.source_folder)
    home = home_of(path, read_code(path) if is_file(path) else b"")
    return part(
        "python_file",
        path=repr(str(path)),
        module=repr(home.name_of("workload_model")),
        folders=repr([*map(str, home.folders)]),
        arguments=repr(model.arguments),
        length=length_of(workload),
    )


def _template(model: TemplateModel, workload: Workload) -> str:
    classes = model.class_count
    if model.template == "mlp":
        build, sample = _perceptron(model.layers), f"torch.randn({model.layers[0]})"
    elif model.template == "cnn":
        side = workload.data.image_size or 32
        build, sample = _convolutional(model.layers, classes), f"torch.randn(3, {side}, {side})"
    else:
        build = _recurrent(model)
        sample = f"torch.randint(0, {model.token_count}, ({workload.data.sequence_length or 1},))"
    target = "torch.randn(1)" if classes == 1 else f"torch.randint(0, {classes}, ())"
    loss = "mse_loss" if classes == 1 else "cross_entropy"
    return part("template", build=build, sample=sample, target=target, loss=loss)


def _perceptron(layers: tuple[int, ...]) -> str:
    lines = []
    for before, after in pairwise(layers):
        lines += [f"        nn.Linear({before}, {after}),", "        nn.ReLU(),"]
    body = "\n".join(lines[:-1])
    return f"def build_model() -> nn.Module:\n    return nn.Sequential(\n{body}\n    )\n"


def _convolutional(layers: tuple[int, ...], classes: int) -> str:
    lines = []
    channels = 3
    for width in layers:
        lines += [
            f"        nn.Conv2d({channels}, {width}, 3, padding=1, bias=False),",
            f"        nn.BatchNorm2d({width}),",
            "        nn.ReLU(),",
            "        nn.MaxPool2d(2, ceil_mode=True),",
        ]
        channels = width
    lines += ["        nn.AdaptiveAvgPool2d(1),", "        nn.Flatten(),", f"        nn.Linear({channels}, {classes}),"]
    body = "\n".join(lines)
    return f"def build_model() -> nn.Module:\n    return nn.Sequential(\n{body}\n    )\n"


def _recurrent(model: TemplateModel) -> str:
    cell = {"rnn": "RNN", "gru": "GRU", "lstm": "LSTM"}[model.template]
    hidden = model.layers[0]
    return part(
        "recurrent",
        cell=cell,
        vocabulary=model.token_count,
        embedding=model.embedding_size or hidden,
        hidden=hidden,
        layers=len(model.layers),
        classes=model.class_count,
    )
