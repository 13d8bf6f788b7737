"""The published language-model runs as measured steps: what the joint fit and its accuracy report start from."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.spec_table import spec_table
from advisor.cost.efficiencies import efficiencies
from advisor.cost.scaling.adapter_units import waits_for_adapters_s
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.layouts import KEPT_SHARDED, ReplicaStep, lay_out
from advisor.cost.scaling.links import interconnect_or_usual
from advisor.cost.scaling.traffic import traffic_of
from advisor.cost.traced_step import TracedStep
from advisor.evaluate.row_predictions import BENCHMARK_HOST
from advisor.optable.compiled_table import CompiledTable, compile_table
from advisor.workload.workload import Training, length_of
from tests.accuracy.llm_rows import UNSTATED_VARIANT, LanguageModelRun, language_model_runs
from tests.accuracy.llm_tables import computed, llm_table_path, load_llm_table
from tests.cost.small_tables import predicted_steps
from tools.fitting.card_shares import without_shares
from tools.fitting.fit import MeasuredStep

_MOST_CARDS = 8
"""One host, whose links hide most of what is exchanged; beyond it a run tells of its network."""
_HBM2E_H100 = frozenset({"pytorch/torchtitan", "pytorch/ao"})
"""Sources whose "H100" is a card of 96 GB of HBM2e with 2.4 TB/s and 500 W, as they say: not the H100 SXM of the table.
A fit that takes their runs for those of the faster card makes every H100 too slow."""
_SLOW_LINKS = re.compile(r"PCIe, no NVLink")


def is_fitted(run: LanguageModelRun) -> bool:
    """Whether the run tells how long operators take: one host, no model parallelism, no FP8."""
    training = run.workload.training
    return (
        run.gpu_key in spec_table()
        and run.layout.count <= _MOST_CARDS
        and run.layout.plain
        and training.precision != "fp8"
        and not _SLOW_LINKS.search(run.interconnect)
    )


@cache
def fitted_runs() -> tuple[LanguageModelRun, ...]:
    """The runs of `language_model_steps`, in order."""
    return tuple(run for run in language_model_runs() if is_fitted(run))


@cache
def language_model_steps() -> tuple[MeasuredStep, ...]:
    """Runs on one host as steps to fit on; what several cards add to them is that of the scaling model."""
    return tuple(_step(run) for run in fitted_runs())


def card_of(run: LanguageModelRun) -> GpuSpec:
    """The card of a run with the figures that its source gives.

    One that is not surely the table's has a key of its own (`table_key` and a remark), and so tells no share of it.
    """
    spec = spec_table()[run.gpu_key]
    if run.gpu_key == "h100-sxm" and run.source in _HBM2E_H100:
        figures = {"power_w": 500.0, "memory_bandwidth_bytes_per_s": 2.4e12, "memory_bytes": 96 * 10**9}
        return msgspec.structs.replace(spec, key=f"{spec.key} (96 GB HBM2e)", **figures)
    if run.untold == UNSTATED_VARIANT:
        return msgspec.structs.replace(spec, key=f"{spec.key} (variant unstated)")
    return spec


def table_key(step: MeasuredStep) -> str:
    """The row of the spec table that a step's card is taken for: what stands before the remark in its key."""
    return step.spec.key.split(" ")[0]


@cache
def compiled_table(path: Path) -> CompiledTable:
    """The recorded table at `path`, ready to be predicted from."""
    return compile_table(load_llm_table(path))


def _step(run: LanguageModelRun) -> MeasuredStep:
    workload = computed(run)
    training, spec = workload.training, card_of(run)
    compiled = compiled_table(llm_table_path(workload))
    added_s, slowdown = _several(run, compiled, training, spec)
    return MeasuredStep(
        compiled=compiled,
        training=training,
        precision=training.precision,
        spec=spec,
        batch_size=training.batch_size,
        measured_s=run.measured_s,
        host=BENCHMARK_HOST,
        software_year=run.software_year,
        flash_generation=run.flash_generation,
        optimizer_share=1.0 / run.layout.shard_count,
        accumulated_share=1.0 / run.layout.shard_count if run.layout.data_parallel in KEPT_SHARDED else 1.0,
        added_s=added_s,
        slowdown=slowdown,
        workload=run.model,
        family="language-model",
        source=run.source,
        length=length_of(workload),
        group=(run.gpu_key, run.model, run.source),
    )


def _several(run: LanguageModelRun, compiled: CompiledTable, training: Training, spec: GpuSpec) -> tuple[float, float]:
    """(seconds that are exchanged in the open, factor of stragglers) of a run on several cards.

    Without the shares of single cards, which are told by what the runs take beyond it.
    """
    if run.layout.count == 1:
        return 0.0, 1.0
    once = msgspec.structs.replace(training, gradient_accumulation_steps=1)
    step, figures = (
        TracedStep(compiled=compiled, training=once, precision=once.precision),
        without_shares(efficiencies()),
    )
    replica = ReplicaStep(
        steps=predicted_steps(
            compiled,
            once,
            once.precision,
            [spec],
            [once.batch_size],
            host=BENCHMARK_HOST,
            figures=figures,
            software_year=run.software_year,
            flash_generation=run.flash_generation,
        ),
        traffic=traffic_of(compiled.table, once.precision, forward_again=training.activation_checkpointing == "full"),
        batch_size=once.batch_size,
        link=interconnect_or_usual(run.interconnect, spec),
        memory_bytes_per_s=spec.memory_bandwidth_bytes_per_s or 0.0,
        adapter_units_s=waits_for_adapters_s(step, run.layout, spec, once.batch_size, figures),
    )
    setting = Setting(accumulation_steps=training.gradient_accumulation_steps)
    found = lay_out(replica, run.layout, setting=setting)
    added, lost = found.parts_s["communication_s"], found.parts_s["imbalance_s"]
    return added, found.step_s / (found.step_s - lost)
