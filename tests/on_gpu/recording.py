"""One session on a GPU as a file: what the machine was, what was measured there, and what had been predicted."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import msgspec
import tomlkit

from advisor.catalogue.precisions import Precision
from advisor.core.bundled import workloads_folder
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.hardware.machine import Machine, Reading
from advisor.measure.measurement import VerdictKind
from advisor.protocol.messages import Environment, StepPart
from advisor.workload.workload import quantization_of
from advisor.workload.workload_file import load_workload

MOST_BYTES = 5_000_000
"""Of a recording's file."""
SCHEMA_VERSION = 1
_RANKED = ("stable", "usable")


class SmiCard(Record, frozen=True, kw_only=True):
    """What `nvidia-smi` says of a card; None where it says N/A."""

    uuid: str
    name: str
    driver: str
    memory_total_bytes: float | None
    power_limit_w: float | None
    sm_clock_max_hz: float | None
    temperature_celsius: float | None
    pcie_generation: int | None
    pcie_width: int | None


class StepSeen(Record, frozen=True, kw_only=True):
    """One workload at one batch size, in one precision and with one change to its settings."""

    workload: str
    """A bundled name."""
    precision: Precision
    batch_size: int
    mode: str
    change: str = ""
    """The setting that differs from the workload's own (`attention=eager`); empty: none."""
    layer_limit: int | None = None
    """Repeated blocks that were built, where the whole model was not."""
    wall_s: tuple[float, ...]
    """Of one step, of each block that counted."""
    device_s: tuple[float, ...]
    """By the device's events, of the same blocks."""
    step_counts: tuple[int, ...]
    """Steps of each block."""
    median_s: float | None
    parts_s: dict[StepPart, float] = {}
    peak_allocated_bytes: int | None = None
    peak_reserved_bytes: int | None = None
    no_peak: str | None = None
    """Why its peaks were taken out of the file afterwards."""
    verdict: VerdictKind
    why: Reason | None = None
    predicted_s: float | None = None
    """By the spec table alone."""
    predicted_low_s: float | None = None
    predicted_high_s: float | None = None
    predicted_peak_bytes: float | None = None


class RateSeen(Record, frozen=True, kw_only=True):
    """One microbenchmark: the median time of a call, and the work of the call."""

    kind: str
    precision: Precision
    median_s: float
    figures: dict[str, float]


class Happening(Record, frozen=True, kw_only=True):
    """Something done to the card on purpose, and whether all was well after it."""

    name: str
    facts: dict[str, float | int | str | bool | None]


class ScriptSeen(Record, frozen=True, kw_only=True):
    """A script that the program wrote for this card, run on it, beside what the advice had told."""

    name: str
    """Of `plan.SCRIPTS`."""
    batch_size: int
    precision: Precision
    step_s: float
    """Of one update, by the script's own clock."""
    peak_allocated_bytes: int
    peak_reserved_bytes: int | None
    """None where what building the model left in the allocator counted in it."""
    loader_wait_s: float | None = None
    """Of a batch, in the script's own loop."""
    told_s: float
    told_low_s: float
    told_high_s: float
    told_allocated_bytes: float
    told_reserved_bytes: float
    """The same with what the allocator cannot use; what the context takes is in neither."""


class LeftOut(Record, frozen=True, kw_only=True):
    """A test that did not run, and why."""

    name: str
    why: str


class Recording(Record, frozen=True, kw_only=True):
    """Everything that one run of the suite saw."""

    schema_version: int = SCHEMA_VERSION
    made_up: bool
    """True for a file that no machine made: it tests the program, and no figure of it is ever shown or fitted."""
    created_utc: str
    advisor_version: str
    machine: Machine
    environment: Environment | None = None
    smi: tuple[SmiCard, ...] = ()
    readings: tuple[Reading, ...] = ()
    """While the card multiplied matrices."""
    rates: tuple[RateSeen, ...] = ()
    steps: tuple[StepSeen, ...] = ()
    happenings: tuple[Happening, ...] = ()
    scripts: tuple[ScriptSeen, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    duration_s: float = 0.0


class RecordingError(ValueError):
    """The file is no recording, or too large for one."""


def read_recording(path: Path) -> Recording:
    """Read one file. Raises RecordingError with the field that is wrong."""
    if path.stat().st_size > MOST_BYTES:
        message = f"{path.name} has {path.stat().st_size} bytes; a recording has {MOST_BYTES} at most"
        raise RecordingError(message)
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Recording)
    except msgspec.MsgspecError as error:
        message = f"{path.name}: {error}"
        raise RecordingError(message) from error
    if found.schema_version > SCHEMA_VERSION:
        message = f"{path.name} is of version {found.schema_version}; this program reads up to {SCHEMA_VERSION}"
        raise RecordingError(message)
    return found


