"""`--verify`: run the advised set-up for a minute, print and keep the truth."""

from __future__ import annotations

import argparse
import threading

from advisor.cli.faults import INTERRUPTED, complain
from advisor.cli.outputs import result_stream
from advisor.cli.progress import ProgressPrinter
from advisor.core.drive import drive
from advisor.core.errors import UserFacingError
from advisor.core.sentences import Language, say, sentence
from advisor.store.advice_record import AdviceRecord
from advisor.store.history import Truth


def verify_command(
    advice: AdviceRecord, arguments: argparse.Namespace, language: Language, cancelled: threading.Event
) -> int:
    """Verify the advice for this machine; 0, or the exit code of what went wrong. The advice stays valid."""
    from advisor.advice.verification import verify
    from advisor.store.history import History, data_folder

    try:
        with ProgressPrinter(language, quiet=arguments.quiet) as progress:
            events = verify(advice, seconds=arguments.verify, allow_code=arguments.allow_code, cancelled=cancelled)
            truth = drive(events, progress.show)
        if truth is None:
            return INTERRUPTED
        print(truth_line(truth, language), file=result_stream(arguments))
        if truth.disturbed is not None:
            why = say(truth.disturbed, language)
            print(sentence("verify-disturbed", language, why=why), file=result_stream(arguments))
        if not arguments.no_history:
            with History(data_folder()) as history:
                history.append_truth(truth)
                record = history.record()
            if record is not None:
                print(
                    sentence(
                        "verify-record",
                        language,
                        runs=record.count,
                        inside_fraction=record.inside_fraction,
                        error_fraction=record.median_error_fraction,
                    ),
                    file=result_stream(arguments),
                )
    except UserFacingError as error:
        complain(error, language)
        return error.exit_code
    return 0


def truth_line(truth: Truth, language: Language) -> str:
    """One sentence: what was predicted, what came true, and whether it lay in the range."""
    return sentence(
        "verify-inside" if truth.inside else "verify-outside",
        language,
        **truth.predicted_step_s.arguments("predicted", "s"),
        actual_s=truth.actual_step_s,
        error=f"{100 * truth.error_fraction:+.1f}",
    )
