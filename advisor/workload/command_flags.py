"""What single flags of training commands say, by the fields of a workload file.

The flags are those of Hugging Face's Trainer and example scripts, Lightning, Accelerate, timm, torchvision's
references, nanoGPT, Megatron-LM, fairseq, LitGPT, torchtune, axolotl, llama-cookbook and QLoRA, by their documented
names.
"""

from __future__ import annotations

import re

from advisor.catalogue.optimizers import OPTIMIZERS
from advisor.catalogue.precisions import precision_meant

_NAMES = {
    "batch_size": "per_device_train_batch_size per_gpu_train_batch_size train_batch_size batch_size batch b bs "
    "micro_batch_size micro_batch per_device_batch_size train_micro_batch_size_per_gpu batch_size_training",
    "epochs": "num_train_epochs num_epochs max_epochs epochs train_epochs n_epochs nepochs max_epoch",
    "sequence_length": "max_seq_length max_seq_len seq_length seq_len sequence_length max_length block_size "
    "cutoff_len model_max_length context_length bptt sequence_len",
    "image_size": "image_size img_size img imgsz input_size train_crop_size crop_size resolution",
    "gradient_accumulation_steps": "gradient_accumulation_steps accumulate_grad_batches grad_accum_steps accum_steps "
    "gradient_accumulation accumulation_steps update_freq",
    "loader_workers": "dataloader_num_workers num_workers workers j",
    "clip_gradient_norm": "max_grad_norm gradient_clip_val clip_grad grad_clip clip_grad_norm clip_norm "
    "gradient_clipping",
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
    "trainable": "finetuning_type train_type tuner_type peft_method adapter",
    "activation_checkpointing": "recompute_granularity",
}
FIELD_OF = {name: field for field, names in _NAMES.items() for name in names.split()}
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
    "lora_target_linear": {"lora_targets": "all_linear"},
    "flash_attention": {"attention": "flash"},
    "use_flash_attn": {"attention": "flash"},
    "use_flash_attention": {"attention": "flash"},
    "use_flash_attention_2": {"attention": "flash"},
    "use_liger_kernel": {"fused_layers": True},
    "use_liger": {"fused_layers": True},
    "enable_liger_kernel": {"fused_layers": True},
}
WEAK_SWITCHES: dict[str, dict[str, object]] = {
    "amp": {"precision": "fp16_amp"},
    "use_amp": {"precision": "fp16_amp"},
    "tf32": {"tf32": True},
}
"""What holds where nothing else of the command says it: `--amp` beside `--amp-dtype bfloat16` is of that type, and
`--tf32` beside either is of the products that autocast leaves in FP32."""
LISTS = frozenset({"lora_targets"})
"""Fields whose flags take several words."""
_MEANT: dict[str, dict[str, str]] = {
    "attention": {
        "sdpa": "sdpa", "eager": "eager", "disabled": "eager", "flash_attention_2": "flash",
        "flash_attention_3": "flash", "flash_attn": "flash", "flash": "flash", "fa2": "flash", "fa3": "flash",
    },
    "quantization": {
        "4": "nf4", "8": "int8", "bnb.nf4": "nf4", "bnb.nf4_dq": "nf4", "bnb.int8": "int8", "bnb.int8_training": "int8",
    },
    "trainable": {"lora": "lora", "qlora": "lora", "full": "all", "all": "all"},
    "activation_checkpointing": {"full": "full", "selective": "selective"},
}  # fmt: skip
"""Words of a flag's value by field; any other value says nothing here."""
_WHOLE = frozenset(
    {
        "batch_size", "sequence_length", "image_size", "gradient_accumulation_steps", "loader_workers", "lora_rank",
        "samples", "validation_samples", "evaluate_every_steps",
    }
)  # fmt: skip
TRUE, FALSE = frozenset({"", "true", "1", "yes"}), frozenset({"false", "0", "no"})
_MIXED = {"bf16": "bf16_amp", "bfloat16": "bf16_amp", "fp16": "fp16_amp", "float16": "fp16_amp", "16": "fp16_amp"}
"""What these words mean behind a flag for the precision of a whole training: weights stay FP32."""
_WORD = {"no": "fp32", "32": "fp32", "32_true": "fp32", "16_mixed": "fp16_amp", "bf16_mixed": "bf16_amp"}
_WITH_MOMENTUM = {("opt", "sgd"): "sgd_momentum"}
"""timm's and torchvision's scripts give SGD a momentum of 0.9 unless told otherwise; Hugging Face's gives it none."""
_TRUE_HALVES = {"16_true": "fp16_true", "bf16_true": "bf16_true"}


def plain_name(flag: str) -> str:
    """A flag's name however it is spelt: `--Seq-Len` and `seq_len` alike."""
    return flag.lstrip("-").replace("-", "_").lower()


def field_of(flag: str) -> str | None:
    """The field that a flag of other programs sets, `--seq-len` that of `sequence_length`; None: none, or several."""
    name = plain_name(flag)
    if name in WEAK_SWITCHES:
        return "precision"
    return FIELD_OF.get(name) or next(iter(_SWITCHES.get(name, ())), None)


def said_by(name: str, value: str) -> dict[str, object] | None:
    """What one flag says; None where it is unknown or its value cannot be meant."""
    if name in _SWITCHES and value.lower() in TRUE | FALSE:
        return _SWITCHES[name] if value.lower() in TRUE else {}
    field = FIELD_OF.get(name)
    if field is None or not value:
        return None
    if field == "optimizer":
        return _optimizer(_WITH_MOMENTUM.get((name, value.lower()), value.lower()))
    read = {"config": _model, "precision": _precision, "lora_targets": _targets}.get(field)
    if read is not None:
        return read(value)
    return _word(field, value) if field in _MEANT else number_of(field, value)


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


def number_of(field: str, value: str) -> dict[str, object] | None:
    """A field's number, whole where the field counts; None where the word is none that can be meant."""
    try:
        number = float(value)
    except ValueError:
        return None
    if number < 0 or (field in _WHOLE and not number.is_integer()):
        return None
    if field == "clip_gradient_norm" and not number:  # nothing is clipped then
        return {}
    return {field: int(number) if field in _WHOLE else number}
