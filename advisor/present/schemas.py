"""JSON Schemas of the files that people write or get: claims, prices, cards, cases, and a log's explanation."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from advisor.cases.case_file import CaseAnswer, CaseFile
from advisor.catalogue.spec_table import GpuFile
from advisor.claims.claim import ClaimAnswer, ClaimFile
from advisor.logs.training_log import LogReport
from advisor.recommend.prices import Prices
from advisor.store.json_file import published

_TITLES: Mapping[str, tuple[type[msgspec.Struct], str]] = {
    "claims.schema.json": (ClaimFile, "Claim file (--claim-file)"),
    "claim_answer.schema.json": (ClaimAnswer, "Answers to claims (--claim, --claim-file)"),
    "prices.schema.json": (Prices, "Price file (--prices)"),
    "gpus.schema.json": (GpuFile, "GPU file (--gpu-file) and the bundled spec table"),
    "cases.schema.json": (CaseFile, "The bundled published cases"),
    "case_answer.schema.json": (CaseAnswer, "Answers to published cases (--cases)"),
    "log_report.schema.json": (LogReport, "Explanation of a training log (--log)"),
}
_LISTED = frozenset({"claim_answer.schema.json", "case_answer.schema.json"})
"""Files that hold a list of them: one answer for each claim or case that was asked."""


def schemas() -> dict[str, bytes]:
    """File name to JSON Schema (2020-12), generated from the types and the same for every call."""
    return {name: published(kind, title, listed=name in _LISTED) for name, (kind, title) in _TITLES.items()}
