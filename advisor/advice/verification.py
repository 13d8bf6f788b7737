"""Runs the advised set-up for a while and compares the prediction with what came true."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from advisor.core.child_process import ChildProcess
from advisor.core.errors import UserFacingError
from advisor.core.records import Record
from advisor.measure.events import RunProgress
from advisor.present.script.launch_script import SCRIPT_NAME, render
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import Advice
from advisor.store.history import Truth
from advisor.workload.python_source import code_to_run, needs_consent, scrubbed_environment

DEFAULT_SECONDS = 60.0
_START_S = 90.0
"""Imports, building the model, joining the ranks and the first steps."""
_POLL_S = 0.5


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
    advice: Advice, *, seconds: float = DEFAULT_SECONDS, allow_code: bool = False, cancelled: threading.Event
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
    with tempfile.TemporaryDirectory(prefix="advisor-verify-") as folder:
        script = Path(folder) / SCRIPT_NAME
        script.write_text(render(advice, chosen), encoding="utf-8")
        answer = yield from _run(script, chosen, seconds, cancelled)
    return None if answer is None else _truth(advice, chosen, answer)


def _run(
    script: Path, chosen: Recommendation, seconds: float, cancelled: threading.Event
) -> Generator[RunProgress, None, _Answer | None]:
    ranks = chosen.count if chosen.strategy not in {"single", "dp"} else 1
    arguments = ("--standalone", "--nproc-per-node", str(ranks), str(script), "--seconds", f"{seconds:g}")
    child = ChildProcess("torch.distributed.run", *arguments, environment=_environment(chosen))
    started_s = time.monotonic()
    deadline_s = started_s + _START_S + 2 * seconds
    answer: _Answer | None = None
    try:
        while True:
            if cancelled.is_set():
                child.cancel()
                return None
            passed_s = time.monotonic() - started_s
            left_s = max(0.0, seconds - passed_s)
            fraction = min(0.99, passed_s / (seconds + 1))
            yield RunProgress(phase="advice-phase-verify", fraction=fraction, left_s=left_s)
            try:
                line = child.next_line(_POLL_S)
            except TimeoutError:
                if time.monotonic() > deadline_s:
                    raise VerificationError(
                        f"--verify: the advised set-up ran {deadline_s - started_s:.0f} s without an answer.",
                        "Run it by hand with the script of --script.",
                    ) from None
                continue
            if line is None:
                break
            with contextlib.suppress(msgspec.DecodeError):
                answer = msgspec.json.decode(line, type=_Answer)
    finally:
        child.close()
    if answer is None:
        tail = child.log.strip().splitlines()[-1:] or ["no message"]
        raise VerificationError(
            f"--verify: the advised set-up failed here: {tail[0][:300]}.", "Run it by hand with the script of --script."
        )
    return answer


def _environment(chosen: Recommendation) -> dict[str, str]:
    environment = scrubbed_environment()
    if chosen.device.key == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""
        environment["OMP_NUM_THREADS"] = str(chosen.thread_count or 1)
    elif chosen.count == 1:
        environment["CUDA_VISIBLE_DEVICES"] = chosen.device.key
    return environment


def _truth(advice: Advice, chosen: Recommendation, answer: _Answer) -> Truth:
    return Truth(
        created_utc=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        workload_name=advice.workload.name,
        device_name=chosen.device.name,
        count=chosen.count,
        strategy=chosen.strategy,
        precision=chosen.precision,
        batch_size_per_device=chosen.batch_size_per_device,
        gradient_accumulation_steps=chosen.gradient_accumulation_steps,
        predicted_step_s=chosen.step_s,
        actual_step_s=answer.step_s,
        actual_low_s=answer.low_s,
        actual_high_s=answer.high_s,
    )
