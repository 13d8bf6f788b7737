"""A command that trains today, read for what a workload file says too: `python run_glue.py --bf16`.

The flags are those of Hugging Face's Trainer and example scripts, Lightning, Accelerate, timm, torchvision's
references, nanoGPT, Megatron-LM, fairseq, LitGPT, torchtune, llama-cookbook and QLoRA, by their documented names; what
is not among them is told, never guessed.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from advisor.catalogue.optimizers import OPTIMIZERS
from advisor.catalogue.precisions import precision_meant
from advisor.workload.overrides import with_adapters_meant


class ReadCommand(NamedTuple):
    """What a command's flags say, by the fields of a workload file."""

    settings: dict[str, object]
    """`config` is the model's; the others are of `[data]` and `[training]`."""
    unread: tuple[str, ...]
    """Flags that say nothing here, as they were written, without their values."""
    global_batch_size: int | None = None
    """Of all devices, where their number, or a batch that divides it, is not told: no field of a file says it."""


_NAMES = {
    "batch_size": "per_device_train_batch_size per_gpu_train_batch_size train_batch_size batch_size batch b bs "
    "micro_batch_size micro_batch per_device_batch_size train_micro_batch_size_per_gpu batch_size_training",
    "epochs": "num_train_epochs num_epochs max_epochs epochs train_epochs n_epochs nepochs max_epoch",
    "sequence_length": "max_seq_length max_seq_len seq_length seq_len sequence_length max_length block_size "
    "cutoff_len model_max_length context_length bptt",
    "image_size": "image_size img_size img imgsz input_size train_crop_size crop_size resolution",
    "gradient_accumulation_steps": "gradient_accumulation_steps accumulate_grad_batches grad_accum_steps accum_steps "
    "gradient_accumulation accumulation_steps update_freq",
    "loader_workers": "dataloader_num_workers num_workers workers j",
    "clip_gradient_norm": "max_grad_norm gradient_clip_val clip_grad grad_clip clip_grad_norm clip_norm",
    "lora_rank": "lora_r lora_rank",
    "samples": "max_train_samples max_samples train_num_samples",
    "validation_samples": "max_eval_samples",
    "evaluate_every_steps": "eval_steps val_check_interval eval_interval",
    "config": "model_name_or_path pretrained_model_name_or_path model_name model_id base_model model config_name "
    "arch a",
    "precision": "precision mixed_precision amp_dtype dtype",
    "optimizer": "optim optimizer opt",
    "lora_targets": "lora_target_modules lora_target lora_targets target_modules lora_modules",
    "attention": "attn_implementation attention_implementation attn_impl flash_attn",
    "quantization": "quantization_bit quant_bits load_bits bits quantize",
    "trainable": "finetuning_type train_type tuner_type peft_method",
    "activation_checkpointing": "recompute_granularity",
}
_FIELD_OF = {name: field for field, names in _NAMES.items() for name in names.split()}
_GLOBAL_BATCH = frozenset({"global_batch_size", "global_batch", "global_train_batch_size"})
_MICRO_BATCH = frozenset({"micro_batch_size", "micro_batch", "train_micro_batch_size_per_gpu"})
"""Of one device. Beside one of these, what else is called a batch is that of all: alpaca-lora's, DeepSpeed's."""
_DEVICES = frozenset({"nproc_per_node", "num_gpus", "devices", "num_processes"})
"""What launchers are told; Accelerate's `num_processes` is of all machines, the others of each."""
_MACHINES = frozenset({"nnodes", "num_nodes"})
_SPLITS = frozenset(
    {"tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size", "tp_size", "pp_size"}
)
"""Devices that share a sample's work: a global batch is then shared out among fewer than there are."""
_INTERPRETER = re.compile(r"(?:.*[/\\])?(?:python[\d.]*w?|pypy3?)(?:\.exe)?")
_WITH_VALUE = frozenset({"-m", "-W", "-X"})
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_SWITCHES: dict[str, dict[str, object]] = {
    "bf16": {"precision": "bf16_amp"},
    "fp16": {"precision": "fp16_amp"},
    "pure_bf16": {"precision": "bf16_true"},
    "gradient_checkpointing": {"activation_checkpointing": "full"},
    "grad_checkpointing": {"activation_checkpointing": "full"},
    "activation_checkpointing": {"activation_checkpointing": "full"},
    "enable_activation_checkpointing": {"activation_checkpointing": "full"},
    "recompute_activations": {"activation_checkpointing": "selective"},
    "use_8bit_adam": {"optimizer": "adamw", "optimizer_bits": 8},
    "torch_compile": {"compile": True},
    "use_compile": {"compile": True},
    "torchcompile": {"compile": True},
    "compile": {"compile": True},
    "channels_last": {"channels_last": True},
    "load_in_4bit": {"quantization": "nf4"},
    "load_in_8bit": {"quantization": "int8"},
    "use_peft": {"trainable": "lora"},
    "use_lora": {"trainable": "lora"},
    "use_flash_attn": {"attention": "flash"},
    "use_flash_attention": {"attention": "flash"},
    "use_flash_attention_2": {"attention": "flash"},
    "use_liger_kernel": {"fused_layers": True},
    "use_liger": {"fused_layers": True},
    "enable_liger_kernel": {"fused_layers": True},
}
_WEAK_SWITCHES: dict[str, dict[str, object]] = {
    "amp": {"precision": "fp16_amp"},
    "use_amp": {"precision": "fp16_amp"},
    "tf32": {"tf32": True},
}
"""What holds where nothing else of the command says it: `--amp` beside `--amp-dtype bfloat16` is of that type, and
`--tf32` beside either is of the products that autocast leaves in FP32."""
_OF_ADAPTERS = re.compile(r"(?:.*[/\\])?(?:(?:finetune_lora|lora_finetune\w*)(?:\.py)?|train\w*_lora\w*\.py)")
"""What trains adapters by its name: LitGPT's `finetune_lora`, torchtune's `lora_finetune_single_device`, Diffusers'
`train_text_to_image_lora.py`."""
_CONTINUED = re.compile(r"[\\^`]\r?\n")
"""The end of a line that goes on in the next, as commands stand in scripts and READMEs."""
_OF_LITGPT = 2
"""Where LitGPT's model stands: `litgpt finetune_lora MODEL`."""
_LISTS = frozenset({"lora_targets"})
"""Fields whose flags take several words."""
_MEANT: dict[str, dict[str, str]] = {
    "attention": {
        "sdpa": "sdpa", "eager": "eager", "disabled": "eager", "flash_attention_2": "flash",
        "flash_attention_3": "flash", "flash_attn": "flash", "flash": "flash", "fa2": "flash", "fa3": "flash",
    },
    "quantization": {
        "4": "nf4", "8": "int8", "bnb.nf4": "nf4", "bnb.nf4_dq": "nf4", "bnb.int8": "int8", "bnb.int8_training": "int8",
    },
    "trainable": {"lora": "lora", "full": "all", "all": "all"},
    "activation_checkpointing": {"full": "full", "selective": "selective"},
}  # fmt: skip
"""Words of a flag's value by field; any other value says nothing here."""
_WHOLE = frozenset(
    {
        "batch_size", "sequence_length", "image_size", "gradient_accumulation_steps", "loader_workers", "lora_rank",
        "samples", "validation_samples", "evaluate_every_steps",
    }
)  # fmt: skip
_TRUE, _FALSE = frozenset({"", "true", "1", "yes"}), frozenset({"false", "0", "no"})
_MIXED = {"bf16": "bf16_amp", "bfloat16": "bf16_amp", "fp16": "fp16_amp", "float16": "fp16_amp", "16": "fp16_amp"}
"""What these words mean behind a flag for the precision of a whole training: weights stay FP32."""
_WORD = {"no": "fp32", "32": "fp32", "32_true": "fp32", "16_mixed": "fp16_amp", "bf16_mixed": "bf16_amp"}
_WITH_MOMENTUM = {("opt", "sgd"): "sgd_momentum"}
"""timm's and torchvision's scripts give SGD a momentum of 0.9 unless told otherwise; Hugging Face's gives it none."""
_TRUE_HALVES = {"16_true": "fp16_true", "bf16_true": "bf16_true"}


