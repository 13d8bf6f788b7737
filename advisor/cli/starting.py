"""`--init`: a commented workload file to begin with, with what flags or a training command say filled in."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from advisor.cli.arguments import settings_of
from advisor.cli.faults import command_fault
from advisor.core.bundled import resource
from advisor.core.file_writing import write_atomically
from advisor.core.sentences import Language, Names, Reason, say, visible
from advisor.workload.command_length import JobLength
from advisor.workload.defaults import assumed_for_config
from advisor.workload.model_config import bundled_config, bundled_config_names, read_config_file
from advisor.workload.overrides import apply_overrides, with_adapters_meant
from advisor.workload.training_command import ReadCommand, read_command

STARTER = "workload_starter.toml"


def init_command(arguments: argparse.Namespace, language: Language) -> int:
    """Write the file and say what to do with it. Raises InputError where it exists, OutputError where it cannot be."""
    path: Path = arguments.init
    if path.suffix != ".toml":
        raise command_fault("init-name", path=str(path), name=str(path.with_suffix(".toml")))
    if path.exists() and not arguments.force:
        raise command_fault("init-exists", path=str(path))
    command = _command(arguments.from_command)
    asked = {
        **settings_of(arguments),
        **({"global_batch_size": arguments.global_batch} if arguments.global_batch else {}),
    }
    settings = _of_files(command.settings)
    text = starter({**_usual_sizes(settings.get("config")), **settings, **asked})
    write_atomically(path, text.encode())
    for reason in _told(command, path, of_command=arguments.from_command is not None):
        print(f"advisor: {say(reason, language)}", file=sys.stderr)
    return 0


def _command(text: str | None) -> ReadCommand:
    """What the training command says; `resnet50` is the bundled `resnet-50`."""
    try:
        command = read_command(text or "")
    except ValueError as error:
        raise command_fault("from-command", given=visible(text or "")) from error
    model = _plain(str(command.settings.get("config", "")))
    bundled = next((name for name in bundled_config_names() if _plain(name) == model), None)
    return command if bundled is None else command._replace(settings={**command.settings, "config": bundled})


def _usual_sizes(config: object) -> dict[str, object]:
    """The side or the length of a model's samples, as they are assumed where its configuration alone is asked about."""
    if not isinstance(config, str):
        return {}
    known, path = bundled_config(config), Path(config)
    path = path / "config.json" if path.is_dir() else path
    if known is None and path.suffix == ".json" and path.is_file():
        known = read_config_file(path)
    usual = {} if known is None else assumed_for_config(known, None)["data"]
    return {field: usual[field] for field in ("image_size", "sequence_length") if field in usual}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def _of_files(settings: dict[str, object]) -> dict[str, object]:
    """What a workload file can say: a model that only the command's own script knows is none of it."""
    model = str(settings.get("config", ""))
    if model in bundled_config_names() or "/" in model or Path(model).exists():
        return settings
    return {field: value for field, value in settings.items() if field != "config"}


def _told(command: ReadCommand, path: Path, *, of_command: bool) -> list[Reason]:
    """What was filled in from the command and what was not, whose model the file has, and what to do with it."""
    told, settings = [], _of_files(command.settings)
    if settings:
        told.append(Reason.of("command-init-read", fields=Names(names=tuple(settings))))
    if command.files:
        told.append(Reason.of("command-init-files", files=Names(names=tuple(map(visible, command.files)))))
    if command.length is not None:
        told.append(_told_of_length(command.length))
    if command.unread:
        told.append(Reason.of("command-init-unread", flags=Names(names=tuple(map(visible, command.unread)))))
    if command.global_batch_size is not None:
        told.append(
            Reason.of(
                "command-init-global-batch", batch=command.global_batch_size, plain=str(command.global_batch_size)
            )
        )
    if "config" in command.settings and "config" not in settings:
        told.append(Reason.of("command-init-unknown-model", model=visible(str(command.settings["config"]))))
    elif of_command and "config" not in settings:
        told.append(Reason.of("command-init-no-model"))
    return [*told, Reason.of("command-init-written", path=str(path))]


def _told_of_length(length: JobLength) -> Reason:
    """How long the job is by its steps, or what is missing for that."""
    steps = {"steps": length.steps, "each": "yes" if length.each_epoch else "no"}
    if length.global_batch_size is None:
        return Reason.of("command-init-steps-unread", **steps)
    return Reason.of("command-init-steps", **steps, batch=length.global_batch_size, samples=length.samples or 0)


def starter(values: dict[str, object]) -> str:
    """The commented file with the given fields' values in the place of its own."""
    text = resource(STARTER).read_text(encoding="utf-8")
    values = with_adapters_meant(values)
    flat = {field: value for field, value in values.items() if field != "config"}
    table = apply_overrides({}, flat, STARTER)
    for field, value in {**table.get("data", {}), **table.get("training", {})}.items():
        text = _filled(text, field, value)
    if "image_size" in values:
        text = _left_out(text, "sequence_length")
    if "config" in values:  # whose head is that of its `architectures`, not that of the starter's model
        text = _left_out(_filled(text, "config", values["config"]), "task")
    return text


def _left_out(text: str, field: str) -> str:
    return re.sub(rf"(?m)^{field} = ", f"# {field} = ", text, count=1)


def _filled(text: str, field: str, value: Any) -> str:  # noqa: ANN401 - of any field
    """The text with a field's line saying `value`."""
    shown = f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)

    def set_in_its_column(found: re.Match[str]) -> str:
        return f"{field} = {shown}".ljust(len(found[0]) - 2) + "  " if found[0].endswith(" ") else f"{field} = {shown}"

    return re.sub(rf'(?m)^(?:# )?{field} = (?:"[^"]*"|\S+) *', set_in_its_column, text, count=1)
