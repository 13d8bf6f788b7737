"""Logs of ESPnet, fastai and MaxText tell their steps and epochs; what is broken in them tells nothing."""

from __future__ import annotations

import pytest

from advisor.core.errors import InputError
from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import LogReport, explain_log

MAXTEXT = """Config param steps: 500
completed step: 0, seconds: 61.500, TFLOP/s/device: 2.100, Tokens/s/device: 90.125, total_weights: 8192, loss: 11.9
completed step: 1, seconds: 0.210, TFLOP/s/device: 630.4, Tokens/s/device: 27011.2, total_weights: 8192, loss: 11.8
completed step: 2, seconds: 2.250, TFLOP/s/device: 58.8, Tokens/s/device: 2518.9, total_weights: 8192, loss: 11.2
2026-02-03 09:00:00 eval metrics after step: 2, loss=9.125, total_weights=65536.0
completed step: 3, seconds: 2.250, TFLOP/s/device: 58.8, Tokens/s/device: 2518.9, total_weights: 8192, loss: 10.7
"""


def espnet(accumulated: int, waited: str = "2.500e-02", epochs: int = 2, batches: int = 200) -> str:
    """Two epochs of batches of 0.25 s each, of which a step gathers some, with validations of 12.5 s."""
    text, clock = "", 0.0

    def line(told: str) -> str:
        minutes, seconds = divmod(clock, 60)
        stamp = f"2026-02-03 09:{int(minutes):02d}:{seconds:06.3f}".replace(".", ",")
        return f"[gpu-host] {stamp} (trainer:801) INFO: {told}\n"

    for epoch in range(1, epochs + 1):
        text += line(f"{epoch}/10epoch started. Estimated time to finish: 9 minutes and 2.5 seconds")
        for first in range(1, batches, 50):
            clock += 50 * 0.25
            text += line(
                f"{epoch}epoch:train:{first}-{first + 49}batch: iter_time={waited}, forward_time=0.101, "
                f"loss_ctc=61.25, acc=0.512, loss=44.125, backward_time=0.081, optim_step_time=0.021, "
                f"optim0_lr0=2.500e-05, train_time={0.25 * accumulated:.3f}"
            )
        clock += 12.5
        text += line(
            f"{epoch}epoch results: [train] iter_time={waited}, loss=44.125, train_time={0.25 * accumulated:.3f}, "
            f"time=50 seconds, total_count={epoch * batches}, gpu_max_cached_mem_GB=20.250, [valid] loss=40.5, "
            f"time=12.5 seconds, total_count={epoch * 20}, gpu_max_cached_mem_GB=20.250, [att_plot] time=3.25 seconds, "
            "total_count=0, gpu_max_cached_mem_GB=20.250"
        )
    return text


FASTAI = """epoch     train_loss  valid_loss  accuracy  time
0         1.250125    0.900500    0.625000  02:05
Better model found at epoch 0 with valid_loss value: 0.9005.
1         0.800250    0.750125    0.750000  1:02:00
2         0.700250    nan         0.812500  00:00
"""
FASTAI_CSV = "epoch,train_loss,valid_loss,accuracy,time\n0,1.25,0.9,0.625,02:05\n1,0.8,0.75,0.75,1:02:00\n"


def explained(text: str) -> LogReport:
    return explain_log(parse_log(text))


def seconds_of(report: LogReport) -> dict[str, float]:
    return {part.kind: part.duration_s for part in report.split.parts}


def test_maxtext_tells_its_steps_and_the_one_that_compiles_is_none() -> None:
    report = explained(MAXTEXT)
    assert report.step_s == pytest.approx(2.25)
    assert report.step_count == 500
    assert sum(seconds_of(report).values()) == pytest.approx(500 * 2.25)


@pytest.mark.parametrize("line", [",", "|", " ,, ", "| |", ""])
def test_a_line_of_nothing_but_separators_is_no_row_of_a_table(line: str) -> None:
    assert parse_log(line).runtime_s is None


