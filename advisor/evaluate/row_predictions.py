"""Predicts published runs: step time with its range, memory and largest batch, efficiency of several cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.strategies import Strategy
from advisor.core.errors import InputError
from advisor.core.input_file import closest
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.cost.efficiencies import Efficiencies, efficiencies
from advisor.cost.host_time import HostSpeed, host_seconds
from advisor.cost.memory.largest_batch import largest_batch
from advisor.cost.memory.need import memory_need, usable_bytes
from advisor.cost.optimizer_cost import optimizer_cost
from advisor.cost.scaling.layouts import ReplicaStep, lay_out
from advisor.cost.scaling.links import interconnect_or_usual
from advisor.cost.scaling.scaling import Setting, scale_steps
from advisor.cost.scaling.traffic import traffic_of
from advisor.cost.step_time import StepGrid, predict_steps
from advisor.evaluate.run_rows import RunRow
from advisor.evaluate.traces import TraceKey, trace_key
from advisor.optable.compiled_table import CompiledTable, compile_table
from advisor.optable.op_columns import Work
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload_for_row

BENCHMARK_HOST = HostSpeed(copies_inputs=False)
"""Published benchmarks keep their inputs on the card or copy them while it computes."""
_DISPATCH_S = 61e-6
DATA_PARALLEL_HOST = HostSpeed(
    copies_inputs=False,
    forward_s_per_dispatch=_DISPATCH_S,
    backward_s_per_dispatch=_DISPATCH_S,
    optimizer_s_per_dispatch=_DISPATCH_S,
)
"""One Python process issues every card's kernels in nn.DataParallel: 61 us each in the runs that published it."""
_PLAIN: dict[str, Strategy] = {"single": "single", "dp": "dp", "ddp": "ddp"}
_GRADIENTS_FREED_FROM_YEAR = 2023
"""From PyTorch 2.0 on `zero_grad` frees the gradients."""


class RowQuestion(Record, frozen=True, kw_only=True):
    """A row with the workload and the card that it names."""

    row: RunRow
    workload: Workload
    spec: GpuSpec


class RowAnswer(Record, frozen=True, kw_only=True):
    """What is predicted for a row; `reason` says why nothing is."""

    row: RunRow
    step_s: Estimate | None = None
    peak_bytes: Estimate | None = None
    """What tensors hold at most, as `torch.cuda.max_memory_allocated` reports it."""
    largest_batch: int | None = None
    efficiency: Estimate | None = None
    family: str | None = None
    workload: Workload | None = None
    """As it was predicted: the row's values over the workload's."""
    notes: tuple[Reason, ...] = ()
    reason: Reason | None = None


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
        found = self._known[row.workload]
        if isinstance(found, Reason):
            return found
        spec = specs.get(row.gpu_key)
        if spec is None:
            known = closest(row.gpu_key, sorted(specs))
            return Reason(code="evaluate-unknown-gpu", numbers={"gpu": row.gpu_key[:80], "hint": known})
        return RowQuestion(row=row, workload=_overridden(found, row), spec=spec)

    def _read(self, name: str) -> Workload | Reason:
        try:
            return load_workload_for_row(name, self._folder, allow_hub=self._allow_hub)
        except InputError as error:
            return Reason(code="evaluate-wrong-workload", numbers={"text": str(error)})


