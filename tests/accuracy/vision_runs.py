"""Published runs of vision models on recent software (`published_vision.csv`), with their recorded operator tables.

A workload is called `timm_NAME` or `torchvision_NAME`. Attention counts only where the model has any (family
`vision-transformer/mlp`): a table of a convolutional network serves both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.core.sentences import Reason
from advisor.evaluate.earlier_attention import as_traced_then
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader
from advisor.evaluate.run_row import RunRow
from advisor.evaluate.traces import TraceKey, key_of
from advisor.optable.op_table import OpTable
from advisor.workload.workload import PythonModel, Workload, length_of
from advisor.workload.workload_file import load_workload
from tests.accuracy.recorded_runs import counted_questions, measured_steps
from tests.accuracy.tables import Layout, load_table
from tools.fitting.fit import MeasuredStep

FOLDER = Path(__file__).parent
PUBLISHED_VISION = FOLDER / "published_vision.csv"
NAMES_TODAY = {"gluon_resnet50_v1b": "resnet50"}
"""What timm calls some models now that the sources named otherwise."""
SCALED_SCORES = frozenset({"vit_relpos_base_patch16_224"})
"""Models of which all runs are of timm before 0.9, which scaled the scores of its attention."""
HOST_DECIDES = ("matrixsp-bench", "lamikr-amd-bench", "ryujaehun-bench", "fz-pytorch2-bench")
"""Sources of batches of 12 and fewer on hosts that they do not name: 3 to 24 us a dispatch, as their steps tell."""


def vision_workload(name: str) -> Workload:
    """The workload of a model by its name; every row overrides its size, batch, precision, mode and layout."""
    library, _, model = name.partition("_")
    arguments: dict[str, object] = {"name": NAMES_TODAY.get(model, model)}
    if model in SCALED_SCORES:
        arguments["scaled_scores"] = True
    return load_workload(
        {
            "name": name,
            "model": {
                "source": "python",
                "file": str(FOLDER / "models" / f"{library}_model.py"),
                "arguments": arguments,
            },
            "data": {"samples": 1281167, "image_size": 224},
            "training": {"batch_size": 32, "precision": "fp16_amp", "optimizer": "sgd_momentum"},
        }
    )


def with_fused_attention(workload: Workload) -> Workload:
    """The same model with the attention that its rows have: timm's own switch goes with the workload's."""
    model = workload.model
    assert isinstance(model, PythonModel)
    if workload.training.attention == "eager" or not workload.name.startswith("timm_"):
        return workload
    arguments = {**model.arguments, "fused_attention": True}
    return msgspec.structs.replace(workload, model=msgspec.structs.replace(model, arguments=arguments))


class VisionReader(WorkloadReader):
    """Makes the workloads of `published_vision.csv`, which need no file of their own."""

    def question(self, row: RunRow, specs: Mapping[str, GpuSpec]) -> RowQuestion | Reason:
        """As for any row, with the model's own attention switched as the row says."""
        asked = super().question(row, specs)
        if isinstance(asked, Reason):
            return asked
        return msgspec.structs.replace(asked, workload=with_fused_attention(asked.workload))

    def _read(self, name: str) -> Workload | Reason:
        return vision_workload(name)


@cache
def vision_questions() -> tuple[RowQuestion, ...]:
    """Every published vision run that counts (`use = yes`), with its workload and card, as its PyTorch ran it."""
    questions = counted_questions(PUBLISHED_VISION, VisionReader(FOLDER))
    return tuple(as_traced_then(question, recorded_vision_table(question)) for question in questions)


def recorded_vision_table(question: RowQuestion) -> OpTable:
    """The recorded table of a row; raises FileNotFoundError where it was not recorded."""
    row, workload = question.row, question.workload
    training = workload.training
    layout: Layout = "nhwc" if training.channels_last else "nchw"
    fused = row.family != "cnn" and training.attention != "eager"
    return load_table(
        row.workload,
        length_of(workload),
        training.precision,
        training.mode,
        layout,
        fused=fused,
        half_fallback=question.half_fallback,
    )


def recorded_vision_tables() -> dict[TraceKey, OpTable]:
    """The recorded tables of all questions, by what a trace depends on."""
    return {key_of(question): recorded_vision_table(question) for question in vision_questions()}


@cache
def device_bound_steps() -> tuple[MeasuredStep, ...]:
    """The steps in which the card decides, whatever the host: those that figures of cards may be judged by."""
    chosen = [question for question in vision_questions() if not question.row.source.startswith(HOST_DECIDES)]
    return measured_steps(chosen, recorded_vision_tables())
