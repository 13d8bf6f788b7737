"""Write the JSON Schemas of every file format into resources/schemas; --check fails where one is out of date."""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from advisor.cases.case_file import CaseAnswer, CaseFile
from advisor.catalogue.spec_table import GpuFile
from advisor.claims.claim import ClaimAnswer, ClaimFile
from advisor.core.bundled import resource
from advisor.cost.scaling.links import interconnect_schema
from advisor.logs.training_log import LogReport
from advisor.recommend.prices import Prices
from advisor.store.advice_record import SCHEMA_VERSION, AdviceRecord
from advisor.workload.workload import Workload
from tools.field_meanings import with_meanings

FOLDER = resource("schemas")
_TITLES: Mapping[str, tuple[type[msgspec.Struct], str]] = {
    "advice.schema.json": (AdviceRecord, f"Advice, schema version {SCHEMA_VERSION}"),
    "workload.schema.json": (Workload, "Workload file"),
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
    interconnect = json.dumps(interconnect_schema(), indent=2, ensure_ascii=False).encode() + b"\n"
    return {"interconnect.schema.json": interconnect} | {name: _published(name) for name in _TITLES}


def _published(name: str) -> bytes:
    """A record's JSON Schema: with what each field means, its dialect and title."""
    kind, title = _TITLES[name]
    described = _dedented(with_meanings(msgspec.json.schema(kind), kind))
    if name in _LISTED:
        described = {"$defs": described["$defs"], "type": "array", "items": {"$ref": described["$ref"]}}
    whole = {**described, "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return msgspec.json.format(msgspec.json.encode(whole, order="sorted"), indent=2) + b"\n"


def _dedented(node: Any) -> Any:  # noqa: ANN401 - a part of a JSON Schema
    """Descriptions without the indentation of their docstrings, which Python 3.13 takes off and 3.11 keeps."""
    if isinstance(node, dict):
        told = node.get("description")
        texts = {"description": inspect.cleandoc(told)} if isinstance(told, str) else {}
        return {key: _dedented(value) for key, value in node.items()} | texts
    return [_dedented(item) for item in node] if isinstance(node, list) else node


def main() -> int:
    """Write or check; returns 1 where a committed schema differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for name, content in schemas().items():
        path = FOLDER / name
        if not path.is_file() or path.read_bytes() != content:
            stale.append(name)
            if not check:
                path.write_bytes(content)
    print("stale:" if check else "written:", ", ".join(stale) or "none")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
