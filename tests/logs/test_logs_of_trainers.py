"""Logs of trainers of today, as each prints them, tell their steps; a validation's figures are no step's."""

from __future__ import annotations

import pytest

from advisor.core.errors import InputError
from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import explain_log

LOGS = {
    "Trainer's summary": (
        (
            "{'loss': 0.5, 'epoch': 0.5}\n{'eval_loss': 0.4, 'eval_runtime': 12.5, 'epoch': 1.0}\n"
            "{'train_runtime': 312.5, 'train_samples_per_second': 646.0, 'train_steps_per_second': 20.0}\n"
        ),
        (312.5 - 12.5) / 6250,
        6250,
    ),
    "Trainer's table": (
        "***** train metrics *****\n  train_runtime            = 0:05:12.50\n  train_steps_per_second   =     20.0\n",
        0.05,
        6250,
    ),
    "trainer_state.json": (
        '    {\n      "step": 6000,\n      "train_runtime": 600.0,\n      "train_steps_per_second": 10.0\n    }\n',
        0.1,
        6000,
    ),
    "fairseq": (
        (
            "2026-01-05 10:00:00 | INFO | train_inner | epoch 001:    100 / 1500 loss=12.1, ups=5.9, num_updates=100, "
            "lr=1.2e-05, train_wall=17, gb_free=10, wall=20\n"
            "2026-01-05 10:00:17 | INFO | train_inner | epoch 001:    200 / 1500 loss=11.1, num_updates=200, wall=37\n"
        ),
        0.17,
        200,
    ),
    "fairseq in JSON": (
        (
            '[train_inner][INFO] - {"epoch": 1, "num_updates": "100", "train_wall": "17", "wall": "20"}\n'
            '[train_inner][INFO] - {"epoch": 1, "num_updates": "200", "train_wall": "17", "wall": "37"}\n'
        ),
        0.17,
        200,
    ),
    "timm": (
        (
            "Train: 0 [  50/1251 (  4%)]  Loss: 6.94 (6.95)  Time: 0.310s,  825.8/s  (0.365s,  701.4/s)  Data: 0.010\n"
            "Train: 0 [ 100/1251 (  8%)]  Loss: 6.93 (6.94)  Time: 0.312s,  820.5/s  (0.338s,  757.4/s)  Data: 0.011\n"
            "Test: [ 195/195]  Time: 0.050 (0.150)  Loss: 6.9 (6.9)  Acc@1: 0.1\n"
        ),
        0.311,
        1251,
    ),
    "mmengine": (
        (
            "2026/01/05 10:00:00 - mmengine - INFO - Epoch(train) [1][  50/7330]  time: 0.9900  data_time: 0.0123\n"
            "2026/01/05 10:50:00 - mmengine - INFO - Epoch(val)   [1][  50/625]   time: 0.0512  data_time: 0.0012\n"
            "2026/01/05 10:50:02 - mmengine - INFO - Epoch(val) [1][625/625]  coco/bbox_mAP: 0.31  time: 0.0500\n"
        ),
        0.99,
        7330,
    ),
    "YOLO": (
        (
            "  1/3  2.12G  1.215  1.432  34  640: 100%|██████████| 100/100 [00:20<00:00,  4.95it/s]\n"
            "  Class  Images  Instances  Box(P  R  mAP50  mAP50-95): 100%|██████████| 10/10 [00:02<00:00,  4.10it/s]\n"
            "  2/3  2.12G  1.115  1.332  34  640: 100%|██████████| 100/100 [00:20<00:00,  4.95it/s]\n"
        ),
        0.2,
        200,
    ),
    "YOLO of today": (
        (
            "  1/3  2.12G  1.215  1.432  34  640: 100% ━━━━━━━━━━━━ 100/100 4.9it/s 20.4s\n"
            "  Class  Images  Instances  Box(P  R  mAP50  mAP50-95): 100% ━━━━━━━━━━━━ 10/10 4.1it/s 2.4s\n"
            "  2/3  2.12G  1.115  1.332  34  640: 100% ━━━━━━━━━━━━ 100/100 1.2it/s 1:20\n"
        ),
        (20.4 + 80) / 200,
        200,
    ),
    "Composer": (
        (
            "[batch=100/1000]:\n\t Train time/batch: 99\n\t Train throughput/batches_per_sec: 2.0000\n"
            "\t Train time/train: 0.0139\n"
        ),
        0.5,
        1000,
    ),
    "llm.c": (
        "step    2/18865 | loss 10.953 (+nanz)| norm 15.24 | lr 1.71e-06 | 3020.00 ms | 42.4% MFU | 173605 tok/s\n",
        3.02,
        18865,
    ),
    "averages": ("step:200/1750 train_time:50000ms step_avg:250.00ms\n", 0.25, 1750),
    "seconds a step": ("Step 100 | loss 2.1 | 0.35 s/step | lr 1e-4\n", 0.35, None),
    "steps a second": ("step 100, loss 2.1, 4.0 it/s\n", 0.25, None),
    "中文": ("轮次 1/3，步数 100/500，损失 0.52，每步耗时 0.25 秒\n", 0.25, 1500),
}


@pytest.mark.parametrize("trainer", LOGS)
def test_a_trainers_log_tells_its_step_and_how_many_there_are(trainer: str) -> None:
    text, step_s, steps = LOGS[trainer]
    report = explain_log(parse_log(text))
    assert report.step_s == pytest.approx(step_s, rel=1e-6)
    assert report.step_count == steps


@pytest.mark.parametrize("trainer", ["YOLO", "YOLO of today"])
def test_a_bar_under_the_head_of_a_validation_is_no_step(trainer: str) -> None:
    assert len(parse_log(LOGS[trainer][0]).validation_passes_s) == 1


def test_a_clock_that_stands_still_tells_no_step() -> None:
    with pytest.raises(InputError):
        explain_log(parse_log("step 100 elapsed 0 s\nstep 200 elapsed 0 s\n"))


def test_a_clock_in_whole_seconds_tells_the_mean_of_faster_steps() -> None:
    text = "".join(f"step {step} elapsed {step // 400} s\n" for step in range(100, 4100, 100))
    assert explain_log(parse_log(text)).step_s == pytest.approx(10 / 3900)


@pytest.mark.parametrize(("planned", "steps"), [("1,686", 1686), ("9,999", 1684)])
def test_the_steps_that_trainer_announces_are_those_of_its_rounded_rate_where_both_agree(
    planned: str, steps: int
) -> None:
    report = explain_log(
        parse_log(
            f"  Total optimization steps = {planned}\n"
            "{'train_runtime': 5058.0, 'train_steps_per_second': 0.333, 'train_loss': 0.9, 'epoch': 3.0}\n"
        )
    )
    assert steps in {reason.numbers.get("steps") for reason in report.reasons}
