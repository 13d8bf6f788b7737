"""What a log's run lasts: epochs and steps to come, steps made before, other runs, ranks that tell the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from advisor.core.sentences import say
from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import LogReport, explain_log
from tests.logs.test_training_log import report


def seconds(found: LogReport, kind: str) -> float:
    return next((part.duration_s for part in found.split.parts if part.kind == kind), 0.0)


def clock(of_s: float) -> str:
    return str(timedelta(seconds=int(of_s)))


def timm(epochs: int, head: str = "Scheduled epochs: 300. LR stepped per epoch.") -> str:
    lines = [head]
    for epoch in range(epochs):
        lines += [
            f"Train: {epoch} [{step:>4d}/1000 ({step // 10:>3}%)]  Loss: 6.95 (6.95)  "
            f"Time: 0.400s,  640.0/s  (0.420s,  609.5/s)  LR: 1.000e-05  Data: 0.010 (0.014)"
            for step in range(0, 1000, 50)
        ]
        lines += [f"Test: [{step:>4d}/99]  Time: 0.150 (0.160)  Loss: 6.9 (6.9)" for step in (*range(0, 99, 10), 99)]
    return "\n".join(lines)


def test_where_nothing_is_loud_the_largest_part_beside_training_is_named() -> None:
    (calm,) = [reason for reason in report(timm(2)).reasons if reason.code == "log-nothing-loud"]
    whole = 1000 * 0.400 + 100 * 0.160
    assert calm.numbers["part"] == "validation"
    assert calm.figure("share_fraction") == pytest.approx(16.0 / whole)
    assert "next comes validation with 4 %" in say(calm, "en")
    assert "其次是验证" in say(calm, "zh")


def test_steps_of_timm_are_an_epochs_and_its_validation_is_counted_by_its_steps() -> None:
    found = report(timm(2))
    assert (found.step_count, found.covers) == (300 * 1000, "run")
    assert seconds(found, "validation") == pytest.approx(300 * 100 * 0.160)
    assert found.reasons[-1].code == "log-epochs-projected"
    assert found.reasons[-1].numbers["passes"] == 300


def test_where_the_number_of_epochs_is_not_told_the_figures_are_of_one() -> None:
    found = report(timm(2, head=""))
    assert (found.step_count, found.covers) == (1000, "epoch")
    assert found.split.total_s == pytest.approx(1000 * 0.4 + 16)
    assert found.reasons[-1].code == "log-epoch-projected"


def test_validation_that_takes_much_of_each_epoch_is_said_of_the_epoch() -> None:
    found = report(timm(2, head="").replace("(0.160)", "(1.600)"))
    assert [reason.code for reason in found.reasons] == ["log-validation-epoch", "log-epoch-projected"]
    assert found.reasons[0].figure("share_fraction") == pytest.approx(160 / 560)


def mmengine(epochs: int, of: int = 12) -> str:
    lines, now = [], datetime(2026, 1, 5, 10, tzinfo=UTC)
    for epoch in range(1, epochs + 1):
        for step in range(50, 1001, 50):
            now += timedelta(seconds=50)
            left = clock((of - epoch) * 1000 + 1000 - step)
            stamp = f"{now:%Y/%m/%d %H:%M:%S} - mmengine - INFO -"
            lines.append(f"{stamp} Epoch(train)  [{epoch}][{step:>4}/1000]  eta: {left}  time: 1.0000  data_time: 0.01")
        lines += [
            f"{stamp} Epoch(val)    [{epoch}][{step}/200]    eta: 0:00:31  time: 0.5000" for step in (50, 100, 150)
        ]
        lines.append(f"{stamp} Epoch(val) [{epoch}][200/200]    coco/bbox_mAP: 0.31  data_time: 0.001  time: 0.5000")
    return "\n".join(lines)


@pytest.mark.parametrize("epochs", [1, 3, 12])
def test_what_mmengine_expects_to_be_left_tells_how_many_epochs_there_are(epochs: int) -> None:
    found = report(mmengine(epochs))
    assert (found.step_count, found.covers) == (12_000, "run")
    assert seconds(found, "validation") == pytest.approx(12 * 100)
    assert found.split.total_s == pytest.approx(12_000 + 1200)


def torchvision(epochs: int, tail: str) -> str:
    lines = ["Namespace(model='resnet50', epochs=90, lr_warmup_epochs=5, print_freq=100)"]
    for epoch in range(epochs):
        lines += [
            f"Epoch: [{epoch}]  [{step:>4}/1000]  eta: {clock((1000 - step) / 2)}  lr: 0.1  img/s: 256.0  "
            "loss: 6.9 (6.9)  time: 0.5000  data: 0.0100  max mem: 9000"
            for step in range(0, 1000, 100)
        ]
        lines.append(f"Epoch: [{epoch}] Total time: 0:08:20")
        lines += [f"Test:   [{step:>3}/300]  eta: 0:01:02  loss: 5.1 (5.1)  time: 0.2000" for step in (0, 100, 200)]
        lines += ["Test:  Total time: 0:01:00", "Test:  Acc@1 12.100 Acc@5 30.500"]
    return "\n".join([*lines, tail])


def test_torchvisions_scripts_tell_epochs_validation_and_what_the_whole_took() -> None:
    running = report(torchvision(2, ""))
    assert (running.step_count, running.covers) == (90_000, "run")
    assert seconds(running, "validation") == pytest.approx(90 * 60)
    ended = report(torchvision(90, "Training time 15:00:10"))
    assert (ended.step_count, ended.covers) == (90_000, "run")
    assert ended.split.total_s == pytest.approx(54_010)
    assert seconds(ended, "validation") == pytest.approx(90 * 60)


@pytest.mark.parametrize("first", [1, 0])
def test_validation_of_pytorchs_example_is_counted_by_the_mean_of_its_steps(first: int) -> None:
    lines = [f"Epoch: [0][{step:>4}/5000]\tTime  0.250 (  0.260)\tData  0.010 (  0.012)" for step in range(1, 5000, 10)]
    lines += [f"Test: [{step:>3}/200]\tTime  0.850 (  1.000)\tLoss 6.9e+00" for step in range(first, 200, 10)]
    found = report("\n".join(lines))
    assert found.covers == "epoch"
    assert seconds(found, "validation") == pytest.approx(200)


def test_a_bar_of_keras_that_no_epoch_was_announced_for_is_an_evaluation() -> None:
    epochs = "".join(f"Epoch {epoch}/2\n1875/1875 ━━━━━━━━━━ 60s 32ms/step - loss: 0.1\n" for epoch in (1, 2))
    found = report(epochs + "313/313 ━━━━━━━━━━ 2s 5ms/step - accuracy: 0.97 - loss: 0.08\n")
    assert found.step_count == 3750
    assert found.step_s == pytest.approx(60 / 1875)
    assert parse_log(epochs + "313/313 ━━━━━━━━━━ 2s 5ms/step - loss: 0.08\n").validation_passes_s == [2.0]


def megatron(first: int, timer: str = "(45000.11, 45003.20)") -> str:
    lines = []
    for step in range(first, first + 500, 100):
        lines.append(
            f" [2026-01-05 10:00:00] iteration {step:>8}/  500000 | consumed samples: {step * 256:>12} | "
            "elapsed time per iteration (ms): 800.0 | lm loss: 2.1E+00 |"
        )
        if step % 500 == 0:
            lines.append(f"(min, max) time across ranks (ms):\n    evaluate {'.' * 39}: {timer}")
            lines.append(f" validation loss at iteration {step} | lm loss value: 2.1E+00 | ")
    return "\n".join(lines)


@pytest.mark.parametrize("timer", ["(45000.11, 45003.20)", "45003.20"])
def test_steps_made_before_a_log_began_are_not_counted_in_it_and_megatrons_timers_tell_its_evaluations(
    timer: str,
) -> None:
    found = report(megatron(45_100, timer))
    assert found.step_count == 455_000
    assert found.reasons[-1].code == "log-steps-resumed"
    assert found.reasons[-1].numbers["first_step"] == 45_000
    assert seconds(found, "validation") == pytest.approx(455_000 / 500 * 45.0032)
    assert report(megatron(100)).step_count == 500_000


def bars(ranks: int, epochs: int, lag: int, head: str) -> str:
    """Bars of epochs of 300 steps of 0.25 s, the ranks that many steps apart."""
    states = [
        (300.0 * 0.25 * epoch + (step + rank * lag) * 0.25, rank, epoch, step)
        for rank in range(ranks)
        for epoch in range(epochs)
        for step in range(301)
    ]
    return "".join(
        f"\r{head.format(epoch=epoch + 1)}{step // 3:3d}%|# | {step}/300 [{step // 240:02d}:{step // 4 % 60:02d}<00:09"
        for _, _, epoch, step in sorted(states)
    )


@pytest.mark.parametrize("head", ["", "Epoch {epoch}: ", "Epoch {epoch}/3: "])
@pytest.mark.parametrize(("ranks", "lag"), [(1, 0), (2, 1), (4, 0), (4, 3), (2, 20)])
def test_bars_of_ranks_that_lag_one_another_are_of_the_same_steps(head: str, ranks: int, lag: int) -> None:
    found = report(bars(ranks, 3, lag, head))
    assert found.step_count == pytest.approx(900, abs=3)
    assert found.step_s == pytest.approx(0.25, rel=0.02)
    assert found.split.total_s == pytest.approx(225, abs=3)


def test_lines_that_bear_a_rank_are_read_of_one() -> None:
    text = "".join(f"[rank{rank}]: Epoch 1/3 time: 60.0 s\n[rank{rank}]: validation took 10 s\n" for rank in range(4))
    assert parse_log(text).runtime_s == 60
    assert parse_log(text).validation_passes_s == [10.0]


def test_an_epoch_that_several_ranks_sum_up_is_one() -> None:
    assert parse_log("Epoch 1/3 time: 61s\nEpoch 1/3 time: 60s\nEpoch 2/3 time: 62s\n").runtime_s == 123


@pytest.mark.parametrize(
    ("lines", "step_s", "steps"),
    [
        (
            '{{"current_steps": {step}, "total_steps": 1000, "lr": 5e-05, "elapsed_time": "{clock}", "loss": 1.2}}',
            5.0,
            300,
        ),
        ("| epoch   1 | {step:5d}/ 1000 batches | lr 20.00 | ms/batch 12.50 | loss  7.63 | ppl  2063.30", 0.0125, 1000),
        ("Step {step}: loss 2.1. Time per 100 steps: 12.5 s", 0.125, 300),
        ("第 {step} 步，损失 2.1，每 100 步耗时 12.5 秒", 0.125, 300),
        ("100 steps took 12.5 s", 0.125, None),
        ("Time per 100 steps: 12.5 s", 0.125, None),
        ("2026/01/05 10:00:00 - INFO - Iter(train) [{step:>6}/160000]  time: 0.2500  data_time: 0.01", 0.25, 160_000),
    ],
    ids=["LLaMA-Factory", "language model", "of many", "中文", "without numbers", "nor a step", "mmengine by steps"],
)  # fmt: skip
def test_further_ways_to_tell_a_step_are_read(lines: str, step_s: float, steps: int | None) -> None:
    found = report("\n".join(lines.format(step=step, clock=clock(step * 5)) for step in range(10, 301, 10)))
    assert found.step_s == pytest.approx(step_s)
    assert found.step_count == steps


def test_a_part_of_a_run_says_how_long_the_whole_takes() -> None:
    bar = "".join(f"\r{step // 10}%|# | {step}/1000 [{step // 60:02d}:{step % 60:02d}<10:00" for step in range(401))
    found = report(bar)
    assert found.step_count == 400
    assert found.reasons[-1].code == "log-whole-projected"
    assert found.reasons[-1].figure("total_s") == pytest.approx(1000)


def trainer(runs: int, *, evaluated: bool) -> str:
    """As transformers' Trainer prints: a bar of the run, bars of evaluations without a name inside it and after it."""
    inner = "\n100%|####| 28/28 [00:04<00:00,  6.2it/s]\n"
    result = "{'eval_loss': 0.2, 'eval_runtime': 5.0, 'eval_steps_per_second': 5.6}\n"
    text = ""
    for run in range(runs):
        text += "".join(
            f"\r{step // 8}%|## | {step}/800 [{step * 3 // 8 // 60:02d}:{step * 3 // 8 % 60:02d}<01:00"
            + ("\n{'loss': 0.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n" if step % 100 == 0 and step else "")
            + (inner + result if step in (400, 800) and evaluated else "")
            for step in range(801)
        )
        text += f"\n{{'train_runtime': {310 + run}, 'train_steps_per_second': 2.58, 'train_loss': 0.4}}\n"
        text += "\r100%|####| 800/800 [05:10<00:00, 2.58it/s]\n" + inner
    return text


