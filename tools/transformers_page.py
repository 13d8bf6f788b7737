"""The page `docs/transformers.md`: what was answered of each model type, with its date; read and written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, cast, get_args

from advisor.core.records import Record

PAGE = Path(__file__).resolve().parent.parent / "docs" / "transformers.md"
GPU = "a100-sxm4-80"
Outcome = Literal["predicted", "refused", "cannot be built", "no model of its own", "too long", "ended"]
_NOT_MODELS = frozenset({"cannot be built", "no model of its own"})
_ROW = re.compile(r"^\| (\S+) \| ([a-z ]+) \| ([\d,]*) \| ([\d.]+) \| ([\d-]+) \| (.*) \|$", re.MULTILINE)
_VERSIONS = re.compile(r"transformers (\S+) and torch (\S+?)[.:,]? ")
_PATH = re.compile(r"/\S*site-packages/")
"""Where this machine keeps its packages."""
_AS_THE_COMMAND_SINCE = "2026-11-26"
"""The first day on which types were asked what the command asks."""
_NOT_ASKED = "Not asked yet"


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
    asked_on: str = ""
    """Day of the answer, ISO 8601."""


def read_page(text: str) -> dict[str, Answer]:
    """The answers that a page holds, by model type; reasons and remarks are one there. Raises ValueError for others."""
    answers = {}
    for model_type, outcome, parameters, spent, day, said in _ROW.findall(text):
        if outcome not in get_args(Outcome):
            raise ValueError(f"{model_type}: no answer is called {outcome!r}")
        answers[model_type] = Answer(
            model_type=model_type,
            outcome=cast("Outcome", outcome),
            spent_s=float(spent),
            parameters=int(parameters.replace(",", "")) if parameters else None,
            reason=said,
            asked_on=day,
        )
    return answers


def read_versions(text: str) -> tuple[str, str]:
    """Versions of transformers and torch that a page was written with; empty where it names none."""
    found = _VERSIONS.search(text)
    return (found[1], found[2]) if found else ("", "")


def shares(answers: Iterable[Answer], types: int) -> str:
    """How many were answered how, in one sentence or two."""
    asked = list(answers)
    counts = Counter(answer.outcome for answer in asked)
    whole = [answer for answer in asked if answer.outcome not in _NOT_MODELS]
    listed = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    share = counts["predicted"] / max(1, len(whole))
    return (
        f"{len(asked)} of {types} model types were asked: {listed}. "
        f"{counts['predicted']} of the {len(whole)} that can be built, {share:.1%}, are predicted"
    )


def page(answers: dict[str, Answer], types: list[str], day: str, versions: tuple[str, str]) -> str:
    """The page: when, with what, the shares and a line for each type that was asked."""
    asked = [answers[model_type] for model_type in types if model_type in answers]
    waiting = [model_type for model_type in types if model_type not in answers]
    slowest = max(asked, key=lambda answer: answer.spent_s)
    lines = [
        "# What is predicted of the architectures of transformers",
        "",
        (
            f"Written on {day} by `tools/walk_transformers.py`, transformers {versions[0]} and torch {versions[1]}: "
            f"each `model_type` by its own default configuration, on one card ({GPU}), at the precisions that "
            "`advisor --predict` looks at by itself, with the checks that it makes. Each row has the day on which it "
            "was asked; a nightly test asks some of them again. Rows of before "
            f"{_AS_THE_COMMAND_SINCE} were asked at FP32 alone, without the check at a third batch size."
        ),
        "",
        f"{shares(asked, len(types))}. The slowest is {slowest.model_type} with {slowest.spent_s:.0f} s.",
        "",
        "- *predicted*: traced with inputs made for it, and its step's time predicted. Codes are the trace's remarks.",
        "- *refused*: with the sentence that a user reads.",
        "- *cannot be built*: transformers itself builds no model of the default configuration here, for want of a",
        "  library or of a value; asked without Advisor, it said what stands beside it.",
        "- *no model of its own*: describes a part of another model.",
        "- *processor time*: of virtual cores shared with other work, up to three times what it is on cores left alone",
        "  (longcat_flash was once seen to take 107, 213 and 313 s with one and the same program).",
        "",
        "| model type | answer | parameters | processor time, s | asked on | remarks |",
        "|---|---|---:|---:|---|---|",
    ]
    for answer in asked:
        size = "" if answer.parameters is None else f"{answer.parameters:,}"
        said = _PATH.sub("", answer.reason or ", ".join(sorted(set(answer.remarks))))
        said = said.replace("|", "/").replace("\n", " ")
        lines.append(
            f"| {answer.model_type} | {answer.outcome} | {size} | {answer.spent_s:.1f} | {answer.asked_on} | {said} |"
        )
    if waiting:
        lines += ["", f"{_NOT_ASKED}: {', '.join(waiting)}."]
    return "\n".join(lines) + "\n"
