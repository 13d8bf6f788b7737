"""`--measure`, `--predict` and `--open`: run the main job, print the advice, write what was asked for."""

from __future__ import annotations

import sys
import threading
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.arguments import settings_of
from advisor.cli.faults import (
    INTERRUPTED,
    NOT_WRITTEN,
    NOTHING_FITS,
    NOTHING_MEASURED,
    command_fault,
    complain,
    in_commas,
    meant,
)
from advisor.cli.interrupts import cancelled_by_interrupt
from advisor.cli.outputs import requested, result_stream, write_outputs
from advisor.cli.progress import ProgressPrinter
from advisor.cli.untraced import TraceWatch, nothing_known
from advisor.core.drive import drive
from advisor.core.errors import UserFacingError
from advisor.core.units import S_PER_HOUR
from advisor.measure.measurement import has_timed_steps

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from advisor.advice import AdviceRequest
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.core.sentences import Language
    from advisor.present.advice_file import FileKind
    from advisor.store.advice_record import AdviceRecord
    from advisor.workload.workload import Workload


def advise_command(arguments: argparse.Namespace, language: Language) -> int:
    """Measure or predict, recommend, print and write. Raises UserFacingError for wrong use or input."""
    from advisor.measure.rank_guard import under_torchrun

    if arguments.window:
        other = "--predict" if arguments.measure is None else "--measure"
        raise command_fault("not-with", meant(()), option="--window", other=other)
    requested(arguments)  # refuses what cannot be written before anybody waits for a measurement
    request = advice_request(arguments, language)
    if arguments.measure is not None and under_torchrun():
        from advisor.cli.ranks import ranks_command

        return ranks_command(request, arguments, language, present)
    measures = request.measure or arguments.verify is not None
    with cancelled_by_interrupt(measures=measures) as cancelled:  # to the end: what was measured must be written, too
        return _advise(request, arguments, language, cancelled)


def _advise(
    request: AdviceRequest, arguments: argparse.Namespace, language: Language, cancelled: threading.Event
) -> int:
    from advisor.advice import advise_events

    with ProgressPrinter(language, quiet=arguments.quiet) as progress:
        watched = TraceWatch(progress.show)
        advice = drive(advise_events(request, cancelled=cancelled), watched.show)
    if nothing_known(advice) and not cancelled.is_set():
        raise watched.refusal(advice, language)
    if not arguments.no_history:
        _keep(advice, language)  # before anything is printed: a reader who goes away must not cost the run
    code = present(advice, arguments, language)
    if arguments.log is not None:
        from advisor.cli.checking import explain_log_beside

        explain_log_beside(advice, arguments, language)
    if arguments.verify is not None and not cancelled.is_set():
        from advisor.cli.verifying import verify_command

        code = verify_command(advice, arguments, language, cancelled) or code
    return code or ending(advice, measured=request.measure, interrupted=cancelled.is_set())


def ending(advice: AdviceRecord, *, measured: bool, interrupted: bool) -> int:
    """The exit code of an advice that was printed and written: 0, or why it is less than was asked for."""
    if interrupted:
        return INTERRUPTED
    if advice.recommendation is None and advice.recommendation_local is None:
        return NOTHING_FITS
    return NOTHING_MEASURED if measured and not measured_anything(advice) else 0


def _saved_as(arguments: argparse.Namespace) -> str | None:
    """The name that the launch command gives the script; None on stdout, which has none."""
    return None if arguments.script in {None, "-"} else Path(arguments.script).name


