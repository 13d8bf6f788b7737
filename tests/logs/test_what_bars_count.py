"""A bar's unit tells whether it counts steps, samples or epochs, and a notebook's bar is one of Trainer's."""

from __future__ import annotations

import pytest

from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import LogReport, explain_log


def report(text: str) -> LogReport:
    return explain_log(parse_log(text))


def said(found: LogReport) -> dict[str, dict[str, object]]:
    return {reason.code: dict(reason.numbers) for reason in found.reasons}


@pytest.mark.parametrize("unit", ["img", " images", "samples", "tok", " 张", "样本"])
def test_a_bar_of_samples_tells_what_a_sample_takes_and_no_step(unit: str) -> None:
    found = report(f"100%|██████████| 50000/50000 [01:02<00:00, 806.45{unit}/s]\n")
    assert (found.step_s, found.step_count) == (None, None)
    assert said(found)["log-sample-alone"] == {"sample_s": pytest.approx(62 / 50000), "samples": 806}


def test_a_validation_that_counts_pictures_leaves_training_its_steps() -> None:
    train = "Epoch 0: 100%|###| 500/500 [05:00<00:00,  1.67it/s]\n"
    found = report(train + "Validation: 100%|###| 5000/5000 [00:30<00:00, 166.7img/s]\n")
    assert (found.step_s, found.step_count) == (0.6, 500)


def test_a_sample_of_more_than_a_second_has_no_rate() -> None:
    found = report("100%|██████████| 64/64 [05:21<00:00, 5.00s/img]\n")
    assert said(found)["log-sample-alone"] == {"sample_s": pytest.approx(321 / 64), "samples": 0}


def test_samples_of_all_epochs_are_told_where_one_of_them_is_shown() -> None:
    found = report("Epoch 1/10: 100%|██████████| 50000/50000 [01:02<00:00, 806.45img/s, loss=0.3]\n")
    assert said(found)["log-whole-samples"] == {"samples": 500_000, "total_s": pytest.approx(620.0)}


@pytest.mark.parametrize("unit", ["it", "batch", "step", "步"])
def test_a_bar_of_steps_tells_them_by_whatever_it_calls_them(unit: str) -> None:
    found = report(f"100%|██████████| 500/500 [05:21<00:00,  1.56{unit}/s]\n")
    assert found.step_s == pytest.approx(0.642)
    assert found.step_count == 500


@pytest.mark.parametrize(
    "bar",
    [
        "100%|███| 3/3 [05:21<00:00, 107.00s/epoch]",
        "Epochs: 100%|███| 3/3 [05:21<00:00, 107.00s/it]",
        "Epoch: 100%|███| 3/3 [05:21<00:00, 107.00s/it]",
        "训练轮次: 100%|███| 3/3 [05:21<00:00, 107.00s/轮]",
    ],
)
def test_a_bar_of_epochs_tells_of_no_step(bar: str) -> None:
    found = report(bar + "\n")
    assert found.step_s is None
    assert said(found) == {"log-epochs-alone": {"epochs": 3, "total_s": pytest.approx(321.0)}}


def test_a_bar_of_steps_called_epoch_that_is_quick_counts_steps() -> None:
    assert report("Epoch: 100%|##| 1000/1000 [05:00<00:00, 3.3it/s]\n").step_count == 1000


def test_bars_of_steps_below_a_bar_of_epochs_are_an_epoch_each() -> None:
    inner = "Iteration: 100%|██████| 500/500 [01:45<00:00,  4.76it/s]\n"
    outer = "Epoch:  33%|███| {}/3 [{:02d}:00<03:34, 107.00s/it]\n"
    found = report(inner + outer.format(1, 2) + inner + outer.format(2, 4))
    assert found.step_s == pytest.approx(0.21)
    assert (found.step_count, found.covers) == (1000, "log")
    assert said(found)["log-whole-projected"] == {"steps": 1500, "total_s": pytest.approx(315.0)}


