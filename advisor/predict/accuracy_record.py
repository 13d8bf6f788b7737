"""How right the predictions were on published runs, read from `resources/accuracy.toml`: what a reader may trust."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

import msgspec

from advisor.core.bundled import read_figures, resource
from advisor.core.records import Record
from advisor.core.sentences import Language
from advisor.core.units import NonNegative

HeldOut = Literal["none", "gpu", "model", "source", "generation"]
GroupedBy = Literal["all", "precision", "compute_capability", "family", "source", "generation", "method"]
Fraction = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]

DOCUMENT = "docs/accuracy.md"
DOCUMENT_LANGUAGE: Language = "en"


class AccuracyScore(Record, frozen=True, kw_only=True):
    """The errors of predicted step times in a group of published runs."""

    held_out: HeldOut
    """What the fit had not seen when it predicted a run: nothing, that run's card, its workload, its publisher, or any
    run of its year's software."""
    grouped_by: GroupedBy
    group: str
    """A precision or a compute capability such as `8.0`; `all` for every run."""
    run_count: Annotated[int, msgspec.Meta(ge=1)]
    mean_error_fraction: NonNegative
    """Mean of the absolute relative errors (MAPE)."""
    median_error_fraction: NonNegative
    covered_fraction: Fraction
    """Share of the runs inside their 80 % range."""
    fastest_ratio: NonNegative
    """Of predicted to measured time, of the run that was fastest beside what it was predicted to take."""


class AccuracyRecord(Record, frozen=True, kw_only=True):
    """The whole file."""

    schema_version: int = 1
    source: str
    figures_digest: str = ""
    """Of the figures and ranges that the predictions were made with (`tools/accuracy_file.py` tells how)."""
    runs_digest: str = ""
    """Of the runs, their cards and their operators."""
    scores: tuple[AccuracyScore, ...]

    def score(self, held_out: HeldOut, grouped_by: GroupedBy = "all", group: str = "all") -> AccuracyScore | None:
        """The figures of a group; None where no published run is in it."""
        wanted = (held_out, grouped_by, group)
        return next((score for score in self.scores if (score.held_out, score.grouped_by, score.group) == wanted), None)


@cache
def accuracy_record() -> AccuracyRecord:
    """The figures that come with the program. Raises InputError where the file is missing or damaged."""
    return read_figures(resource("accuracy.toml"), AccuracyRecord, "tools/write_accuracy_docs.py")
