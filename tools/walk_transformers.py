"""Walk every model type of the installed transformers and write what is predicted of each into docs/transformers.md.

python tools/walk_transformers.py [--types a,b] [--limit-s S] [--budget-s S] [--answers FILE] [--fresh]

Each type is asked as a user would ask with `{"model_type": …}` alone: its own default configuration, at FP32 on an
A100. What was answered is kept in a file of lines, so that a walk that was ended goes on where it stopped; the page is
only written when every type has been asked.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.core.records import Record
from advisor.hardware.machine import Machine
from advisor.measure.worker_session import WorkerHung, WorkerSession, WorkerTooLarge
from advisor.optable.op_table import OpTable
from advisor.protocol.messages import Failed, Traced, TraceRequest
from advisor.workload.workload_file import load_workload

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "transformers.md"
ANSWERS = ROOT / "build" / "transformers.jsonl"
GPU = "a100-sxm4-80"
LIMIT_S = 60.0
MEMORY_LIMIT_BYTES = 8 << 30
_WALL_LIMITS = 5.0
_PART = "describes a part of another model"
"""Said of a configuration that no whole model of the library is built from."""
MACHINES = ROOT / "tests" / "recorded" / "machines"

Outcome = Literal["predicted", "refused", "no model of its own", "too long", "ended"]


class Answer(Record, frozen=True, kw_only=True):
    """What one model type was answered with."""

    model_type: str
    outcome: Outcome
    spent_s: float
    """Processor time of the trace and the prediction together; imports of the first model included."""
    parameters: int | None = None
    step_s: float | None = None
    reason: str = ""
    remarks: tuple[str, ...] = ()
    """Codes of the caveats that the trace gave."""


def main() -> int:
    """Ask every type that has no answer yet, then write the page; 1 where a type was ended or took too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--types", default="", help="ask these alone, and write no page")
    parser.add_argument("--limit-s", type=float, default=LIMIT_S, help="of one type")
    parser.add_argument(
        "--budget-s", type=float, default=math.inf, help="processor time of this walk; the next goes on"
    )
    parser.add_argument("--answers", type=Path, default=ANSWERS)
    parser.add_argument("--fresh", action="store_true", help="forget what was answered")
    chosen = parser.parse_args()
    chosen.answers.parent.mkdir(parents=True, exist_ok=True)
    if chosen.fresh:
        chosen.answers.unlink(missing_ok=True)
    known = {answer.model_type: answer for answer in read_answers(chosen.answers)}
    types = chosen.types.split(",") if chosen.types else model_types()
    waiting = [one for one in types if one not in known or chosen.types]
    for answer in walked(waiting, chosen.limit_s, chosen.budget_s):
        known[answer.model_type] = answer
        with chosen.answers.open("ab") as file:
            file.write(msgspec.json.encode(answer) + b"\n")
        print(f"{answer.spent_s:6.1f} s  {answer.model_type}: {answer.outcome} {answer.reason}", flush=True)
    if any(one not in known for one in types):
        print(f"{len(known)} of {len(types)} are answered: call again to go on")
        return 0
    answers = [known[model_type] for model_type in types]
    print(shares(answers))
    if not chosen.types:
        PAGE.write_text(page(answers), encoding="utf-8")
    return 1 if any(answer.outcome in {"too long", "ended"} for answer in answers) else 0


def walked(types: list[str], limit_s: float, budget_s: float) -> Iterator[Answer]:
    """The answers of these types, one after the other, until as much processor time as `budget_s` is spent."""
    asker, spent_s = Asker(limit_s), 0.0
    try:
        for model_type in types:
            answer = asker.ask(model_type)
            yield answer
            spent_s += answer.spent_s
            if spent_s > budget_s:
                return
    finally:
        asker.close()


def model_types() -> list[str]:
    """Every `model_type` that the installed transformers has a configuration of."""
    code = "import json; from transformers import CONFIG_MAPPING as m; print(json.dumps(sorted(m.keys())))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return msgspec.json.decode(said.stdout.splitlines()[-1], type=list[str])


def read_answers(path: Path) -> list[Answer]:
    """The lines of an earlier walk; none where there was none."""
    if not path.is_file():
        return []
    return [msgspec.json.decode(line, type=Answer) for line in path.read_bytes().splitlines()]


