"""Every dimensional number that is stored tells its unit in its name."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import msgspec
import pytest

import advisor
from advisor.core.records import Record
from advisor.core.units import Estimate

SUFFIXES = (
    "_s",
    "_bytes",
    "_flop",
    "_flop_per_s",
    "_bytes_per_s",
    "_per_s",
    "_w",
    "_j",
    "_hz",
    "_celsius",
    "_fraction",
    "_ratio",
    "_count",
    "_tokens",
    "_factor",
    "_index",
    "_per_kwh",
    "_per_hour",
    "_percent",
)
WITHOUT_UNIT = {
    # counts that the file formats and the field name without a suffix
    "index", "pid", "count", "batch", "batch_size", "batch_size_per_device", "global_batch_size", "batch_sizes",
    "reference_batch_size", "reference_sequence_length",
    "gradient_accumulation_steps", "accumulation_steps", "steps", "epochs", "samples", "trained_samples",
    "validation_samples",
    "loader_workers", "sequence_length", "image_size", "read_loss_every", "evaluate_every_steps", "lora_rank",
    "layers", "classes", "heads", "vocabulary_size", "embedding_size", "parameters", "largest_that_fits", "knee",
    "chosen", "low", "high", "value", "n", "schema_version", "seed", "counts", "layer_limit", "thread_counts",
    # shapes
    "m", "k", "groups", "kernel_elements", "output_channels_per_group", "input_channels_per_group",
    "output_positions", "query_length", "key_length", "head_size", "batch_heads", "input_size", "hidden_size",
    "directions", "backward_start", "kind", "storage",
    # bits and hardware generations
    "weights_bits", "optimizer_bits", "throttle_bits", "pcie_generation", "pcie_width", "flop",
    # settings whose unit is the field's own
    "clip_gradient_norm", "numbers", "figures", "class_factors", "flop_per_sample", "activation_bytes_per_sample",
    # fractions of a whole by their own name, and rates a call
    "fraction", "host_s_per_dispatch", "step_factor_elsewhere",
    # places in a group, a text, a ranking or a session; counts by the field's usual names
    "exactness_rank", "effort_rank", "best_set_ups", "over_limits", "table_place",
    "rank", "lost_ranks", "elsewhere_ranks", "place", "line", "start", "stage", "cards_per_node", "n_gpus", "length",
    "software_year", "flash_generation", "largest_batch", "largest_batch_that_ran", "smallest_batch_that_failed",
    "trainable_tensor_shapes",
    "efficiency",
    # degrees of parallelism, and devices that share a host; a version of torch as two places
    "tensor", "pipeline", "context", "host_size",
    # money, in the currency that stands beside it
    "cost", "price", "max_cost",
}  # fmt: skip
DIMENSIONLESS_MODULES = {"advisor.cost.efficiencies", "advisor.cost.scaling.scaling_figures"}
"""Fitted figures: shares, factors and powers, whose names say so; those with a unit end in it all the same."""


def all_structs() -> list[type[msgspec.Struct]]:
    """Every stored type of the package; the window and the child processes hold none of their own."""
    for module in pkgutil.walk_packages(advisor.__path__, "advisor."):
        if not module.name.startswith(("advisor.gui", "advisor.__main__", "advisor.core.system.")) and (
            not module.name.startswith(("advisor.worker.", "advisor.hardware.sampler."))
            or module.name == "advisor.protocol.messages"
        ):
            importlib.import_module(module.name)
    found: list[type[msgspec.Struct]] = []
    waiting = [Record]
    while waiting:
        struct = waiting.pop()
        found.append(struct)
        waiting.extend(struct.__subclasses__())
    # a test module that was imported before may have declared records of its own
    shipped = [struct for struct in found if struct.__module__.split(".")[0] == "advisor"]
    return sorted(shipped, key=lambda struct: (struct.__module__, struct.__qualname__))


def _holds_number(declared: Any) -> bool:
    if isinstance(declared, msgspec.inspect.IntType | msgspec.inspect.FloatType):
        return True
    if isinstance(declared, msgspec.inspect.UnionType):
        return any(_holds_number(part) for part in declared.types)
    if isinstance(declared, msgspec.inspect.VarTupleType | msgspec.inspect.ListType):
        return _holds_number(declared.item_type)
    if isinstance(declared, msgspec.inspect.TupleType):
        return any(_holds_number(part) for part in declared.item_types)
    return False


DIMENSIONAL = [struct for struct in all_structs() if struct.__module__ not in DIMENSIONLESS_MODULES]


@pytest.mark.parametrize("struct", DIMENSIONAL, ids=lambda struct: struct.__qualname__)
def test_a_stored_number_ends_in_its_unit(struct: type[msgspec.Struct]) -> None:
    described = msgspec.inspect.type_info(struct)
    assert isinstance(described, msgspec.inspect.StructType)
    nameless = [
        field.name
        for field in described.fields
        if _holds_number(field.type) and not field.name.endswith(SUFFIXES) and field.name not in WITHOUT_UNIT
    ]
    assert nameless == []


def test_an_estimate_takes_its_unit_from_the_field_that_holds_it() -> None:
    described = msgspec.inspect.type_info(Estimate)
    assert isinstance(described, msgspec.inspect.StructType)
    assert [field.name for field in described.fields] == ["value", "low", "high", "basis"]
