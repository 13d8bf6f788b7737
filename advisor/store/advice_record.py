"""The record of one run: opening its JSON gives the same advice again."""

from __future__ import annotations

from advisor.catalogue.precisions import Precision
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.hardware.machine import Machine
from advisor.measure.measurement import Measurement
from advisor.optable.op_table import Layer
from advisor.predict.prediction import Calibration, Prediction
from advisor.recommend.asked import Asked
from advisor.recommend.recommendation import Alternative, BatchAdvice, Crossover, Recommendation
from advisor.recommend.switches import Switch
from advisor.workload.workload import Workload
from advisor.workload.workload_file import Source

SCHEMA_VERSION = 3
_INTERRUPTED = frozenset({"advice-interrupted", "advice-interrupted-early"})


class ModelFacts(Record, frozen=True, kw_only=True):
    """What is known of the model, which source it came from, and whether it could be traced."""

    source: Source
    """Where the model came from: a Hugging Face configuration, a Python file, a template, or totals alone."""
    parameter_count: int | None
    """Weights of the model, shared ones once; None: it was not traced."""
    trainable_parameter_count: int | None
    """Those of them that are trained; None: it was not traced."""
    flop_per_sample: float | None
    """Forward and backward of one sample; None: it was not traced."""
    traced: bool
    """Whether its operators were recorded; a model known by totals alone has none."""
    not_traced_reason: Reason | None = None
    """Why they were not; None: they were, or it is known by totals alone."""
    layers: tuple[Layer, ...] = ()
    """Modules that compute, in order of execution; empty: it was not traced."""
    norms_single_values: bool = False
    """Whether a batch norm sees one value of each channel where a batch holds one sample, which torch refuses to train;
    false too where it was not traced."""


class AdviceRecord(Record, frozen=True, kw_only=True):
    """Everything one run found out."""

    schema_version: int = SCHEMA_VERSION
    """Version of this format; a change that old programs could not read counts it up."""
    created_utc: str
    """When the record was made, in UTC, as `2026-11-22T16:45:17Z`."""
    advisor_version: str
    """Version of Advisor that made the record."""
    workload: Workload
    """What was asked about, as read but for what the recommended set-up adds to free memory: what else is advised may
    differ."""
    asked: Asked | None = None
    """Goal, limits and prices of the question; None: an advice that was saved before they were kept."""
    model: ModelFacts
    """What is known of the workload's model."""
    machine: Machine
    """What was found of the machine that the advice was made on."""
    measurements: tuple[Measurement, ...] = ()
    """What was timed on this machine, of each device that was measured; empty: none was."""
    calibrations: tuple[Calibration, ...] = ()
    """What measurements say of the errors of predictions, one for each GPU that they correct."""
    predictions: tuple[Prediction, ...] = ()
    """Every set-up that was predicted, those that do not fit included."""
    best_set_ups: tuple[int, ...] = ()
    """Places in `predictions` of the set-up that each device and count entered the comparison with."""
    over_limits: tuple[int, ...] = ()
    """Those of them that pass a limit on cost, power or hours, or lack the figure for it."""
    recommendation: Recommendation | None
    """The best set-up of all candidates; None: none was predicted that fits and keeps what was asked."""
    recommendation_local: Recommendation | None
    """The best set-up on this machine; None: none of it fits and keeps what was asked."""
    batch_advice: tuple[BatchAdvice, ...] = ()
    """Batch sizes of one device alone, one entry for each device and precision that has any to take."""
    crossovers: tuple[Crossover, ...] = ()
    """From which batch size each GPU beats the CPU; empty: not both were predicted."""
    alternatives: tuple[Alternative, ...] = ()
    """Other set-ups worth knowing, fastest first, then those that are tied or freed of what was fixed."""
    switches: tuple[Switch, ...] = ()
    """What each switch would bring to the recommended set-up."""
    reasons: tuple[Reason, ...] = ()
    """Why the recommended set-up, and what holds for the whole comparison."""
    caveats: tuple[Reason, ...] = ()
    """What limits the advice: what failed, is unknown or was assumed."""

    @property
    def main(self) -> Recommendation | None:
        """What is recommended: of all candidates, or where nothing is, of this machine."""
        return self.recommendation or self.recommendation_local

    @property
    def interrupted(self) -> bool:
        """Whether its run was cancelled before everything was measured."""
        return any(caveat.code in _INTERRUPTED for caveat in self.caveats)

    @property
    def own_sides(self) -> tuple[int, int] | None:
        """Height and width of pictures that the model's class has by default, where another side was assumed of it."""
        told = next((caveat for caveat in self.caveats if caveat.code == "workload-own-side"), None)
        height, width = (None, None) if told is None else map(told.numbers.get, ("height", "width"))
        if not isinstance(height, int | float) or not isinstance(width, int | float):  # an old record may lack one
            return None
        return round(height), round(width)

    def is_over_limits(self, prediction: Prediction) -> bool:
        """Whether a set-up that is shown passes a limit on cost, power or hours that was given."""
        return any(self.predictions[place] is prediction for place in self.over_limits)

    @property
    def shown_precision(self) -> Precision:
        """Of the recommended set-up; the workload's own where there is none."""
        return self.main.precision if self.main else self.workload.training.precision