class Asker:
    """Asks one worker after the other: one that died, or has seen many models, is replaced."""

    _SEEN_AT_MOST = 60

    def __init__(self, limit_s: float) -> None:
        """`limit_s`: of one type."""
        self._limit_s = limit_s
        self._session: WorkerSession | None = None
        self._seen = 0
        self._machine = msgspec.json.decode((MACHINES / "real_amd_epyc_2_cores.json").read_bytes(), type=Machine)

    def ask(self, model_type: str) -> Answer:
        """What a user would get for this type."""
        session, start_s = self._alive(), time.process_time()
        before_s = processor_time_s(session.pid)
        outcome, table, reason = self._traced(model_type, session)
        spent_s = self._limit_s if outcome == "too long" else processor_time_s(session.pid) - before_s
        if table is None:
            return Answer(model_type=model_type, outcome=outcome, spent_s=max(0.0, spent_s), reason=reason)
        answer = self._predicted(model_type, table)
        return replace(answer, spent_s=spent_s + time.process_time() - start_s)

    def _traced(self, model_type: str, session: WorkerSession) -> tuple[Outcome, OpTable | None, str]:
        workload = load_workload(described(model_type))
        request = TraceRequest(workload=workload, precisions=("fp32",), wall_limit_s=self._limit_s, checked=False)
        table: OpTable | None = None
        failed = Failed(exception="", text="", traceback="")
        limit_s = processor_time_s(session.pid) + self._limit_s
        try:
            # On a busy machine the wall's clock runs ahead of the processor's, which is the one that is limited.
            for event in session.ask(request, deadline_s=time.monotonic() + _WALL_LIMITS * self._limit_s):
                table = event.table if isinstance(event, Traced) else table
                failed = event if isinstance(event, Failed) else failed
                if processor_time_s(session.pid) > limit_s:
                    raise WorkerHung  # noqa: TRY301 - as the session does by its own clock
        except WorkerHung:
            self.close()
            return "too long", None, f"over {self._limit_s:g} s"
        except WorkerTooLarge:
            return "ended", None, "more memory than a trace may take"
        if table is not None:
            return "predicted", table, ""
        outcome: Outcome = "no model of its own" if _PART in failed.text else "refused"
        return (outcome, None, failed.text) if failed.text else ("ended", None, "the worker ended without a word")

    def _predicted(self, model_type: str, table: OpTable) -> Answer:
        workload = load_workload(described(model_type))
        request = AdviceRequest(workload=workload, measure=False, gpu_keys=(GPU,), counts=(1,), precisions=("fp32",))
        advice = advice_from_facts(request, Facts(machine=self._machine, tables={"fp32": table}))
        times = [one.step_s.value for one in advice.predictions if one.step_s is not None]
        finite = [time_s for time_s in times if math.isfinite(time_s) and time_s > 0]
        return Answer(
            model_type=model_type,
            outcome="predicted" if finite else "refused",
            spent_s=0.0,
            parameters=table.parameter_count,
            step_s=min(finite, default=None),
            reason="" if finite else ", ".join(caveat.code for caveat in advice.caveats),
            remarks=tuple(caveat.code for caveat in table.caveats),
        )

    def _alive(self) -> WorkerSession:
        self._seen += 1
        if self._session is None or not self._session.alive or self._seen > self._SEEN_AT_MOST:
            self.close()
            self._session = WorkerSession(visible="", memory_limit_bytes=MEMORY_LIMIT_BYTES)
        return self._session

    def close(self) -> None:
        """End the worker."""
        self._seen = 0
        if self._session is not None:
            with contextlib.suppress(Exception):
                if self._session.alive:
                    self._session.end()
                self._session.close()
            self._session = None


def processor_time_s(pid: int) -> float:
    """What a process of Linux has computed so far; 0 where it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    user, system = fields[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def described(model_type: str) -> dict[str, object]:
    """The workload of a user who knows nothing but the name."""
    return {"name": model_type, "model": {"source": "huggingface", "config": {"model_type": model_type}}}


def shares(answers: list[Answer]) -> str:
    """How many were answered how, in one line."""
    whole = [answer for answer in answers if answer.outcome != "no model of its own"]
    counts = Counter(answer.outcome for answer in answers)
    predicted = counts["predicted"] / max(1, len(whole))
    listed = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    return f"{len(answers)} model types: {listed}; {predicted:.1%} of those that have a model are predicted"


def page(answers: list[Answer]) -> str:
    """The page: when, with what, the shares and a line for each type."""
    slowest = max(answers, key=lambda answer: answer.spent_s)
    lines = [
        "# What is predicted of the architectures of transformers",
        "",
        (
            f"Written on {dt.datetime.now(dt.UTC):%Y-%m-%d} by `tools/walk_transformers.py` with transformers "
            f"{version('transformers')} and torch {version('torch')}: every `model_type` by its own default "
            f"configuration, at FP32 on one card ({GPU})."
        ),
        "",
        f"{shares(answers)}. The slowest is {slowest.model_type} with {slowest.spent_s:.0f} s.",
        "",
        "| model type | answer | parameters | remarks |",
        "|---|---|---:|---|",
    ]
    for answer in answers:
        size = "" if answer.parameters is None else f"{answer.parameters:,}"
        said = answer.reason or ", ".join(sorted(set(answer.remarks)))
        lines.append(f"| {answer.model_type} | {answer.outcome} | {size} | {said.replace('|', '/')} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
