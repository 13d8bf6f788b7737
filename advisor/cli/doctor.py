"""`--doctor`: one page that says what of this installation works, what does not, and how to mend it."""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from advisor.core.child_process import ChildProcess
from advisor.core.records import Record
from advisor.core.sentences import Language, Listed, Reason, Said, Value, say, sentence

State = Literal["good", "wrong", "unknown"]
SOMETHING_WRONG = 3
_QT_DEADLINE_S = 30.0
_TORCH_DEADLINE_S = 120.0
_LEAST_FREE_BYTES = 1 << 30
_TEXT_LENGTH = 300


class Finding(Record, frozen=True, kw_only=True):
    """One thing that was looked at."""

    state: State
    reason: Reason


def doctor_command(arguments: argparse.Namespace, language: Language) -> int:
    """Look at everything and print the page; 3 where something is wrong."""
    from advisor.cli.outputs import result_stream

    stream = result_stream(arguments)
    print(sentence("doctor-title", language), file=stream)
    wrong = 0
    for finding in findings():
        print(f"  {sentence(f'doctor-{finding.state}', language)}  {say(finding.reason, language)}", file=stream)
        wrong += finding.state == "wrong"
    print(sentence("doctor-sum", language, count=wrong), file=stream)
    return SOMETHING_WRONG if wrong else 0


def findings() -> Iterator[Finding]:
    """Each as soon as it is known: this program, the machine and its driver, torch, Qt and fonts, folders."""
    from advisor import __version__

    yield _found("good", "doctor-program", version=__version__, python=platform.python_version())
    yield from _machine()
    yield _torch()
    yield from _window()
    yield from _folders()


def _found(state: State, code: str, **numbers: Value) -> Finding:
    return Finding(state=state, reason=Reason.of(code, **dict(numbers)))


def _machine() -> Iterator[Finding]:
    """The driver, each card, and torch's build against the driver, in the words of `--detect`."""
    from advisor.hardware.detect import detect_machine

    machine = detect_machine()
    for gpu in machine.gpus:
        if gpu.usable and not gpu.hidden_from_cuda:
            yield _found("good", "doctor-card", gpu=gpu.name, driver=machine.software.driver or "?")
        elif gpu.unusable_reason is not None:
            yield Finding(state="wrong", reason=gpu.unusable_reason)
    for notice in machine.notices:
        # Whoever has no card needs no driver, and torch is looked at by itself.
        harmless = not machine.gpus and notice.code == "driver-absent"
        if notice.code != "machine-torch-missing":
            yield Finding(state="unknown" if harmless else "wrong", reason=notice)


def _torch() -> Finding:
    """Whether the worker can load torch and train: a model of a few numbers is imported for."""
    from advisor.measure.worker_session import WorkerHung, WorkerSession
    from advisor.protocol.messages import Failed, ImportRequest
    from advisor.workload.workload_file import load_workload

    session = WorkerSession(visible="")
    try:
        asked = session.ask(
            ImportRequest(workload=load_workload("iris_mlp")), deadline_s=time.monotonic() + _TORCH_DEADLINE_S
        )
        failed = [event for event in asked if isinstance(event, Failed)]
        if failed:
            said = failed[0].reason_or("worker-said", device="cpu")
            return _found("wrong", "doctor-torch-broken", text=Listed(reasons=(said,)))
        if not session.alive:
            return _found("wrong", "doctor-torch-broken", text=Said(text=session.log[-_TEXT_LENGTH:]))
    except WorkerHung:
        return _found("wrong", "doctor-torch-hung", limit_s=_TORCH_DEADLINE_S)
    finally:
        session.close()
    return _found("good", "doctor-torch")


def _window() -> Iterator[Finding]:
    """Qt's libraries, the display and the fonts, tried in a process of its own: Qt aborts where it cannot start."""
    child = ChildProcess("advisor.gui.self_check")
    try:
        line = child.next_line(_QT_DEADLINE_S)
    except TimeoutError:
        line = None
    finally:
        child.close()
    said = json.loads(line) if line else {"text": child.log.strip()[-_TEXT_LENGTH:] or "Qt ended without a word"}
    if "text" in said:
        yield _found("wrong", "doctor-window-broken", text=Said(text=str(said["text"])[:_TEXT_LENGTH]))
    elif not said["display"]:
        yield _found("unknown", "doctor-no-display")
    else:
        yield _found("good", "doctor-window", platform=str(said["platform"]))
        fonts = bool(said["fonts"])
        yield _found("good" if fonts else "wrong", "doctor-fonts" if fonts else "doctor-fonts-missing")


def _folders() -> Iterator[Finding]:
    """Where the program writes: its data folder, and the folder for what is passing."""
    from advisor.store.history import data_folder

    for folder in (data_folder(), Path(tempfile.gettempdir())):
        yield _folder(folder)


def _folder(folder: Path) -> Finding:
    shown = str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"advisor")
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return _found("wrong", "doctor-folder-refused", folder=shown, text=Said(text=error.strerror or str(error)))
    if free < _LEAST_FREE_BYTES:
        return _found("wrong", "doctor-folder-full", folder=shown, free_bytes=float(free))
    return _found("good", "doctor-folder", folder=shown, free_bytes=float(free))
