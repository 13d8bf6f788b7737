"""What a claim or a case is answered with: workloads, their traces, and predictions, behind one small interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from advisor.predict.prediction import Candidate, Device

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.catalogue.precisions import Precision, TracePrecision
    from advisor.catalogue.strategies import Strategy
    from advisor.optable.op_table import OpTable
    from advisor.predict.prediction import Prediction
    from advisor.workload.workload import Workload


class Predictor(Protocol):
    """The rest of the program as claims and cases see it; every method is a pure function of its arguments."""

    @property
    def specs(self) -> Mapping[str, GpuSpec]:
        """The spec table, with the user's own cards."""

    def workload(self, name: str) -> Workload:
        """The bundled workload `name`; raises InputError where there is none."""

    def tables(self, workload: Workload) -> Mapping[TracePrecision, OpTable]:
        """The traces of a workload at its length, mode and layout; empty where it cannot be traced."""

    def predict(self, workload: Workload, candidates: Sequence[Candidate]) -> tuple[Prediction, ...]:
        """Predictions of the candidates that can be predicted; the others are left out."""


def candidate(  # noqa: PLR0913 - the fields of a set-up
    spec: GpuSpec,
    precision: Precision,
    batch_size: int,
    *,
    count: int = 1,
    strategy: Strategy = "single",
    accumulation_steps: int = 1,
) -> Candidate:
    """A set-up on a card of the spec table."""
    return Candidate(
        device=Device(key=spec.key, name=spec.name, spec_key=spec.key, local=False),
        count=count,
        strategy=strategy,
        precision=precision,
        batch_size_per_device=batch_size,
        gradient_accumulation_steps=accumulation_steps,
    )
