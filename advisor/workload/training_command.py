"""A command that trains today, read for what a workload file says too: `python run_glue.py --bf16`.

What its flags say stands in `command_flags.py`; what is not known there is told, never guessed.
"""

from __future__ import annotations

import itertools
import math
import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from advisor.workload.command_files import flags_of_file, names_settings
from advisor.workload.command_flags import FALSE, FIELD_OF, LISTS, TRUE, WEAK_SWITCHES, number_of, plain_name, said_by
from advisor.workload.command_length import JobLength, job_length, says_steps
from advisor.workload.overrides import with_adapters_meant


class ReadCommand(NamedTuple):
    """What a command's flags say, by the fields of a workload file."""

    settings: dict[str, object]
    """`config` is the model's; the others are of `[data]` and `[training]`."""
    unread: tuple[str, ...]
    """Flags that say nothing here, as they were written, without their values."""
    global_batch_size: int | None = None
    """Of all devices, where their number, or a batch that divides it, is not told: no field of a file says it."""
    length: JobLength | None = None
    """Where the command counts steps; its samples, where they are known, stand among the settings as one epoch's."""
    files: tuple[str, ...] = ()
    """Files beside the command whose keys were read as flags."""


_GLOBAL_BATCH = frozenset({"global_batch_size", "global_batch", "global_train_batch_size"})
_MICRO_BATCH = frozenset({"micro_batch_size", "micro_batch", "train_micro_batch_size_per_gpu"})
"""Of one device. Beside one of these, what else is called a batch is that of all: alpaca-lora's, DeepSpeed's."""
_DEVICES = frozenset({"nproc_per_node", "num_gpus", "devices", "num_processes"})
"""What launchers are told; Accelerate's `num_processes` is of all machines, the others of each."""
_MACHINES = frozenset({"nnodes", "num_nodes"})
_TAKE_ALL = frozenset({"accelerate", "deepspeed", "llamafactory-cli", "axolotl", "swift"})
"""Launchers that start a process for each device there is, unless told otherwise."""
_SPLITS = frozenset(
    {"tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size", "tp_size", "pp_size"}
)
"""Devices that share a sample's work: a global batch is then shared out among fewer than there are."""
_INTERPRETER = re.compile(r"(?:.*[/\\])?(?:python[\d.]*w?|pypy3?)(?:\.exe)?")
_WITH_VALUE = frozenset({"-m", "-W", "-X"})
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_OF_ADAPTERS = re.compile(r"(?:.*[/\\])?(?:(?:finetune_lora|lora_finetune\w*)(?:\.py)?|train\w*_lora\w*\.py)")
"""What trains adapters by its name: LitGPT's `finetune_lora`, torchtune's `lora_finetune_single_device`, Diffusers'
`train_text_to_image_lora.py`."""
_OF_OTHERS = frozenset({"eval", "evaluation", "val", "validation", "test", "lr_scheduler", "scheduler", "generation"})
"""Parts of settings whose names are those of a training's and say nothing of it."""
_NEGATIVE = re.compile(r"-[\d.]+")
_CONTINUED = re.compile(r"[\\^`]\r?\n")
"""The end of a line that goes on in the next, as commands stand in scripts and READMEs."""
_LITGPT, _OF_LITGPT = "litgpt", 2
"""Where LitGPT's model stands: `litgpt finetune_lora MODEL`."""


