"""A history of 10,000 runs opens and lists in under a second and slows no prediction."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from advisor.store import history_store
from advisor.store.history import FILE_NAME, History
from advisor.store.history_store import Store
from advisor.store.kept_calibrations import reusable
from tests.present.fakes import advice

RUNS = 10_000
BODY_BYTES = 250_000
"""Of a packed advice over all cards of the table, as written by this version."""
ROUNDS = 3


@pytest.mark.nightly
def test_a_history_of_ten_thousand_runs_opens_in_under_a_second(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with History(tmp_path) as history:
        history.save(advice())
    with closing(Store(tmp_path / FILE_NAME)) as store:
        (first,) = store.entries("run")
        database = store._database
        database.execute("BEGIN IMMEDIATE")
        columns = "kind, created_utc, head, head_digest, body, body_digest"
        for number in range(RUNS):
            body = os.urandom(BODY_BYTES)
            digest = hashlib.sha256(body).digest()
            stamp = f"2026-01-01T{number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}Z"
            head_digest = history_store._head_digest("run", stamp, first.head, digest)
            row = ("run", stamp, first.head, head_digest, body, digest)
            database.execute(f"INSERT INTO entries ({columns}) VALUES (?,?,?,?,?,?)", row)
        database.execute("COMMIT")
    opened, reused = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with History(tmp_path) as history:
            assert len(history.runs()) == RUNS + 1
        opened.append(time.perf_counter() - began)
        began = time.perf_counter()
        reusable(tmp_path, advice().machine)
        reused.append(time.perf_counter() - began)
    size_gb = (tmp_path / FILE_NAME).stat().st_size / 1e9
    took = f"lists in {min(opened):.3f} s, calibrations in {min(reused):.4f} s"
    record_property("figure", f"{RUNS:,} runs, {size_gb:.2f} GB: {took}")
    print(f"\nhistory of {RUNS:,} runs, {size_gb:.2f} GB: {took}")
    assert min(opened) < 1.0
    assert min(reused) < 0.1
