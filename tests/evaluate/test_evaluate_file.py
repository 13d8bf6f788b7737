"""Evaluating a file end to end from recorded operator tables: answers, scores, texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Reason, say
from advisor.evaluate import evaluate_file
from advisor.evaluate.evaluation_record import Evaluation
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader, questions_of
from advisor.evaluate.run_rows import read_run_rows
from advisor.evaluate.traces import TraceKey, key_of, trace_all, trace_key
from advisor.optable.op_table import OpTable
from advisor.present.evaluation_text import ANSWER_COLUMNS, answers_csv, evaluation_text
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.accuracy.tables import load_table

HEADER = (
    "workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms,optimizer,n_gpus,efficiency,peak_gb,"
    "max_batch_that_ran,min_batch_that_failed,use"
)
NUMBERS = """
name = "by numbers"
[model]
source = "numbers"
parameters = 25e6
flop_per_sample = 24e9
activation_bytes_per_sample = 9e7
[data]
samples = 1000
[training]
batch_size = 64
precision = "fp16_amp"
optimizer = "sgd_momentum"
"""


def recorded(wanted: Mapping[TraceKey, Workload]) -> dict[TraceKey, OpTable | Reason]:
    """ResNet-50's recorded table for every key."""
    return {
        key: load_table("resnet50_v1_5", 224, workload.training.precision, "training")
        for key, workload in wanted.items()
    }


def evaluated(folder: Path, *lines: str) -> Evaluation:
    path = folder / "runs.csv"
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return evaluate_file(path, tracer=recorded)


def test_rows_are_predicted_scored_and_told_in_both_languages(tmp_path: Path) -> None:
    found = evaluated(
        tmp_path,
        "resnet50,v100-sxm2-16,training,fp16_amp,96,224,130,,,,,,,",
        "resnet50,a100-sxm4-80,training,fp16_amp,96,224,66,,,,,,,",
        "resnet50,v100-sxm2-16,training,bf16_amp,96,224,130,,,,,,,",
        "resnet50,v100-sxm2-16,training,fp16_amp,96,224,1,,,,,,,no",
        "resnet51,v100-sxm2-16,training,fp16_amp,96,224,1,,,,,,,",
        "resnet50,v100-sxm3,training,fp16_amp,96,224,1,,,,,,,",
    )
    assert found.overall.step_count == 2
    assert found.overall.pair_count == 1
    assert found.overall.ranked_fraction == 1.0
    assert [score.group for score in found.by_gpu] == ["a100-sxm4-80", "v100-sxm2-16"]
    assert [score.group for score in found.by_family] == ["cnn"]
    codes = [answer.reason.code for answer in found.refused if answer.reason is not None]
    assert codes == ["predict-no-bf16", "input-refused", "evaluate-unknown-gpu"]
    for language in ("en", "zh"):
        text = evaluation_text(found, language)
        assert "v100-sxm2-16" in text
        assert "resnet51" in text
        told = [say(answer.reason, language) for answer in found.refused if answer.reason is not None]
        assert told == [one.strip() for one in told]
        table = text.split("resnet51")[0].splitlines()
        scores = table[: next(place for place, line in enumerate(table) if line.startswith("fp16_amp")) + 1]
        assert max(map(cell_len, scores)) <= 80, "a terminal's usual width"


def test_the_csv_keeps_the_columns_and_adds_the_answers(tmp_path: Path) -> None:
    good, bad = "resnet50,v100-sxm2-16,training,fp16_amp,96,224,130,,,,,,,", "x,t4,training,,,,1,,,,,,,"
    found = evaluated(tmp_path, good, bad)
    rows = list(csv.DictReader(io.StringIO(answers_csv(found))))
    assert list(rows[0]) == [*HEADER.split(","), *ANSWER_COLUMNS]
    predicted = float(rows[0]["predicted_ms"])
    assert float(rows[0]["error"]) == pytest.approx(predicted / 130 - 1, abs=1e-3)
    assert float(rows[0]["low_ms"]) < predicted < float(rows[0]["high_ms"])
    assert rows[0]["predicted_max_batch"] == ""
    assert rows[1]["predicted_ms"] == ""
    assert rows[1]["reason"]