def test_maxtext_without_its_configuration_counts_the_steps_that_it_shows() -> None:
    assert explained(MAXTEXT.split("\n", 1)[1]).step_count == 4


def test_an_evaluation_of_maxtext_is_no_step_although_it_bears_a_clock_time() -> None:
    assert parse_log(MAXTEXT).points == []


@pytest.mark.parametrize("accumulated", [1, 4])
def test_espnet_tells_step_validation_and_loader_however_many_batches_a_step_gathers(accumulated: int) -> None:
    report = explained(espnet(accumulated))
    assert report.step_s == pytest.approx(0.25 * accumulated)
    assert report.step_count == 10 * 200 / accumulated
    told = seconds_of(report)
    assert told["validation"] == pytest.approx(25)
    # 25 ms of each batch of 250 ms
    assert told["loader"] == pytest.approx(10)
    assert sum(told.values()) == pytest.approx(125)


def test_where_espnets_clock_tells_no_whole_number_of_batches_nothing_is_said_of_the_loader() -> None:
    facts = parse_log(espnet(1).replace("train_time=0.250", "train_time=0.400"))
    assert facts.step_times_s == [0.4] * 8
    assert facts.data_times_s == []
    assert facts.total_steps is None


def test_espnet_without_clock_times_tells_steps_alone() -> None:
    text = "\n".join(line.partition("INFO: ")[2] for line in espnet(2).splitlines())
    facts = parse_log(text)
    assert facts.step_times_s == [0.5] * 8
    assert facts.data_times_s == []


def test_an_epoch_of_espnet_that_lost_lines_is_not_timed_over_the_gap() -> None:
    lines = espnet(1, epochs=1).splitlines()
    assert len(parse_log("\n".join(lines)).data_times_s) == 4
    assert len(parse_log("\n".join([*lines[:1], *lines[2:]])).data_times_s) == 2


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("1 hour, 19 minutes and 54.41 seconds", 4794.41),
        ("1 minute and 0.5 seconds", 60.5),
        ("2 days, 1 hour and 1 minute", 176460),
        ("850 milliseconds", 0.85),
    ],
)
def test_what_espnet_says_in_words_is_their_sum(words: str, seconds: float) -> None:
    text = f"3epoch results: [train] train_time=2.105, time={words}, total_count=49, [valid] acc=0.5\n"
    assert parse_log(text).runtime_s == pytest.approx(seconds)


@pytest.mark.parametrize("text", [FASTAI, FASTAI_CSV], ids=["printed", "csv"])
def test_a_table_of_epochs_adds_up_to_the_whole_and_tells_no_step(text: str) -> None:
    report = explained(text)
    assert report.step_s is None
    assert sum(seconds_of(report).values()) == pytest.approx(125 + 3720)


@pytest.mark.parametrize(
    "text",
    [
        "0         1.250125    0.900500    0.625000  02:05\n",
        "epoch train_loss valid_loss time\n0 1.25 02:05\n",
        "epoch train_loss valid_loss time\n0 1.25 0.9 2h5m\n",
        "epoch train_loss valid_loss time\n0 1.25 0.9 00:00\n",
        "epoch train_loss valid_loss\n0 1.25 02:05\n",
        "completed step: 3, seconds: nan, TFLOP/s/device: 58.8\n",
        "completed step: , seconds: 2.25\n",
        "1epoch:train:1-100batch: iter_time=0.05, forward_time=0.2\n",
        "1epoch:train:1-100batch: iter_time=0.05, train_time=nan\n",
        "1epoch:valid:1-100batch: iter_time=0.05, train_time=0.2\n",
        "1epoch results: [train] loss=1.5, time=soon, total_count=10\n",
        "1epoch results: [train] loss=1.5, time=, total_count=\n",
    ],
)
def test_a_broken_line_tells_nothing(text: str) -> None:
    with pytest.raises(InputError):
        explained(text)
