"""Which class of transformers a configuration is built with: its own before any that a task suggests."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from advisor.worker.models.foreign import Config
from advisor.workload.tasks import AUTO_CLASSES
from advisor.workload.workload import Task

_OTHERS = (
    "PRETRAINING", "IMAGE_TEXT_TO_TEXT", "CAUSAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "SPEECH_SEQ_2_SEQ", "MASKED_LM",
    "OBJECT_DETECTION", "IMAGE_CLASSIFICATION", "DEPTH_ESTIMATION", "SEMANTIC_SEGMENTATION", "UNIVERSAL_SEGMENTATION",
)  # fmt: skip
"""Where there is no bare model: what most people train, first."""


def model_class(config: Config, task: Task, *, asked: bool) -> Any:  # noqa: ANN401 - transformers' types
    """The class to build; None where transformers has none for this configuration.

    `asked`: the task was named by the user, and its class is taken. Otherwise the class that `architectures` names is
    the model's own, then the task's, then whatever else the library builds from this type of configuration.
    """
    own = None if asked else _named(config)
    class_ = own or _of_task(config, task)
    if class_ is not None:
        return class_
    return _named(config) if asked else _any_of(config)


def part_for(class_: Any, config: Config) -> Config:  # noqa: ANN401 - transformers' types
    """What the class is built from, as the auto classes do: one for the text alone takes the text's part."""
    takes = getattr(class_, "config_class", None)
    of_text = takes is not None and takes is getattr(config, "sub_configs", {}).get("text_config")
    return config.get_text_config() if of_text else config


def _of_task(config: Config, task: Task) -> Any:  # noqa: ANN401 - transformers' types
    import transformers

    for auto in (AUTO_CLASSES[task], *(("AutoModelForImageTextToText",) if task == "causal-lm" else ())):
        class_ = _mapped(getattr(transformers, auto)._model_mapping, config)  # noqa: SLF001 - from_config would only raise
        if class_ is not None:
            return class_
    return None


def _mapped(mapping: Any, config: Config) -> Any:  # noqa: ANN401 - transformers' types
    if type(config) not in mapping:
        return None
    try:
        class_ = mapping[type(config)]
    except ValueError:  # it lists a class that the library does not have
        return None
    return class_[0] if isinstance(class_, tuple) else class_


def _named(config: Config) -> Any:  # noqa: ANN401 - transformers' types
    """The class of the library that `architectures` names, if it takes this type of configuration."""
    import transformers

    for name in getattr(config, "architectures", None) or []:
        class_ = getattr(transformers, str(name), None) if str(name).isidentifier() else None
        if isinstance(class_, type) and issubclass(class_, transformers.PreTrainedModel):
            own = getattr(class_, "config_class", None)
            if own is not None and isinstance(config, own):
                return class_
    return None


def _any_of(config: Config) -> Any:  # noqa: ANN401 - transformers' types
    """Any class that is built from this very type of configuration: of another task, or not in any list of tasks."""
    return with_head(config) or _in_module(config)


def with_head(config: Config) -> Any:  # noqa: ANN401 - transformers' types
    """The class of a task that most people train of this type of configuration; None where no list of tasks has one."""
    from transformers.models.auto import modeling_auto

    mappings = [getattr(modeling_auto, f"MODEL_FOR_{name}_MAPPING", None) for name in _OTHERS]
    for mapping in mappings:
        class_ = None if mapping is None else _mapped(mapping, config)
        if class_ is not None:
            return class_
    return None


def _in_module(config: Config) -> Any:  # noqa: ANN401 - transformers' types
    from transformers import PreTrainedModel

    try:
        module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    except ImportError:
        return None
    classes = [
        class_
        for name, class_ in inspect.getmembers(module, inspect.isclass)
        if issubclass(class_, PreTrainedModel)
        and not name.endswith("PreTrainedModel")
        and getattr(class_, "config_class", None) is type(config)
        and "forward" in vars(class_)
    ]
    return max(classes, key=lambda class_: (class_.__name__.endswith("Model"), class_.__name__), default=None)