def test_values_of_the_row_stand_over_those_of_the_workload(tmp_path: Path) -> None:
    found = evaluated(
        tmp_path,
        "resnet50,v100-sxm2-16,training,,,,130,,,,,,,",
        "resnet50,v100-sxm2-16,training,fp32,32,224,130,sgd,,,,,,",
    )
    own = load_workload("resnet50").training
    plain, changed = (answer.workload for answer in found.answers)
    assert plain is not None
    assert (plain.training.precision, plain.training.batch_size) == (own.precision, own.batch_size)
    assert changed is not None
    assert (changed.training.precision, changed.training.batch_size, changed.training.optimizer) == ("fp32", 32, "sgd")


@pytest.mark.parametrize(
    ("workload", "precision", "torch", "bits"),
    [
        ("llama_1b_lora", "bf16_amp", "", None),
        ("llama_1b_lora", "bf16_amp", "2.4.1", None),
        ("llama_1b_lora", "bf16_amp", "2.3.1", 16),
        ("llama_1b_lora", "bf16_amp", "2.1.0", 16),
        ("llama_1b_lora", "fp16_amp", "2.1.0", None),
        ("llama_8b_qlora", "bf16_amp", "2.1.0", None),
        ("llama_8b_qlora", "bf16_true", "2.1.0", 16),
        ("llama_8b_qlora", "bf16_true", "2.4.1", None),
    ],
)
def test_adapters_of_earlier_software_are_in_the_weights_type_where_they_have_one_but_under_a_gradient_scaler(
    tmp_path: Path, workload: str, precision: str, torch: str, bits: int | None
) -> None:
    """PEFT keeps them in FP32 since July 2024, beside packed weights always but in pure 16 bits."""
    row = f"{workload},a100-sxm4-80,training,{precision},1,,1000,,,,,,,,{torch}"
    path = tmp_path / "runs.csv"
    path.write_text(f"{HEADER},torch\n{row}\n", encoding="utf-8")
    (question,) = questions_of(read_run_rows(path), WorkloadReader(tmp_path), spec_table())
    assert isinstance(question, RowQuestion)
    assert question.workload.training.adapter_bits == bits


@pytest.mark.parametrize(
    ("workload", "torch", "kept"),
    [("llama_8b_qlora", "2.3.1", True), ("llama_8b_qlora", "2.4.1", False), ("llama_1b_lora", "2.3.1", False)],
)
def test_inputs_of_products_by_4_bits_are_kept_where_a_row_names_an_earlier_pytorch(
    tmp_path: Path, workload: str, torch: str, kept: bool
) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        f"{HEADER},torch\n{workload},a100-sxm4-80,training,bf16_amp,1,,1000,,,,,,,,{torch}\n", encoding="utf-8"
    )
    (question,) = questions_of(read_run_rows(path), WorkloadReader(tmp_path), spec_table())
    assert isinstance(question, RowQuestion)
    assert question.packed_inputs_kept is kept
    assert key_of(question).packed_inputs_kept is kept


