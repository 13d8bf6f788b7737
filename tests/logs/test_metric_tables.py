"""Tables of metrics as wandb, TensorBoard and Ultralytics write them, and one's own, tell a step by their columns."""

from __future__ import annotations

import pytest

from advisor.core.errors import InputError
from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import explain_log

STEPS = range(0, 1000, 10)
TABLES = {
    "wandb's history": (
        "_step,_runtime,_timestamp,train/loss\n"
        + "".join(f"{step},{12 + step / 2:.3f},{1700000012 + step / 2:.6f},0.5\n" for step in STEPS),
        0.5,
        990,
    ),
    "that of a data frame, a clock alone": (
        ",_step,_timestamp,loss\n"
        + "".join(f"{row},{step},{1700000000 + step / 2:.6f},0.5\n" for row, step in enumerate(STEPS)),
        0.5,
        990,
    ),
    "rows of other metrics between": (
        "_step,_runtime,loss\n" + "".join(f"{step},{step / 2},0.5\n{step},,\n" for step in STEPS),
        0.5,
        990,
    ),
    "lines of JSON": (
        "".join(f'{{"_step": {step}, "_runtime": {3 + step / 2}, "loss": 0.5}}\n' for step in STEPS),
        0.5,
        990,
    ),
    "TensorBoard": (
        "Wall time,Step,Value\n" + "".join(f"{1700000000 + step / 4:.6f},{step},0.5\n" for step in STEPS),
        0.25,
        990,
    ),
    "clock times in words": (
        "timestamp;step;loss\n"
        + "".join(f"2026-01-05 10:{step // 60:02d}:{step % 60:02d};{step};1\n" for step in STEPS),
        1.0,
        990,
    ),
    "a time that goes on": (
        "epoch,step,loss,time\n" + "".join(f"{step // 100},{step},0.5,{step / 2:.2f}\n" for step in STEPS),
        0.5,
        990,
    ),
    "a step's own time": (
        "step,loss,step_time\n" + "".join(f"{step},0.5,{0.5 + step % 3 / 100}\n" for step in STEPS),
        0.51,
        990,
    ),
    "batches of epochs, each with its own time": (
        "epoch,batch,loss,batch_time\n" + "".join(f"{step // 100},{step % 100},0.5,0.5\n" for step in STEPS),
        0.5,
        900,  # the last that an epoch tells is 90
    ),
    "in milliseconds": (
        "iter\tloss\titer_time (ms)\n" + "".join(f"{step}\t0.5\t{512}\n" for step in STEPS),
        0.512,
        990,
    ),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_of_metrics_tells_its_step_and_how_many_there_are(kind: str) -> None:
    text, step_s, steps = TABLES[kind]
    report = explain_log(parse_log(text))
    assert report.step_s == pytest.approx(step_s)
    assert (report.step_count, report.covers) == (steps, "log")


def test_what_interrupts_the_rows_of_a_clock_is_a_pause() -> None:
    rows = [(step, step / 2 + step // 250 * 60) for step in STEPS]
    report = explain_log(parse_log("_step,_runtime,loss\n" + "".join(f"{step},{time},1\n" for step, time in rows)))
    assert report.step_s == pytest.approx(0.5)
    assert {part.kind: round(part.duration_s) for part in report.split.parts} == {"training": 495, "validation": 180}


@pytest.mark.parametrize(
    "times", [[62.5, 125.0, 187.5], [62.0, 63.0, 62.5]], ids=["Ultralytics' clock goes on", "each epoch's own"]
)
def test_a_table_of_epochs_tells_what_each_took(times: list[float]) -> None:
    rows = "".join(f"  {epoch},  {time},  1.2\n" for epoch, time in enumerate(times, 1))
    facts = parse_log(f"  epoch,   time,  train/box_loss\n{rows}")
    assert sum(seconds for _, seconds in facts.epochs_s) == 187.5
    assert len(facts.epochs_s) == 3


def test_fastais_table_of_clock_times_is_read_as_before() -> None:
    facts = parse_log("epoch,train_loss,valid_loss,time\n0,0.5,0.4,01:02\n1,0.4,0.3,01:03\n")
    assert [seconds for _, seconds in facts.epochs_s] == [62.0, 63.0]


@pytest.mark.parametrize(
    "text",
    [
        '"Step","run - loss","run - loss__MIN"\n"0","1","1"\n"10","1","1"\n',
        "epoch,step,train_loss\n0,49,0.5\n0,99,0.4\n",
    ],
    ids=["a chart of wandb", "Lightning's CSVLogger"],
)
def test_a_table_without_times_is_refused_by_its_columns(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_log(text)
    assert "`Step`" in refused.value.text or "`epoch`, `step`, `train_loss`" in refused.value.text
    assert "_timestamp" in refused.value.remedy


def test_a_line_with_commas_begins_no_table() -> None:
    text = "2026-01-05 10:00:00,123 step, loss, time\n" + "".join(f"step {n} time: 0.5, loss: 1\n" for n in range(1, 9))
    assert explain_log(parse_log(text)).step_s == 0.5