def read_command(text: str) -> ReadCommand:
    """What the flags of a training command say; a later flag stands over an earlier one.

    `--name value`, `--name=value`, `-b 16`, `name=value` (nanoGPT, Hydra) and switches are read. Raises ValueError
    where the text is no command: a quotation that is not closed.
    """
    settings: dict[str, object] = {}
    unread: list[str] = []
    counts: dict[str, int] = {}
    weak: dict[str, object] = {}
    momentum: dict[str, object] | None = None
    batches: dict[str, int] = {}
    words = _without_interpreter(shlex.split(_CONTINUED.sub(" ", text)))
    adapters = any(map(_OF_ADAPTERS.fullmatch, words))
    for flag, value in _flags(words):
        name = plain_name(flag).rpartition(".")[2]
        name = "lora_rank" if adapters and name == "rank" else name
        if flag in {"-m", "--module"} and _MODULE.fullmatch(value):
            continue  # what torchrun and Accelerate start
        if name in _GLOBAL_BATCH | _DEVICES | _SPLITS | _MACHINES and value.isdecimal() and int(value):
            counts["global_batch" if name in _GLOBAL_BATCH else name] = int(value)
        said = {} if name in _GLOBAL_BATCH and "global_batch" in counts else _said(name, value)
        if said and "batch_size" in said:
            batches[name] = int(float(value))
        if name in _WEAK_SWITCHES and value.lower() in _TRUE | _FALSE:
            weak |= _WEAK_SWITCHES[name] if value.lower() in _TRUE else {}
        elif name == "momentum" and (number := _number(name, value)) is not None:
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
    return ReadCommand(settings | shared, tuple(unread), left)


