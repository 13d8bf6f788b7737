"""`torchrun … -m advisor --measure`: every rank measures with the others, the reporting one gives the advice."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from advisor.cli.faults import INTERRUPTED, NOTHING_MEASURED
from advisor.cli.interrupts import cancelled_by_interrupt
from advisor.cli.progress import ProgressPrinter
from advisor.core.drive import drive
from advisor.core.sentences import say
from advisor.hardware.detect import detect_machine
from advisor.measure.rank_outcome import measurement_of, with_group
from advisor.measure.ranks import RanksPlan, end_run, run_under_torchrun

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from advisor.advice import AdviceRequest
    from advisor.core.sentences import Language
    from advisor.hardware.machine import Machine
    from advisor.measure.rank_outcome import RanksOutcome
    from advisor.store.advice_record import AdviceRecord


def ranks_command(
    request: AdviceRequest,
    arguments: argparse.Namespace,
    language: Language,
    present: Callable[[AdviceRecord, argparse.Namespace, Language], int],
) -> int:
    """Be one rank; 0 for all but the reporter, which prints and writes the advice with what all ranks found."""
    machine = detect_machine()
    plan = RanksPlan(
        workload=request.workload,
        batch_size=request.workload.training.batch_size,
        budget_s=request.budget_s / 2,
        device="cuda" if has_gpu(machine) else "cpu",
        strategies=("dp", "ddp") if has_gpu(machine) else ("ddp",),
        usable_core_count=machine.cpu.usable_core_count,
        allow_code=request.allow_code,
    )
    with ProgressPrinter(language, quiet=arguments.quiet) as progress:
        outcome = drive(run_under_torchrun(plan), progress.show)
    if not outcome.reporter:
        return 0 if outcome.complete else NOTHING_MEASURED
    for caveat in outcome.caveats:
        print(f"advisor: {say(caveat, language)}", file=sys.stderr)
    if outcome.complete:
        code = present(_advice(request, outcome, arguments, language), arguments, language)
        end_run()
        return code
    code = present(_partial_advice(request, outcome, machine), arguments, language)
    return code or (INTERRUPTED if outcome.usable else NOTHING_MEASURED)


def has_gpu(machine: Machine) -> bool:
    """Whether ranks on this machine compute on GPUs."""
    return any(gpu.usable and not gpu.hidden_from_cuda for gpu in machine.gpus)


def _partial_advice(request: AdviceRequest, outcome: RanksOutcome, machine: Machine) -> AdviceRecord:
    """What can be said at once after a rank was lost: nobody should wait for a trace or another measurement."""
    from advisor.advice import advice_from_facts
    from advisor.advice.facts import Facts
    from advisor.optable.saved_tables import saved_tables

    measurement = measurement_of(outcome, "cpu", machine.cpu.name or machine.cpu.architecture, request.workload.name)
    facts = Facts(
        machine=machine, tables=saved_tables(request.workload), measurements=(measurement,), caveats=outcome.caveats
    )
    return advice_from_facts(request, facts)


def _advice(
    request: AdviceRequest, outcome: RanksOutcome, arguments: argparse.Namespace, language: Language
) -> AdviceRecord:
    """The usual advice of this rank's machine, with what the ranks measured together in its first measurement."""
    from advisor.advice import advice_from_facts
    from advisor.advice.facts import find_facts
    from advisor.measure.traces import Traces

    with ProgressPrinter(language, quiet=arguments.quiet) as progress, cancelled_by_interrupt() as cancelled:
        half = msgspec.structs.replace(request, budget_s=request.budget_s / 2)
        with closing(Traces(allow_code=request.allow_code, cancelled=cancelled)) as traces:
            facts = drive(find_facts(half, traces), progress.show)
    gpus = (place for place, measurement in enumerate(facts.measurements) if measurement.device_key != "cpu")
    measured_place = next(gpus, 0) if has_gpu(facts.machine) else 0
    measurements = tuple(
        with_group(measurement, outcome) if place == measured_place else measurement
        for place, measurement in enumerate(facts.measurements)
    )
    return advice_from_facts(request, msgspec.structs.replace(facts, measurements=measurements))