@pytest.mark.parametrize("evaluated", [True, False])
@pytest.mark.parametrize("runs", [1, 2, 3])
def test_of_several_runs_in_a_log_the_last_is_told_and_that_it_is_so(runs: int, *, evaluated: bool) -> None:
    found = report(trainer(runs, evaluated=evaluated))
    assert (found.step_count, found.covers) == (800, "run")
    assert found.split.total_s == pytest.approx(309 + runs)
    assert seconds(found, "validation") == pytest.approx(10 if evaluated else 0)
    assert [reason.numbers["runs"] for reason in found.reasons if reason.code == "log-runs"] == [runs] * (runs > 1)


def test_steps_that_go_on_over_epochs_are_the_runs() -> None:
    lines = [f"epoch {step // 100} step {step}/1000 time: 0.5" for step in range(10, 500, 10)]
    found = report("\n".join(lines))
    assert (found.step_count, found.covers) == (1000, "run")
    lines = [f"epoch {epoch} step {step}/100 time: 0.5" for epoch in (1, 2) for step in range(10, 101, 10)]
    assert report("\n".join(lines)).covers == "epoch"


@pytest.mark.parametrize(
    ("lines", "epochs", "total_s"),
    [
        ("第 {epoch}/10 轮 训练损失: 0.5 验证损失: 0.4 用时: 61秒", 10, 610),
        ("第{epoch}个epoch训练完成，耗时1分1秒", None, 183),
        ("Epoch {epoch}, Loss: 0.5, Time: 61.0s", None, 183),
        ("Epoch {epoch:03d}/100 | train loss 0.5 | val loss 0.4 | 61.0 s", 100, 6100),
        ("Epoch [{epoch}/10], Loss: 0.5, Time: 1m 1s", 10, 610),
        ("Epoch {epoch}/10 completed in 61.00 seconds", 10, 610),
    ],
)
def test_lines_of_epochs_alone_tell_the_whole_and_say_that_they_tell_nothing_within(
    lines: str, epochs: int | None, total_s: float
) -> None:
    found = report("\n".join(lines.format(epoch=epoch) for epoch in (1, 2, 3)))
    assert found.split.total_s == pytest.approx(183)
    assert (found.step_s, found.covers, found.reasons[0].code) == (None, "log", "log-epochs-alone")
    assert [reason.figure("total_s") for reason in found.reasons[1:]] == [pytest.approx(total_s)] * (epochs is not None)


