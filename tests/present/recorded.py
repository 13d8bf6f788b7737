"""Advices that were recorded from real runs, one for each version of the record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from advisor.store import json_file
from advisor.store.advice_record import SCHEMA_VERSION

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

FOLDER = Path(__file__).resolve().parents[1] / "recorded" / "advice"


def recorded(version: int = SCHEMA_VERSION) -> AdviceRecord:
    """The advice recorded under a version of the record, brought up to the current one."""
    return json_file.read(FOLDER / f"v{version}.json")


def renamed(advice: AdviceRecord, name: str) -> AdviceRecord:
    """The same advice with the workload and every device called `name`."""
    raw = msgspec.to_builtins(advice)

    def walk(value: object) -> None:
        if isinstance(value, dict):
            if {"key", "name", "spec_key", "local"} <= value.keys() or "device_name" in value:
                value["name" if "key" in value else "device_name"] = name
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    walk(raw)
    raw["workload"]["name"] = name
    return msgspec.convert(raw, type(advice))