def test_a_bar_that_is_seen_once_tells_its_own_rate() -> None:
    found = report("Epoch 0:   8%|▊         | 40/500 [00:20<03:50,  2.00it/s, v_num=0]\n")
    assert (found.step_s, found.step_count) == (0.5, 40)


def test_a_bar_whose_clock_stands_still_has_no_total_of_its_own() -> None:
    found = report("30%|███       | 3000/5000 [00:00<00:00, 5000.00it/s]\n")
    assert found.split.total_s == pytest.approx(0.6)


NOTEBOOK = """ [ 500/500 05:21, Epoch 2/2]
Epoch\tTraining Loss\tValidation Loss
1\tNo log\t0.412
2\t0.501\t0.399
 [50/50 00:05]
"""


def test_a_notebook_keeps_the_bar_of_training_and_the_newest_one_of_evaluation() -> None:
    found = report(NOTEBOOK)
    assert found.step_s == pytest.approx(321 / 500)
    assert found.step_count == 500
    assert {part.kind: part.duration_s for part in found.split.parts} == {
        "training": pytest.approx(311.0),
        "validation": pytest.approx(10.0),
    }


def test_an_unfinished_bar_of_a_notebook_tells_its_steps_and_all_of_them() -> None:
    found = report(" [150/500 01:30 < 03:30, 1.66 it/s, Epoch 0.90/3]\n")
    assert found.step_s == pytest.approx(0.6)
    assert found.step_count == 150
    assert said(found)["log-whole-projected"] == {"steps": 500, "total_s": pytest.approx(300.0)}


NEMO = "Training epoch 0, iteration {0}/99 | lr: 1e-4 | global_step: {0} | train_step_timing in s: 0.51\n"


@pytest.mark.parametrize("shown", [4, 10])
def test_steps_numbered_from_zero_up_to_the_last_number_are_one_more(shown: int) -> None:
    found = report("".join(NEMO.format(10 * step + 9) for step in range(shown)))
    assert found.step_s == pytest.approx(0.51)
    assert found.step_count == 100


def test_steps_numbered_from_one_are_as_many_as_they_count_to() -> None:
    lines = "".join(f"iteration {10 * step}/99 | train_step_timing in s: 0.51\n" for step in range(1, 10))
    assert report(lines).step_count == 99


def test_a_bar_that_is_drawn_again_after_its_validation_was_no_slower_for_it() -> None:
    """Lightning's bar goes on with its clock while another one validates, and no step is made."""
    epoch = (
        "Epoch {0}: 100%|###| 500/500 [01:40<00:00,  5.00it/s]\n"
        "Validation DataLoader 0: 100%|###| 50/50 [00:05<00:00, 10.0it/s]\r"
        "Epoch {0}: 100%|###| 500/500 [01:47<00:00,  4.67it/s]\n"
    )
    found = report(epoch.format(0) + epoch.format(1))
    assert (found.step_s, found.step_count) == (0.2, 1000)
    assert found.split.total_s == pytest.approx(214.0)
    assert {part.kind: part.duration_s for part in found.split.parts}["validation"] == pytest.approx(10.0)


@pytest.mark.parametrize(
    "line",
    [
        "Train epoch time: 93000.5 ms, per step time: 250.0 ms\n",
        "I0601 10:00:06.123456 140000 logging_writer.py:48] [100] accuracy=0.1, steps_per_second=4.0\n",
        '{"train/steps_per_sec": 4.0, "loss": 0.3}\n',
    ],
)
def test_the_mean_of_steps_that_a_summary_names_is_read(line: str) -> None:
    assert report(line * 2).step_s == pytest.approx(0.25)


def test_the_rate_of_an_evaluation_is_no_steps() -> None:
    assert parse_log("{'eval_loss': 0.4, 'eval_steps_per_second': 12.0}\n").step_times_s == []
