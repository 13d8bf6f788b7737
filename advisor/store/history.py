"""What this machine has seen: runs to reopen, calibrations to reuse, and how right the predictions were."""

from __future__ import annotations

import os
import sqlite3
import statistics
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

import msgspec

from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import Strategy
from advisor.core.moment import utc_text
from advisor.core.records import Record, built
from advisor.core.sentences import Reason, SaidOutputError
from advisor.core.units import Estimate
from advisor.hardware.machine import Machine
from advisor.measure.collection import calibration_key
from advisor.measure.measurement import Measurement, has_timed_steps
from advisor.store import json_file
from advisor.store.advice_record import AdviceRecord
from advisor.store.history_store import Entry, Store
from advisor.store.saved_statements import sayable
from advisor.workload.workload import Quantization, Trainable, quantization_of

FILE_NAME = "history.sqlite"

Head = TypeVar("Head", bound=msgspec.Struct)


class RunHead(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What the list of runs shows of one; a program from before a field reads what does not need it."""

    workload_name: str
    device_name: str | None
    count: int | None
    strategy: Strategy | None
    precision: Precision
    batch_size_per_device: int | None
    job_s: Estimate | None
    measured: bool
    interrupted: bool = False
    """Whether it was cancelled before everything was measured."""
    trainable: Trainable = "all"
    quantization: Quantization | None = None
    """Of the frozen weights."""


class Run(Record, frozen=True, kw_only=True):
    """A kept run."""

    entry_index: int
    created_utc: str
    head: RunHead


class CalibrationHead(Record, frozen=True, kw_only=True):
    """What a calibration depends on: it is reused only while all of it stays the same."""

    device_key: str
    device_name: str
    holds_while: str
    """As one text: driver, torch, power limit, processor, usable cores, threads, CUDA."""


class Truth(Record, frozen=True, kw_only=True):
    """A prediction and what came true: one line of the ledger."""

    created_utc: str
    workload_name: str
    device_name: str
    count: int
    strategy: Strategy
    precision: Precision
    batch_size_per_device: int
    gradient_accumulation_steps: int
    predicted_step_s: Estimate
    actual_step_s: float
    actual_low_s: float
    actual_high_s: float
    disturbed: Reason | None = None
    """Who else used the device; such a run tells nothing of the prediction and is left out of the record."""

    @property
    def inside(self) -> bool:
        """Whether the truth lies inside the 80 % range that was given."""
        return self.predicted_step_s.holds(self.actual_step_s)

    @property
    def error_fraction(self) -> float:
        """Predicted over actual, less one."""
        return self.predicted_step_s.value / self.actual_step_s - 1


class TrackRecord(Record, frozen=True, kw_only=True):
    """How right the program has been on this machine, of the runs that nobody disturbed."""

    count: int
    inside_fraction: float
    median_error_fraction: float


def data_folder(chosen: str | None = None) -> Path:
    """Where the history lives: the chosen folder, or the user's data folder of this system."""
    if chosen:
        return Path(chosen)
    from platformdirs import user_data_path

    nowhere = Path(os.devnull) / "advisor"  # no folder: the history is kept in memory, and says so
    try:
        folder = user_data_path("advisor", appauthor=False)
    except (RuntimeError, LookupError, OSError):  # neither HOME nor an entry of this user anywhere
        return nowhere
    return nowhere if folder.parts[0] == "~" else folder  # as platformdirs before 4.12 writes it


class History:
    """The history of a folder; `problems` holds what a person should know (damaged, read-only, newer)."""

    def __init__(self, folder: Path | None) -> None:
        """Open the history of `folder`; None keeps everything in memory."""
        self._store = Store(folder / FILE_NAME if folder is not None else None)

    def __enter__(self) -> Self:
        """Use as a context manager that closes the file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._store.close()

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    @property
    def problems(self) -> tuple[Reason, ...]:
        """What went wrong, each as a sentence with its remedy."""
        return tuple(self._store.problems)

    def save(self, advice: AdviceRecord) -> int:
        """Keep a run and return its number. Raises OutputError when the disk refuses; nothing is lost then."""
        chosen = advice.main
        head = RunHead(
            workload_name=advice.workload.name,
            device_name=chosen.device.name if chosen else None,
            count=chosen.count if chosen else None,
            strategy=chosen.strategy if chosen else None,
            precision=advice.shown_precision,
            batch_size_per_device=chosen.batch_size_per_device if chosen else None,
            job_s=chosen.job_s if chosen else None,
            measured=has_timed_steps(advice.measurements),
            interrupted=advice.interrupted,
            trainable=advice.workload.training.trainable,
            quantization=quantization_of(advice.workload.training),
        )
        return self._add("run", head, json_file.encode(advice), advice.created_utc)

    def runs(self) -> list[Run]:
        """All kept runs, newest first."""
        return [
            Run(entry_index=entry.entry_index, created_utc=entry.created_utc, head=head)
            for entry in self._store.entries("run")
            if (head := _head(entry, RunHead)) is not None
        ]

    def load(self, entry_index: int) -> AdviceRecord | None:
        """The advice of a run; None where it is gone or damaged (then `problems` says so)."""
        body = self._store.body(entry_index)
        return None if body is None else json_file.decode(body, f"history entry {entry_index}")

    def delete(self, entry_index: int) -> None:
        """Delete a run. Raises OutputError when the disk refuses."""
        with self._told():
            self._store.remove(entry_index)

    def export(self, entry_index: int, path: Path) -> None:
        """Write a run as JSON. Raises OutputError when it is damaged or the file cannot be written."""
        advice = self.load(entry_index)
        if advice is None:
            raise SaidOutputError.of("history-entry-gone", number=entry_index)
        json_file.write(advice, path)

    def keep_calibration(self, measurement: Measurement, machine: Machine) -> None:
        """Keep a device's microbenchmarks. Raises OutputError when the disk refuses."""
        head = _calibration_head(measurement.device_key, measurement.device_name, machine)
        self._add("calibration", head, msgspec.json.encode(measurement), measurement.created_utc)

    def calibration(self, device_key: str, machine: Machine) -> Measurement | None:
        """The newest calibration of a device under the same driver, torch and power limit; else None."""
        for entry in self._store.entries("calibration"):
            head = _head(entry, CalibrationHead)
            if head is None or head != _calibration_head(device_key, head.device_name, machine):
                continue
            body = self._store.body(entry.entry_index)
            if body is not None:
                try:
                    return sayable(msgspec.json.decode(body, type=built(Measurement)))
                except msgspec.DecodeError:  # written by an older version: measured anew instead
                    continue
        return None

    def append_truth(self, truth: Truth) -> None:
        """Append a verified prediction to the ledger. Raises OutputError when the disk refuses."""
        self._add("truth", truth, b"", truth.created_utc)

    def ledger(self) -> list[Truth]:
        """All verified predictions, newest first."""
        return [sayable(truth) for entry in self._store.entries("truth") if (truth := _head(entry, Truth)) is not None]

    def record(self) -> TrackRecord | None:
        """How right the predictions were here; None before one was verified that nobody disturbed."""
        truths = [truth for truth in self.ledger() if truth.disturbed is None]
        if not truths:
            return None
        median = statistics.median(abs(truth.error_fraction) for truth in truths)
        inside = sum(truth.inside for truth in truths) / len(truths)
        return TrackRecord(count=len(truths), inside_fraction=inside, median_error_fraction=median)

    def prune(self, created_utc: str) -> int:
        """Delete the runs that are older than a moment (ISO 8601, UTC) and return how many.

        Calibrations and verified predictions stay. Raises OutputError when the disk refuses.
        """
        with self._told():
            return self._store.remove_before("run", created_utc)

    def _add(self, kind: str, head: msgspec.Struct, body: bytes, created_utc: str) -> int:
        with self._told():
            return self._store.add(kind, msgspec.json.encode(head), body, created_utc)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A disk that refuses is told as what to do about it."""
        try:
            yield
        except sqlite3.Error as error:
            path = str(self._store.path or "memory")
            raise SaidOutputError.of("history-not-written", path=path, error=str(error)) from error


def _head(entry: Entry, kind: type[Head]) -> Head | None:
    """Decode an entry's head; one of an older program that cannot be read is left out, never guessed."""
    try:
        return msgspec.json.decode(entry.head, type=built(kind))
    except msgspec.DecodeError:
        return None


def _calibration_head(device_key: str, device_name: str, machine: Machine) -> CalibrationHead:
    threads = os.environ.get("OMP_NUM_THREADS", "")  # what a user sets here decides on how many torch runs
    holds_while = f"{calibration_key(machine, device_key)}|{threads}"
    return CalibrationHead(device_key=device_key, device_name=device_name, holds_while=holds_while)


class OldRuns(NamedTuple):
    """What would be deleted."""

    before_utc: str
    """Runs of before this moment (ISO 8601, UTC) are meant: what `History.prune` takes."""
    run_count: int
    reason: Reason
    """How many runs of which days, or that there are none."""


def older_than(days: int, runs: Iterable[Run]) -> OldRuns:
    """Those of `runs` that were saved more than `days` days before now."""
    before_utc = utc_text(days_ago=days)
    stamps = [run.created_utc for run in runs if run.created_utc < before_utc]
    reason = Reason.of("history-prune-none", days=days)
    if stamps:
        reason = Reason.of("history-prune-found", count=len(stamps), first=min(stamps)[:10], last=max(stamps)[:10])
    return OldRuns(before_utc, len(stamps), reason)
