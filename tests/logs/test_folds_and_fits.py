"""Logs that train several times: folds of a cross-validation, two fits; and validation inside an iteration."""

from __future__ import annotations

import pytest

from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import LogReport, explain_log

HEADS = (
    "===== Fold {fold}/5 =====",
    "Training fold {fold} of 5",
    "5-fold cross-validation, fold: {fold}",
    "第 {fold}/5 折",
)


BAR = "100%|██████████| 900/900 [02:00<00:00,  7.5it/s]"


def told(text: str) -> tuple[LogReport, dict[str, dict[str, object]]]:
    report = explain_log(parse_log(text))
    return report, {reason.code: dict(reason.numbers) for reason in report.reasons}


def fit(epochs: int, shown: int, epoch_s: int) -> str:
    """As Keras prints it."""
    bar = f"100/100 ━━━━━━━━━━━━━━━━━━━━ {epoch_s}s {10 * epoch_s}ms/step - loss: 0.6 - val_loss: 0.5\n"
    return "".join(f"Epoch {epoch}/{epochs}\n{bar}" for epoch in range(1, shown + 1))


@pytest.mark.parametrize("head", HEADS)
def test_epochs_of_each_fold_count_anew(head: str) -> None:
    text = ""
    for fold in (1, 2, 3):
        text += head.format(fold=fold) + "\n"
        for epoch in (1, 2):
            text += "".join(
                f"Epoch [{epoch}/2], Step [{step}/100], Loss: 0.5, Time: 0.250s\n" for step in range(10, 101, 10)
            )
    report, said = told(text)
    assert said["log-folds"] == {"shown": 3, "folds": 5}
    assert (said["log-epochs-projected"]["epochs"], said["log-epochs-projected"]["steps"]) == (10, 100)
    assert (report.step_s, report.step_count) == (0.25, 1000)
    assert report.split.total_s == 250.0


def test_epochs_that_folds_sum_up_are_told_of_all_folds() -> None:
    text = "".join(
        f"Fold {fold}/5\n" + "".join(f"Epoch {epoch}/3 | train_loss: 0.5 | time: 60.0s\n" for epoch in (1, 2, 3))
        for fold in (1, 2)
    )
    report, said = told(text)
    assert report.split.total_s == 360.0
    assert said["log-whole-epochs"] == {"shown": 6, "epochs": 15, "total_s": 900.0}


def test_the_only_epoch_of_a_fold_is_not_told_again_by_the_next_fold() -> None:
    text = "".join(f"第 {fold} 折\n第 1/1 轮，训练损失 0.5，用时 {60 + fold} 秒\n" for fold in (1, 2, 3))
    report, said = told(text)
    assert report.split.total_s == 61 + 62 + 63
    assert said["log-folds"] == {"shown": 3, "folds": 0}


def test_steps_of_each_fold_count_anew_where_no_epochs_are_told() -> None:
    text = "".join(
        f"fold {fold} of 4\n" + "".join(f"step {step}/100 loss 1.2 time: 0.5s\n" for step in range(10, 101, 10))
        for fold in (1, 2)
    )
    report, _ = told(text)
    assert (report.step_count, report.split.total_s) == (400, 200.0)


def test_results_of_folds_at_the_end_are_no_folds_that_train() -> None:
    text = "".join(f"Epoch {epoch}/3 | time: 60.0s\n" for epoch in (1, 2, 3)) + "Fold 1: 0.81\nFold 2: 0.83\n"
    _, said = told(text)
    assert "log-folds" not in said


def test_of_two_fits_the_last_is_told_and_how_long_it_will_take() -> None:
    report, said = told(fit(2, 2, 10) + fit(10, 3, 30))
    assert said["log-runs"] == {"runs": 2}
    assert (report.step_s, report.step_count) == (0.3, 300)
    assert said["log-whole-projected"] == {"steps": 1000, "total_s": 300.0}


def test_fits_of_one_epoch_each_are_one_run() -> None:
    report, said = told(fit(1, 1, 10) * 5)
    assert "log-runs" not in said
    assert report.split.total_s == 50.0


def test_evaluation_before_an_iteration_is_in_its_time_as_nanogpt_prints_it() -> None:
    text = "Overriding: max_iters = 5000\n"
    for step in range(0, 1001, 10):
        if step % 250 == 0:
            text += f"step {step}: train loss 4.1234, val loss 4.2345\n"
        time_ms = 250.0 if step % 250 else 31250.0
        text += f"iter {step}: loss 4.1234, time {time_ms:.2f}ms, mfu 35.12%\n"
    report, said = told(text)
    assert report.step_s == 0.25
    assert said["log-validation-passes"]["passes"] == 20
    assert said["log-validation-passes"]["validation_s"] == pytest.approx(20 * 31.0, rel=0.01)
    assert (report.step_count, report.covers) == (5000, "run")


def test_an_iteration_after_a_validation_that_took_as_long_as_others_held_none() -> None:
    text = "".join(f"step {step}: val loss 4.2\nstep {step}: loss 4.1, time 250ms\n" for step in range(1, 9))
    text += "".join(f"step {step}: loss 4.1, time 250ms\n" for step in range(9, 20))
    facts = parse_log(text)
    assert facts.validation_passes_s == []
    assert len(facts.step_times_s) == 19


@pytest.mark.parametrize(
    ("row", "bar", "epochs"),
    [
        ("      {epoch}/100      2.1G      1.2        34        640: ", BAR, 100),
        ("      {epoch}/100      2.1G      1.2        34        640: ", "100% ━━━━━━━━━━━━ 900/900 7.5it/s 2:00", 100),
        ("        {start}/299     3.2G   0.04   121   640: ", BAR, 300),
    ],
    ids=["YOLOv8", "its newer bar", "YOLOv5 counts from zero"],
)  # fmt: skip
def test_the_rows_of_ultralytics_table_tell_how_many_epochs_there_are(row: str, bar: str, epochs: int) -> None:
    _, said = told("".join(row.format(epoch=epoch, start=epoch - 1) + bar + "\n" for epoch in (1, 2, 3)))
    assert said["log-whole-projected"] == {"steps": 900 * epochs, "total_s": pytest.approx(120.0 * epochs)}


def test_unsloths_runtime_over_its_steps_is_told_as_their_mean() -> None:
    text = (
        "   \\\\   /|    Num examples = 51,760 | Num Epochs = 1 | Total steps = 60\n"
        "{'loss': 1.8, 'grad_norm': 0.7, 'learning_rate': 0.0002, 'epoch': 0.0}\n"
        "122.4 seconds used for training.\n2.04 minutes used for training.\n"
    )
    report, said = told(text)
    assert said == {"log-step-mean": {"step_s": pytest.approx(2.04), "total_s": 122.4, "steps": 60}}
    assert (report.step_count, report.covers) == (60, "run")


def test_a_runtime_by_itself_is_told_as_what_it_is() -> None:
    report, said = told("412.3 seconds used for training.\n")
    assert said == {"log-run-alone": {"total_s": 412.3}}
    assert report.step_s is None