def test_a_peak_has_the_states_of_an_optimizer_whose_update_is_not_in_the_time(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    row = "resnet50,a100-sxm4-40,{mode},fp32,64,224,100,{optimizer},,,5,,,,no"
    modes = (("training", "none"), ("training", "adamw_fused"), ("forward_backward", "adamw_fused"))
    lines = [row.format(mode=mode, optimizer=optimizer) for mode, optimizer in modes]
    path.write_text("\n".join([f"{HEADER},optimizer_in_step", *lines]) + "\n", encoding="utf-8")
    answers = evaluate_file(path, tracer=recorded).answers
    without, with_states, passes = (answer.peak_bytes for answer in answers)
    assert without is not None
    assert with_states is not None
    assert passes is not None
    assert answers[0].step_s == answers[1].step_s
    assert with_states.value - without.value == pytest.approx(2 * 25.56e6 * 4, rel=0.05)
    assert passes.value == without.value


def test_memory_and_efficiency_are_answered_where_a_row_asks(tmp_path: Path) -> None:
    found = evaluated(
        tmp_path,
        "resnet50,rtx3090,training,fp16_amp,64,224,,,,,6.1,192,256,",
        "resnet50,rtx3090,training,fp16_amp,64,224,,,,,,1,2,",
        "resnet50,a100-sxm4-80,training,fp16_amp,64,224,,,8,0.95,,,,",
    )
    ladder, low, scaled = found.answers
    assert ladder.largest_batch is not None
    assert 100 < ladder.largest_batch < 1000
    assert ladder.peak_bytes is not None
    assert scaled.efficiency is not None
    assert 0.5 < scaled.efficiency.value < 1.0
    assert found.overall.step_count == 0
    assert found.largest_batches is not None
    assert found.largest_batches.row_count == 2
    assert found.largest_batches.too_high_fraction >= 0.5
    assert found.efficiencies is not None
    assert found.efficiencies.mean_error_fraction == pytest.approx(abs(scaled.efficiency.value - 0.95))
    assert found.peaks is not None
    assert found.peaks.row_count == 1
    ends = next(row for row in csv.DictReader(io.StringIO(answers_csv(found))) if row["predicted_peak_gb"])
    assert float(ends["low_peak_gb"]) < float(ends["predicted_peak_gb"]) < float(ends["high_peak_gb"])
    error = ladder.peak_bytes.value / 6.1e9 - 1
    assert found.peaks.mean_error_fraction == found.peaks.median_error_fraction == pytest.approx(abs(error))
    assert found.peaks.bias_fraction == pytest.approx(error)
    assert found.peaks.covered_fraction == float(ladder.peak_bytes.low <= 6.1e9 <= ladder.peak_bytes.high)
    assert low.largest_batch == ladder.largest_batch
    for language in ("en", "zh"):
        assert "2" in evaluation_text(found, language)


def test_the_first_compiler_leaves_convolutions_in_their_layout(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    row = "resnet50,v100-sxm2-16,inference,fp16_amp,96,224,40,nchw,yes"
    path.write_text(
        f"workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms,layout,compile,torch\n{row},2.0\n{row},2.1\n"
    )
    table = load_table("timm_ecaresnet50d", 288, "fp16_amp", "inference")
    kept, turned = evaluate_file(path, tracer=lambda wanted: dict.fromkeys(wanted, table)).answers
    assert kept.step_s is not None
    assert turned.step_s is not None
    assert kept.step_s.value > 1.05 * turned.step_s.value


def test_a_workload_described_by_numbers_needs_no_trace(tmp_path: Path) -> None:
    (tmp_path / "by_numbers.toml").write_text(NUMBERS, encoding="utf-8")
    path = tmp_path / "runs.csv"
    path.write_text(f"{HEADER}\nby_numbers,a100-sxm4-80,training,,,,50,,,,,,,\n", encoding="utf-8")
    found = evaluate_file(path)
    assert found.overall.step_count == 1
    assert not found.refused


def test_a_trace_depends_on_the_model_and_not_on_batch_or_optimizer() -> None:
    one, two = (load_workload("resnet50", overrides=changes) for changes in ({"batch_size": 1}, {"optimizer": "sgd"}))
    other = load_workload("resnet50", overrides={"image_size": 256})
    assert trace_key(one, "tf32") == trace_key(two, "fp32")
    assert trace_key(one, "fp32") != trace_key(one, "fp16")
    assert trace_key(one, "fp32") != trace_key(other, "fp32")


def test_a_workload_is_traced_in_a_worker_and_a_failure_stands_in_its_place(tmp_path: Path) -> None:
    good = load_workload("iris_mlp")
    (tmp_path / "broken.py").write_text(
        "def build_model():\n    raise ValueError('no such layer')\n"
        "def make_batch(batch_size, length):\n    return ()\n",
        encoding="utf-8",
    )
    (tmp_path / "broken.toml").write_text(
        'name = "broken"\n[model]\nsource = "python"\nfile = "broken.py"\n[data]\nsamples = 10\n'
        '[training]\nbatch_size = 2\nprecision = "fp32"\n',
        encoding="utf-8",
    )
    bad = load_workload(tmp_path / "broken.toml")
    wanted = {trace_key(good, "fp32"): good, trace_key(bad, "fp32"): bad}
    seen: list[str] = []
    found = trace_all(wanted, allow_code=True, on_progress=lambda name, _done, _all: seen.append(name))
    table, reason = found[trace_key(good, "fp32")], found[trace_key(bad, "fp32")]
    assert isinstance(table, OpTable)
    assert isinstance(reason, Reason)
    assert "no such layer" in str(reason.numbers)
    assert sorted(seen) == sorted([good.name, bad.name])


def test_fp8_over_shards_is_traced_in_a_worker_and_scored_as_it_was_asked_for(tmp_path: Path) -> None:
    """What a worker is asked for has to be a workload: no such file names the cast weights of sharding."""
    (tmp_path / "tiny.toml").write_text(
        'name = "tiny"\n[model]\nsource = "huggingface"\ntask = "causal-lm"\nconfig = { model_type = "llama", '
        "hidden_size = 256, intermediate_size = 512, num_hidden_layers = 2, num_attention_heads = 4, "
        "vocab_size = 1024 }\n[data]\nsamples = 1000\nsequence_length = 256\n"
        '[training]\nbatch_size = 2\nprecision = "fp8"\n',
        encoding="utf-8",
    )
    path = tmp_path / "runs.csv"
    path.write_text(
        f"{HEADER},parallel\n"
        "tiny,h100-sxm,training,fp8,8,256,9,,8,,,,,,fsdp\ntiny,h100-sxm,training,fp8,8,256,9,,1,,,,,,\n",
        encoding="utf-8",
    )
    found = evaluate_file(path)
    assert not found.refused
    assert [score.group for score in found.by_precision] == ["fp8"]
    assert found.overall.step_count == 2


def test_a_card_without_its_form_is_predicted_between_its_variants_with_a_range_that_holds_them(tmp_path: Path) -> None:
    keys = ("a100-pcie-40", "a100-pcie-80", "a100-sxm4-40", "a100-sxm4-80")
    rows = [f"resnet50,{name},training,fp16_amp,96,224,66,,,,5,8,," for name in ("A100", *keys)]
    found = evaluated(tmp_path, *rows)
    any_of, *each = found.answers
    steps = [answer.step_s for answer in each if answer.step_s is not None]
    assert any_of.step_s is not None
    assert any_of.variants == keys
    assert (any_of.step_s.low, any_of.step_s.high) == (
        min(step.low for step in steps),
        max(step.high for step in steps),
    )
    assert min(step.value for step in steps) < any_of.step_s.value < max(step.value for step in steps)
    assert any_of.largest_batch == min(answer.largest_batch or 0 for answer in each)
    assert not found.refused
    assert [score.group for score in found.by_gpu] == ["A100", *keys]
    for language, words in (("en", "without its form or memory"), ("zh", "没有写规格和显存")):
        assert words in evaluation_text(found, language)  # type: ignore[arg-type]


def test_what_a_trace_says_of_its_model_stands_beside_its_rows_and_once_in_the_text(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = ["resnet50,v100-sxm2-16,training,fp16_amp,96,224,130,,,,,,,"] * 2
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    eager = Reason.of("workload-attention-eager-only", model="mpt")

    def traced(wanted: Mapping[TraceKey, Workload]) -> dict[TraceKey, OpTable | Reason]:
        tables = recorded(wanted).items()
        return {key: replace(table, caveats=(eager,)) for key, table in tables if isinstance(table, OpTable)}

    found = evaluate_file(path, tracer=traced)
    said = say(eager, "en")
    assert [line["caveats"] for line in csv.DictReader(io.StringIO(answers_csv(found)))] == [said, said]
    assert evaluation_text(found, "en").count(said) == 1
    assert f"2 rows: {said}" in evaluation_text(found, "en")


def test_rows_that_are_refused_for_one_reason_are_told_in_one_line(tmp_path: Path) -> None:
    wrong = "resnet50,v100-sxm3,training,fp16_amp,96,224,1,,,,,,,"
    found = evaluated(tmp_path, wrong, "resnet51,t4,training,fp16_amp,96,224,1,,,,,,,", *[wrong] * 7)
    told = [line for line in evaluation_text(found, "en").splitlines() if line.startswith("  line")]
    assert len(told) == 2
    assert told[0].startswith('  lines 2, 4, 5, 6, 7, 8 …, resnet50 on v100-sxm3: "v100-sxm3" is in no row')
    assert told[1].startswith("  line 3, resnet51 on t4: ")
    assert "第 3 行，t4 上的 resnet51：" in evaluation_text(found, "zh")


def test_a_card_that_the_table_lacks_draws_the_card_of_its_number(tmp_path: Path) -> None:
    found = evaluated(tmp_path, "resnet50,h100-96,training,fp16_amp,96,224,1,,,,,,,")
    assert "Did you mean `h100-" in evaluation_text(found, "en")
