"""Logs of Keras, Lightning, Megatron and the Trainer, epoch summaries and clock times tell their steps."""

from __future__ import annotations

import pytest

from advisor.core.errors import InputError
from advisor.logs.log_lines import parse_log
from advisor.logs.terminal_codes import without_terminal_codes
from advisor.logs.training_log import explain_log

KERAS = """Epoch 1/5
1875/1875 [==============================] - 61s 32ms/step - loss: 0.2 - accuracy: 0.9 - val_loss: 0.1
Epoch 2/5
1875/1875 ━━━━━━━━━━━━━━━━━━━━ 60s 32ms/step - accuracy: 0.9 - loss: 0.1
"""
COLOURED = "Epoch 1/5\n\x1b[1m1875/1875\x1b[0m \x1b[32m━━━━━━━━━━\x1b[0m \x1b[1m60s\x1b[0m 32ms/step - loss: 0.2\n"
RICH = """Epoch 0/9 ━━━━━━━━━━━━━━━━━━━━ 1875/1875 0:00:20 • 0:00:00 97.15it/s v_num: 0 train_loss: 0.1
Validation ━━━━━━━━━━━━━━━━━━━━ 20/20 0:00:02 • 0:00:00 97.15it/s
Epoch 1/9 ━━━━━━━━━━━━━━━━━━━━ 1875/1875 0:00:20 • 0:00:00 99.15it/s v_num: 0 train_loss: 0.1
"""
MEGATRON = """ iteration      100/  500000 | samples: 25600 | elapsed time per iteration (ms): 812.0 | lm loss: 6.1
 iteration      200/  500000 | samples: 51200 | elapsed time per iteration (ms): 810.0 | lm loss: 5.1
"""
NESTED = """ 18%|x| 90/500 [00:45<03:25, 2.00it/s]
100%|x| 55/55 [00:05<00:00, 10.2it/s]
 36%|x| 180/500 [01:35<02:40, 2.00it/s]
"""
STAMPS = """2026-01-05 10:00:00,250 step 100 loss 2.1
2026-01-05 10:01:00,250 step 200 loss 2.0
2026-01-05 10:02:00,250 step 300 loss 1.9
"""


@pytest.mark.parametrize(
    ("text", "step_s", "steps"),
    [(KERAS, 121 / 3750, 3750), (RICH, 20 / 1875, 3750), (MEGATRON, 0.811, 500_000), (STAMPS, 0.6, 300)],
    ids=["keras", "lightning", "megatron", "clock"],
)
def test_a_usual_log_tells_its_step_and_how_many_there_are(text: str, step_s: float, steps: int) -> None:
    report = explain_log(parse_log(text))
    assert report.step_s == pytest.approx(step_s, rel=0.01)
    assert report.step_count == steps


def test_colours_of_a_terminal_in_a_file_are_passed_over() -> None:
    report = explain_log(parse_log(COLOURED))
    assert report.step_s == pytest.approx(60 / 1875)
    assert report.step_count == 1875


REDRAWN = "".join(
    f"Epoch 0 \x1b[35m━━━\x1b[0m \x1b[37m{done}/100\x1b[0m \x1b[37m0:00:{done // 2:02d} • 0:00:09\x1b[0m 2.0it/s{end}"
    for done, end in ((20, "\n\x1b[1A\x1b[2K"), (40, "\x1b[1A\x1b[2K"), (60, "\n"))
)


@pytest.mark.parametrize("escape", ["\x1b", "", "^[", "\\x1b", "\\u001b", "\\033", "␛", "←"])
def test_codes_of_a_terminal_are_read_whatever_became_of_their_escape_characters(escape: str) -> None:
    assert parse_log(REDRAWN.replace("\x1b", escape)).points == [(0, 0.0), (20, 10.0), (40, 20.0), (60, 30.0)]
    coloured = parse_log(COLOURED.replace("\x1b", escape))
    assert coloured.points == parse_log(COLOURED).points == [(0, 0.0), (1875, 60.0)]


