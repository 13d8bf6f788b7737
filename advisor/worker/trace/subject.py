"""What is traced: a model, its batches and its step, and how they come of a workload."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import torch

from advisor.catalogue.precisions import ComputedPrecision, TracePrecision
from advisor.core.sentences import Reason
from advisor.worker.models.load_model import LoadedModel
from advisor.worker.trace.ops.known_results import Met
from advisor.workload.model_config import task_of_model
from advisor.workload.workload import Attention, HuggingFaceModel, Mode, Workload, with_training

DeviceRules = Literal["cuda", "cpu"]
"""`cuda`: as a CUDA step runs; `cpu`: what a step on the processor itself does."""
REAL_BATCHES = (2, 4)
"""Where values are found out by running, every sample's work is done for real."""
LARGEST_TIMES = 3
"""The largest batch that is traced, which checks the table, in smaller ones of the two that make it."""
_TRACED_AS: dict[TracePrecision, ComputedPrecision] = {
    "fp32": "fp32", "amp": "fp16_amp", "half": "fp16", "half_cast": "fp16_cast", "fp8": "fp8",
    "fp8_cast": "fp8_cast",
}  # fmt: skip


@dataclass
class Learnt:
    """What passes at one precision have shown of a model, for those at another: precisions differ in types alone."""

    samples_apart: bool = False
    """Whether it goes through the samples of a batch one by one, so that no two batch sizes run alike.

    Only where it also keeps nothing of one batch size that another takes the place of.
    """
    layers_differ: bool = False
    """Whether layers that look alike run otherwise."""
    met: Met = field(default_factory=Met)
    """Operators with their results, where no values are kept beside shapes."""


class Subject(NamedTuple):
    """What is traced: a model in its data type and layout, its batches and its step, and how the step is run."""

    build: Callable[[], torch.nn.Module]
    make_batch: Callable[[int], Any]
    step: Callable[[torch.nn.Module, Any], Any]
    """One forward pass: up to the scalar loss, or to the outputs where `mode` is inference."""
    mode: Mode = "training"
    attention: Attention = "sdpa"
    device_rules: DeviceRules = "cuda"
    half_fallback: bool = False
    """Whether attention that no fused kernel takes computes in the precision of its inputs."""
    alike_layers: bool = False
    """Whether layers that look alike run alike, so that a few of them stand for the others."""
    try_batches: Callable[[], None] | None = None
    """Let `build` find a batch that runs, where what it makes without trying does not."""
    notes: list[Reason] | None = None
    """Where `build` leaves what the built model has other than the workload asks."""
    known_affine: bool = False
    """Whether a third batch has come out of a table of the same model, otherwise set up."""
    loss_in_model: bool = False
    """Whether the step's loss is one that the model returns beside its outputs."""
    learnt: Learnt | None = None
    """What passes at other precisions have shown, to which these add."""


def subject_of(  # noqa: PLR0913 - how a workload is traced, and each has a default
    workload: Workload,
    precision: TracePrecision,
    *,
    allow_code: bool = False,
    device_rules: DeviceRules = "cuda",
    half_fallback: bool = False,
    packed_inputs_kept: bool = False,
    known_affine: bool = False,
) -> Subject:
    """The workload's step as the worker would run it; raises InputError for a model that cannot be built."""
    from advisor.worker.models.load_model import load

    asked = with_training(workload, precision=_TRACED_AS[precision])
    loaded: list[LoadedModel] = []
    notes: list[Reason] = []
    tried = False

    def try_batches() -> None:
        nonlocal tried
        tried = True

    def build() -> torch.nn.Module:
        made = load(asked, allow_code=allow_code, traced=True, tried=tried, packed_inputs_kept=packed_inputs_kept)
        loaded[:] = [made]
        notes[:] = loaded[0].notes
        return loaded[0].module

    def make_batch(batch_size: int) -> Any:  # noqa: ANN401 - a dict or tuple of tensors
        return loaded[0].make_batch(batch_size)

    def step(module: torch.nn.Module, batch: Any) -> Any:  # noqa: ANN401 - whatever the model takes and gives
        inference = asked.training.mode == "inference"
        return loaded[0].outputs(module, batch) if inference else loaded[0].loss(module, batch)

    return Subject(
        build=build,
        make_batch=make_batch,
        step=step,
        mode=asked.training.mode,
        attention=asked.training.attention,
        device_rules=device_rules,
        half_fallback=half_fallback,
        known_affine=known_affine,
        alike_layers=isinstance(asked.model, HuggingFaceModel),
        notes=notes,
        try_batches=try_batches,
        loss_in_model=_returns_loss(asked),
    )


def _returns_loss(workload: Workload) -> bool:
    """Whether the model returns the step's loss: those of transformers do, but for what is computed outside of them."""
    own = isinstance(workload.model, HuggingFaceModel) and task_of_model(workload.model) != "ctc"
    return own and workload.training.mode != "inference" and not workload.training.chunked_loss
