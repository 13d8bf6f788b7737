"""How often the driver is asked anew after a call that hung or crashed: as often as the promise says."""

from __future__ import annotations

import pytest

from advisor.hardware import detect
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
