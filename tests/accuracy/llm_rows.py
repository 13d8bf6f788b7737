"""Published language-model runs as descriptions: what a row of `published_llm.csv` trained, and on what."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from advisor.catalogue.software import adapters_as_today, flash_generation_of, software_year_of
from advisor.core.records import Record
from advisor.cost.layout import DataParallel, Layout
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload

PUBLISHED_LLM = Path(__file__).parent / "published_llm.csv"
Cells = Mapping[str, str]
_CONFIGS = (
    (r"^(MPT|GPT|BigScience)", "gpt2"),
    (r"^(StableLM|phi)", "gpt_neox"),
    (r"^Qwen", "qwen2"),
    (r"^PowerLM", "granite"),
    (r"^Mixtral", "mixtral"),
    (r".", "llama"),
)
"""The architecture of transformers by what the model is called; the first that fits."""
_TIED = re.compile(r"^MPT|^PowerLM|^BigScience|3\.2 1B")
_PRECISIONS = (
    (r"^fp32", "fp32"),
    (r"^tf32", "tf32"),
    (r"^fp8", "fp8"),
    (r"^fp16_amp", "fp16"),
    (r"^fp16", "fp16_true"),
    (r"^bf16_amp", "bf16_amp"),
    (r"pure|frozen base|bf16 weights|weights loaded bf16|bf16-loaded", "bf16_true"),
    (r"^bf16", "bf16"),
)
"""In the words of a description, by what the source calls it; the first that fits.

Megatron's FP16, `composer PURE` and FSDP's mixed precision keep FP32 weights beside the 16-bit ones they compute with.
"""
_AUTOCAST = re.compile(r"^(bf16|fp16) weights \+")
"""Adapters beside 16-bit weights that run so under a trainer's autocast."""
_HALF_ADAPTERS = re.compile(r"bf16-true|frozen base")
"""Of libraries that keep adapters as the model is, whatever the time."""
_UPCAST = "under FSDP fp32 upcast"
_RECIPES = (("rowwise", "rowwise"), ("tensorwise", "tensorwise"), ("TransformerEngine", "transformer_engine"))
_ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
_FUSED_ATTENTION = ("query_key_value",)
"""The projections that GPT-NeoX keeps as one."""
_LORA_TARGETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("w1,w2|all linear", (*_ATTENTION, "gate_proj", "up_proj", "down_proj")),
    ("q_proj/k_proj/v_proj/o_proj", _ATTENTION),
    ("lora", ("q_proj", "v_proj")),
)
_WITH_EMBEDDINGS = "embedding and output layer"
"""Of a row that trains these beside its adapters."""
_EMBEDDINGS = ("embed_tokens", "lm_head")
_CHECKPOINTING = ((r"^(selective|default graph)", "selective"), (r"^full", "full"), (r".", "none"))
_DATA_PARALLEL: tuple[tuple[str, DataParallel], ...] = (
    (r"NO_SHARD|^ddp", "ddp"),
    (r"zero1|distributed optimizer", "zero1"),
    (r"zero2|SHARD_GRAD_OP", "zero2"),
    (r"fsdp|zero3", "fsdp"),
)
_MICRO_STEP = "micro-step"
UNSTATED_VARIANT = "a card whose variant nobody stated"
_UNTOLD: tuple[tuple[str, str, str], ...] = (
    ("compile", r"reduce-overhead|max-autotune", "CUDA graphs"),
    ("assumed", r"form factor and memory size|^A100 form factor;", UNSTATED_VARIANT),
)
"""What decides a run's time and no description can say: the column that names it, how, and in our words."""


class LanguageModelRun(Record, frozen=True, kw_only=True):
    """One published run; what nobody stated is None."""

    run_id: str
    source: str
    model: str
    gpu_key: str
    layout: Layout
    interconnect: str
    software_year: int | None
    flash_generation: int | None
    measured_s: float
    workload: Workload
    untold: str | None
    """What a description of this run leaves out; None: nothing that is known of."""


def first(table: tuple[tuple[str, Any], ...], text: str) -> Any:
    """What stands beside the first pattern that is found in `text`; None: none is."""
    return next((value for pattern, value in table if re.search(pattern, text)), None)


def published_cells() -> list[dict[str, str]]:
    """Every row as it is written."""
    with PUBLISHED_LLM.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def language_model_runs() -> tuple[LanguageModelRun, ...]:
    """Every run whose step time may be predicted (`use_step = yes`)."""
    return tuple(_run(cells) for cells in published_cells() if cells["use_step"] == "yes" and cells["step_ms"])


def _run(cells: Cells) -> LanguageModelRun:
    return LanguageModelRun(
        run_id=cells["id"],
        source=cells["source"],
        model=cells["model"],
        gpu_key=cells["gpu"].split(" ")[0],
        layout=_layout(cells),
        interconnect=cells["interconnect"],
        software_year=software_year_of(cells["software"]),
        flash_generation=flash_generation_of(cells["attention"]),
        measured_s=float(cells["step_ms"]) * 1e-3,
        workload=load_workload(description_of(cells)),
        untold=next((ours for column, how, ours in _UNTOLD if re.search(how, cells[column])), None),
    )