def test_a_validation_time_beside_an_epochs_is_a_pass_of_its_own() -> None:
    facts = parse_log("\n".join(f"Epoch {epoch}/10，训练耗时：60.0秒，验证耗时：12.0秒" for epoch in (1, 2)))
    assert facts.validation_passes_s == [12.0, 12.0]
    assert facts.runtime_s == 144


@pytest.mark.parametrize("times", [(0.25, 0.25, 0.25), (0.26, 0.24, 0.25)])
def test_times_that_do_not_grow_with_the_steps_are_their_own_and_the_report_says_so(times: tuple[float, ...]) -> None:
    found = report(
        "\n".join(
            f"第 {epoch}/10 轮, 批次 {50 * (line + 1)}/500, 耗时: {times[line % 3]}秒"
            for epoch in (1, 2)
            for line in range(10)
        )
    )
    assert found.step_s == pytest.approx(0.25)
    assert found.step_count == 5000
    assert found.reasons[0].code == "log-own-times"
    assert found.reasons[0].numbers["steps"] == 50


def test_a_log_that_tells_steps_times_alone_is_not_said_to_show_that_nothing_else_takes_long() -> None:
    lines = [f"iteration {step}/1000 step_time: 0.5" for step in range(10, 100, 10)]
    assert [reason.code for reason in report("\n".join(lines)).reasons] == ["log-nothing-told", "log-steps-projected"]


