"""The types of models that are known to take no words, held against the classes of the installed transformers."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import transformers
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

from advisor.workload.tasks import DataKind, data_kind

_KINDS: dict[str, DataKind] = {
    "pixel_values": "image",
    "pixel_values_videos": "image",
    "input_features": "speech",
    "input_values": "speech",
    "past_values": "series",
}


def _wordless_types() -> Iterator[tuple[str, DataKind]]:
    """Types whose class calls one kind of input its main one and takes no words; parts of models say nothing of it."""
    for model_type, names in MODEL_MAPPING_NAMES.items():
        try:
            built = getattr(transformers, names if isinstance(names, str) else names[0])
            taken, main = set(inspect.signature(built.forward).parameters), built.main_input_name
        except (ImportError, AttributeError):
            continue
        if isinstance(main, str) and main in _KINDS and main in taken and "input_ids" not in taken:
            yield model_type, _KINDS[main]


def test_every_type_whose_class_takes_no_words_is_known_by_what_it_takes() -> None:
    wordless = dict(_wordless_types())
    assert len(wordless) > 100
    wrong = {model_type: kind for model_type, kind in wordless.items() if data_kind({"model_type": model_type}) != kind}
    assert not wrong
