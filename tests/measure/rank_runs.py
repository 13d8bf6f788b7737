"""Two real ranks' steps beside what is predicted of them: runs made here, and runs that were kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from advisor.core.drive import drive
from advisor.core.records import Record
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.scaling import scale_steps
from advisor.cost.scaling.traffic import traffic_of
from advisor.cost.step_parts import OWN_PARTS, StepParts
from advisor.measure.measurement import CommunicationMeasurement
from advisor.measure.rank_outcome import RanksOutcome
from advisor.measure.ranks import RanksPlan, measure_local_ranks
from advisor.measure.traces import trace_workload
from advisor.optable.op_table import OpTable
from advisor.predict.measured_link import measured_link
from advisor.workload.workload import Data, TemplateModel, Training, Workload

FOLDER = Path(__file__).resolve().parents[1] / "recorded" / "ranks"
ROUNDS = 5
"""Of every step in turn in each run; a median over them is what is judged."""
MODELS: dict[str, tuple[TemplateModel, Data, int]] = {
    "wide MLP": (TemplateModel(template="mlp", layers=(256, 1024, 1024, 512, 10)), Data(samples=10_000), 64),
    "small CNN": (
        TemplateModel(template="cnn", layers=(32, 64, 128), classes=10),
        Data(samples=10_000, image_size=32),
        32,
    ),
    "transformer": (
        TemplateModel(template="transformer", layers=(128, 128), heads=4, vocabulary_size=1000, classes=2),
        Data(samples=10_000, sequence_length=64),
        16,
    ),
}


def workload_of(name: str) -> Workload:
    model, data, batch_size = MODELS[name]
    training = Training(precision="fp32", batch_size=batch_size, optimizer="sgd")
    return Workload(name=name, model=model, data=data, training=training)


def table_of(name: str) -> OpTable:
    """The operators of a model of `MODELS` in FP32."""
    return drive(trace_workload(workload_of(name), ("fp32",)))["fp32"]


def _single_step(communication: Sequence[CommunicationMeasurement]) -> StepParts:
    """The step that every rank ran beside the others; backward does twice the work of forward."""
    single = next(measured for measured in communication if measured.kind == "single_step")
    update_s = min(single.optimizer_s or 0.0, single.median_s)
    seconds = {"forward_s": (single.median_s - update_s) / 3, "backward_s": (single.median_s - update_s) * 2 / 3}
    seconds["optimizer_s"] = update_s
    return StepParts(**{name: np.array([[seconds.get(name, 0.0)]]) for name in OWN_PARTS})


def errors_of(communication: Sequence[CommunicationMeasurement], table: OpTable) -> dict[int, float]:
    """Predicted over measured, less one, by accumulation."""
    link, steps = measured_link(communication), _single_step(communication)
    bandwidth = min(
        2 * (measured.message_bytes or 0) / measured.median_s
        for measured in communication
        if measured.kind == "memory_copy"
    )
    assert link is not None
    found = {}
    for measured in communication:
        if measured.kind != "ddp_step":
            continue
        accumulation = measured.accumulation_steps or 1
        grid = scale_steps(
            steps,
            traffic_of(table, "fp32"),
            [link],
            [bandwidth],
            [1],
            strategies=("ddp",),
            counts=(2,),
            setting=Setting(accumulation_steps=accumulation),
        )
        found[accumulation] = grid.step_s.item() / measured.median_s - 1
    return found


class KeptRun(Record, frozen=True, kw_only=True):
    """One complete run of two ranks on cores that they had to themselves."""

    model: str
    """A key of `MODELS`."""
    communication: tuple[CommunicationMeasurement, ...]


class KeptRuns(Record, frozen=True, kw_only=True):
    """The runs of one host."""

    cpu_name: str | None
    usable_core_count: int
    torch_version: str
    created_utc: str
    runs: tuple[KeptRun, ...]


def calm(communication: Sequence[CommunicationMeasurement]) -> bool:
    """Whether nobody was seen on the ranks' cores."""
    return not any(measured.contended for measured in communication)


def ranks_measured(name: str, budget_s: float) -> RanksOutcome:
    """A complete run of at least five interleaved rounds of every step."""
    workload = workload_of(name)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    size = workload.training.batch_size
    plan = RanksPlan(workload=workload, batch_size=size, budget_s=budget_s, usable_core_count=cores)
    outcome = drive(measure_local_ranks(plan, 2))
    assert outcome.complete, outcome.log_tail
    steps = [measured for measured in outcome.communication if measured.kind in {"single_step", "ddp_step"}]
    assert all(len(measured.samples_s) >= ROUNDS for measured in steps)
    assert calm(outcome.communication) or "ranks-contended" in {caveat.code for caveat in outcome.caveats}
    return outcome


def read_kept(path: Path) -> KeptRuns:
    """Runs that were kept; raises msgspec.DecodeError where the file is none."""
    return msgspec.json.decode(path.read_bytes(), type=KeptRuns)