def write_recording(path: Path, recording: Recording) -> None:
    """Write one file. Raises RecordingError where it would be too large."""
    content = msgspec.json.format(msgspec.json.encode(recording), indent=1) + b"\n"
    if len(content) > MOST_BYTES:
        message = f"the recording has {len(content)} bytes; at most {MOST_BYTES} are kept"
        raise RecordingError(message)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


_COLUMNS = (
    "workload", "gpu_key", "mode", "precision", "batch_per_gpu", "seq_len_or_img", "ms", "peak_gb", "memory_kind",
    "torch", "use", "source", "place",
)  # fmt: skip


def run_rows(recordings: Iterable[Recording]) -> str:
    """The recordings' steps as rows for `--evaluate` and `fit_efficiencies.py --add`.

    Whole models in their own settings, on cards of the spec table, with a verdict that may rank. Raises
    RecordingError for a recording that is made up: its figures are nobody's.
    """
    kept = list(recordings)
    if any(recording.made_up for recording in kept):
        message = "this recording is made up: none of its figures may be fitted or compared"
        raise RecordingError(message)
    return rows_to_predict(kept)


def rows_to_predict(recordings: Iterable[Recording], changed: Path | None = None) -> str:
    """The same rows, also of made-up recordings; `place` is a step's number in its recording.

    `changed`: a folder for the workload files of steps with one setting changed, which have rows too then.
    """
    out = io.StringIO()
    table = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
    table.writeheader()
    for recording in recordings:
        for step in fit_steps(recording):
            table.writerow(_row(recording, step) | {"place": recording.steps.index(step)})
        for step in [] if changed is None else changed_steps(recording):
            place = recording.steps.index(step)
            file = cast("Path", changed) / f"step_{place}.toml"
            file.write_text(changed_workload(step), encoding="utf-8")
            table.writerow(_row(recording, step) | {"place": place, "workload": file.name})
    return out.getvalue()


def changed_steps(recording: Recording) -> list[StepSeen]:
    """Steps of whole models with one setting changed, that may be held against the step without it."""
    if gpu_key(recording) is None:
        return []
    return [step for step in recording.steps if step.change and step.layer_limit is None and step.verdict in _RANKED]


def changed_workload(step: StepSeen) -> str:
    """The bundled workload file with the step's change, as TOML; what reads it stands in the folder of bundled ones."""
    changes: dict[str, object] = {"precision": step.precision}
    for setting in step.change.split(","):
        field, _, value = setting.partition("=")
        changes[field] = {"True": True, "False": False}.get(value, int(value) if value.isdigit() else value)
    if changes.get("optimizer_in_backward"):
        changes["gradient_accumulation_steps"] = 1  # its gradients are gone when the next pass begins,
        changes["clip_gradient_norm"] = None  # and before there are all to clip
    return workload_with(step.workload, changes)


def workload_with(name: str, changes: dict[str, object]) -> str:
    """A bundled workload file with fields of `[training]` changed, or taken out by None, as TOML."""
    document = tomlkit.parse((workloads_folder() / f"{name}.toml").read_text(encoding="utf-8"))
    training = cast("dict[str, object]", document["training"])
    for field, value in changes.items():
        if value is None:
            training.pop(field, None)
        else:
            training[field] = value
    return tomlkit.dumps(document)


def fit_steps(recording: Recording) -> list[StepSeen]:
    """The steps that say something about the card's time for a workload of the program's own.

    Quantised ones were trained without packed weights: a step of ours runs them in their own precision.
    """
    if gpu_key(recording) is None:
        return []
    return [
        step
        for step in recording.steps
        if step.median_s is not None
        and not step.change
        and step.layer_limit is None
        and quantization_of(load_workload(step.workload).training) is None
        and step.verdict in _RANKED
    ]


def gpu_key(recording: Recording) -> str | None:
    """The spec row of the card that was measured; None: an unknown card."""
    return next((gpu.spec_key for gpu in recording.machine.gpus if gpu.usable), None)


def _row(recording: Recording, step: StepSeen) -> dict[str, object]:
    torch = "" if recording.environment is None else recording.environment.torch
    peak = step.peak_allocated_bytes
    return {
        "workload": step.workload,
        "gpu_key": gpu_key(recording),
        "mode": step.mode,
        "precision": step.precision,
        "batch_per_gpu": step.batch_size,
        "seq_len_or_img": "",
        "ms": f"{1e3 * (step.median_s or 0.0):.6g}",
        "peak_gb": "" if peak is None else f"{peak / 1e9:.6g}",
        "memory_kind": "" if peak is None else "allocated",
        "torch": ".".join(torch.split("+")[0].split(".")[:2]),
        "use": "yes",
        "source": f"measured by us, {recording.created_utc[:10]}",
    }