def _layout(cells: Cells) -> Layout:
    count, parallel = int(cells["n_gpus"]), cells["parallel"]
    degrees = {
        name: int(found[1])
        for name, short in (("tensor", "tp"), ("pipeline", "pp"), ("context", "cp"))
        if (found := re.search(rf"\b{short}(\d+)", parallel))
    }
    return Layout(
        data_parallel="single" if count == 1 else first(_DATA_PARALLEL, parallel) or "ddp",
        count=count,
        host_size=int(cells["gpus_per_node"]) if cells["gpus_per_node"] and count > 1 else None,
        **degrees,
    )


def description_of(cells: Cells) -> dict[str, Any]:
    """The whole description of a row, as a workload file would give it."""
    return {
        "name": cells["model"],
        "model": {"source": "huggingface", "config": config_of(cells), "task": "causal-lm"},
        "data": {"samples": 100000, "sequence_length": int(cells["seq_len"])},
        "training": training_of(cells),
    }


def config_of(cells: Cells) -> dict[str, Any]:
    """The model's configuration from the row's architecture columns."""
    kind, model, length = first(_CONFIGS, cells["model"]), cells["model"], int(cells["seq_len"])
    hidden, layers, heads = (int(cells[name]) for name in ("hidden_size", "layers", "heads"))
    common = {"model_type": kind, "vocab_size": int(cells["vocab"]), "tie_word_embeddings": bool(_TIED.search(model))}
    if kind == "gpt2":
        from_scratch = model.startswith("GPT-2")
        return common | {
            "n_embd": hidden,
            "n_layer": layers,
            "n_head": heads,
            "n_inner": int(cells["ffn_size"]),
            "n_positions": length,
            "activation_function": "gelu_new" if from_scratch else "gelu",
            **dict.fromkeys(("attn_pdrop", "resid_pdrop", "embd_pdrop"), 0.1 if from_scratch else 0.0),
        }
    if kind == "gpt_neox":
        sizes = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads}
        return common | sizes | {"intermediate_size": int(cells["ffn_size"]), "max_position_embeddings": length}
    return common | {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": int(cells["kv_heads"]),
        "intermediate_size": int(cells["ffn_size"]),
        "max_position_embeddings": length,
    }


def training_of(cells: Cells) -> dict[str, Any]:
    """The training table of a description, from the row's columns."""
    printed, optimizer = cells["precision"], cells["optimizer"]
    precision = first(_PRECISIONS, printed)
    if _UPCAST in printed and cells["n_gpus"] != "1":
        precision = "bf16_amp"
    if "lora" in cells["fine_tuning"] and _AUTOCAST.search(printed):
        precision = "fp16_amp" if printed.startswith("fp16") else "bf16_amp"
    mixed = precision in {"fp16_amp", "bf16_amp"} and not _AUTOCAST.search(printed)
    single_pass = cells["step_kind"].startswith(_MICRO_STEP)
    fused = "fused" in optimizer.replace("not fused", "") or cells["source"].startswith("pytorch/")
    return {
        "precision": precision,
        "batch_size": int(cells["micro_batch_per_gpu"]),
        "gradient_accumulation_steps": 1 if single_pass else int(cells["grad_accum"] or 1),
        "attention": "eager" if re.search(r"eager|unfused", cells["attention"]) else "flash",
        "optimizer": "none" if optimizer.startswith("none") else "adamw",
        "fused_optimizer": fused,
        "activation_checkpointing": first(_CHECKPOINTING, cells["activation_checkpointing"] or "none"),
        "compile": not cells["compile"].startswith("no"),
        **({"fused_layers": True, "fused_gate": False} if "foak" in cells["notes"] else {}),
        **({"chunked_loss": True} if re.search("FLCE|fused-linear-CE", cells["notes"]) else {}),
        **({"clip_gradient_norm": 1.0} if "clip" in optimizer else {}),
        **({"fp8_recipe": first(_RECIPES, printed)} if precision == "fp8" else {}),
        **_adapters(
            cells["fine_tuning"] + (" over bnb.nf4" if "nf4" in printed else ""),
            cells["model"],
            mixed=mixed,
            half=_has_half_adapters(cells) and not mixed,
            prepared="QLoRA baseline" in cells["notes"],
        ),
    }


def _has_half_adapters(cells: Cells) -> bool:
    return bool(_HALF_ADAPTERS.search(cells["precision"])) or not adapters_as_today(cells["software"])


def _adapters(tuned: str, model: str, *, mixed: bool, half: bool, prepared: bool) -> dict[str, Any]:
    if "lora" not in tuned:
        return {}
    rank = re.search(r"\br(\d+)\b", tuned)
    fused = first(_CONFIGS, model) == "gpt_neox"
    adapters: dict[str, Any] = {
        "trainable": "lora",
        "lora_rank": int(rank[1]) if rank else 8,
        "lora_targets": list(_FUSED_ATTENTION if fused else first(_LORA_TARGETS, tuned)),
        "weights_bits": 32 if mixed else 16,
        **({"modules_to_save": list(_EMBEDDINGS)} if _WITH_EMBEDDINGS in tuned else {}),
        **({"adapter_bits": 16} if half else {}),
    }
    quantization = "gptq" if "gptq" in tuned.lower() else "nf4" if "nf4" in tuned else None
    if quantization is not None:
        adapters |= {"quantization": quantization, "weights_bits": 4}
        if prepared:
            adapters["unpacked_bits"] = 32
    return adapters
