"""`--claim`, `--cases`, `--log` and `--evaluate`: whether it is true, and where the time goes."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from advisor.cli.faults import NOTHING_FITS, command_fault
from advisor.cli.outputs import requested, result_stream, write_outputs
from advisor.cli.progress import ProgressPrinter
from advisor.core.sentences import Names, labelled, say, sentence, visible
from advisor.measure.events import RunProgress

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.claims.claim import ClaimAnswer
    from advisor.claims.predictor import Predictor
    from advisor.core.sentences import Language, Reason
    from advisor.logs.training_log import LogReport
    from advisor.predict.prediction import Prediction
    from advisor.store.advice_record import AdviceRecord


def claim_command(arguments: argparse.Namespace, language: Language) -> int:
    """Answer one claim of the flags, or each one of a file."""
    from advisor.claims.claim import read_claim_file
    from advisor.claims.judge import check_claim

    claims = read_claim_file(arguments.claim_file) if arguments.claim_file is not None else (arguments.claim,)
    predictor = _predictor(arguments, language)
    stream = result_stream(arguments)
    answers = []
    for claim in claims:
        answer = check_claim(claim, predictor)
        answers.append(answer)
        for line in claim_lines(answer, language):
            print(line, file=stream)
    return _write_json(arguments, answers, language)


def claim_lines(answer: ClaimAnswer, language: Language) -> list[str]:
    """A claim's verdict, what was read of its sentence, and its reasons as lines."""
    from advisor.present.claim_reading import reading_line

    verdict = sentence(f"verdict-{answer.verdict}", language)
    first = labelled(sentence("claim-verdict", language), verdict, language)
    read = [] if answer.claim.text is None else [reading_line(answer.claim, language)]
    return [first, *read, *_bullets(answer.reasons, language)]


def _bullets(reasons: tuple[Reason, ...], language: Language) -> list[str]:
    return [f"  • {visible(say(reason, language))}" for reason in reasons]


def cases_command(arguments: argparse.Namespace, language: Language) -> int:
    """Answer every published case that comes with the program."""
    from advisor.cases.answers import answer_case
    from advisor.cases.case_file import bundled_cases

    predictor = _predictor(arguments, language)
    stream = result_stream(arguments)
    answers = []
    for case in bundled_cases().values():
        answer = answer_case(case, predictor)
        answers.append(answer)
        verdict = sentence(f"verdict-{answer.verdict}", language)
        print(labelled(case.id, verdict, language), file=stream)
        print(f"  {visible(case.question.text(language))}", file=stream)
        for line in _bullets(answer.reasons, language):
            print(line, file=stream)
        print(file=stream)
    return _write_json(arguments, answers, language)


def log_command(arguments: argparse.Namespace, language: Language) -> int:
    """Name where the wall time of a training log goes, and what to change first."""
    report = _explained(arguments.log)
    for line in _bullets(report.reasons, language):
        print(line, file=result_stream(arguments))
    return _write_json(arguments, report, language)


def explain_log_beside(advice: AdviceRecord, arguments: argparse.Namespace, language: Language) -> None:
    """Say where the time of a log goes, held against what this advice predicts for the workload as it was run."""
    training = advice.workload.training
    as_run = (
        item
        for item in advice.predictions
        if item.strategy == "single"
        and not item.added
        and item.precision == training.precision
        and item.batch_size_per_device == training.batch_size
        and item.gradient_accumulation_steps == training.gradient_accumulation_steps
    )
    # Which card the log was made on it does not say: a single local one is meant, else none is held against it.
    local = [item for item in as_run if item.device.local]
    report = _explained(arguments.log, local[0] if len(local) == 1 else None)
    stream = result_stream(arguments)
    print(sentence("summary-log", language), file=stream)
    for line in _bullets(report.reasons, language):
        print(line, file=stream)


def _explained(path: Path, as_run: Prediction | None = None) -> LogReport:
    from advisor.core.file_kinds import given_as
    from advisor.logs.log_lines import read_log
    from advisor.logs.training_log import explain_log

    with given_as("log", path):
        return explain_log(read_log(path), as_run)


def evaluate_command(arguments: argparse.Namespace, language: Language) -> int:
    """Predict each row of published runs and print the error table; `--csv` writes the rows."""
    from advisor.evaluate import evaluate_file
    from advisor.present.evaluation_text import answers_csv, evaluation_text

    outputs = requested(arguments)
    if any(output.format != "csv" for output in outputs):
        raise command_fault("writes-only", command="--evaluate", given="--csv")
    with ProgressPrinter(language, quiet=arguments.quiet) as progress:

        def show(name: str, done: int, count: int) -> None:
            fraction = done / max(count, 1)
            progress.show(RunProgress(phase="advice-phase-trace", fraction=fraction, left_s=0.0, detail=name))

        evaluation = evaluate_file(
            arguments.evaluate,
            specs=_specs(arguments),
            allow_code=arguments.allow_code,
            allow_hub=arguments.allow_hub,
            on_progress=show,
        )
    print(evaluation_text(evaluation, language), file=result_stream(arguments))
    code = write_outputs(outputs, lambda _: answers_csv(evaluation).encode(), language)
    if evaluation.none_predicted:
        print(f"advisor: {sentence('evaluate-none', language, rows=len(evaluation.answers))}", file=sys.stderr)
        return code or NOTHING_FITS
    return code


def _specs(arguments: argparse.Namespace) -> dict[str, GpuSpec]:
    from advisor.catalogue.spec_table import read_gpu_file, spec_table

    extra = read_gpu_file(arguments.gpu_file) if arguments.gpu_file else {}
    return {**spec_table(), **extra}


def _predictor(arguments: argparse.Namespace, language: Language) -> Predictor:
    from advisor.claims.predictor import Predictor, tables_of
    from advisor.store.history import data_folder
    from advisor.store.kept_tables import kept_tables

    printer = ProgressPrinter(language, quiet=arguments.quiet)
    kept = kept_tables(None if arguments.no_history else str(data_folder()))
    tables = partial(tables_of, allow_code=arguments.allow_code, on_event=printer.show, kept=kept)
    return Predictor(_specs(arguments), tables)


def _write_json(arguments: argparse.Namespace, answers: object, language: Language) -> int:
    import msgspec

    outputs = requested(arguments)
    for output in outputs:
        if output.format != "json":
            raise command_fault("writes-not", given=f"--{output.format}", names=Names(names=("--json",)))
    content = msgspec.json.format(msgspec.json.encode(answers), indent=1) + b"\n"
    return write_outputs(outputs, lambda _: content, language)
