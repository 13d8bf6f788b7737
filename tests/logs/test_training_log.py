"""Training logs as people have them: where the time goes and what to change first."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.claims.predictor import candidate
from advisor.core.errors import InputError
from advisor.core.sentences import say
from advisor.logs import log_lines
from advisor.logs.log_lines import parse_log, read_log
from advisor.logs.periodic_validation import PeriodicValidation
from advisor.logs.training_log import LogReport, explain_log
from tests.recommend.fakes import SPECS, TRANSFORMER, estimate, predict, workload


def report(text: str, step_s: float | None = None) -> LogReport:
    prediction = predict(candidate(SPECS["rtx3090"], "fp32", 16), TRANSFORMER, workload())
    expected = None if step_s is None else msgspec.structs.replace(prediction, step_s=estimate(step_s))
    found = explain_log(parse_log(text), expected)
    assert sum(part.duration_s for part in found.split.parts) == pytest.approx(found.split.total_s)
    for reason in found.reasons:
        assert say(reason, "en")
        assert say(reason, "zh")
    return found


def share(found: LogReport, kind: str) -> float:
    return next((part.share_fraction for part in found.split.parts if part.kind == kind), 0.0)


def clock(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


VALIDATING = "\n".join(
    f"Iter: {step:>6},  Train Loss:  0.31,  Train Acc: 90.62%,  Val Loss:  0.4,  Val Acc: 88.0%,  "
    f"Time: {clock(134 + round(step * 1.8504))} *"
    for step in range(0, 5301, 100)
)


def test_the_log_that_validates_every_100_steps_spends_72_percent_on_it() -> None:
    found = report(VALIDATING)
    assert share(found, "validation") == pytest.approx(0.72, abs=0.01)
    assert [reason.code for reason in found.reasons] == ["log-validation-share", "log-validate-less"]
    assert found.reasons[1].numbers["better_steps"] == 1000
    assert found.reasons[1].figure("better_total_s") == pytest.approx(3420, rel=0.02)
    assert found.step_s == pytest.approx(0.51, rel=0.02)


def test_a_stated_pass_is_believed_before_the_first_step() -> None:
    found = report("Evaluating took 20 s\n" + VALIDATING)
    assert share(found, "validation") == pytest.approx(20 / 185, rel=0.05)
    assert [reason.code for reason in found.reasons] == ["log-nothing-loud"]


def test_a_step_is_compared_with_its_prediction() -> None:
    assert "log-step-slow" in {reason.code for reason in report(VALIDATING, 0.1).reasons}
    assert "log-step-normal" in {reason.code for reason in report(VALIDATING, 0.5).reasons}


def test_tqdm_bars_of_training_and_evaluation_are_told_apart() -> None:
    lines = [f"Epoch 1:  {n}%|##  | {n * 10}/1000 [{n // 6:02d}:{n % 6 * 10:02d}<10:00,  1.0it/s]" for n in range(101)]
    lines += ["Evaluating: 100%|####| 50/50 [10:00<00:00, 12.0s/it]", "Evaluating:  10%|#| 5/50 [00:30<04:00, 1.2s/it]"]
    lines += [f"Epoch 2:  {n}%|##  | {n * 10}/1000 [{n // 6:02d}:{n % 6 * 10:02d}<10:00,  1.0it/s]" for n in range(101)]
    found = report("\r".join(lines))
    assert found.step_count == 2000
    assert found.step_s == pytest.approx(1.0)
    assert found.split.total_s == pytest.approx(2600), "the first bar had ended when the evaluation began"
    assert share(found, "validation") == pytest.approx(600 / 2600)
    assert found.reasons[0].code == "log-validation-passes"


def test_a_log_that_kept_only_the_last_state_of_each_bar_holds_every_epoch() -> None:
    epoch = ["Epoch: 100%|##| 1000/1000 [05:00<00:00, 3.3it/s]", "eval: 100%|##| 200/200 [10:00<00:00, 3.0s/it]"]
    found = report("\n".join(epoch * 2))
    assert found.step_count == 2000
    assert found.step_s == pytest.approx(0.3)
    assert found.split.total_s == pytest.approx(1800)
    assert share(found, "validation") == pytest.approx(2 / 3)


def test_pauses_between_steps_are_found_where_the_log_does_not_name_them() -> None:
    elapsed, lines = 0.0, []
    for step in range(0, 2001, 50):
        elapsed += 10.0 + (200.0 if step and step % 500 == 0 else 0.0)
        lines.append(f"step {step}/2000 loss 0.3 elapsed {elapsed:.1f} s")
    found = report("\n".join(lines))
    assert found.step_s == pytest.approx(0.2)
    assert found.reasons[0].code == "log-pauses"
    assert share(found, "validation") == pytest.approx(800 / elapsed, rel=0.01)


@pytest.mark.parametrize(
    "line",
    [
        "Epoch [1][{n}/1000] lr: 0.01, eta: 1:00:00, time: 0.500, data_time: 0.300, memory: 4000, loss: 0.2",
        "Epoch: [0][{n}/1000]\tTime  0.500 ( 0.501)\tData  0.300 ( 0.300)\tLoss 6.9",
        "iter {n} step_time: 500 ms data: 300 ms",
    ],
)
def test_a_loader_that_takes_most_of_a_step_is_the_first_thing_to_change(line: str) -> None:
    found = report("\n".join(line.format(n=n) for n in range(0, 1000, 50)))
    assert found.step_s == pytest.approx(0.5)
    assert share(found, "loader") == pytest.approx(0.6)
    assert found.reasons[0].code == "log-loader"
    assert found.reasons[0].figure("gain_s") == pytest.approx(0.3)


def test_the_runtimes_of_a_trainer_are_understood() -> None:
    text = "\n".join(["{'eval_loss': 0.3, 'eval_runtime': 100.0, 'epoch': 1.0}"] * 3 + ["{'train_runtime': 1000.0}"])
    found = report(text)
    assert found.split.total_s == 1000
    assert share(found, "validation") == pytest.approx(0.3)
    assert found.step_s is None


def test_a_quiet_log_says_that_nothing_but_training_takes_time() -> None:
    found = report("\n".join(f"step {step} elapsed {step} s" for step in range(1, 100)))
    assert [reason.code for reason in found.reasons] == ["log-nothing-loud", "log-step-alone"]
    chinese = report("\n".join(f"第 {step} 步 耗时 {step} 秒" for step in range(1, 100)))
    assert chinese.step_s == pytest.approx(1.0)
    minutes = report("\n".join(f"step {step} total_time: {step} min" for step in range(1, 9)))
    assert minutes.step_s == pytest.approx(60.0)


def test_repeated_lines_and_days_are_understood() -> None:
    text = "step 1 elapsed 10 s\nstep 1 elapsed 12 s\nstep 2 elapsed 20 s\n10%|#| 3/4 [1 day, 0:00:00<1:00, 1it/s]"
    assert parse_log(text).points[-1] == (3, 86400.0)
    assert report("step 1 elapsed 10 s\nstep 1 elapsed 12 s\nstep 2 elapsed 20 s").step_s == pytest.approx(8.0)


def test_validation_marks_that_do_not_repeat_are_no_interval() -> None:
    text = "step 100 val loss 1 elapsed 10 s\nstep 200 val loss 1 elapsed 20 s\nstep 300 val loss 1 elapsed 30 s"
    assert report(text).reasons[0].code == "log-nothing-loud"
    longer = "step 0 val loss 1 elapsed 99 s\nstep 10 val loss 1 elapsed 109 s\nstep 20 val loss 1 elapsed 119 s"
    assert report(longer).split.total_s == 119
    again = "step 0 val elapsed 9 s\nstep 10 val elapsed 19 s\nstep 0 val elapsed 9 s\nstep 10 val elapsed 19 s"
    assert report(again).step_count == 20


def test_rare_validation_is_moved_only_as_far_as_needed() -> None:
    heavy = PeriodicValidation(interval_s=1000.0, validation_s=990.0, every_steps=10, step_count=1000)
    assert heavy.better_every_steps > 100
    assert heavy.total_at_s(heavy.better_every_steps) < heavy.total_s / 5
    light = PeriodicValidation(interval_s=100.0, validation_s=5.0, every_steps=10, step_count=1000)
    assert light.reasons() == ()


@pytest.mark.parametrize("text", ["", "hello", "loss 0.3\nlearning rate 1e-4", "validation done"])
def test_a_log_without_times_is_refused_with_the_formats_that_are_read(text: str) -> None:
    with pytest.raises(InputError) as refused:
        explain_log(parse_log(text))
    assert "tqdm" in refused.value.remedy


def test_a_log_file_is_read_up_to_its_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.log"
    path.write_text("step 1 elapsed 1 s\nstep 2 elapsed 2 s\n" + "x" * 5000, encoding="utf-8")
    assert read_log(path).points == [(1, 1.0), (2, 2.0)]
    with pytest.raises(InputError):
        read_log(tmp_path / "missing.log")
    monkeypatch.setattr(log_lines, "MAX_LINES", 10)
    assert len(parse_log("step 1 elapsed 1 s\n" * 15).points) == 10


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gbk"])
def test_a_log_is_read_as_its_console_wrote_it(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "train.log"
    path.write_bytes("第 10 步 已用 5 秒\n第 20 步 已用 10 秒\n".encode(encoding))
    assert read_log(path).points == [(10, 5.0), (20, 10.0)]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="step 0123456789:/[]<itloss.valTimeelapsed\n\r", max_size=400))
def test_any_log_is_explained_or_refused(text: str) -> None:
    try:
        found = explain_log(parse_log(text))
    except InputError:
        return
    assert found.split.total_s >= 0


def test_bars_of_which_only_the_last_state_was_kept_are_an_epoch_each() -> None:
    bars = [f"Epoch {epoch}: 100%|██████████| 391/391 [00:31<00:00, 12.50it/s, loss=0.9]" for epoch in range(4)]
    found = report("\n".join(bars))
    assert found.split.total_s == pytest.approx(4 * 31)
    assert found.step_s == pytest.approx(31 / 391)
    again = report("\n".join(bar for bar in bars for _ in range(3)))
    assert again.split.total_s == pytest.approx(4 * 31)


def test_a_single_bar_at_its_end_tells_its_step() -> None:
    found = report("训练 第3轮: 100%|██████████| 500/500 [01:40<00:00, 5.00it/s]")
    assert found.split.total_s == pytest.approx(100)
    assert found.step_s == pytest.approx(0.2)


def stepping(evaluation: str) -> str:
    """A log of the first 1,500 of 10,000 steps that evaluates after every 500."""
    lines = []
    for step in range(50, 1501, 50):
        lines.append(f"epoch 1 | step {step}/10000 | loss 3.1 | data_time: 0.02 | time: 0.480")
        if step % 500 == 0:
            lines.append(evaluation.format(step=step))
    return "\n".join(lines)


@pytest.mark.parametrize(
    "evaluation",
    [
        "Evaluation took 240 s",
        "[eval] step {step}: val loss 3.2, Evaluation took 240 s",
        "eval at {step}: val loss 3.2, took 240 s",
        "step {step}: validation took 4 min",
        "第 {step} 步：验证耗时 240 秒",
    ],
)
def test_passes_of_steps_to_come_count_as_those_that_were_seen(evaluation: str) -> None:
    found = report(stepping(evaluation))
    assert found.step_s == pytest.approx(0.48)
    assert found.split.total_s == pytest.approx(10_000 * 0.48 + 20 * 240)
    assert share(found, "validation") == pytest.approx(0.5)
    assert [reason.code for reason in found.reasons] == ["log-validation-passes", "log-steps-validated"]
    assert found.reasons[0].numbers["passes"] == 20


def test_what_a_step_took_is_no_pass_though_its_line_tells_a_validation_loss() -> None:
    lines = (f"step {step}/1000: train 3.2, val loss 3.4, step took 480 ms, time 0.48 s" for step in range(10, 100, 10))
    found = report("\n".join(lines))
    assert found.step_s == pytest.approx(0.48)
    assert share(found, "validation") == 0.0


def test_the_number_of_an_epoch_in_chinese_is_no_step() -> None:
    epochs = [
        f"第 {epoch}/3 轮 步数 {step}/1000 已用 {step // 4} 秒" for epoch in (1, 2, 3) for step in range(100, 1001, 100)
    ]
    found = report("\n".join(epochs))
    assert found.step_s == pytest.approx(0.25)
    assert report("\n".join(f"第 {step} 个批次 已用 {step} 秒" for step in range(1, 100))).step_s == pytest.approx(1.0)
