"""Predicts published runs: step time with its range, memory and largest batch, efficiency of several cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.gpu_words import nearest_keys
from advisor.catalogue.precisions import TRACE_PRECISIONS
from advisor.catalogue.strategies import Strategy
from advisor.claims.predictor import candidate
from advisor.core.sentences import Listed, Reason, SaidError
from advisor.core.units import Estimate
from advisor.cost.efficiencies import Efficiencies, efficiencies
from advisor.cost.host_time import HostSpeed
from advisor.cost.layout import Layout
from advisor.cost.scaling.links import interconnect_or_usual
from advisor.cost.scaling.sharded_precision import brings_whole_layers, precision_in_layout
from advisor.evaluate.earlier_attention import attention_taken, attention_then
from advisor.evaluate.faster_than_peak import told_of_the_impossible
from advisor.evaluate.held_states import told_of_a_larger_card, told_of_no_room
from advisor.evaluate.other_libraries import (
    as_other_libraries_run,
    reaching,
    told_of_activation,
)
from advisor.evaluate.row_answer import RowAnswer, RowQuestion
from advisor.evaluate.row_cards import cards_of_row, with_counted_card
from advisor.evaluate.row_memory import memory_of_row
from advisor.evaluate.run_row import RunRow
from advisor.evaluate.silent_descriptions import (
    fuses_layers,
    halves_adapters,
    has_gate_adapters,
    other_meanings,
    understood,
)
from advisor.evaluate.traces import TraceKey, key_of
from advisor.evaluate.unread_columns import told_of_names, told_of_unread
from advisor.evaluate.variants import among_variants
from advisor.optable.compiled_table import CompiledTable, compile_table
from advisor.optable.op_columns import Work
from advisor.optable.op_table import OpTable
from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import unknown_memory
from advisor.predict.layouts import LayoutPrediction, predict_layout
from advisor.predict.prediction import Prediction
from advisor.predict.sources import Sources
from advisor.workload.workload import Workload, quantization_of
from advisor.workload.workload_file import load_workload_for_row

BENCHMARK_HOST = HostSpeed(copies_inputs=False)
"""Published benchmarks keep their inputs on the card or copy them while it computes."""
_PLAIN: dict[str, Strategy] = {"single": "single", "dp": "dp", "ddp": "ddp"}


class WorkloadReader:
    """Finds the workload of each row; every file is read once."""

    def __init__(self, folder: Path, *, allow_hub: bool = False) -> None:
        """`folder` is that of the table, from which names and paths start."""
        self._folder = folder
        self._allow_hub = allow_hub
        self._known: dict[str, Workload | Reason] = {}

    def question(self, row: RunRow, specs: Mapping[str, GpuSpec]) -> RowQuestion | Reason:
        """The row's workload with the row's values over its own, and its card; or why there is none."""
        if row.problem is not None:
            return row.problem
        if row.workload not in self._known:
            self._known[row.workload] = self._read(row.workload)
        workload = self._known[row.workload]
        if isinstance(workload, Reason):
            return workload
        counted = with_counted_card(row, specs)
        if isinstance(counted, Reason):
            return counted
        row = counted
        keys = cards_of_row(row.gpu_key, specs)
        if not keys:
            near = nearest_keys(row.gpu_key, specs)[:1]
            hint = tuple(Reason.of("file-did-you-mean", word=key) for key in near)
            return Reason.of("evaluate-unknown-gpu", gpu=row.gpu_key[:80], hint=Listed(reasons=hint))
        meant = tuple(specs[key] for key in keys)
        named = msgspec.structs.replace(row, gpu_key=keys[0]) if len(keys) == 1 else row
        variants = meant if len(keys) > 1 else ()
        described = _overridden(workload, row)
        asked = RowQuestion(
            row=named,
            workload=described,
            spec=meant[0],
            variants=variants,
            packed_inputs_kept=not row.adapters_as_today and quantization_of(described.training) == "nf4",
        )
        return as_other_libraries_run(asked)

    def _read(self, name: str) -> Workload | Reason:
        try:
            return load_workload_for_row(name, self._folder, allow_hub=self._allow_hub)
        except SaidError as error:
            return error.statement


def _overridden(workload: Workload, row: RunRow) -> Workload:
    given = {
        "gradient_accumulation_steps": row.accumulation_steps,
        "batch_size": row.batch_size,
        "mode": row.mode,
        "fp8_recipe": row.fp8_recipe,
        "channels_last": row.channels_last,
        "compile": row.compiled,
        "attention": row.attention or attention_then(row, workload),
        "activation_checkpointing": row.activation_checkpointing,
        "optimizer": row.optimizer,
        "fused_optimizer": None if row.optimizer is None else row.fused_optimizer,
    }
    training: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    precision = row.precision or workload.training.precision
    if halves_adapters(row, workload.training, precision):
        training["adapter_bits"] = 16
    training["precision"] = precision_in_layout(precision, row.layout)
    if fuses_layers(workload, compiled=bool(training.get("compile", workload.training.compile))):
        training |= {"fused_layers": True, "fused_gate": has_gate_adapters(workload.training)}
    data: dict[str, object] = {}
    if row.length is not None:
        data["image_size" if workload.data.image_size is not None else "sequence_length"] = row.length
    return msgspec.structs.replace(
        workload,
        training=msgspec.structs.replace(workload.training, **training),
        data=msgspec.structs.replace(workload.data, **data),
    )


class RowPredictor:
    """Answers rows from operator tables; each table is compiled once."""

    def __init__(self, tables: Mapping[TraceKey, OpTable | Reason], figures: Efficiencies | None = None) -> None:
        """`tables` must hold the trace of every row that is asked for; `figures` None: the program's own."""
        self._tables = tables
        self._figures = figures
        self._compiled: dict[tuple[TraceKey, bool], CompiledTable] = {}

    def answer(self, question: RowQuestion) -> RowAnswer:
        """Everything that the row asks for."""
        if not question.variants:
            return self._answered(question)
        alone = [msgspec.structs.replace(question, spec=spec, variants=()) for spec in question.variants]
        joined = among_variants([self._answered(question) for question in alone])
        return msgspec.structs.replace(joined, variants=tuple(spec.key for spec in question.variants))

    def _answered(self, question: RowQuestion) -> RowAnswer:
        row, workload = question.row, question.workload
        table = self._tables[key_of(question)]
        if isinstance(table, Reason):
            return RowAnswer(row=row, reason=table)
        compiled, answer = self._compiled_for(question, table), self._step(question, table)
        refusal: dict[str, Any] = {"reason": answer}
        if not isinstance(answer, Reason):
            step_s = answer.step_s
            for other in other_meanings(question):
                step_s = self._reaching(step_s, other)
            refusal = {"step_s": step_s, "efficiency": answer.efficiency, "notes": answer.notes}
        family = row.family or family_of(compiled, workload.training.batch_size)
        memory = memory_of_row(question, self._tables)
        taken = (*understood(question), *attention_taken(question, table), *told_of_activation(question))
        caveats = (
            *told_of_names(question),
            *told_of_unread(question),
            *table.caveats,
            *taken,
            *told_of_no_room(question, table),
            *told_of_a_larger_card(question),
            *told_of_the_impossible(question, table),
        )
        return RowAnswer(row=row, family=family, workload=workload, caveats=caveats, **refusal, **memory)

    def _reaching(self, step_s: Estimate, other: RowQuestion) -> Estimate:
        """The step with a range that holds that of the other way in which it may have run."""
        table = self._tables[key_of(other)]
        answer = table if isinstance(table, Reason) else self._step(other, table)
        return step_s if isinstance(answer, Reason) else reaching(step_s, answer.step_s)

    def _step(self, question: RowQuestion, table: OpTable) -> Prediction | LayoutPrediction | Reason:
        row = question.row
        return predicted_step(
            question.workload,
            question.spec,
            row.layout,
            table=self._compiled_for(question, table),
            interconnect=row.interconnect,
            software_year=row.software_year,
            flash_generation=row.flash_generation,
            units_by_module=row.shards_modules,
            figures=self._figures,
        )

    def _compiled_for(self, question: RowQuestion, table: OpTable) -> CompiledTable:
        release = (key_of(question), question.row.compiler_turns_layouts)
        if release not in self._compiled:
            self._compiled[release] = compiled_for_row(question.row, table)
        return self._compiled[release]


