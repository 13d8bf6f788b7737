"""Published language-model runs that no figure was fitted on, predicted as a user who describes them is told."""

from __future__ import annotations

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason
from advisor.evaluate.row_predictions import predicted_step
from advisor.predict.evaluation import ScoredStep
from advisor.workload.workload import length_of
from tests.accuracy.llm_rows import LanguageModelRun, language_model_runs
from tests.accuracy.llm_steps import card_of, compiled_table, is_fitted
from tests.accuracy.llm_tables import computed, llm_table_path


def unfitted_steps() -> list[ScoredStep]:
    """Every run of a card of the spec table that the fit leaves out, with its range."""
    return [_scored(run) for run in language_model_runs() if run.gpu_key in spec_table() and not is_fitted(run)]


def why_unfitted(run: LanguageModelRun) -> str:
    """The first property that keeps a run out of the fit."""
    if run.workload.training.precision == "fp8":
        return f"FP8, {run.workload.training.fp8_recipe}"
    if not run.layout.plain:
        return "tensors, stages or lengths split"
    return "several hosts" if (run.layout.host_size or 0) < run.layout.count else "one host without NVLink"


def _scored(run: LanguageModelRun) -> ScoredStep:
    workload, spec = computed(run), card_of(run)
    training = workload.training
    answer = predicted_step(
        workload,
        spec,
        run.layout,
        table=compiled_table(llm_table_path(workload)),
        interconnect=run.interconnect,
        software_year=run.software_year,
        flash_generation=run.flash_generation,
    )
    assert not isinstance(answer, Reason), answer
    step = answer.step_s
    assert step.low is not None
    assert step.high is not None
    return ScoredStep(
        workload=run.model,
        mode=training.mode,
        precision=training.precision,
        length=length_of(workload),
        layout="nchw",
        optimizer=training.optimizer,
        gpu_key=run.gpu_key,
        family="language-model",
        batch_size=training.batch_size,
        measured_s=run.measured_s,
        predicted_s=step.value,
        low_s=step.low,
        high_s=step.high,
        source=run.source,
        generation="" if run.software_year is None else str(run.software_year),
        method=why_unfitted(run),
    )
