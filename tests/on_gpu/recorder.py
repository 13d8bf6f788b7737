"""What one session on a card has seen so far, and the recording that it becomes."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

from msgspec.structs import replace

from advisor import __version__
from advisor.hardware.machine import Reading
from advisor.protocol.messages import Environment
from tests.on_gpu.observe import Bench, without_identity
from tests.on_gpu.plan import WHOLE_S
from tests.on_gpu.recording import Happening, LeftOut, RateSeen, Recording, ScriptSeen, SmiCard, StepSeen

RECORDING, SECONDS, DEVICE = "ADVISOR_GPU_RECORDING", "ADVISOR_GPU_SECONDS", "ADVISOR_GPU_DEVICE"
"""Variables: the file that is written at the end, the time that there is, and a device that stands in for a card."""


class Recorder:
    """What the session has seen so far."""

    def __init__(self) -> None:
        self.started_s = time.monotonic()
        self.bench: Bench | None = None
        self.smi: tuple[SmiCard, ...] = ()
        self.readings: tuple[Reading, ...] = ()
        self.rates: list[RateSeen] = []
        self.steps: list[StepSeen] = []
        self.happenings: list[Happening] = []
        self.scripts: list[ScriptSeen] = []
        self.left_out: list[LeftOut] = []

    def start(self) -> None:
        """The time that there is begins now."""
        self.started_s = time.monotonic()

    def left_s(self) -> float:
        """Seconds until the suite has to end."""
        return float(os.environ.get(SECONDS, WHOLE_S)) - (time.monotonic() - self.started_s)

    def recording(self) -> Recording:
        """Everything, without what names this very machine."""
        assert self.bench is not None
        machine = without_identity(self.bench.machine)
        numbers = {own.uuid: kept.uuid for own, kept in zip(self.bench.machine.gpus, machine.gpus, strict=True)}
        return Recording(
            made_up=self.bench.gpu is None,  # what stands in for a card is none
            created_utc=datetime.now(UTC).isoformat(timespec="seconds"),
            advisor_version=__version__,
            machine=machine,
            environment=_nameless(self.bench, numbers),
            smi=tuple(_renamed(card, numbers) for card in self.smi),
            readings=tuple(_of_cards(reading, numbers) for reading in self.readings),
            rates=tuple(self.rates),
            steps=tuple(self.steps),
            happenings=tuple(self.happenings),
            scripts=tuple(self.scripts),
            left_out=tuple(self.left_out),
            duration_s=round(time.monotonic() - self.started_s, 1),
        )


def _nameless(bench: Bench, numbers: dict[str | None, str | None]) -> Environment | None:
    if bench.environment is None:
        return None
    settings = {name: value for name, value in bench.environment.settings.items() if not name.startswith("CUDA_")}
    return replace(bench.environment, device_uuid=numbers.get(bench.environment.device_uuid), settings=settings)


def _renamed(card: SmiCard, numbers: dict[str | None, str | None]) -> SmiCard:
    return replace(card, uuid=numbers.get(card.uuid) or "unknown to the sampler")


def _of_cards(reading: Reading, numbers: dict[str | None, str | None]) -> Reading:
    return replace(reading, gpus=tuple(replace(one, uuid=numbers.get(one.uuid)) for one in reading.gpus))


RECORDER = Recorder()