def _overridden(workload: Workload, row: RunRow) -> Workload:
    training: dict[str, object] = {"gradient_accumulation_steps": row.accumulation_steps}
    if row.optimizer is not None:
        training |= {"optimizer": row.optimizer, "fused_optimizer": row.fused_optimizer}
    for name, value in (
        ("precision", row.precision),
        ("batch_size", row.batch_size),
        ("mode", row.mode),
        ("channels_last", row.channels_last),
    ):
        if value is not None:
            training[name] = value
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
        self._compiled: dict[TraceKey, CompiledTable] = {}

    def answer(self, question: RowQuestion) -> RowAnswer:
        """Everything that the row asks for."""
        row, workload = question.row, question.workload
        key = trace_key(workload, workload.training.precision)
        table = self._tables[key]
        if isinstance(table, Reason):
            return RowAnswer(row=row, reason=table)
        if key not in self._compiled:
            self._compiled[key] = compile_table(table)
        compiled = self._compiled[key]
        # Micro-batches are added up by the scaling, as what is exchanged differs among them.
        training = msgspec.structs.replace(workload.training, gradient_accumulation_steps=1)
        host = DATA_PARALLEL_HOST if row.layout.data_parallel == "dp" and row.gpu_count > 1 else BENCHMARK_HOST
        grid = predict_steps(
            compiled,
            training,
            training.precision,
            [question.spec],
            [training.batch_size],
            host=host,
            figures=self._figures,
            software_year=row.software_year,
        )
        base = RowAnswer(
            row=row, family=row.family or family_of(compiled, training.batch_size), workload=workload, reason=None
        )
        refusal = grid.refusals[0]
        if refusal is not None:
            return msgspec.structs.replace(base, reason=refusal, **_memory(question, table))
        cost = optimizer_cost(
            training, training.precision, compiled.trainable_parameter_count, compiled.parameter_tensor_count
        )
        figures = self._figures or efficiencies()
        issue_s = host_seconds(compiled, training, cost, host, figures.assumed)
        step, efficiency = _several(
            question, table, grid, Setting(host_step_s=issue_s, accumulation_steps=row.accumulation_steps)
        )
        return msgspec.structs.replace(
            base, step_s=step, efficiency=efficiency, notes=grid.notes[0], **_memory(question, table)
        )


def _several(
    question: RowQuestion, table: OpTable, grid: StepGrid, setting: Setting
) -> tuple[Estimate, Estimate | None]:
    """The step on all cards of the row, and their efficiency where there are several."""
    row, training, spec = question.row, question.workload.training, question.spec
    layout, traffic = row.layout, traffic_of(table, training.precision)
    link = interconnect_or_usual(row.interconnect, spec)
    bandwidth = spec.memory_bandwidth_bytes_per_s or 0.0
    if layout.plain and layout.data_parallel in {"single", "dp", "ddp"}:
        if layout.host_size is not None:
            link = msgspec.structs.replace(link, cards_per_node_count=layout.host_size)
        scaled = scale_steps(
            grid,
            traffic,
            [link],
            [bandwidth],
            [training.batch_size],
            strategies=(_PLAIN[layout.data_parallel],),
            counts=(layout.count,),
            setting=setting,
        )
        cell = (0, 0, 0, 0)
        efficiency = _estimate(scaled.efficiency[cell], scaled.efficiency_low[cell], scaled.efficiency_high[cell])
        step = _estimate(scaled.step_s[cell], scaled.low_s[cell], scaled.high_s[cell])
    else:
        replica = ReplicaStep(
            steps=grid, traffic=traffic, batch_size=training.batch_size, link=link, memory_bytes_per_s=bandwidth
        )
        found = lay_out(replica, layout, setting=setting)
        efficiency = _estimate(found.efficiency, found.efficiency_low, found.efficiency_high)
        step = _estimate(found.step_s, found.low_s, found.high_s)
    return step, efficiency if layout.count > 1 else None


def _estimate(value: float, low: float, high: float) -> Estimate:
    value = float(value)
    return Estimate(value=value, low=min(float(low), value), high=max(float(high), value), basis="specified")


def _memory(question: RowQuestion, table: OpTable) -> dict[str, object]:
    """Peak and largest batch, where the row asks for them: replaying the allocator takes its time."""
    row, training, spec = question.row, question.workload.training, question.spec
    kept = row.software_year is not None and row.software_year < _GRADIENTS_FREED_FROM_YEAR
    answer: dict[str, object] = {}
    if row.peak_bytes is not None:
        need = memory_need(
            table,
            training,
            training.precision,
            training.batch_size,
            compute_capability=spec.compute_capability,
            gradients_kept=kept,
        )
        if need is not None:
            share = need.allocated_bytes / need.need.value
            answer["peak_bytes"] = need.need.scaled(share)
    if row.largest_batch_that_ran is not None and spec.memory_bytes is not None and table.memory is not None:
        answer["largest_batch"] = largest_batch(
            table,
            training,
            training.precision,
            usable_bytes(spec.memory_bytes),
            compute_capability=spec.compute_capability,
            gradients_kept=kept,
        )
    return answer


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
