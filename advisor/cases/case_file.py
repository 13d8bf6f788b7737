"""The published cases as data: question, claims and reported figures, and the answer's type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from advisor.claims.claim import Verdict
from advisor.core.bundled import resource
from advisor.core.input_file import read_toml
from advisor.core.records import Record
from advisor.core.sentences import Language, Reason

Reported = bool | float | list[float]


class BothLanguages(Record, frozen=True, kw_only=True):
    """A text that is data, in both languages of the program."""

    en: str
    """In English."""
    zh: str
    """In Chinese, simplified."""

    def text(self, language: Language) -> str:
        """The text in one language."""
        return self.zh if language == "zh" else self.en


class Case(Record, frozen=True, kw_only=True):
    """A published case: what was asked, what was claimed, and every figure as its source reports it."""

    id: str
    """What its answer calls it: lower-case words joined by hyphens."""
    title: BothLanguages
    """The case in a few words."""
    question: BothLanguages
    """What was asked."""
    model: BothLanguages | str
    """What was trained and how, as far as the source says; a plain text serves both languages."""
    devices: tuple[str, ...] = ()
    """Keys of the spec table; empty where the source does not say."""
    n_gpus: int = 1
    """GPUs that the source trained on at once, at most."""
    reported: dict[str, Reported]
    """The source's figures by name, which ends with the unit (`_s`, `_min`, `_it_s`); a list: repeated runs."""
    claims: tuple[BothLanguages, ...] = ()
    """What the source concludes: claims, not truths."""
    contradicts: tuple[str, ...] = ()
    """Ids of the cases whose figures disagree with this one's."""

    def model_text(self, language: Language) -> str:
        """What was trained, in one language; a file that tells it once tells it as it is."""
        return self.model.text(language) if isinstance(self.model, BothLanguages) else self.model

    def number(self, name: str) -> float:
        """A reported figure; the mean where the source reports several runs."""
        value = self.reported[name]
        return sum(value) / len(value) if isinstance(value, list) else float(value)

    def runs(self, name: str) -> list[float]:
        """All runs of a reported figure."""
        value = self.reported[name]
        return value if isinstance(value, list) else [float(value)]


class CaseFile(Record, frozen=True, kw_only=True):
    """The file of cases."""

    case: tuple[Case, ...]
    """The cases, in the order of their answers."""


class Finding(NamedTuple):
    """What is found of a case: the verdict, the statements (the first is the answer), and computed numbers by name."""

    verdict: Verdict
    reasons: Sequence[Reason]
    figures: dict[str, float]


class CaseAnswer(Record, frozen=True, kw_only=True):
    """What the program finds: does the claim hold, the computed figures, and why."""

    case_id: str
    """The case's id."""
    verdict: Verdict
    """As of a claim: holds, holds only under a condition that is named, is slower than expected, cannot be."""
    reasons: tuple[Reason, ...]
    """The answer in one statement, then what proves it."""
    contradicts: tuple[str, ...] = ()
    """Ids of the cases whose figures disagree with this one's."""
    figures: dict[str, float] = {}
    """Computed numbers by name, ratios or with their unit in the name."""


@cache
def bundled_cases() -> dict[str, Case]:
    """The bundled cases by id, in the file's order; the caller must not change it."""
    return {case.id: case for case in read_toml(resource("cases.toml"), CaseFile, max_bytes=262_144).case}