def present(advice: AdviceRecord, arguments: argparse.Namespace, language: Language) -> int:
    """Print the advice and write every file that was asked for; 5 where one could not be written."""
    from advisor.cli.terminal import print_summary
    from advisor.present import advice_file
    from advisor.present.one_screen import one_screen
    from advisor.present.summary import summarise

    def encode(kind: FileKind) -> bytes:
        name, framework = _saved_as(arguments), arguments.script_for
        return advice_file.encode(kind, advice, language, script_name=name, framework=framework)

    # Files first: a reader of the summary who goes away (`| head`) must not cost the files.
    try:
        code = write_outputs(requested(arguments), encode, language)
    except UserFacingError as refusal:  # a file appeared there meanwhile: the advice is printed all the same
        complain(refusal, language)
        code = NOT_WRITTEN
    shown = summarise(advice, language) if arguments.details else one_screen(advice, language)
    print_summary(shown, result_stream(arguments))
    return code


def open_command(arguments: argparse.Namespace, language: Language) -> int:
    """Print a saved advice exactly as it was printed when it was made."""
    from advisor.store import json_file

    advice = json_file.read(arguments.open)
    try:
        return present(advice, arguments, language)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # What this program saved can be shown: the file was changed, or comes from elsewhere.
        from advisor.core.sentences import SaidError

        fault = f"{type(error).__name__}: {str(error)[:200]}"
        raise SaidError.of("file-not-shown", path=str(arguments.open), detail=fault) from error


def measured_anything(advice: AdviceRecord) -> bool:
    """Whether at least one step of the workload was timed, however noisy the machine was."""
    return has_timed_steps(advice.measurements)


def advice_request(arguments: argparse.Namespace, language: Language = "en") -> AdviceRequest:
    """The request of the flags. Raises InputError naming the flag or file."""
    from advisor.advice import AdviceRequest
    from advisor.catalogue.spec_table import read_gpu_file, spec_table
    from advisor.core.file_fault import shown_value
    from advisor.predict.time_to_train import CriticalBatch
    from advisor.recommend.dealing import counts_over, left_out_counts, require_even_nodes
    from advisor.recommend.fixed import Fixed
    from advisor.recommend.prices import read_prices
    from advisor.recommend.recommendation import Limits
    from advisor.store.history import data_folder
    from advisor.workload.python_source import pinned
    from advisor.workload.workload_file import load_workload

    if arguments.device and arguments.measure is None:
        raise command_fault("device-unmeasured", given=shown_value(", ".join(arguments.device)))
    critical: tuple[int, int] | None = arguments.critical_batch
    counts = arguments.counts or counts_over(arguments.nodes)
    reference = arguments.measure if arguments.measure is not None else arguments.predict
    extra = read_gpu_file(arguments.gpu_file) if arguments.gpu_file else {}
    keys, card_counts = _cards(arguments, extra, spec_table(), language)
    every_count = sorted({*chain.from_iterable(card_counts.values())}) or counts
    require_even_nodes(every_count, arguments.nodes)
    left_out_counts(arguments.global_batch, every_count)
    prices = read_prices(arguments.prices, {**spec_table(), **extra}) if arguments.prices else None
    if arguments.max_cost is not None and prices is None:
        raise command_fault("no-prices")
    workload = load_workload(reference, overrides=settings_of(arguments), allow_hub=arguments.allow_hub)
    _refuse_code_without_consent(workload, arguments)
    return AdviceRequest(
        workload=pinned(workload),
        measure=arguments.measure is not None,
        budget_s=arguments.budget,
        devices=tuple(arguments.device) if arguments.device else None,
        gpu_keys=keys,
        extra_specs=tuple(extra.values()),
        counts=counts,
        card_counts=card_counts,
        goal=arguments.goal,
        prices=prices,
        limits=Limits(
            max_cost=arguments.max_cost,
            max_power_w=arguments.max_power,
            max_job_s=None if arguments.max_hours is None else arguments.max_hours * S_PER_HOUR,
        ),
        global_batch_size=arguments.global_batch,
        fixed=Fixed(
            batch_size=arguments.batch_size is not None,
            precision=arguments.precision is not None,
            checkpointing=arguments.activation_checkpointing is not None,
        ),
        critical_batch=None if critical is None else CriticalBatch(low=critical[0], high=critical[1], given=True),
        host_memory_bytes=None if arguments.host_memory is None else arguments.host_memory * 2.0**30,
        switches=arguments.switches,
        interconnect=arguments.interconnect,
        node_count=arguments.nodes,
        allow_code=arguments.allow_code,
        data_folder=None if arguments.no_history else str(data_folder()),
    )


