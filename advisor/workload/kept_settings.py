"""What a person set for one model and another one has a use for: kept when the other is chosen in its place."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from advisor.core.errors import UserFacingError
from advisor.workload.assumptions import still_assumed
from advisor.workload.config_sizes import head_count
from advisor.workload.model_config import config_of
from advisor.workload.workload import HuggingFaceModel, TemplateModel, Workload
from advisor.workload.workload_file import load_workload

_SECTIONS = ("data", "training")
_SIZES = ("data.sequence_length", "data.image_size")
"""A model takes the one or the other."""
_ADAPTERS = "lora"
_WITHOUT_ADAPTERS = frozenset({"rnn", "lstm", "gru", "cnn"})
"""Templates without a linear layer beside the head."""


class Kept(NamedTuple):
    """A chosen workload with what was set before, and what of that it has no use for."""

    workload: Workload
    fields: tuple[str, ...]
    """What was kept, as `training.lora_rank`."""
    dropped: tuple[str, ...]


def edited_fields(workload: Workload, base: Workload) -> tuple[str, ...]:
    """What of data and training was set by hand: it is not as the workload was chosen."""
    return tuple(
        f"{section}.{name}"
        for section in _SECTIONS
        for name in getattr(base, section).__struct_fields__
        if _value(workload, f"{section}.{name}") != _value(base, f"{section}.{name}")
    )


def with_kept_settings(chosen: Workload, before: Workload, base: Workload) -> Kept:
    """`chosen` with what was set by hand in `before`, which came as `base`.

    Left out is what the chosen model has no use for, and what the one loader refuses beside its own settings.
    """
    wanted = edited_fields(before, base)
    useful = [field for field in wanted if _applies(field, before, chosen)]
    kept: list[str] = []
    workload = _with(chosen, before, useful)
    if workload is not None:
        kept = useful
    else:
        workload = chosen
        while (further := _one_more(chosen, before, kept, useful)) is not None:
            kept, workload = further
    return Kept(workload, tuple(kept), tuple(field for field in wanted if field not in kept))


def reread(table: dict[str, Any], edited: str) -> Workload:
    """An edited description, read as any other; what it names as assumed is so still as far as `edited` leaves it.

    Raises InputError as `load_workload` does.
    """
    read = load_workload({name: value for name, value in table.items() if name != "assumed"})
    assumed = still_assumed(tuple(table.get("assumed", ())), read, edited=edited)
    return msgspec.structs.replace(read, assumed=assumed)


def _one_more(
    chosen: Workload, before: Workload, kept: list[str], useful: list[str]
) -> tuple[list[str], Workload] | None:
    """A field of those that are not kept yet which the loader takes beside those that are; None: there is none."""
    for field in useful:
        if field not in kept and (workload := _with(chosen, before, [*kept, field])) is not None:
            return [*kept, field], workload
    return None


def _with(chosen: Workload, before: Workload, fields: list[str]) -> Workload | None:
    table: dict[str, Any] = msgspec.to_builtins(chosen)
    for field in fields:
        section, _, name = field.partition(".")
        table[section][name] = msgspec.to_builtins(_value(before, field))
    table["assumed"] = [field for field in table.get("assumed", ()) if field not in fields]
    try:
        return reread(table, "")
    except UserFacingError:
        return None


def _value(workload: Workload, field: str) -> object:
    section, _, name = field.partition(".")
    return getattr(getattr(workload, section), name)


def _applies(field: str, before: Workload, chosen: Workload) -> bool:
    if field in _SIZES:
        return _value(chosen, field) is not None
    return field != "training.trainable" or before.training.trainable != _ADAPTERS or _takes_adapters(chosen)


def _takes_adapters(workload: Workload) -> bool:
    """Whether the model may have linear layers beside its head; what only its trace can tell is taken for a yes."""
    model = workload.model
    if isinstance(model, TemplateModel):
        return model.template not in _WITHOUT_ADAPTERS
    return not isinstance(model, HuggingFaceModel) or head_count(config_of(model)) is not None
