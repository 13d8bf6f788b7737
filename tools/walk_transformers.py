"""Walk the model types of the installed transformers and write what is predicted of each into docs/transformers.md.

python tools/walk_transformers.py [--types a,b] [--limit-s S] [--budget-s S] [--answers FILE] [--page]

Each type is asked as `advisor --predict` asks of `{"model_type": …}` alone: its own default configuration, on an A100,
at the precisions that the command looks at, with its checks. Types that the page lacks are asked first, then those
asked longest ago, until the budget is spent; what was answered is kept in a file of lines, and `--page` writes it and
the page's other rows anew.
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
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import msgspec
from msgspec.structs import replace

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.advice.facts import trace_precisions
from advisor.catalogue.precisions import TracePrecision
from advisor.hardware.machine import Machine
from advisor.measure.worker_session import TRACE_LIMIT_S, WorkerHung, WorkerSession
from advisor.optable.op_table import OpTable
from advisor.protocol.messages import Failed, Traced, TraceRequest
from advisor.workload.workload_file import load_workload

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.transformers_page import GPU, PAGE, Answer, Outcome, page, read_page, shares  # noqa: E402 - beside this file

ANSWERS = ROOT / "build" / "transformers.jsonl"
LIMIT_S = TRACE_LIMIT_S
"""Of processor time: what the command gives a trace of the wall's, waits for a core apart."""
MEMORY_LIMIT_BYTES = 16 << 30
_WALL_LIMITS = 5.0
_PART = "describes a part of another model"
"""Said of a configuration that no whole model of the library is built from."""
_UNBUILT = "transformers cannot build this"
MACHINES = ROOT / "tests" / "recorded" / "machines"
Tables = dict[TracePrecision, OpTable]


def main() -> int:
    """Ask until the budget is spent, keep the answers, and write the page where it is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--types", default="", help="ask these alone")
    parser.add_argument("--limit-s", type=float, default=LIMIT_S, help="of one type")
    parser.add_argument(
        "--budget-s", type=float, default=math.inf, help="processor time of this walk; the next goes on"
    )
    parser.add_argument("--answers", type=Path, default=ANSWERS)
    parser.add_argument("--page", action="store_true", help="write docs/transformers.md")
    chosen = parser.parse_args()
    chosen.answers.parent.mkdir(parents=True, exist_ok=True)
    types = model_types()
    known = known_answers(chosen.answers)
    waiting = chosen.types.split(",") if chosen.types else sorted(types, key=lambda one: _day(known.get(one)))
    for answer in walked(waiting, chosen.limit_s, chosen.budget_s):
        known[answer.model_type] = answer
        with chosen.answers.open("ab") as file:
            file.write(msgspec.json.encode(answer) + b"\n")
        print(f"{answer.spent_s:6.1f} s  {answer.model_type}: {answer.outcome} {answer.reason}", flush=True)
    said = checked(known)
    print(shares([said[one] for one in types if one in said], len(types)))
    if chosen.page:
        today = dt.datetime.now(dt.UTC).date().isoformat()
        PAGE.write_text(page(said, types, today, (version("transformers"), version("torch"))), "utf-8")
    return 0


def _day(answer: Answer | None) -> str:
    return "" if answer is None else answer.asked_on


def known_answers(path: Path) -> dict[str, Answer]:
    """The page's rows, and the newer lines of an earlier walk."""
    known = read_page(PAGE.read_text("utf-8")) if PAGE.is_file() else {}
    if path.is_file():
        lines = [msgspec.json.decode(line, type=Answer) for line in path.read_bytes().splitlines()]
        known |= {answer.model_type: answer for answer in lines}
    return known


def checked(known: dict[str, Answer]) -> dict[str, Answer]:
    """The answers, where a type was said not to be built confirmed or denied by transformers alone."""
    doubtful = [one for one, answer in known.items() if answer.outcome == "refused" and _UNBUILT in answer.reason]
    said = built_by_the_library(doubtful) if doubtful else {}
    return known | {one: replace(known[one], outcome="cannot be built", reason=text) for one, text in said.items()}