@pytest.mark.parametrize("text", ["step 10 [0m 5s] [12K words] [2h 5m]", "0%| [0m 0s", "lr [1A, 2K] took [30m 2s]"])
def test_words_in_brackets_are_no_codes_of_a_terminal(text: str) -> None:
    assert without_terminal_codes(text) == text


@pytest.mark.parametrize("escape", ["\x1b", ""])
def test_words_in_brackets_beside_colours_keep_their_letters(escape: str) -> None:
    words = "[Epoch 1] [Batch 3/9] [GPU 0] [DEBUG] [Adam] [Kernel] [model] [8B] [16G free] [3D conv]"
    assert without_terminal_codes(f"\x1b[32mINFO\x1b[0m {words}\n".replace("\x1b", escape)) == f"INFO {words}\n"


@pytest.mark.parametrize("escape", ["\x1b", ""])
def test_steps_of_a_coloured_log_are_read(escape: str) -> None:
    lines = [
        f"{escape}[32mINFO{escape}[0m [Epoch 1][Batch {batch}/100] time: 0.35 s, data: 0.01 s\n"
        for batch in range(1, 6)
    ]
    facts, plain = (
        parse_log("".join(lines)),
        parse_log("".join(lines).replace(f"{escape}[32m", "").replace(f"{escape}[0m", "")),
    )
    assert facts == plain
    assert facts.step_times_s == [0.35] * 5
    assert facts.total_steps == 100


def test_epoch_summaries_add_up_to_the_whole_and_tell_no_step() -> None:
    report = explain_log(parse_log("Epoch 1/3  loss 0.5  time: 61s\nEpoch 2/3  loss 0.4  time: 59s\n"))
    assert report.step_s is None
    assert sum(part.duration_s for part in report.split.parts) == pytest.approx(120)


def test_a_bar_without_a_name_inside_an_unfinished_one_is_an_evaluation() -> None:
    facts = parse_log(NESTED)
    assert facts.validation_passes_s == [5.0]
    assert facts.total_steps == 500
    assert [step for step, _ in facts.points] == [90, 180]


def test_a_rich_bar_named_validation_is_no_training() -> None:
    assert parse_log(RICH).validation_passes_s == [2.0]


def test_a_keras_bar_that_has_not_ended_adds_no_step() -> None:
    running = "  12/1875 [====================] - 1s 32ms/step - loss: 0.9\n"
    assert parse_log(running + KERAS).points == parse_log(KERAS).points
    assert len(parse_log(KERAS).points) == 3


def test_states_of_one_rich_bar_go_on_from_one_another_and_an_unfinished_validation_is_no_pass() -> None:
    bar = "━━━━━━━━━━━━━━━━━━━━"
    text = f"Epoch 0/9 {bar} 100/1875 0:00:02 • 0:00:18 97.15it/s\nValidation {bar} 5/20 0:00:01 • 0:00:03 97.15it/s\n"
    facts = parse_log(text + f"Epoch 0/9 {bar} 200/1875 0:00:04 • 0:00:16 97.15it/s\n")
    assert facts.points == [(0, 0.0), (100, 2.0), (200, 4.0)]
    assert facts.validation_passes_s == []


def test_an_epoch_of_less_than_a_second_adds_nothing() -> None:
    assert parse_log("Epoch 1/3  loss 0.5  time: 0.4s\n").runtime_s is None


@pytest.mark.parametrize("stamp", ["", "2026-13-45 10:00:00 "], ids=["none", "no such day"])
def test_a_step_without_a_clock_time_has_no_point(stamp: str) -> None:
    facts = parse_log(f"{stamp}step 100 loss 2.1\n")
    assert facts.points == []
    assert facts.first_stamp_s is None