def read_command(text: str) -> ReadCommand:
    """What the flags of a training command say; a later flag stands over an earlier one.

    `--name value`, `--name=value`, `-b 16`, `name=value` (nanoGPT, Hydra) and switches are read, and the keys of YAML
    and JSON files that the command names, over which its own flags stand. Raises ValueError where the text is no
    command: a quotation that is not closed.
    """
    settings: dict[str, object] = {}
    unread: list[str] = []
    counts: dict[str, int] = {}
    weak: dict[str, object] = {}
    momentum: dict[str, object] | None = None
    batches: dict[str, int] = {}
    words = _without_interpreter(shlex.split(_CONTINUED.sub(" ", text)))
    adapters = any(map(_OF_ADAPTERS.fullmatch, words))
    renamed = ({"rank": "lora_rank"} if adapters else {}) | (
        {"checkpoint_dir": "model"} if _program(words) == _LITGPT else {}
    )
    flags, files, all_read = _with_files(words)
    for flag, value in flags:
        name = renamed.get(_end_of(flag), _end_of(flag))
        if (flag in {"-m", "--module"} and _MODULE.fullmatch(value)) or says_steps(name, value):
            continue  # what torchrun and Accelerate start
        if name in _GLOBAL_BATCH | _DEVICES | _SPLITS | _MACHINES and value.isdecimal() and int(value):
            counts["global_batch" if name in _GLOBAL_BATCH else name] = int(value)
        said = {} if name in _GLOBAL_BATCH and "global_batch" in counts else said_by(name, value)
        if said and "batch_size" in said:
            batches[name] = int(float(value))
        if name in WEAK_SWITCHES and value.lower() in TRUE | FALSE:
            weak |= WEAK_SWITCHES[name] if value.lower() in TRUE else {}
        elif name == "momentum" and (number := number_of(name, value)) is not None:
            momentum = number
        elif said is None:
            unread.append(flag)
        else:
            settings |= said
    settings = _by_program(words, _with_tf32(weak | settings), adapters=adapters)
    micro = [size for name, size in batches.items() if name in _MICRO_BATCH]
    if micro and len(micro) < len(batches):
        settings["batch_size"] = micro[-1]
        counts = {"global_batch": max(size for name, size in batches.items() if name not in _MICRO_BATCH), **counts}
    settings = with_adapters_meant(_with_momentum(settings, momentum))
    shared = _shared_out(counts, settings)
    left = None if shared else counts.get("global_batch")
    said_of_length = [(_end_of(flag), value) for flag, value in flags]
    devices = _devices(counts, words) if all_read else None
    length = job_length(said_of_length, settings | shared, counts.get("global_batch"), devices)
    return ReadCommand(settings | shared | _as_epochs(length), tuple(unread), left, length, files)


def _end_of(flag: str) -> str:
    """The name behind a flag's dots; with them where it is of an evaluation: `--eval.max_iters` is no `--max_iters`."""
    *above, name = plain_name(flag).split(".")
    return ".".join((*above, name)) if _OF_OTHERS & set(above) else name


class _Flags(NamedTuple):
    """A command's flags behind those of the files that it names."""

    flags: list[tuple[str, str]]
    files: tuple[str, ...]
    """Which were read."""
    all_read: bool
    """Whether there is none of which nobody knows what it says, such as a Python file of settings."""


def _with_files(words: list[str]) -> _Flags:
    of_files: list[tuple[str, str]] = []
    flags: list[tuple[str, str]] = []
    files: list[str] = []
    scripts, unread = 0, 0
    for flag, value in _flags(words):
        wanted = names_settings(plain_name(flag), value)
        found = flags_of_file(value) if wanted else None
        scripts += not flag and value.endswith(".py")
        if found is not None:
            files.append(value)
            of_files += found
            continue
        wanted |= not flag and value.endswith(".py") and scripts > 1
        unread += wanted
        if flag or wanted:
            flags.append((flag or value, value if flag else ""))
    return _Flags([*of_files, *flags], tuple(files), not unread)


def _as_epochs(length: JobLength | None) -> dict[str, object]:
    """The samples of what steps are counted for; a job without epochs of its own is one."""
    if length is None or length.samples is None:
        return {}
    return {"samples": length.samples, **({} if length.each_epoch else {"epochs": 1})}


def _with_tf32(settings: dict[str, object]) -> dict[str, object]:
    told = {name: value for name, value in settings.items() if name != "tf32"}
    return told | {"precision": "tf32"} if "tf32" in settings and told.get("precision", "fp32") == "fp32" else told


