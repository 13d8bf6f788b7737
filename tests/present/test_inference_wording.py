"""Inference is told, computed and scripted as inference everywhere, in both languages."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import msgspec
import pytest

from advisor.core.sentences import Language
from advisor.predict.assembly import optimizer_step_count
from advisor.present import markdown_file
from advisor.present.report.content import report_content
from advisor.present.script import launch_script
from advisor.present.summary import summarise
from advisor.present.table_cells import strategy_of
from advisor.recommend.wall_time import steps_of
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Mode, with_training
from advisor.workload.workload_file import load_workload
from tests.present.fakes import advice
from tests.present.test_launch_script import run_script
from tests.present.test_script_methods import complaints


def advised(workload: str, mode: Mode = "inference", **chosen: object) -> AdviceRecord:
    made = advice()
    assert made.recommendation is not None
    settings: dict[str, object] = {"count": 1, "strategy": "single", "precision": "fp32", "batch_size_per_device": 2}
    one = msgspec.structs.replace(made.recommendation, **{**settings, **chosen})
    described = with_training(load_workload(workload), mode=mode, epochs=7)
    return msgspec.structs.replace(made, recommendation=one, recommendation_local=None, workload=described)


WORDS: dict[Language, tuple[str, str, str]] = {
    "en": ("Run inference on ", "All samples once", "Forward pass of one sample"),
    "zh": ("建议用于推理：", "全部样本推理一遍的时间", "单样本前向计算量"),
}
TRAINING: dict[Language, tuple[str, ...]] = {
    "en": ("Train on", "Whole job", "Forward and backward"),
    "zh": ("建议使用", "整个任务", "前向与反向", "训练建议"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_speaks_of_inference_and_none_of_training(language: Language) -> None:
    made = advised("resnet50")
    made = msgspec.structs.replace(made, reasons=(), caveats=())
    summary = summarise(made, language)
    told = "\n".join([summary.title, summary.headline, *(" ".join(row) for row in summary.figures)])
    markdown = markdown_file.encode(made, language).decode()
    report = report_content(made, language)
    pages = json.dumps({key: report[key] for key in ("title", "headline", "key_figures", "facts")}, ensure_ascii=False)
    for word in WORDS[language]:
        assert word in told
        assert word in markdown
        assert word in pages
    for word in TRAINING[language]:
        assert word not in told
        assert word not in pages


@pytest.mark.parametrize("language", ["en", "zh"])
def test_forward_and_backward_alone_is_told_as_that(language: Language) -> None:
    headline = summarise(advised("resnet50", "forward_backward"), language).headline
    assert headline.startswith("Run forward and backward on " if language == "en" else "建议用于前向与反向：")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_training_is_still_told_as_training(language: Language) -> None:
    headline = summarise(advised("resnet50", "training"), language).headline
    assert headline.startswith("Train on " if language == "en" else "建议使用 ")


def test_a_job_of_inference_takes_each_sample_once() -> None:
    made = advised("resnet50")
    workload, prediction = made.workload, made.predictions[0]
    assert workload.training.epochs == 7
    once = -(-workload.data.samples // prediction.global_batch_size)
    assert steps_of(workload, prediction) == once
    assert optimizer_step_count(workload, prediction.global_batch_size) == once
    assert steps_of(with_training(workload, mode="training"), prediction) == 7 * once


@pytest.mark.parametrize("workload", ["rnn_characters", "resnet50"])
def test_the_script_of_inference_infers(tmp_path: Path, workload: str) -> None:
    made = advised(workload, thread_count=1)
    small = {"image_size": 32} if workload == "resnet50" else {}
    data = msgspec.structs.replace(made.workload.data, loader_workers=0, **small)
    made = msgspec.structs.replace(made, workload=msgspec.structs.replace(made.workload, data=data))
    text = launch_script.render(made)
    ast.parse(text)
    assert "optimizer" not in text
    assert "backward" not in text
    assert "python infer.py" in text
    assert run_script(tmp_path, made, "--steps", "5")["steps"] == 5


@pytest.mark.parametrize("precision", ["fp32", "bf16_amp", "bf16"])
def test_the_script_of_inference_lints_clean_in_every_precision(precision: str) -> None:
    assert complaints(launch_script.render(advised("rnn_characters", thread_count=1, precision=precision))) == ""


def test_the_script_of_forward_and_backward_updates_nothing(tmp_path: Path) -> None:
    made = advised("rnn_characters", "forward_backward", thread_count=1)
    assert "scaler.step(optimizer)" not in launch_script.render(made)
    assert run_script(tmp_path, made, "--steps", "4")["steps"] == 4


def test_a_convolutional_network_trains_from_its_script_in_half_precision_too(tmp_path: Path) -> None:
    made = advised("resnet50", "training", thread_count=1, precision="bf16")
    data = msgspec.structs.replace(made.workload.data, loader_workers=0, image_size=32)
    made = msgspec.structs.replace(made, workload=msgspec.structs.replace(made.workload, data=data))
    assert run_script(tmp_path, made, "--steps", "2")["steps"] == 2


def test_only_what_trains_asks_for_a_rewritten_model_beside_a_pipeline() -> None:
    trained = next(one for one in advice().predictions if one.trains)
    forward = tuple(part for part in trained.parts if part.kind != "backward")
    piped = msgspec.structs.replace(trained, strategy="pp")
    served = msgspec.structs.replace(piped, parts=forward)
    assert not served.trains
    assert [strategy_of(one, "en", short=True) for one in (piped, served)] == ["pipeline (rewrite)", "pipeline"]
    assert [strategy_of(one, "zh", short=True) for one in (piped, served)] == ["流水线（需改写）", "流水线"]
