"""Runs the advised set-up for a while and compares the prediction with what came true."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.child_process import ChildProcess
from advisor.core.errors import UserFacingError
from advisor.core.moment import utc_text
from advisor.core.private_folder import private_folder
from advisor.core.records import Record, shared_fields
from advisor.core.sentences import Reason, visible
from advisor.hardware.machine import Machine, Reading
from advisor.hardware.monitor import Monitor
from advisor.measure.events import RunProgress
from advisor.measure.local_group import local_rank_environment, rendezvous_in
from advisor.measure.ranks import START_S
from advisor.measure.verdicts import foreign_cores, others_on_gpu
from advisor.present.script.launch_script import SCRIPT_NAME, WARM_UP_STEPS, render
from advisor.protocol.budgets import VERIFYING_S
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord
from advisor.store.history import Truth
from advisor.workload.python_source import code_to_run, needs_consent
from advisor.workload.scrubbed_environment import scrubbed_environment

_POLL_S = 0.5
_READINGS = 10
"""A second of them tells who else uses the device."""
_FIRST_READING_S = 10.0
_LAUNCHER_VARIABLES = {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}


class _Answer(Record, frozen=True, kw_only=True):
    """The line that the launch script prints at its end."""

    steps: int
    step_s: Annotated[float, Meta(gt=0)]
    low_s: Annotated[float, Meta(gt=0)]
    high_s: Annotated[float, Meta(gt=0)]


class VerificationError(UserFacingError):
    """The advised set-up did not run to its end here."""

    exit_code = 3


def verify(
    advice: AdviceRecord, *, seconds: float = VERIFYING_S, allow_code: bool = False, cancelled: threading.Event
) -> Generator[RunProgress, None, Truth | None]:
    """Train the set-up advised for this machine for `seconds`; the value is the ledger's line, None if cancelled.

    Raises VerificationError where there is no local set-up, where its script fails, or where it ends without a
    timed step, and OutputError for a strategy without a script.
    """
    chosen = advice.recommendation_local
    if chosen is None:
        raise VerificationError("--verify: no set-up of this machine was advised.", "See the caveats of the advice.")
    if needs_consent(advice.workload) and not allow_code:
        path = code_to_run(advice.workload)
        raise VerificationError(f"--verify: {path and path[0]} was not allowed to run.", "Add --allow-code.")
    with private_folder("verify") as folder, Monitor() as monitor:
        script = folder / SCRIPT_NAME
        script.write_text(render(advice, chosen), encoding="utf-8")
        before = _readings(monitor, cancelled)
        answer = yield from _run(script, chosen, seconds, cancelled)
        if answer is None:
            return None
        after = _readings(monitor, cancelled) if chosen.device.key == "cpu" else []
    return _truth(advice, chosen, answer, _disturbed(advice.machine, chosen, before, after))


def _disturbed(
    machine: Machine, chosen: Recommendation, before: Sequence[Reading], after: Sequence[Reading]
) -> Reason | None:
    """Who else was seen on the set-up's devices; None where nobody was, or nothing could be read.

    Not meanwhile: our own loading of data presses on the processor too. A GPU shows our use for a while after the run.
    """
    if chosen.device.key == "cpu":
        cores = machine.cpu.logical_core_count
        foreign = [foreign_cores(part, own_cores=0.0, core_count=cores) or 0.0 for part in (before, after)]
        return Reason.of("verify-cpu-shared", foreign_cores=max(foreign)) if any(foreign) else None
    several = chosen.count > 1
    cards = [
        gpu for gpu in machine.gpus if gpu.key == chosen.device.key or (several and gpu.name == chosen.device.name)
    ]
    return next(filter(None, (others_on_gpu(before, card) for card in cards)), None)


def _readings(monitor: Monitor, cancelled: threading.Event) -> list[Reading]:
    """A second of readings from now on, fewer where the sampler does not answer."""
    monitor.readings()
    seen: list[Reading] = []
    until_s = time.monotonic() + _FIRST_READING_S
    while len(seen) < _READINGS and time.monotonic() < until_s and not cancelled.wait(0.1):
        seen += monitor.readings()
    return seen


def _run(
    script: Path, chosen: Recommendation, seconds: float, cancelled: threading.Event
) -> Generator[RunProgress, None, _Answer | None]:
    """Start the ranks, report the time that passes, return what rank 0 says; all ranks are gone afterwards."""
    started_s = time.monotonic()
    deadline_s = started_s + START_S + 2 * seconds
    answer: _Answer | None = None
    ranks: list[ChildProcess] = []
    try:
        for rank in range(_rank_count(chosen)):
            ranks.append(_start(script, chosen, rank, seconds))  # noqa: PERF401 - closed also where the next fails
        while True:
            if cancelled.is_set():
                ranks[0].cancel()
                return None
            passed_s = time.monotonic() - started_s
            left_s = max(0.0, seconds - passed_s)
            fraction = min(0.99, passed_s / (seconds + 1))
            yield RunProgress(phase="advice-phase-verify", fraction=fraction, left_s=left_s)
            try:
                line = ranks[0].next_line(_POLL_S)
            except TimeoutError:
                if time.monotonic() > deadline_s:
                    raise VerificationError(
                        f"--verify: the advised set-up ran {deadline_s - started_s:.0f} s without an answer.",
                        "Run it by hand with the script of --script.",
                    ) from None
                if _any_failed(ranks):
                    break  # a rank failed: the others would wait for it in vain
                continue
            if line is None:
                break
            with contextlib.suppress(msgspec.DecodeError):
                answer = msgspec.json.decode(line, type=_Answer)
    finally:
        for child in ranks:
            child.close()
    return _of_timed_steps(answer, ranks)


def _of_timed_steps(answer: _Answer | None, ranks: list[ChildProcess]) -> _Answer:
    """The answer, where there is one and it tells of more than the warm-up."""
    if answer is None:
        said = [child.log.strip().splitlines()[-1] for child in ranks if child.log.strip()]
        text = visible(said[0][:300]) if said else "no message"
        raise VerificationError(
            f"--verify: the advised set-up failed here: {text}.", "Run it by hand with the script of --script."
        )
    if answer.steps <= WARM_UP_STEPS:
        raise VerificationError(
            "--verify: no step was timed beyond the warm-up.",
            "Run it by hand with the script of --script, for longer.",
        )
    return answer


def _any_failed(ranks: list[ChildProcess]) -> bool:
    for child in ranks[1:]:
        with contextlib.suppress(TimeoutError):
            child.next_line(0.0)  # who waits for a child watches its memory, too
    return any(child.process.poll() for child in ranks)


def _rank_count(chosen: Recommendation) -> int:
    return 1 if STRATEGY_FACTS[chosen.strategy].one_process else chosen.count


def _start(script: Path, chosen: Recommendation, rank: int, seconds: float) -> ChildProcess:
    """Run the script alone, or as one rank of a group that meets in the private folder and on the loopback.

    Not by torchrun: it listens on every interface and unpickles what it is sent, so that anyone who reaches this
    machine could run code on it.
    """
    arguments = [str(script), "--seconds", f"{seconds:g}"]
    count = _rank_count(chosen)
    if count == 1:
        # Without a launcher's variables, which would make the script wait for ranks that nobody starts.
        kept = scrubbed_environment()
        environment = {name: value for name, value in kept.items() if name not in _LAUNCHER_VARIABLES}
    else:
        environment = local_rank_environment(rank, count, chosen.thread_count or 1)
        arguments += ["--rendezvous", rendezvous_in(script.parent)]
    if chosen.device.key == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""
        environment["OMP_NUM_THREADS"] = str(chosen.thread_count or 1)
    elif chosen.count == 1:
        environment["CUDA_VISIBLE_DEVICES"] = chosen.device.key
    return ChildProcess("advisor.worker.script", *arguments, environment=environment)


def _truth(advice: AdviceRecord, chosen: Recommendation, answer: _Answer, disturbed: Reason | None) -> Truth:
    return Truth(
        **shared_fields(chosen, Truth),
        created_utc=utc_text(),
        workload_name=advice.workload.name,
        device_name=chosen.device.name,
        predicted_step_s=chosen.step_s,
        actual_step_s=answer.step_s,
        actual_low_s=answer.low_s,
        actual_high_s=answer.high_s,
        disturbed=disturbed,
    )
