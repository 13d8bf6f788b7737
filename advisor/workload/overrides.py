"""The flat settings of the command line and of table rows, laid over a workload description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from advisor.catalogue.optimizers import EIGHT_BIT_OPTIMIZERS, FUSED_OPTIMIZERS, OPTIMIZER_FACTS
from advisor.catalogue.precisions import PRECISION_FACTS
from advisor.core.file_fault import file_fault, meant_or_known, remedy, shown_value
from advisor.core.sentences import Listed, Value
from advisor.workload.workload import Data, Training

_SECTIONS = {
    **dict.fromkeys(Data.__struct_fields__, "data"),
    **dict.fromkeys(Training.__struct_fields__, "training"),
}
OVERRIDE_NAMES: tuple[str, ...] = (*_SECTIONS, "global_batch_size")
"""Every flat name that `load_workload` takes."""


_OF_ADAPTERS = ("lora_rank", "lora_targets", "modules_to_save", "adapter_bits")
_OF_PACKED_WEIGHTS = ("quantization", "weights_bits", "unpacked_bits")
_IN_HALF = frozenset(name for name, facts in PRECISION_FACTS.items() if facts.computes_in_half)
_GOES_WITH: dict[str, dict[str, frozenset[str]]] = {
    "trainable": {
        **dict.fromkeys(_OF_ADAPTERS, frozenset({"lora"})),
        **dict.fromkeys(_OF_PACKED_WEIGHTS, frozenset({"lora", "head"})),
    },
    "optimizer": {
        "fused_optimizer": frozenset(FUSED_OPTIMIZERS),
        "optimizer_bits": frozenset(EIGHT_BIT_OPTIMIZERS),
        "offload": frozenset(name for name in OPTIMIZER_FACTS if name != "none"),
    },
    "precision": {"attention": _IN_HALF, "fp8_recipe": frozenset({"fp8"})},
}
"""Details of a description by the setting that they are of, with what of it they go with: another one, that is asked
for instead, takes them along."""
_STAYS = {"attention": {"sdpa", "eager"}, "offload": {"none", "parameters", "activations"}}
"""What of a detail goes with everything."""


def with_adapters_meant(settings: Mapping[str, object], training: object = None) -> dict[str, object]:
    """Flat settings, told to train adapters where they can only be of these and the file's training section is silent.

    `training`: that section, where there is one.
    """
    told = training if isinstance(training, Mapping) else {}
    if settings.get("trainable") is not None or "trainable" in told:
        return dict(settings)
    trains = (settings.get("mode") or told.get("mode")) != "inference"
    names = (*_OF_ADAPTERS, "quantization") if trains else _OF_ADAPTERS
    meant = any(settings.get(name) is not None for name in names)
    return {**settings, "trainable": "lora"} if meant else dict(settings)


def apply_overrides(table: dict[str, Any], overrides: Mapping[str, object], name: str) -> dict[str, Any]:
    """A copy of a workload table with flat settings laid over it; entries that are None change nothing.

    `global_batch_size` becomes accumulation steps at the batch size that holds then. Raises InputError for an unknown
    name, and for a global batch that the batch size does not divide.
    """
    given = {key: value for key, value in overrides.items() if value is not None}
    for key in given:
        if key not in OVERRIDE_NAMES:
            raise file_fault("no-setting", meant_or_known(key, OVERRIDE_NAMES, "known-settings"), path=name, given=key)
    changed = {key: dict(value) if isinstance(value, dict) else value for key, value in table.items()}
    for key, value in given.items():
        section = _SECTIONS.get(key)
        if section is not None:
            part = changed.setdefault(section, {})
            if not isinstance(part, dict):
                mend = remedy("allowed", kind=Listed(reasons=(remedy("kind-table"),)))
                raise file_fault("wrong-field", mend, path=name, field=section, given=shown_value(part))
            part[key] = value
    _drop_replaced(changed.get("training"), given)
    if "global_batch_size" in given:
        _set_accumulation(changed, given["global_batch_size"], name)
    return changed


def _drop_replaced(training: object, given: Mapping[str, object]) -> None:
    """Take out of a training section what was a detail of a setting that another one was asked for in place of.

    Adapters' rank of LoRA where all is to be trained, say. What is asked for itself stays, and is refused beside it.
    """
    if not isinstance(training, dict):
        return
    for setting, details in _GOES_WITH.items():
        for detail, choices in details.items():
            stays = detail in given or training.get(detail) in _STAYS.get(detail, ())
            if isinstance(given.get(setting), str) and given[setting] not in choices and not stays:
                training.pop(detail, None)


def _set_accumulation(table: dict[str, Any], global_batch_size: object, name: str) -> None:
    training = table.setdefault("training", {})
    batch_size = training.get("batch_size") if isinstance(training, dict) else None
    if not isinstance(global_batch_size, int) or isinstance(global_batch_size, bool) or global_batch_size < 1:
        raise file_fault("global-batch", path=name, given=shown_value(global_batch_size))
    if not isinstance(batch_size, int) or batch_size < 1:
        return  # the batch size's own range is refused by the reader
    if global_batch_size % batch_size:
        below = global_batch_size - global_batch_size % batch_size
        sizes: dict[str, Value] = {"given": str(global_batch_size), "above": str(below + batch_size)}
        mend = remedy("divisible", below=str(below), **sizes) if below else remedy("divisible-above", **sizes)
        raise file_fault("no-multiple", mend, path=name, given=sizes["given"], batch=str(batch_size))
    training["gradient_accumulation_steps"] = global_batch_size // batch_size


def without_defaults(value: msgspec.Struct) -> dict[str, Any]:
    """A section's fields that differ from their defaults, as plain values."""
    plain: dict[str, Any] = msgspec.to_builtins(value)
    defaults = dict(zip(value.__struct_fields__[::-1], value.__struct_defaults__[::-1], strict=False))
    return {
        key: item
        for key, item in plain.items()
        if item is not None and (key not in defaults or defaults[key] != getattr(value, key, None))
    }
