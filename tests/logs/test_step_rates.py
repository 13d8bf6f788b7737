"""What a clock of whole seconds tells of steps that are shorter than its tick."""

from __future__ import annotations

import pytest

from advisor.logs.log_lines import parse_log
from advisor.logs.step_rates import paused_s, usual_step_s
from advisor.logs.training_log import LogReport, explain_log


def bars(step_s: float, steps: int, pauses: dict[int, int] | None = None) -> str:
    """A bar of each step as tqdm draws it, its clock cut to whole seconds; pauses stand before the steps named."""
    states, seconds = [f"\r  0%|          | 0/{steps} [00:00<?, ?it/s]"], 0.0
    for step in range(1, steps + 1):
        seconds += step_s + (pauses or {}).get(step, 0)
        clock = f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"
        states.append(f"\r{100 * step // steps:3d}%|████      | {step}/{steps} [{clock}<00:09,  4.00it/s]")
    return "".join(states)


def report(text: str) -> LogReport:
    return explain_log(parse_log(text))


@pytest.mark.parametrize("step_s", [0.05, 0.2, 0.25, 0.3, 0.5, 0.6, 0.75, 1.1, 1.6, 4.0])
def test_short_steps_of_a_bar_are_told_and_a_tick_of_its_clock_is_no_pause(step_s: float) -> None:
    found = report(bars(step_s, 600))
    assert found.step_s == pytest.approx(step_s, rel=0.05)
    assert [part.kind for part in found.split.parts if part.duration_s > 0] == ["training"]
    assert [reason.code for reason in found.reasons] == ["log-nothing-loud", "log-step-alone"]


def test_pauses_of_a_bar_are_what_its_steps_do_not_take() -> None:
    found = report(bars(0.25, 600, {200: 30, 400: 30}))
    assert found.step_s == pytest.approx(0.25, rel=0.02)
    assert {part.kind: part.duration_s for part in found.split.parts}["validation"] == pytest.approx(60, abs=2)


def test_a_run_shorter_than_ten_ticks_tells_its_mean() -> None:
    assert usual_step_s([[(0, 0.0), (10, 2.0), (20, 4.0), (30, 7.0)]]) == pytest.approx(7 / 30)
    assert usual_step_s([[(5, 3.0)]]) is None
    assert usual_step_s([]) is None


def test_a_finer_clock_is_believed_interval_by_interval() -> None:
    run = [(0, 0.0), (1, 0.25), (2, 0.5), (3, 5.75), (4, 6.0)]
    assert usual_step_s([run]) == pytest.approx(0.25)
    assert paused_s([run], 0.25) == pytest.approx(5.0)


def test_a_pass_that_the_log_tells_between_two_states_of_a_bar_is_no_part_of_a_step() -> None:
    begun, half, ended = (
        f"{step}/1000 [{clock}<00:00,  1.92it/s]" for step, clock in ((0, "00:00"), (500, "04:20"), (1000, "13:40"))
    )
    told = "{'eval_loss': 0.4, 'eval_runtime': 300.0}"
    late = "500/1000 [09:20<00:00,  1.92it/s]"
    for lines in ((begun, half, told, ended), (begun, half, told, half, ended), (begun, half, told, late, ended)):
        found = report("\n".join(lines))
        assert found.step_s == pytest.approx(0.52)
        assert {part.kind: part.duration_s for part in found.split.parts}["validation"] == pytest.approx(300.0)


def test_an_interval_that_is_shorter_than_the_pass_told_in_it_did_not_hold_the_pass() -> None:
    lines = ("0/1000 [00:00<?, ?it/s]", "500/1000 [04:20<04:20,  1.92it/s]", "{'eval_runtime': 300.0}")
    assert report("\n".join((*lines, "1000/1000 [08:40<00:00,  1.92it/s]"))).step_s == pytest.approx(0.52)