def _refuse_code_without_consent(workload: Workload, arguments: argparse.Namespace) -> None:
    from advisor.workload.python_source import code_to_run, needs_consent

    if arguments.allow_code or not needs_consent(workload):
        return
    path, digest = code_to_run(workload) or ("", "")
    raise command_fault("runs-code", path=str(path), digest=digest, asked_by="command")


def _cards(
    arguments: argparse.Namespace, extra: Mapping[str, GpuSpec], table: Mapping[str, GpuSpec], language: Language
) -> tuple[tuple[str, ...] | None, dict[str, tuple[int, ...]]]:
    """Keys of the candidates (those asked for, those of the GPU file, or None for the usual five), and their numbers.

    A name that leaves the variant open stands for all of them, and says so. Raises InputError for one that names none
    and for a number that no card can have.
    """
    from advisor.catalogue.counted_cards import counted_card, counts_by_key
    from advisor.recommend.candidates import with_own_cards

    asked: tuple[str, ...] | None = arguments.gpus
    if asked is None or asked == ("all",):
        return with_own_cards(None if asked is None else table, extra), {}
    specs = {**table, **extra}
    cards = [counted_card(words, specs) for words in asked]
    _refuse_unknown(tuple(card.words for card in cards), specs)
    meant_by = {words: _meant(words, specs, language) for words in dict.fromkeys(card.words for card in cards)}
    pairs = [(key, card.number) for card in cards for key in meant_by[card.words]]
    keys = with_own_cards((key for key, _ in pairs), extra) or ()
    return keys, counts_by_key(pairs, arguments.counts, keys)


def _refuse_unknown(asked: tuple[str, ...], specs: Mapping[str, GpuSpec]) -> None:
    """Raise InputError that names all that means no card; a single one may be a processor or a list without commas."""
    from advisor.catalogue.counted_cards import cards_together
    from advisor.catalogue.gpu_words import cards_in_a_row, cards_meant
    from advisor.core.file_fault import shown_value
    from advisor.core.sentences import Names, Reason
    from advisor.recommend.candidates import unknown_cards

    unknown = [words for words in asked if not cards_meant(words, specs)]
    for words in unknown:
        row, processor = cards_in_a_row(words, specs), words.strip().lower() == "cpu"
        if (row and not cards_together(words, specs)) or processor:
            remedy = in_commas("--gpus", row) if row else Reason.of("command-card-processor")
            given = Names(names=(shown_value(words),))
            raise command_fault("unknown-card", remedy, given=given, asked_by="command")
    if unknown:
        raise unknown_cards(unknown, specs)


def _meant(words: str, specs: Mapping[str, GpuSpec], language: Language) -> tuple[str, ...]:
    from advisor.catalogue.gpu_words import cards_meant
    from advisor.core.sentences import Names, Reason, say

    keys = cards_meant(words, specs)
    if len(keys) > 1:
        variants = Reason.of("command-all-variants", given=words, names=Names(names=keys))
        print(f"advisor: {say(variants, language)}", file=sys.stderr)
    return keys


def _keep(advice: AdviceRecord, language: Language) -> None:
    """Keep the run in the history of this machine; what goes wrong there is a sentence, never a failure."""
    from advisor.core.sentences import say
    from advisor.store.history import History, data_folder

    try:
        with History(data_folder()) as history:
            history.save(advice)
            problems = history.problems
    except UserFacingError as error:
        complain(error, language)
        return
    for problem in problems:
        print(f"advisor: {say(problem, language)}", file=sys.stderr)