def _with_tf32(settings: dict[str, object]) -> dict[str, object]:
    told = {name: value for name, value in settings.items() if name != "tf32"}
    return told | {"precision": "tf32"} if "tf32" in settings and told.get("precision", "fp32") == "fp32" else told


def _by_program(words: list[str], settings: dict[str, object], *, adapters: bool) -> dict[str, object]:
    """The settings with what the program's own name says: LitGPT's model, torchtune's weights, what trains adapters."""
    program = re.split(r"[/\\]", words[0])[-1] if words else ""
    said: dict[str, object] = {"trainable": "lora"} if adapters else {}
    if program == "litgpt" and len(words) > _OF_LITGPT and _is_value(words[_OF_LITGPT]):
        said["config"] = words[_OF_LITGPT]
    if program == "tune" and settings.get("precision") == "bf16_amp":  # its dtype is that of the weights too
        return said | settings | {"precision": "bf16_true"}
    return said | settings


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


def plain_name(flag: str) -> str:
    """A flag's name however it is spelt: `--Seq-Len` and `seq_len` alike."""
    return flag.lstrip("-").replace("-", "_").lower()


def field_of(flag: str) -> str | None:
    """The field that a flag of other programs sets, `--seq-len` that of `sequence_length`; None: none, or several."""
    name = plain_name(flag)
    if name in _WEAK_SWITCHES:
        return "precision"
    return _FIELD_OF.get(name) or next(iter(_SWITCHES.get(name, ())), None)


def _flags(words: list[str]) -> Iterator[tuple[str, str]]:
    """Flags with their values; an empty one for a switch."""
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        flag, sign, value = word.partition("=")
        if sign and flag:
            yield flag, value
        elif word.startswith("-") and word.strip("-"):
            most = len(words) if _FIELD_OF.get(plain_name(word)) in _LISTS else 1
            taken = list(itertools.takewhile(_is_value, words[place : place + most]))
            yield word, " ".join(taken)
            place += len(taken)


def _is_value(word: str) -> bool:
    return not word.startswith("-") and "=" not in word


def _said(name: str, value: str) -> dict[str, object] | None:
    """What one flag says; None where it is unknown or its value cannot be meant."""
    if name in _SWITCHES and value.lower() in _TRUE | _FALSE:
        return _SWITCHES[name] if value.lower() in _TRUE else {}
    field = _FIELD_OF.get(name)
    if field is None or not value:
        return None
    if field == "optimizer":
        return _optimizer(_WITH_MOMENTUM.get((name, value.lower()), value.lower()))
    read = {"config": _model, "precision": _precision, "lora_targets": _targets}.get(field)
    if read is not None:
        return read(value)
    return _word(field, value) if field in _MEANT else _number(field, value)


def _model(value: str) -> dict[str, object]:
    return {"config": value}


def _word(field: str, value: str) -> dict[str, object] | None:
    meant = _MEANT[field].get(value.lower().replace("-", "_"))
    return None if meant is None else {field: meant}


def _precision(value: str) -> dict[str, object] | None:
    word = value.lower().replace("-", "_").removeprefix("torch.")
    known = (_MIXED | _WORD | _TRUE_HALVES).get(word) or precision_meant(value)
    return None if known is None else {"precision": known}


def _targets(value: str) -> dict[str, object] | None:
    """`all-linear`, or names between blanks, commas, brackets and quotation marks."""
    names = re.findall(r"[\w.-]+", value)
    if [name.lower().replace("_", "-") for name in names] in (["all-linear"], ["all"]):
        return {"lora_targets": "all_linear"}
    return {"lora_targets": names} if names else None


def _optimizer(word: str) -> dict[str, object] | None:
    """`adamw_torch_fused` and its kin: the rule, its width, and whether one kernel does it."""
    word = word.removeprefix("paged_")  # its states stay on the card while there is room
    parts = word.split("_")
    rule = word if word in OPTIMIZERS else parts[0]
    bits: dict[str, object] = {"optimizer_bits": 8} if "8bit" in parts else {}
    fused: dict[str, object] = {"fused_optimizer": True} if "fused" in parts else {}
    return {"optimizer": rule, **bits, **fused} if rule in OPTIMIZERS else None


def fields_of_optimizer(word: str) -> str | None:
    """The lines of a workload file that say what a trainer's word does (`paged_adamw_8bit`); None: it is none here."""
    named = _optimizer(word.lower().replace("-", "_").replace("8bit", "_8bit").replace("__", "_"))
    if named is None:
        return None
    values = {True: "true"}
    return ", ".join(
        f'{field} = "{value}"' if isinstance(value, str) else f"{field} = {values.get(value, value)}"  # type: ignore[call-overload]
        for field, value in named.items()
    )


def _number(field: str, value: str) -> dict[str, object] | None:
    try:
        number = float(value)
    except ValueError:
        return None
    if number < 0 or (field in _WHOLE and not number.is_integer()):
        return None
    if field == "clip_gradient_norm" and not number:  # nothing is clipped then
        return {}
    return {field: int(number) if field in _WHOLE else number}