def test_what_is_left_tells_the_runs_steps_where_no_total_is_told() -> None:
    lines = [f"eta: {clock((9000 - step) * 0.5)}  iter: {step}  time: 0.5000  data_time: 0.01" for step in (19, 39, 59)]
    found = report("\n".join([*lines, "Total inference time: 0:05:00.000000 (0.06 s / iter per device, on 8 devices)"]))
    assert found.step_count == pytest.approx(9000, abs=2)
    assert found.covers == "run"
    assert parse_log("Total inference time: 0:05:00.5 (0.06 s / iter)").validation_passes_s == [300.5]


@pytest.mark.parametrize("redrawn", [20, 25])
def test_a_pass_after_its_epochs_bar_ended_is_beside_it_unless_the_bars_clock_went_on(redrawn: int) -> None:
    epochs = "".join(
        f"Epoch {epoch}: 100%|##| 100/100 [00:20<00:00, 5.0it/s]\nValidation: 100%|##| 50/50 [00:05<00:00, 10.0it/s]\n"
        f"Epoch {epoch}: 100%|##| 100/100 [00:{redrawn}<00:00, 5.0it/s]\n"
        for epoch in (1, 2, 3)
    )
    found = report(epochs)
    assert found.split.total_s == pytest.approx(75)
    assert seconds(found, "validation") == pytest.approx(15)


def test_the_table_that_an_older_yolo_fills_is_a_validation() -> None:
    epoch = (
        "   {}/299     3.2G   0.04   121   640: 100%|##| 900/900 [02:00<00:00,  7.5it/s]\n"
        "   Class   Images   Labels   P   R   mAP@.5 mAP@.5:.95: 100%|##| 40/40 [00:12<00:00,  3.3it/s]\n"
    )
    assert parse_log("".join(map(epoch.format, range(3)))).validation_passes_s == [12.0] * 3
    assert report(epoch * 3).step_count == 2700


def test_a_unit_in_brackets_behind_the_name_of_a_time_is_read() -> None:
    assert parse_log("steps: 10 loss: 0.5 iter time (s): 1.250 samples/sec: 25.6\n").step_times_s == [1.25]


def test_a_share_of_an_epoch_is_not_its_number() -> None:
    facts = parse_log("".join(f"\rEpoch: {done}%|#| {done}/100 [00:{done // 4:02d}<00:09" for done in range(0, 101, 4)))
    assert {mark.epoch for mark in facts.marks} == {None}
    assert explain_log(facts).step_count == 100