def test_a_finished_evaluation_before_the_bars_end_leaves_its_epoch_open() -> None:
    facts = parse_log(
        " 18%|x| 90/500 [00:45<03:25, 2.00it/s]\nValidation: 100%|x| 55/55 [00:05<00:00, 10.2it/s]\n"
        " 20%|x| 11/55 [00:01<00:04, 10.2it/s]\n"
    )
    assert facts.validation_passes_s == [5.0]
    assert facts.points == [(90, 45.0)]


STARTED = """Train: 0 [   0/1251 (  0%)]  Loss: 6.95 (6.95)  Time: 3.512s,  36.44/s  (3.512s)  Data: 2.510 (2.510)
Train: 0 [  50/1251 (  4%)]  Loss: 6.93 (6.94)  Time: 0.412s,  310.68/s  (0.512s,  250.0/s)  Data: 0.010 (0.110)
Train: 0 [ 100/1251 (  8%)]  Loss: 6.93 (6.94)  Time: 0.414s,  309.2/s  (0.462s,  277.0/s)  Data: 0.011 (0.060)
"""


def test_the_start_of_the_loaders_workers_is_no_share_of_every_step() -> None:
    report = explain_log(parse_log(STARTED))
    assert report.step_s == pytest.approx(0.413)
    assert not any(one.code == "log-loader" for one in report.reasons)
    (alone,) = STARTED.splitlines()[:1]
    assert explain_log(parse_log(alone)).step_s == pytest.approx(3.512)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (MEGATRON, ["log-nothing-told", "log-steps-projected"]),
        (STAMPS, ["log-nothing-loud", "log-step-alone"]),
        ("iter 10: loss 3.2, time 135.20ms, mfu 30%\niter 20: loss 3.1, time 135.20ms\n", ["log-step-alone"]),
    ],
    ids=["projected", "seen", "no count"],
)
def test_a_report_says_what_a_step_takes_and_whether_the_whole_was_seen(text: str, codes: list[str]) -> None:
    report = explain_log(parse_log(text))
    assert [one.code for one in report.reasons] == codes
    assert report.reasons[-1].numbers["step_s"] == pytest.approx(report.step_s)


def test_an_evaluation_that_bar_and_result_both_tell_is_one_pass() -> None:
    inner, outer = "100%|x| 28/28 [00:04<00:00, 6.2it/s]\n", " {part}%|x| {done}/6315 [{clock}<07:00, 7.69it/s]\n"
    result = "{'eval_loss': 0.2, 'eval_runtime': 4.9812, 'eval_steps_per_second': 5.6}\n"
    text = "".join(
        outer.format(part=done * 100 // 6315, done=done, clock=clock) + inner + result
        # the outer bar is drawn again, and the inner one's last state with it
        + outer.format(part=done * 100 // 6315, done=done, clock=clock) + inner
        for done, clock in ((500, "01:05"), (1000, "02:15"))
    )  # fmt: skip
    assert parse_log(text).validation_passes_s == [4.9812, 4.9812]
    assert parse_log(text.replace(result, "")).validation_passes_s == [4.0, 4.0]


def test_an_epoch_of_keras_that_counts_samples_is_a_part_of_the_whole_and_tells_no_step() -> None:
    line = "{done}/60000 [=====] - {whole}s 193us/sample - loss: 0.2 - val_loss: 0.1\n"
    text = line.format(done=32, whole=0) + line.format(done=60000, whole=12) + line.format(done=60000, whole=11)
    report = explain_log(parse_log(text))
    assert report.step_s is None
    assert sum(part.duration_s for part in report.split.parts) == pytest.approx(23)


def test_a_clock_that_goes_on_over_epochs_is_not_counted_again_for_each() -> None:
    text = "".join(
        f"2026-03-02 10:{epoch:02d}:{step // 20:02d} Epoch [{epoch}/3], Step [{step}/1000], Loss: 0.1\n"
        for epoch in (1, 2, 3)
        for step in (100, 500, 1000)
    )
    report = explain_log(parse_log(text))
    assert report.step_s == pytest.approx(0.05)
    assert sum(part.duration_s for part in report.split.parts) == pytest.approx(165)  # from 10:01:05 to 10:03:50


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("time: 1m 1s", 61), ("time: 1:02", 62), ("took 1:00:02", 3602), ("time: 59s", 59), ("time 1.5 min", 90),
        ("duration: 1 h 2 min 3 s", 3723),
    ],
)  # fmt: skip
def test_an_epochs_time_of_several_parts_is_their_sum(told: str, seconds: float) -> None:
    assert parse_log(f"Epoch 1/5 - loss: 0.3 - {told}\n").runtime_s == seconds