def _by_program(words: list[str], settings: dict[str, object], *, adapters: bool) -> dict[str, object]:
    """The settings with what the program's own name says: LitGPT's model, torchtune's weights, what trains adapters."""
    program = _program(words)
    said: dict[str, object] = {"trainable": "lora"} if adapters else {}
    if program == _LITGPT and len(words) > _OF_LITGPT and _is_value(words[_OF_LITGPT]):
        said["config"] = words[_OF_LITGPT]
    said |= settings
    if program == _LITGPT and "config" in said:  # it keeps what it fetches there
        said["config"] = str(said["config"]).removeprefix("checkpoints/")
    if program == "tune" and said.get("precision") == "bf16_amp":  # its dtype is that of the weights too
        said["precision"] = "bf16_true"
    return said


def _program(words: list[str]) -> str:
    return re.split(r"[/\\]", words[0])[-1] if words else ""


def _with_momentum(settings: dict[str, object], said: dict[str, object] | None) -> dict[str, object]:
    """The settings, SGD with or without the momentum that a flag says; one of zero names no optimizer."""
    told = settings.get("optimizer")
    if said is None or told not in {None, "sgd", "sgd_momentum"} or not (told or said["momentum"]):
        return settings
    return {**settings, "optimizer": "sgd_momentum" if said["momentum"] else "sgd"}


def _shared_out(counts: dict[str, int], settings: dict[str, object]) -> dict[str, object]:
    """A global batch as each device's batch and its accumulation; empty where the command does not tell that.

    Without a batch of its own a device has its share at once. What is told beside it is not overruled.
    """
    whole, told = counts.get("global_batch"), [name for name in _DEVICES if name in counts]
    if whole is None or len(told) != 1 or any(counts.get(name, 1) > 1 for name in _SPLITS):
        return {}
    machines = max(counts.get(name, 1) for name in _MACHINES) if told[0] != "num_processes" else 1
    devices = counts[told[0]] * machines
    batch = settings.get("batch_size")
    if "gradient_accumulation_steps" in settings:
        return {}
    each = batch if isinstance(batch, int) and batch else whole // devices
    if not each or whole % (each * devices):
        return {}
    accumulated: dict[str, object] = {"gradient_accumulation_steps": whole // (each * devices)}
    return accumulated if batch else {"batch_size": each}


def _devices(counts: dict[str, int], words: list[str]) -> int | None:
    """How many devices see samples of their own; None where a launcher takes all that there are, or it is told twice.

    A command that starts one process trains on one.
    """
    told = [name for name in _DEVICES if name in counts]
    if len(told) > 1 or (not told and _program(words) in _TAKE_ALL):
        return None
    machines = max(counts.get(name, 1) for name in _MACHINES) if told != ["num_processes"] else 1
    all_ = (counts[told[0]] if told else 1) * machines
    return all_ // math.prod(counts.get(name, 1) for name in _SPLITS) or None


def _without_interpreter(words: list[str]) -> list[str]:
    """The words without Python and its own flags: `python -u -m torch.distributed.run`."""
    begins = next((place for place, word in enumerate(words) if _INTERPRETER.fullmatch(word)), None)
    if begins is None:
        return words
    ends = begins + 1
    while ends < len(words) and words[ends].startswith("-"):
        flag = words[ends]
        ends += 1 + (flag in _WITH_VALUE)
        if flag == "-m":
            break
    return words[:begins] + words[ends:]


def _flags(words: list[str]) -> Iterator[tuple[str, str]]:
    """Flags with their values, an empty one for a switch; words that stand by themselves without a flag."""
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        flag, sign, value = word.partition("=")
        if sign and flag:
            yield flag, value
        elif word.startswith("-") and word.strip("-"):
            most = len(words) if FIELD_OF.get(plain_name(word)) in LISTS else 1
            taken = list(itertools.takewhile(_is_value, words[place : place + most]))
            yield word, " ".join(taken)
            place += len(taken)
        else:
            yield "", word


def _is_value(word: str) -> bool:
    return (not word.startswith("-") or bool(_NEGATIVE.fullmatch(word))) and "=" not in word