_BUILDS = """
import json, logging, os, sys, warnings
os.environ["HF_HUB_OFFLINE"] = "1"
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
import torch
from transformers import CONFIG_MAPPING
from advisor.worker.models.huggingface.model_class import model_class
said = {}
for model_type in sys.stdin.read().split(","):
    try:
        config = CONFIG_MAPPING[model_type]()
        class_ = model_class(config, "base", asked=False)
        with torch.device("meta"):
            class_._from_config(config)
    except Exception as error:
        said[model_type] = f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
print(json.dumps(said))
"""


def built_by_the_library(types: list[str]) -> dict[str, str]:
    """What transformers by itself raises for each type whose default configuration it builds no model of."""
    code = [sys.executable, "-c", _BUILDS]
    ran = subprocess.run(code, input=",".join(types), capture_output=True, text=True, check=True, cwd=ROOT)
    return msgspec.json.decode(ran.stdout.splitlines()[-1], type=dict[str, str])


def walked(types: list[str], limit_s: float, budget_s: float) -> Iterator[Answer]:
    """The answers of these types, one after the other, until as much processor time as `budget_s` is spent."""
    asker, spent_s = Asker(limit_s), 0.0
    today = dt.datetime.now(dt.UTC).date().isoformat()
    try:
        for model_type in types:
            answer = replace(asker.ask(model_type), asked_on=today)
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
        request = AdviceRequest(
            workload=load_workload(described(model_type)), measure=False, gpu_keys=(GPU,), counts=(1,)
        )
        outcome, tables, reason = self._traced(request, session)
        spent_s = self._limit_s if outcome == "too long" else processor_time_s(session.pid) - before_s
        if not tables:
            return Answer(model_type=model_type, outcome=outcome, spent_s=max(0.0, spent_s), reason=reason)
        answer = self._predicted(request, tables, reason)
        return replace(answer, spent_s=spent_s + time.process_time() - start_s)

    def _traced(self, request: AdviceRequest, session: WorkerSession) -> tuple[Outcome, Tables, str]:
        """How it ended, the tables that were made by then, and what kept others from being made."""
        asked = TraceRequest(workload=request.workload, precisions=trace_precisions(request))
        tables: Tables = {}
        failed = Failed(exception="", text="", traceback="")
        limit_s = processor_time_s(session.pid) + self._limit_s
        try:
            # On a busy machine the wall's clock runs ahead of the processor's, which is the one that is limited.
            for event in session.ask(asked, deadline_s=time.monotonic() + _WALL_LIMITS * self._limit_s):
                if isinstance(event, Traced):
                    tables[event.table.precision] = event.table
                failed = event if isinstance(event, Failed) else failed
                if processor_time_s(session.pid) > limit_s:
                    raise WorkerHung  # noqa: TRY301 - as the session does by its own clock
        except WorkerHung:
            self.close()
            return "too long", tables, f"over {self._limit_s:g} s"
        if session.too_large:
            return "ended", tables, "more memory than a trace may take"
        if tables:
            return "predicted", tables, failed.text
        outcome: Outcome = "no model of its own" if _PART in failed.text else "refused"
        return (outcome, {}, failed.text) if failed.text else ("ended", {}, "the worker ended without a word")

    def _predicted(self, request: AdviceRequest, tables: Tables, reason: str) -> Answer:
        """The answer by what could be traced; `reason`: why not all of it, as the command then says in its caveats."""
        advice = advice_from_facts(request, Facts(machine=self._machine, tables=tables))
        times = [one.step_s.value for one in advice.predictions if one.step_s is not None]
        finite = [time_s for time_s in times if math.isfinite(time_s) and time_s > 0]
        lacking = [
            f"{precision} not traced: {reason}" for precision in trace_precisions(request) if precision not in tables
        ]
        table = next(iter(tables.values()))
        return Answer(
            model_type=request.workload.name,
            outcome="predicted" if finite else "refused",
            spent_s=0.0,
            parameters=table.parameter_count,
            step_s=min(finite, default=None),
            reason="" if finite else ", ".join(caveat.code for caveat in advice.caveats),
            remarks=(*(caveat.code for caveat in table.caveats), *lacking),
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
                self._session.end()
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


if __name__ == "__main__":
    sys.exit(main())
