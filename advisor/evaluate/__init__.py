"""How far off are the predictions on published runs? Reads a table of them, predicts each row, scores the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason
from advisor.cost.efficiencies import Efficiencies
from advisor.evaluate.earlier_attention import as_traced_then
from advisor.evaluate.evaluation_record import Evaluation, evaluation_of
from advisor.evaluate.faster_than_peak import as_precise_as_it_ran
from advisor.evaluate.held_states import as_it_can_have_stepped, as_it_was_held, as_one_script_ran
from advisor.evaluate.row_answer import RowAnswer, RowQuestion
from advisor.evaluate.row_predictions import RowPredictor, WorkloadReader, questions_of
from advisor.evaluate.run_rows import read_run_rows
from advisor.evaluate.silent_descriptions import other_meanings
from advisor.evaluate.traces import Progress, TraceKey, key_of, memory_key_of, trace_all
from advisor.optable.op_table import OpTable
from advisor.workload.workload import Workload

Tracer = Callable[[Mapping[TraceKey, Workload]], Mapping[TraceKey, OpTable | Reason]]


def evaluate_file(  # noqa: PLR0913 - consents and sources, all named
    path: Path,
    *,
    specs: Mapping[str, GpuSpec] | None = None,
    figures: Efficiencies | None = None,
    allow_code: bool = False,
    allow_hub: bool = False,
    tracer: Tracer | None = None,
    on_progress: Progress | None = None,
) -> Evaluation:
    """Predict every row of a CSV of published runs (interface, section 4) and score the predictions.

    `specs` None: the spec table. `tracer` gives the operator tables (None: traced anew in worker processes).
    Raises InputError where the file is no such table; a row that cannot be predicted is kept with its reason.
    """
    cards = spec_table() if specs is None else specs
    reader = WorkloadReader(path.parent, allow_hub=allow_hub)
    rows = read_run_rows(path)
    questions = questions_of(rows, reader, cards)

    def traced(wanted: Mapping[TraceKey, Workload]) -> Mapping[TraceKey, OpTable | Reason]:
        return (
            tracer(wanted) if tracer is not None else trace_all(wanted, allow_code=allow_code, on_progress=on_progress)
        )

    tables = traced(_wanted(questions))
    questions = as_one_script_ran(
        [
            question if isinstance(question, Reason) else _as_it_ran(question, tables[key_of(question)])
            for question in questions
        ]
    )
    further = {key: workload for key, workload in _wanted(questions).items() if key not in tables}
    tables = {**tables, **(traced(further) if further else {})}
    predictor = RowPredictor(tables, figures)
    answers = [
        predictor.answer(question) if isinstance(question, RowQuestion) else RowAnswer(row=row, reason=question)
        for row, question in zip(rows, questions, strict=True)
    ]
    return evaluation_of(answers)


def _as_it_ran(question: RowQuestion, table: OpTable | Reason) -> RowQuestion:
    """The question as today's trace of its description shows that the run must have been."""
    held = as_it_can_have_stepped(as_it_was_held(as_traced_then(question, table), table), table)
    return as_precise_as_it_ran(held, table)


def _wanted(questions: Sequence[RowQuestion | Reason]) -> dict[TraceKey, Workload]:
    asked = [question for question in questions if isinstance(question, RowQuestion)]
    asked += [other for question in asked for other in other_meanings(question)]
    return {key: question.workload for question in asked for key in (key_of(question), memory_key_of(question))}
