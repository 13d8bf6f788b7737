"""What was timed beside what was predicted for the same set-up: how right the program was in a run."""

from __future__ import annotations

from advisor.core.records import Record
from advisor.core.sentences import Language, sentence
from advisor.measure.measurement import StepMeasurement, Summary
from advisor.predict.prediction import Prediction
from advisor.store.advice_record import AdviceRecord


class CheckedStep(Record, frozen=True, kw_only=True):
    """A batch size that was timed on a device, with the prediction that it puts to the test.

    `predicted` is None where none was made, where the measurement itself stands in its place, and where only
    some of the model's blocks were run, which the prediction of the whole model says nothing about.
    """

    device_name: str
    step: StepMeasurement
    summary: Summary
    predicted: Prediction | None

    @property
    def error_fraction(self) -> float | None:
        """Predicted over measured median, minus one."""
        if self.predicted is None:
            return None
        return self.predicted.step_s.value / self.summary.median_s - 1.0


def checked_steps(advice: AdviceRecord) -> tuple[CheckedStep, ...]:
    """Every batch size with a summary, in the order of measuring; a prediction counts for one device alone."""
    return tuple(
        CheckedStep(
            device_name=measurement.device_name,
            step=step,
            summary=step.summary,
            predicted=_prediction(advice, measurement.device_key, step),
        )
        for measurement in advice.measurements
        for step in measurement.steps
        if step.summary is not None
    )


def _prediction(advice: AdviceRecord, device_key: str, step: StepMeasurement) -> Prediction | None:
    if step.layer_limit is not None:
        return None
    return next(
        (
            prediction
            for prediction in advice.predictions
            if prediction.device.key == device_key
            and prediction.count == 1
            and prediction.precision == step.precision
            and prediction.batch_size_per_device == step.batch_size
            and prediction.gradient_accumulation_steps == 1
            and not prediction.measured
        ),
        None,
    )


def batch_text(step: StepMeasurement, language: Language) -> str:
    """The batch size, and how many of the model's blocks were run with it where that was not all."""
    size = f"{step.batch_size:,}"
    if step.layer_limit is None:
        return size
    return sentence("watch-part-of-layers", language, batch=size, layers=step.layer_limit)
