"""Reading tables of published runs: what is understood, and how a wrong row or file says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.errors import InputError
from advisor.core.sentences import Reason, SaidError, error_text, say
from advisor.cost.layout import Layout
from advisor.evaluate.row_answer import RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader
from advisor.evaluate.run_row import RunRow
from advisor.evaluate.run_rows import read_run_rows

HEADER = "workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms"
ROW = "resnet50,v100-sxm2-16,training,amp-fp16,64,224,100.0"


def rows_of(folder: Path, *lines: str) -> tuple[RunRow, ...]:
    path = folder / "runs.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_run_rows(path)


def test_a_plain_row_is_read_in_seconds_and_our_words(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, HEADER, ROW)
    assert row.problem is None
    assert (row.workload, row.gpu_key, row.mode, row.precision) == ("resnet50", "v100-sxm2-16", "training", "fp16_amp")
    assert (row.batch_size, row.length, row.measured_s, row.layout.count) == (64, 224, 0.1, 1)
    assert row.scored


def test_order_is_free_extra_columns_are_kept_and_blank_cells_say_nothing(tmp_path: Path) -> None:
    (row,) = rows_of(
        tmp_path,
        "ms,colour,precision,mode,gpu_key,workload,seq_len_or_img,batch_per_gpu,layout",
        "5,red,,training,t4,iris_mlp,,,",
        "",
    )
    assert row.problem is None
    assert row.cells["colour"] == "red"
    assert (row.precision, row.batch_size, row.length, row.channels_last) == (None, None, None, None)


def test_every_optional_column_is_understood(tmp_path: Path) -> None:
    (row,) = rows_of(
        tmp_path,
        HEADER + ",optimizer_in_step,optimizer,layout,n_gpus,parallel,interconnect,efficiency,source,peak_gb,"
        "max_batch_that_ran,min_batch_that_failed,use,family",
        ROW + ",yes,adam_fused,nhwc,4,dp,NVLink,0.9,lambda-v0:V100,12.5,64,96,no,cnn",
    )
    assert (row.optimizer, row.fused_optimizer, row.channels_last) == ("adam", True, True)
    assert (row.layout.count, row.layout.data_parallel, row.interconnect, row.efficiency) == (4, "dp", "NVLink", 0.9)
    assert (row.peak_bytes, row.largest_batch_that_ran, row.smallest_batch_that_failed) == (12.5e9, 64, 96)
    assert (row.software_year, row.scored, row.family) == (2020, False, "cnn")


def test_how_a_job_is_split_and_what_its_peak_counts_is_understood(tmp_path: Path) -> None:
    (row, plain) = rows_of(
        tmp_path,
        HEADER + ",n_gpus,gpus_per_host,parallel,tp,pp,cp,gradient_accumulation,memory_kind,peak_gb,torch",
        ROW + ",64,8,hsdp,2,2,2,4,reserved,40,2.4.1+cu124",
        ROW + ",,,,,,,,,,",
    )
    assert row.layout == Layout(data_parallel="hsdp", count=64, tensor=2, pipeline=2, context=2, host_size=8)
    assert (row.layout.replica_count, row.layout.shard_count) == (8, 2)
    assert (row.accumulation_steps, row.memory_kind, row.software_year) == (4, "reserved", 2024)
    assert (plain.layout, plain.accumulation_steps, plain.memory_kind) == (Layout(), 1, "allocated")
    assert plain.software_year is None


def test_an_old_torch_tells_the_year_of_the_software(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, HEADER + ",torch", ROW + ",1.4", ROW + ",1.7.1", ROW + ",1.13.0", ROW + ",2.1")
    assert [row.software_year for row in rows] == [2020, 2020, 2022, 2023]


def test_degrees_that_do_not_divide_the_cards_are_a_wrong_cell(tmp_path: Path) -> None:
    (row, zero3) = rows_of(tmp_path, HEADER + ",n_gpus,tp,parallel", ROW + ",8,3,ddp", ROW + ",8,,zero3")
    assert row.problem is not None
    assert row.problem.numbers["column"] == "tp"
    assert zero3.layout.data_parallel == "fsdp"


def test_no_optimizer_in_the_step_wins_over_a_named_one_whose_update_is_outside(tmp_path: Path) -> None:
    header = HEADER + ",optimizer_in_step,optimizer"
    rows = rows_of(tmp_path, header, ROW + ",no,adamw", ROW + ",yes,adamw", ROW + ",no,")
    found = [(row.optimizer, row.optimizer_outside) for row in rows]
    assert found == [("none", "adamw"), ("adamw", None), ("none", None)]


def test_the_year_of_the_software_is_stated_or_told_by_known_sources(tmp_path: Path) -> None:
    rows = rows_of(
        tmp_path,
        HEADER + ",source,software_year",
        ROW + ",timm benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv,",
        ROW + ",someone's blog,",
        ROW + ",someone's blog,2021",
    )
    assert [row.software_year for row in rows] == [2022, None, 2021]


@pytest.mark.parametrize(
    ("column", "cell", "field", "meant"),
    [
        ("compile", "yes (max-autotune)", "compiled", True),
        ("compile", "True", "compiled", True),
        ("compile", "no (torch.jit.trace)", "compiled", False),
        ("attention", "flash2", "attention", "flash"),
        ("attention", "flash2", "flash_generation", 2),
        ("attention", "triton flash (script default at that commit)", "flash_generation", 1),
        ("attention", "sdpa (flash2 in torch 2.2)", "attention", "sdpa"),
        ("attention", "megatron unfused matmul + fused softmax (no flash)", "attention", "eager"),
        ("attention", "fa2", "attention", "flash"),
        ("layout", "channels_last", "channels_last", True),
        ("layout", "nchw (default)", "channels_last", False),
        ("mode", "train", "mode", "training"),
        ("mode", "forward+backward", "mode", "forward_backward"),
        ("optimizer", "fused_adam", "fused_optimizer", True),
        ("memory_kind", "max_memory_reserved", "memory_kind", "reserved"),
        ("memory_kind", "GiB reserved peak (max over run)", "memory_kind", "reserved"),
        ("memory_kind", "max_memory_allocated (rank 0); nvidia-smi mean also given", "memory_kind", "allocated"),
        ("memory_kind", "nvidia-smi, rounded to GB", "memory_kind", "device"),
        ("precision", "BF16 (pure)", "precision", "bf16_true"),
        ("ms", "0.12 s", "measured_s", 0.12),
        ("peak_gb", "40 GiB", "peak_bytes", 40 * 2**30),
        ("peak_gb", "512MiB", "peak_bytes", 2**29),
        ("torch", "not stated", "software_year", None),
        ("torch", "torch 2.0, CUDA 11.8 (2023-10..12)", "software_year", 2023),
        ("torch", "torch 2.0, CUDA 11.8 (2023-10..12)", "compiler_turns_layouts", False),
        ("interconnect", "n/a", "interconnect", None),
        ("use", "no", "scored", False),
        ("use", "False", "scored", False),
        ("use", "yes", "scored", True),
        ("use", "", "scored", True),
        ("mode", "fine-tuning", "mode", "training"),
        ("mode", "eval", "mode", "inference"),
        ("mode", "fwd + bwd", "mode", "forward_backward"),
        ("compile", "torch.compile", "compiled", True),
        ("layout", "channels last", "channels_last", True),
        ("optimizer_in_step", "n", "optimizer", "none"),
        ("ms", "~12", "measured_s", 0.012),
        ("ms", "0.5 sec", "measured_s", 0.5),
        ("ms", "12.5 (median)", "measured_s", 0.0125),
        ("peak_gb", "21181235200 B", "peak_bytes", 21181235200.0),
        ("batch_per_gpu", "16 per GPU", "batch_size", 16),
        ("batch_per_gpu", "16 (assumed)", "batch_size", 16),
        ("gradient_accumulation", "4 steps", "accumulation_steps", 4),
        ("gradient_accumulation", "none", "accumulation_steps", 1),
        ("seq_len_or_img", "224x224", "length", 224),
        ("seq_len_or_img", "3x224x224", "length", 224),
        ("seq_len_or_img", "(224, 224)", "length", 224),
        ("seq_len_or_img", "seq 128", "length", 128),
        ("seq_len_or_img", "4096 tokens", "length", 4096),
        ("torch", "NGC PyTorch 22.10 (PyTorch 1.x)", "software_year", 2022),
        ("torch", "nvcr.io/nvidia/pytorch:23.10-py3", "software_year", 2023),
        ("torch", "NGC PyTorch 24.05", "attention_upcasts", False),
        ("torch", "nightly 2024-03", "adapters_as_today", False),
        ("torch", "0.4.1", "software_year", 2020),
        ("torch", "transformers 4.45, flash-attn 2.7.0, torch 2.4.1", "software_year", 2024),
    ],
)
def test_what_publishers_write_for_the_same_thing_is_read_as_it(
    tmp_path: Path, column: str, cell: str, field: str, meant: object
) -> None:
    cells = dict(zip(HEADER.split(","), ROW.split(","), strict=True)) | {column: f'"{cell}"'}
    (row,) = rows_of(tmp_path, ",".join(cells), ",".join(cells.values()))
    assert row.problem is None
    assert getattr(row, field) == (pytest.approx(meant) if isinstance(meant, int | float) else meant)
    assert row.cells[column] == cell


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("compile", "thunder (sdpa, torchcompile)"),
        ("attention", "linear"),
        ("layout", "nc/32hw32"),
        ("precision", "fp7"),
        ("mode", "dreaming"),
        ("batch_per_gpu", "0"),
        ("batch_per_gpu", "1.5"),
        ("batch_per_gpu", "many"),
        ("ms", "-3"),
        ("ms", "nan"),
        ("ms", "soon"),
        ("ms", "3 days"),
        ("peak_gb", "1.2.3 GB"),
        ("peak_gb", "47.65 (torchtitan prints GiB)"),
        ("peak_gb", "26.2422 GB (script divides by 1024^3)"),
        ("seq_len_or_img", "1024x2048"),
        ("seq_len_or_img", "()"),
        ("seq_len_or_img", "2k"),
        ("batch_per_gpu", "16 or 32"),
        ("torch", "22.10"),
        ("torch", "tensorflow 2.15"),
        ("use", "ratio only"),
        ("precision", "bf16 (half of it)"),
        ("ms", ""),
        ("workload", ""),
        ("gpu_key", ""),
    ],
)
def test_a_wrong_cell_keeps_its_row_with_column_and_what_is_allowed(tmp_path: Path, column: str, cell: str) -> None:
    plain = dict(zip(HEADER.split(","), ROW.split(","), strict=True))
    cells = plain | {column: f'"{cell}"'}
    wrong, right = rows_of(tmp_path, ",".join(cells), ",".join(cells.values()), ",".join(plain.values()))
    assert wrong.problem is not None
    assert wrong.problem.numbers["column"] == column
    assert column in say(wrong.problem, "en")
    assert column in say(wrong.problem, "zh")
    assert right.problem is None


def test_a_row_with_too_many_cells_is_wrong_and_one_with_too_few_lacks_them(tmp_path: Path) -> None:
    long, short = rows_of(tmp_path, HEADER, ROW + ",7,8", "resnet50,t4,training")
    assert long.problem is not None
    assert short.problem is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "workload,gpu_key\n",
        HEADER.replace(",ms", "") + "\n",
        HEADER + ",ms\n",
        HEADER + '\n"resnet50,t4\n',
    ],
)
def test_a_file_that_is_no_such_table_is_refused_with_a_remedy(tmp_path: Path, text: str) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_run_rows(path)
    assert caught.value.remedy


def test_columns_of_other_names_are_named_with_those_that_are_meant(tmp_path: Path) -> None:
    with pytest.raises(SaidError) as refused:
        rows_of(tmp_path, "workload,gpu,mode,precision,batch_size,seq_len_or_img,ms", ROW)
    assert "lacks the columns `gpu_key`, `batch_per_gpu`." in refused.value.text
    assert "rename `gpu` → `gpu_key`" in refused.value.remedy
    assert "缺少 2 列：`gpu_key`" in error_text(refused.value, "zh")[0]


@pytest.mark.parametrize(
    ("given", "column"),
    [
        ("gpus", "n_gpus"), ("step_time", "ms"), ("peak_memory", "peak_gb"), ("strategy", "parallel"),
        ("optimizr", "optimizer"), ("accumulation", "gradient_accumulation"), ("devices", "n_gpus"),
    ],
)  # fmt: skip
def test_no_column_that_is_meant_is_passed_over(tmp_path: Path, given: str, column: str) -> None:
    header = HEADER.replace(",ms", f",{given},peak_gb" if column == "ms" else f",ms,{given}")
    with pytest.raises(SaidError) as refused:
        rows_of(tmp_path, header, ROW + ",4")
    told = f"nothing is read from the column `{given}` under this name."
    assert refused.value.text == f"{tmp_path / 'runs.csv'}: {told}"
    assert refused.value.remedy == f"Perhaps it has another name there; rename `{given}` → `{column}`."
    assert f"`{given}`" in error_text(refused.value, "zh")[0]


@pytest.mark.parametrize(
    ("given", "cell", "field", "read"),
    [
        ("Step ms", "40", "measured_s", 0.04), ("peak_memory_gb", "4", "peak_bytes", 4e9),
        ("Optimizer", "lamb", "optimizer", "lamb"), ("torch_compile", "yes", "compiled", True),
        ("grad_accum", "4", "accumulation_steps", 4),
    ],
)  # fmt: skip
def test_a_name_that_can_mean_nothing_else_is_read_as_that(
    tmp_path: Path, given: str, cell: str, field: str, read: object
) -> None:
    header = HEADER.replace(",ms", f",{given},efficiency" if field == "measured_s" else f",ms,{given}")
    row = ROW.rsplit(",", 1)[0] + f",{cell},0.9" if field == "measured_s" else f"{ROW},{cell}"
    (one,) = rows_of(tmp_path, header, row)
    assert getattr(one, field) == read
    assert given in one.cells
    assert list(one.read_as.values()) == [given]


@pytest.mark.parametrize("given", ["year", "count", "link"])
def test_a_name_that_tables_have_for_other_things_is_kept_beside_the_row(tmp_path: Path, given: str) -> None:
    (one,) = rows_of(tmp_path, f"{HEADER},{given}", ROW + ",2")
    assert one.cells[given] == "2"
    assert not one.read_as


def test_columns_of_common_names_are_all_told_what_they_are_called_here(tmp_path: Path) -> None:
    with pytest.raises(SaidError) as refused:
        rows_of(tmp_path, "model,gpu,gpus,mode,dtype,batch,sequence,step_ms", ROW + ",4")
    for given, column in (
        ("model", "workload"), ("gpu", "gpu_key"), ("gpus", "n_gpus"), ("dtype", "precision"),
        ("batch", "batch_per_gpu"), ("sequence", "seq_len_or_img"), ("step_ms", "ms"),
    ):  # fmt: skip
        assert f"`{given}` → `{column}`" in refused.value.remedy


def test_one_column_is_told_as_one_and_meant_for_one_alone(tmp_path: Path) -> None:
    with pytest.raises(SaidError) as refused:
        rows_of(tmp_path, HEADER.replace("gpu_key", "gpu"), ROW)
    assert refused.value.text.endswith("lacks the column `gpu_key`.")
    assert refused.value.remedy == "Perhaps it has another name there; rename `gpu` → `gpu_key`."
    with pytest.raises(SaidError) as refused:
        rows_of(tmp_path, "workload,gpu_key,precision_mode,batch_per_gpu,seq_len_or_img,ms", ROW)
    assert refused.value.remedy.count("`precision_mode` →") == 1


@pytest.mark.parametrize(("word", "meant"), [("AMP", "fp16_amp"), ("BF16-mixed", "bf16_amp"), ("float32", "fp32")])
def test_a_precision_is_read_as_on_the_command_line(tmp_path: Path, word: str, meant: str) -> None:
    (row,) = rows_of(tmp_path, HEADER, ROW.replace("amp-fp16", word))
    assert row.problem is None
    assert row.precision == meant


@pytest.mark.parametrize(("words", "said"), [("RTX 4090", None), ("NVIDIA L40S", None), ("rtx4900", "rtx4090")])
def test_a_card_is_read_as_on_the_command_line(tmp_path: Path, words: str, said: str | None) -> None:
    rows = rows_of(tmp_path, HEADER, ROW.replace("v100-sxm2-16", words))
    asked = WorkloadReader(tmp_path).question(rows[0], spec_table())
    if said is None:
        assert isinstance(asked, RowQuestion)
        assert asked.row.gpu_key == asked.spec.key
    else:
        assert isinstance(asked, Reason)
        assert said in say(asked, "en")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_run_rows(tmp_path / "absent.csv")


def test_a_cell_that_ends_in_not_stated_says_nothing(tmp_path: Path) -> None:
    (row, other) = rows_of(
        tmp_path,
        HEADER + ",layout,interconnect",
        ROW + ",nhwc/nchw not stated,not stated (H100 section)",
        ROW + ",nhwc,",
    )
    assert row.problem is None
    assert (row.channels_last, row.interconnect) == (None, None)
    assert other.channels_last is True


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("full (HF gradient_checkpointing)", "full"),
        ("selective (per-op SAC)", "selective"),
        ("default graph SAC", "selective"),
        ("none", "none"),
        ("no", "none"),
        ("yes", "full"),
        ("True", "full"),
        ("not stated", None),
        ("?", None),
        ("", None),
    ],
)
def test_what_backward_computes_again_is_read_from_its_own_column(tmp_path: Path, cell: str, meant: str | None) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",activation_checkpointing", f"{ROW},{cell}")
    assert row.problem is None
    assert row.activation_checkpointing == meant
    asked = WorkloadReader(tmp_path).question(row, spec_table())
    assert isinstance(asked, RowQuestion)
    assert asked.workload.training.activation_checkpointing == (meant or "none")


def test_checkpointing_in_words_that_nobody_knows_is_refused_with_those_that_are(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",activation_checkpointing", ROW + ",every other layer")
    assert row.problem is not None
    assert "selective" in say(row.problem, "en")


def test_a_card_with_a_remark_behind_it_is_predicted(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, HEADER, ROW.replace("v100-sxm2-16", "v100 (16/32GB not stated)"))
    asked = WorkloadReader(tmp_path).question(row, spec_table())
    assert isinstance(asked, RowQuestion)
    assert {spec.key for spec in asked.variants} == {"v100-pcie-16", "v100-pcie-32", "v100-sxm2-16", "v100-sxm2-32"}


@pytest.mark.parametrize("cell", ["1,045", "-3", "abc"])
def test_what_a_cell_may_hold_is_said_in_the_readers_language(tmp_path: Path, cell: str) -> None:
    (row,) = rows_of(tmp_path, HEADER, ROW.replace("100.0", f'"{cell}"'))
    (long,) = rows_of(tmp_path, HEADER, f"{ROW},9")
    assert row.problem is not None
    assert long.problem is not None
    assert "大于 0 的数，不带千位分隔符" in say(row.problem, "zh")
    assert "多出 1 个单元格" in say(long.problem, "zh")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gbk"])
def test_a_table_is_read_in_the_encodings_that_spreadsheets_save(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(f"{HEADER},备注\n{ROW},实验室的卡\n".encode(encoding))
    (row,) = read_run_rows(path)
    assert (row.problem, row.workload, row.measured_s) == (None, "resnet50", 0.1)