def test_an_epoch_time_on_a_line_of_its_own_is_a_part_of_the_whole() -> None:
    text = "2026-03-02 10:00:00.1: Epoch 0\n2026-03-02 10:01:02.3: Epoch time: 61.91 s\n"
    assert parse_log(text + text).runtime_s == pytest.approx(123.82)


@pytest.mark.parametrize(
    ("line", "step_s"),
    [
        ("step    10 | loss: 3.2 | norm: 0.3 | dt: 338.21ms | tok/sec: 1551000.12", 0.33821),
        ("epoch 1 | step 100/5000 | loss 2.1 | 350 ms/step | data 20 ms", 0.35),
        ("iter 100/20000 loss=1.1 speed=4.0 iter/s eta=1:15:12", 0.25),
        ("Training epoch 0, iteration 10/999 | lr: 1e-05 | train_step_timing in s: 3.214", 3.214),
        ("step 3 loss 0.4 2.0 steps/sec", 0.5),
        ("step 3 loss 0.4 0.5 s/iter", 0.5),
    ],
)
def test_a_step_is_told_in_many_units(line: str, step_s: float) -> None:
    assert parse_log(line + "\n").step_times_s == [pytest.approx(step_s)]


NANOCHAT = "".join(
    f"step {step:05d}/21400 (0.01%) | loss: 3.2 | dt: 1043.12ms | total time: {step * 1.04312 / 60:.2f}m\n"
    for step in range(60)
)
RECORDS = "".join(f'{{"step": {step}, "step_time_ms": 213.5, "tokens_per_sec": 19200}}\n' for step in range(1, 20))


@pytest.mark.parametrize(("text", "step_s"), [(NANOCHAT, 1.04312), (RECORDS, 0.2135)], ids=["minutes", "milliseconds"])
def test_a_times_unit_is_read_behind_its_figure_and_in_its_name(text: str, step_s: float) -> None:
    assert explain_log(parse_log(text)).step_s == pytest.approx(step_s)


PREPARING = """Generating train split: 100%|██████████| 25000/25000 [00:05<00:00, 4800.00 examples/s]
Map: 100%|██████████| 25000/25000 [00:21<00:00, 1190 examples/s]
Loading checkpoint shards: 100%|██████████| 4/4 [00:08<00:00,  2.1s/it]
Downloading: 100%|████| 420M/420M [00:10<00:00, 42.0MB/s]
"""


def test_bars_of_what_is_made_ready_are_no_training() -> None:
    with pytest.raises(InputError, match="tells no step times"):
        explain_log(parse_log(PREPARING))
    trained = parse_log(
        PREPARING + "  1%|x| 10/1000 [00:05<08:15, 2.00it/s]\n 10%|x| 100/1000 [00:50<07:30, 2.00it/s]\n"
    )
    assert explain_log(trained).step_s == pytest.approx(0.5)


CUT = (
    "".join(
        f"Epoch: [1][{step:5d}/5005]\tTime 0.21 (0.21)\tData 0.002 (0.002)\tLoss 6.1\n" for step in range(0, 200, 10)
    )
    + "Test: [  0/196]\tTime 2.211 (2.211)\tLoss 5.1\n"
)


def test_a_log_cut_before_the_one_pass_that_it_shows_has_one_an_epoch() -> None:
    report = explain_log(parse_log(CUT))
    seconds = {part.kind: part.duration_s for part in report.split.parts}
    assert seconds["validation"] == pytest.approx(2.211 * 196)
    assert report.step_count == 5005
