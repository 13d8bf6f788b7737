"""Columns of a table of runs, and the names that other tables give them: none that is meant is passed over silently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.core.file_fault import closest_name

REQUIRED_COLUMNS = ("workload", "gpu_key", "mode", "precision", "batch_per_gpu", "seq_len_or_img")
ANSWERABLE_COLUMNS = ("ms", "efficiency", "max_batch_that_ran", "peak_gb")
"""At least one of them must be there: what a row is compared with."""
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "workload": ("model", "network", "model_name"),
    "gpu_key": ("gpu", "card", "device", "gpu_name", "gpu_type", "gpus", "accelerator"),
    "mode": ("task", "phase", "train_or_infer"),
    "precision": ("dtype", "data_type", "amp", "mixed_precision"),
    "batch_per_gpu": (
        "batch", "batch_size", "micro_batch", "micro_batch_size", "local_batch_size", "batch_per_device",
        "per_device_train_batch_size", "bs", "mbs",
    ),
    "seq_len_or_img": (
        "sequence", "sequence_length", "seq_len", "seq_length", "seqlen", "image_size", "img_size", "resolution",
        "length",
    ),
    "ms": (
        "step_ms", "ms_per_step", "step_time_ms", "time_ms", "step_time", "time_per_step", "iteration_ms", "latency_ms",
    ),
    "peak_gb": ("peak_memory_gb", "memory_gb", "max_memory_gb", "peak_memory", "mem_gb", "vram_gb"),
    "max_batch_that_ran": ("max_batch", "largest_batch", "max_batch_size"),
    "min_batch_that_failed": ("oom_batch", "smallest_batch_that_failed"),
    "efficiency": ("scaling_efficiency",),
    "n_gpus": ("gpus", "gpu_count", "num_gpus", "ngpus", "cards", "devices", "device_count", "world_size"),
    "gpus_per_host": ("gpus_per_node", "cards_per_host", "cards_per_node", "nproc_per_node"),
    "parallel": ("strategy", "parallelism", "data_parallel"),
    "tp": ("tensor", "tensor_parallel", "tensor_parallel_size"),
    "pp": ("pipeline", "pipeline_parallel", "pipeline_parallel_size"),
    "cp": ("context", "context_parallel", "context_parallel_size"),
    "gradient_accumulation": (
        "accumulation", "accumulation_steps", "gradient_accumulation_steps", "grad_accum", "grad_accumulation",
    ),
    "optimizer": ("optim", "optimiser"),
    "optimizer_in_step": ("with_optimizer",),
    "layout": ("memory_format",),
    "compile": ("compiled", "torch_compile"),
    "attention": ("attn", "attn_implementation", "attention_implementation"),
    "activation_checkpointing": (),
    "interconnect": ("network_link",),
    "torch": ("torch_version", "pytorch", "pytorch_version"),
    "software_year": (),
    "memory_kind": ("memory_type",),
    "source": (),
    "family": (),
    "use": (),
}  # fmt: skip
"""Every column that is read, and what else it is called elsewhere, the likelier name first.

Not words that a table has for other things too (`year`, `count`, `link`): such a column is kept beside the row."""
READ_COLUMNS = frozenset(_OTHER_NAMES)
_CLEAR_NAMES = frozenset(
    {
        "step_ms", "ms_per_step", "step_time_ms", "time_ms", "iteration_ms", "latency_ms",
        "peak_memory_gb", "memory_gb", "max_memory_gb", "mem_gb", "vram_gb",
        "gpu_count", "num_gpus", "ngpus", "device_count", "world_size",
        "gpus_per_node", "cards_per_host", "cards_per_node", "nproc_per_node",
        "tensor_parallel", "tensor_parallel_size", "pipeline_parallel", "pipeline_parallel_size",
        "context_parallel", "context_parallel_size",
        "accumulation_steps", "gradient_accumulation_steps", "grad_accum", "grad_accumulation",
        "optim", "optimiser", "memory_format", "compiled", "torch_compile",
        "attn", "attn_implementation", "attention_implementation", "torch_version", "pytorch_version",
    }
)  # fmt: skip
"""Other names that mean one thing, its unit included, as a name does that is spelled with other letters or spaces."""
_ALIKE_FRACTION, _ALIKE_FOR_LACKING_FRACTION = 0.85, 0.6
"""So much alike, a name is a slip of the pen; less is asked of one where a column is lacking that must be there."""


def meant_columns(header: Sequence[str]) -> dict[str, str]:
    """The columns of a header that are not read under their names, by the column that each of them means.

    A column that means one which the header has already, or none, is left out: it is kept beside the row.
    """
    others = {_plain(name): name for name in header if name not in _OTHER_NAMES}
    meant: dict[str, str] = {}
    for column, words in _OTHER_NAMES.items():
        if column in header:
            continue
        found = next((word for word in (column, *words) if word in others), None)
        alike = _ALIKE_FOR_LACKING_FRACTION if column in REQUIRED_COLUMNS else _ALIKE_FRACTION
        found = found or closest_name(column, others, alike_fraction=alike)
        if found is not None:
            meant[column] = others.pop(found)
    return meant


def is_clear(column: str, given: str) -> bool:
    """Whether a name can mean nothing but the column that it was taken for, so that it is read as that."""
    plain = _plain(given)
    return plain == column or (plain in _CLEAR_NAMES and column not in REQUIRED_COLUMNS)


def _plain(name: str) -> str:
    """A name in the spelling of the columns here: `Step time (ms)` is `step_time_ms`."""
    words = "".join(letter if letter.isalnum() else " " for letter in name.lower())
    return "_".join(words.split())
