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
    zh: str

    def text(self, language: Language) -> str:
        """The text in one language."""
        return self.zh if language == "zh" else self.en


class Case(Record, frozen=True, kw_only=True):
    """A published case: what was asked, what was claimed, and every figure as its source reports it."""

    id: str
    title: BothLanguages
    question: BothLanguages
    model: BothLanguages | str
    devices: tuple[str, ...] = ()
    """Keys of the spec table; empty where the source does not say."""
    n_gpus: int = 1
    reported: dict[str, Reported]
    claims: tuple[BothLanguages, ...] = ()
    contradicts: tuple[str, ...] = ()

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


class Finding(NamedTuple):
    """What is found of a case: the verdict, the statements (the first is the answer), and computed numbers by name."""

    verdict: Verdict
    reasons: Sequence[Reason]
    figures: dict[str, float]


class CaseAnswer(Record, frozen=True, kw_only=True):
    """What the program finds: does the claim hold, the computed figures, and why; the first reason is the answer."""

    case_id: str
    verdict: Verdict
    reasons: tuple[Reason, ...]
    contradicts: tuple[str, ...] = ()
    figures: dict[str, float] = {}
    """Computed numbers by name, ratios or with their unit in the name."""


@cache
def bundled_cases() -> dict[str, Case]:
    """The bundled cases by id, in the file's order; the caller must not change it."""
    return {case.id: case for case in read_toml(resource("cases.toml"), CaseFile, max_bytes=262_144).case}
