"""Times told in minutes and hours, clocks that go on over epochs, and bars whose clock has units."""

from __future__ import annotations

import pytest

from advisor.core.errors import InputError
from advisor.core.sentences import say
from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import LogReport, explain_log


def report_of(text: str) -> LogReport:
    return explain_log(parse_log(text))


def part_s(report: LogReport, kind: str) -> float:
    return sum(part.duration_s for part in report.split.parts if part.kind == kind)


def total_s(report: LogReport) -> float:
    return report.split.total_s


def _span(seconds: float) -> str:
    whole, ms = divmod(round(seconds * 1000), 1000)
    return f"{whole}s{ms}ms" if whole else f"{ms}ms"


def _bars(total: int, step_s: float, *, ends: str) -> str:
    return "".join(
        f" [{'=' * 20}>{'.' * 44}]  Step: {_span(step_s)} | Tot: {_span(step_s * step)} | Loss: 1.2 | "
        f"Acc: 40.100% ({step}/{total})   "
        + "\b" * 50
        + f" {step + 1}/{total} "
        + ("\n" if step + 1 == total else ends)
        for step in range(total)
    )


@pytest.mark.parametrize("ends", ["\r", "\n"])
@pytest.mark.parametrize("announced", [True, False])
def test_bars_of_steps_and_totals_tell_training_and_the_test_after_it(ends: str, announced: bool) -> None:
    epoch = _bars(391, 0.061, ends=ends) + _bars(100, 0.021, ends=ends) + "Saving..\n"
    text = "".join((f"\nEpoch: {number}\n" if announced else "") + epoch for number in range(3))
    report = report_of(text)
    assert report.step_s == pytest.approx(0.061, rel=0.01)
    assert part_s(report, "training") == pytest.approx(3 * 391 * 0.061, rel=0.01)
    assert part_s(report, "validation") == pytest.approx(3 * 100 * 0.021, rel=0.02)


@pytest.mark.parametrize(
    "told",
    [
        "elapse: 1.5 min",
        "elapsed time: 1.5 mins",
        "time: 1.5 minutes",
        "took 0.025 hours",
        "took 0.025 h",
        "1.5 min/epoch",
        "90 s per epoch",
        "time 0:01:30",
        "用时 1.5 分钟",
    ],
)
def test_an_epochs_time_is_read_in_its_unit(told: str) -> None:
    report = report_of("".join(f"epoch {number}/20, loss 0.{number}, {told}\n" for number in range(1, 6)))
    assert total_s(report) == pytest.approx(5 * 90.0)


@pytest.mark.parametrize("first", [1, 5, 0])
@pytest.mark.parametrize("told", ["elapsed: {} s", "time elapsed: {} s", "time: {}s"])
def test_a_clock_that_goes_on_over_epochs_is_no_epochs_own_time(first: int, told: str) -> None:
    clocks = [(number, told.format(100 * (number + (first == 0)) + number % 2)) for number in range(first, first + 4)]
    report = report_of("".join(f"Epoch {number}/40 loss 0.5 {clock}\n" for number, clock in clocks))
    assert total_s(report) == pytest.approx(400.0, rel=0.03)


def test_epochs_that_take_a_little_longer_each_are_no_clock() -> None:
    text = "".join(f"Epoch {number}/40 loss 0.5 time: {100 + number} s\n" for number in range(1, 5))
    assert total_s(report_of(text)) == pytest.approx(410.0)


@pytest.mark.parametrize(
    ("times", "total"), [((10, 15), 25), ((100, 180), 280), ((100, 201), 201), ((130, 230, 331), 331)]
)
def test_a_clock_is_told_from_epochs_that_took_longer(times: tuple[int, ...], total: int) -> None:
    text = "".join(f"Epoch {number}/40 loss 0.5 time: {time} s\n" for number, time in enumerate(times, start=1))
    assert report_of(text).split.total_s == pytest.approx(total)


def test_a_clock_below_an_epochs_batches_tells_its_steps() -> None:
    epoch = "".join(f"Epoch: {{0:03d}}/010 | Batch {batch:04d}/0391 | Loss: 2.1\n" for batch in range(0, 391, 50))
    text = "".join(epoch.format(number) + f"Time elapsed: {2 * number:.2f} min\n" for number in range(1, 4))
    report = report_of(text)
    assert report.step_s == pytest.approx(120 / 391, rel=0.01)
    assert total_s(report) == pytest.approx(360.0)


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Total Training Time: 18.5 min", 1110.0),
        ("Training time: 2.5 hours", 9000.0),
        ("Training time 0:18:30", 1110.0),
        ("Training complete in 1m 7s", 67.0),
        ("Training finished in 2h 1m 7s", 7267.0),
        ("Time elapsed: 18.5 min", 1110.0),
        ("{'train_runtime': 1110.5, 'train_samples_per_second': 3.1}", 1110.5),
    ],
)
def test_a_runs_time_is_read_in_its_unit(line: str, seconds: float) -> None:
    report = report_of(f"epoch 1\nloss 0.5\n{line}\n")
    assert total_s(report) == pytest.approx(seconds)
    assert all(say(reason, "zh") for reason in report.reasons)


@pytest.mark.parametrize("unit", ["min", "mins", "minutes"])
def test_a_steps_clock_is_read_in_its_unit(unit: str) -> None:
    text = "".join(f"step {step}/1000 loss 0.3 elapsed: {step * 0.02:.2f} {unit}\n" for step in range(100, 1000, 100))
    assert report_of(text).step_s == pytest.approx(1.2)


def test_a_line_that_announces_an_epoch_leaves_the_bars_that_bear_its_number_apart() -> None:
    bars = "".join(
        f"Epoch {number}\nEpoch {number}: 100%|##########| 391/391 [01:0{number}<00:00,  6.40it/s]\n"
        for number in range(1, 4)
    )
    announced, alone = (
        report_of(bars),
        report_of("".join(line for line in bars.splitlines(keepends=True) if "%" in line)),
    )
    assert announced.split == alone.split
    assert announced.step_s == alone.step_s


def test_a_clock_by_itself_beside_steps_or_without_epochs_is_of_nobody_knows_what() -> None:
    lines = "".join(f"loss 0.{number}\nelapsed: {12 * number} s\n" for number in range(1, 5))
    with pytest.raises(InputError):
        report_of(lines)
    bars = "Epoch 1\n 50%|#####     | 195/391 [00:30<00:30,  6.40it/s]\nElapsed time: 3.2 s\n"
    assert report_of(bars).split.total_s == pytest.approx(30.0)
