"""The record of one run: opening its JSON gives the same advice again."""

from __future__ import annotations

from typing import Literal

from advisor.catalogue.precisions import Precision
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.hardware.machine import Machine
from advisor.measure.measurement import Measurement
from advisor.optable.op_table import Layer
from advisor.predict.prediction import Calibration, Prediction
from advisor.recommend.recommendation import Alternative, BatchAdvice, Crossover, Recommendation
from advisor.recommend.switches import Switch
from advisor.workload.workload import Workload

SCHEMA_VERSION = 2


class ModelFacts(Record, frozen=True, kw_only=True):
    """What is known of the model, through which door it came, and whether it could be traced."""

    door: Literal["huggingface", "python", "template", "numbers"]
    parameter_count: int | None
    trainable_parameter_count: int | None
    flop_per_sample: float | None
    """Forward and backward of one sample."""
    traced: bool
    not_traced_reason: Reason | None = None
    layers: tuple[Layer, ...] = ()


class AdviceRecord(Record, frozen=True, kw_only=True):
    """Everything one run found out."""

    schema_version: int = SCHEMA_VERSION
    created_utc: str
    advisor_version: str
    workload: Workload
    model: ModelFacts
    machine: Machine
    measurements: tuple[Measurement, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    best_set_ups: tuple[int, ...] = ()
    """Places in `predictions` of the set-up that each device and count entered the comparison with."""
    recommendation: Recommendation | None
    recommendation_local: Recommendation | None
    batch_advice: tuple[BatchAdvice, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    switches: tuple[Switch, ...] = ()
    """What each switch would bring to the recommended set-up."""
    reasons: tuple[Reason, ...] = ()
    caveats: tuple[Reason, ...] = ()

    @property
    def main(self) -> Recommendation | None:
        """What is recommended: of all candidates, or where nothing is, of this machine."""
        return self.recommendation or self.recommendation_local

    @property
    def shown_precision(self) -> Precision:
        """Of the recommended set-up; the workload's own where there is none."""
        return self.main.precision if self.main else self.workload.training.precision