def compiled_for_row(row: RunRow, table: OpTable) -> CompiledTable:
    """The columns of the row's trace, with convolutions in the layout that its compiler leaves or gives them."""
    compiled = compile_table(table)
    return compiled if row.compiler_turns_layouts else replace(compiled, turned_by_compiler=False)


def predicted_step(  # noqa: PLR0913 - what a published step depends on
    workload: Workload,
    spec: GpuSpec,
    layout: Layout,
    *,
    table: OpTable | CompiledTable,
    interconnect: str | None,
    software_year: int | None,
    flash_generation: int | None = None,
    units_by_module: bool = True,
    figures: Efficiencies | None = None,
) -> Prediction | LayoutPrediction | Reason:
    """The step of a published run as anybody is told it who asks for this set-up, or why there is none.

    `interconnect` is the source's word for the link, None for the card's usual one; `software_year` None is today's.
    `flash_generation` is that of the kernels of flash attention, None the year's.
    `units_by_module` is that of `predict_layout`.
    """
    training, link = workload.training, interconnect_or_usual(interconnect, spec)
    sources = Sources(
        workload=workload,
        tables={TRACE_PRECISIONS[training.precision]: table},
        specs={spec.key: spec},
        link=msgspec.structs.replace(link, cards_per_node_count=layout.host_size),
        host=BENCHMARK_HOST,
        software_year=software_year,
        flash_generation=flash_generation,
        whole_layers=brings_whole_layers(layout),
        figures=figures or efficiencies(),
    )
    strategy = _PLAIN.get(layout.data_parallel) if layout.plain else None
    set_up = candidate(
        spec,
        training.precision,
        training.batch_size,
        count=1 if strategy is None else layout.count,
        strategy="single" if strategy is None or layout.count == 1 else strategy,
        accumulation_steps=training.gradient_accumulation_steps,
    )
    if strategy is None:
        return predict_layout(set_up, layout, sources, units_by_module=units_by_module)
    predicted = predict_candidates([set_up], sources, unknown_memory)
    return predicted.predictions[0] if predicted.predictions else predicted.refusals[0]


_MOST = 0.5


def family_of(compiled: CompiledTable, batch_size: int) -> str:
    """What a model spends its work on, where the table of runs names no family: cnn, rnn, transformer or mlp."""
    batch = np.array(float(batch_size))
    work: dict[str, Work] = {
        "cnn": compiled.convolution.at(batch),
        "rnn": compiled.rnn.at(batch),
        "attention": compiled.attention.at(batch),
        "mlp": compiled.matmul.at(batch),
    }
    flop = {name: float(np.sum(columns.flop * columns.call_count)) for name, columns in work.items()}
    total = sum(flop.values())
    for name in ("cnn", "rnn"):
        if total and flop[name] / total > _MOST:
            return name
    batched = bool(np.any(compiled.matmul.at(batch).batch > 1)) or flop["attention"] > 0
    return "transformer" if batched else "mlp"


def questions_of(
    rows: Sequence[RunRow], reader: WorkloadReader, specs: Mapping[str, GpuSpec]
) -> tuple[RowQuestion | Reason, ...]:
    """The question of every row, in order."""
    return tuple(reader.question(row, specs) for row in rows)
