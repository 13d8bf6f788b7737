"""How often the driver is asked anew after a call that hung or crashed: as often as the promise says."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from advisor.hardware import detect
from advisor.hardware.machine import Gpu
from advisor.hardware.sampler_messages import Asking, Detect


def test_a_driver_that_hangs_in_ever_new_calls_is_restarted_three_times_and_then_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, asked = detect._run, list[Detect]()

    def hangs_in_the_next_call(request: Detect, timeout_s: float) -> detect._Attempt:
        asked.append(request)
        if not request.ask_driver:
            return real(request, timeout_s)
        attempt = detect._Attempt()
        attempt.asking, attempt.hung = Asking(function=f"nvmlCall{len(request.avoid)}"), True
        return attempt

    monkeypatch.setattr(detect, "_run", hangs_in_the_next_call)
    machine = detect.detect_machine()
    assert [len(request.avoid) for request in asked if request.ask_driver] == [0, 1, 2, 3]
    assert asked[-1].ask_driver is False
    hung = [notice.numbers["function"] for notice in machine.notices if notice.code == "driver-call-hung"]
    assert hung == ["nvmlCall0", "nvmlCall1", "nvmlCall2"]
    assert machine.cpu.logical_core_count


@pytest.mark.parametrize("hung", [True, False])
def test_a_look_that_ends_before_the_driver_is_asked_says_that_no_gpu_is_known(
    monkeypatch: pytest.MonkeyPatch, *, hung: bool
) -> None:
    real = detect._run

    def ends_early(request: Detect, timeout_s: float) -> detect._Attempt:
        attempt = real(msgspec.structs.replace(request, ask_driver=False), timeout_s)
        attempt.complete, attempt.hung = not request.ask_driver, hung
        return attempt

    monkeypatch.setattr(detect, "_run", ends_early)
    machine = detect.detect_machine()
    assert [notice.code for notice in machine.notices] == ["driver-not-asked"]
    assert machine.cpu.logical_core_count


def test_cards_of_other_makers_are_numbered_after_nvidias(monkeypatch: pytest.MonkeyPatch) -> None:
    real = detect._run

    def beside_two_others(request: Detect, timeout_s: float) -> detect._Attempt:
        attempt = real(msgspec.structs.replace(request, ask_driver=False), timeout_s)
        others = tuple(Gpu(uuid=None, index=index, vendor="amd", name=f"Radeon {index}") for index in range(2))
        assert attempt.host is not None
        attempt.host = msgspec.structs.replace(attempt.host, gpus=others)
        attempt.gpus = [Gpu(uuid=f"GPU-{index}", index=index, vendor="nvidia", name="A100") for index in range(3)]
        return attempt

    monkeypatch.setattr(detect, "_run", beside_two_others)
    machine = detect.detect_machine()
    assert [(gpu.index, gpu.name) for gpu in machine.gpus] == [
        (0, "A100"), (1, "A100"), (2, "A100"), (3, "Radeon 0"), (4, "Radeon 1"),
    ]  # fmt: skip


class Starved:
    """Stands for a sampler on a busy machine: it answers with the last of so many looks."""

    def __init__(self, looks: int) -> None:
        self.looks, self.waits = looks, list[float]()
        self.process = self
        self.pid = 0

    def next_line(self, timeout_s: float) -> bytes:
        self.waits.append(timeout_s)
        if len(self.waits) < self.looks:
            raise TimeoutError
        return b"{}"


def waits_of(child: Starved, waited_s: Iterable[float], monkeypatch: pytest.MonkeyPatch) -> bytes | None:
    told = iter(waited_s)
    monkeypatch.setattr(detect, "waited_for_core_s", lambda _pid: next(told))
    return detect._next_line(child, 2.0)  # type: ignore[arg-type]


def test_what_the_sampler_waits_for_a_core_is_no_driver_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    starved = Starved(3)
    assert waits_of(starved, (1.0, 2.5, 3.25), monkeypatch) == b"{}"
    assert starved.waits == [2.0, 1.5, 0.75]
    hung = Starved(2)
    with pytest.raises(TimeoutError):
        waits_of(hung, (1.0, 1.01), monkeypatch)
    assert hung.waits == [2.0]
    endless = Starved(10_000)
    with pytest.raises(TimeoutError):
        waits_of(endless, range(0, 100_000, 7), monkeypatch)
    assert sum(endless.waits) <= 2.0 + detect._CORE_WAITS_S
