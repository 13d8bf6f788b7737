"""Where a description is silent, or cannot be meant, a row is predicted as trainers run it, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from advisor.catalogue.spec_table import spec_table
from advisor.evaluate import evaluate_file
from advisor.evaluate.held_states import told_of_a_larger_card
from advisor.evaluate.row_answer import RowAnswer, RowQuestion
from advisor.evaluate.row_predictions import WorkloadReader, questions_of
from advisor.evaluate.run_rows import read_run_rows
from advisor.evaluate.silent_descriptions import (
    lengths_may_differ,
    lengths_taken_alike,
    perhaps_fused,
    perhaps_prepared,
)
from advisor.evaluate.traces import key_of, memory_key_of
from tests.accuracy.tables import load_table

HEADER = (
    "workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms,n_gpus,parallel,peak_gb,max_batch_that_ran,torch"
)
LLAMA = """
name = "small"
[model]
source = "huggingface"
task = "causal-lm"
[model.config]
model_type = "llama"
hidden_size = 128
num_hidden_layers = 2
num_attention_heads = 2
intermediate_size = 256
vocab_size = 1000
[data]
samples = 1000
sequence_length = 64
[training]
batch_size = 1
precision = "bf16_amp"
"""
ADAPTERS = 'trainable = "lora"\n'
PACKED = ADAPTERS + 'quantization = "nf4"\n'
FUSED = "fused_layers = true\nfused_gate = false"
WITH_KIND = f"{HEADER},memory_kind"
SMALL_CARD_BYTES = 400e6


def asked(
    folder: Path,
    training: str,
    row: str = "run,a100-sxm4-80,training,bf16_amp,1,,10,1,,,,",
    header: str = HEADER,
) -> RowQuestion:
    (folder / "run.toml").write_text(LLAMA + training, encoding="utf-8")
    (folder / "runs.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    (question,) = questions_of(read_run_rows(folder / "runs.csv"), WorkloadReader(folder), spec_table())
    assert isinstance(question, RowQuestion)
    return question


@pytest.mark.parametrize(
    ("training", "layers", "gate"),
    [
        ("chunked_loss = true", True, False),
        (ADAPTERS + "chunked_loss = true", True, False),
        (ADAPTERS + 'chunked_loss = true\nlora_targets = ["q_proj"]', True, False),
        (ADAPTERS + 'chunked_loss = true\nlora_targets = ["q_proj", "up_proj"]', True, True),
        (ADAPTERS + 'chunked_loss = true\nlora_targets = "all_linear"', True, True),
        ("chunked_loss = true\nfused_layers = true", True, True),
        ("chunked_loss = true\nfused_layers = false", False, True),
        ("chunked_loss = true\ncompile = true", False, True),
        ("", False, True),
    ],
)
def test_a_loss_in_chunks_comes_with_what_every_library_that_brings_it_fuses(
    tmp_path: Path, training: str, layers: bool, gate: bool
) -> None:
    found = asked(tmp_path, training).workload.training
    assert (found.fused_layers, found.fused_gate) == (layers, gate)


@pytest.mark.parametrize(
    ("training", "precision", "layout", "of_times", "of_memory"),
    [
        (ADAPTERS, "bf16_amp", "4,fsdp,9,", "half", "half_cast"),
        (ADAPTERS, "bf16_amp", "4,fsdp,,", "half", "half"),
        (ADAPTERS, "bf16_amp", "4,ddp,9,", "amp", "amp"),
        (ADAPTERS, "bf16_amp", "1,,9,", "amp", "amp"),
        (ADAPTERS, "bf16_true", "4,fsdp,9,", "half", "half"),
        ("", "bf16_amp", "4,fsdp,9,", "half", "half"),
    ],
)
def test_peaks_of_adapters_over_shards_are_those_of_cast_ones(
    tmp_path: Path, training: str, precision: str, layout: str, of_times: str, of_memory: str
) -> None:
    question = asked(tmp_path, training, f"run,a100-sxm4-80,training,{precision},1,,10,{layout},")
    assert (key_of(question).precision, memory_key_of(question).precision) == (of_times, of_memory)


@pytest.mark.parametrize(
    ("training", "cells", "perhaps"),
    [
        ("", "bf16_amp,1,,10,1,,9,,", True),
        (ADAPTERS, "bf16_true,1,,10,4,fsdp,9,,", True),
        ("", "bf16_amp,1,,10,1,,9,,2.2.0", True),
        ("", "bf16_amp,1,,10,1,,9,,2.1.0", False),
        ("", "fp32,1,,10,1,,9,,", False),
        ("fused_layers = false", "bf16_amp,1,,10,1,,9,,", False),
        ("fused_layers = true", "bf16_amp,1,,10,1,,9,,", False),
        ("chunked_loss = true", "bf16_amp,1,,10,1,,9,,", False),
        ("compile = true", "bf16_amp,1,,10,1,,9,,", False),
        ('mode = "inference"', "bf16_amp,1,,10,1,,9,,", False),
    ],
)
def test_layers_may_have_been_fused_where_nothing_tells_whose_they_were(
    tmp_path: Path, training: str, cells: str, perhaps: bool
) -> None:
    mode = "inference" if "inference" in training else "training"
    question = asked(tmp_path, training, f"run,a100-sxm4-80,{mode},{cells}")
    assert (perhaps_fused(question) is not None) is perhaps


@pytest.mark.parametrize(
    ("training", "length", "kind", "may_differ"),
    [
        (ADAPTERS, "64", "reserved", True),
        (ADAPTERS, "64", "device", True),
        ('trainable = "head"', "64", "reserved", True),
        (ADAPTERS, "64", "allocated", False),
        (ADAPTERS, "64", "", False),
        (ADAPTERS, "64 (packed)", "reserved", False),
        ("", "64", "reserved", False),
        ("", "<=64 (varies)", "reserved", True),
        (ADAPTERS + 'mode = "inference"', "64", "reserved", False),
    ],
)
def test_samples_of_a_fine_tuning_may_differ_in_length_where_segments_count_and_nothing_says_that_they_do_not(
    tmp_path: Path, training: str, length: str, kind: str, may_differ: bool
) -> None:
    mode = "inference" if "inference" in training else "training"
    row = f"run,a100-sxm4-80,{mode},bf16_amp,1,{length},,1,,9,,,{kind}"
    assert lengths_may_differ(asked(tmp_path, training, row, WITH_KIND)) is may_differ


@pytest.mark.parametrize(
    ("training", "length", "alike", "may_differ"),
    [
        (ADAPTERS, "64", True, False),
        (ADAPTERS, "<=64 (varies)", False, True),
        (ADAPTERS, "64 (packed)", False, False),
        ("", "64", False, False),
    ],
)
def test_the_time_of_a_step_is_that_of_samples_of_one_length_unless_the_row_says_otherwise(
    tmp_path: Path, training: str, length: str, *, alike: bool, may_differ: bool
) -> None:
    question = asked(tmp_path, training, f"run,a100-sxm4-80,training,bf16_amp,1,{length},10,1,,9,,,reserved", WITH_KIND)
    assert lengths_taken_alike(question) is alike
    assert lengths_may_differ(question) is may_differ


def test_a_peak_of_segments_lies_between_that_of_lengths_alike_and_of_lengths_that_differ(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(LLAMA + ADAPTERS, encoding="utf-8")
    lengths = ("2048,", "2048 (packed),", "2048,10")
    rows = [f"run,a100-sxm4-80,training,bf16_amp,4,{length},1,,9,,,reserved" for length in lengths]
    (tmp_path / "runs.csv").write_text("\n".join([WITH_KIND, *rows]) + "\n", encoding="utf-8")
    answers = evaluate_file(tmp_path / "runs.csv").answers
    silent, packed, timed = (answer.peak_bytes for answer in answers)
    assert silent is not None
    assert timed == packed
    assert packed is not None
    assert silent.low == packed.low
    assert packed.value < silent.value < silent.high
    assert packed.high < silent.high
    told = ("evaluate-lengths-may-differ", "evaluate-lengths-taken-alike")
    said = [[code for code in told if code in {caveat.code for caveat in answer.caveats}] for answer in answers]
    assert said == [[told[0]], [], [told[1]]]


def test_a_pipelines_peak_is_its_first_stages_unless_the_row_went_out_of_memory(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(LLAMA.replace("1000", "100000") + "fused_layers = false", encoding="utf-8")
    rows = [f"run,a100-sxm4-80,training,bf16_amp,64,,10,2,,9,,,2,{failed}" for failed in ("", "64")]
    (tmp_path / "runs.csv").write_text(
        "\n".join([f"{HEADER},pp,min_batch_that_failed", *rows]) + "\n", encoding="utf-8"
    )
    answers = evaluate_file(tmp_path / "runs.csv").answers
    first, fullest = (answer.peak_bytes for answer in answers)
    assert first is not None
    assert fullest is not None
    assert first.value < fullest.value <= first.high
    told = ["evaluate-first-stage" in {caveat.code for caveat in answer.caveats} for answer in answers]
    assert told == [True, False]


def test_the_low_end_of_a_peak_is_that_of_fused_layers_unless_the_file_says_whose_they_were(tmp_path: Path) -> None:
    for name, said in (
        ("silent", ""),
        ("own", "fused_layers = false"),
        ("fused", FUSED),
    ):
        (tmp_path / f"{name}.toml").write_text(LLAMA + said, encoding="utf-8")
    rows = [f"{name},a100-sxm4-80,training,bf16_amp,256,,10,1,,9,," for name in ("silent", "own", "fused")]
    (tmp_path / "runs.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    answers = evaluate_file(tmp_path / "runs.csv").answers
    silent, own, fused = (answer.peak_bytes for answer in answers)
    assert silent is not None
    assert own is not None
    assert fused is not None
    assert (silent.value, silent.high) == (own.value, own.high)
    assert fused.value < 0.9 * own.value
    assert silent.low == fused.low < own.low
    told = ["evaluate-perhaps-fused" in {caveat.code for caveat in answer.caveats} for answer in answers]
    assert told == [True, False, False]


@pytest.mark.parametrize(
    ("training", "cells", "perhaps"),
    [
        (PACKED, "bf16_amp,1,,10,1,,9,,", True),
        (PACKED, "bf16_amp,1,,10,1,,,,", True),
        (PACKED, "bf16_amp,1,,10,4,ddp,9,,", True),
        (ADAPTERS + 'quantization = "int8"', "fp16_amp,1,,10,1,,9,,", True),
        (ADAPTERS + 'quantization = "gptq"', "fp16_amp,1,,10,1,,9,,", False),
        (PACKED, "bf16_true,1,,10,1,,9,,", False),
        (PACKED, "bf16_amp,1,,10,4,fsdp,9,,", False),
        (PACKED + "unpacked_bits = 16", "bf16_amp,1,,10,1,,9,,", False),
        (PACKED + "unpacked_bits = 32", "bf16_amp,1,,10,1,,9,,", False),
        (ADAPTERS, "bf16_amp,1,,10,1,,9,,", False),
    ],
)
def test_what_is_not_packed_may_have_been_left_in_fp32_where_nothing_tells(
    tmp_path: Path, training: str, cells: str, perhaps: bool
) -> None:
    question = asked(tmp_path, training, f"run,a100-sxm4-80,training,{cells}")
    assert (perhaps_prepared(question) is not None) is perhaps


def test_ranges_of_packed_weights_reach_up_to_those_of_a_prepared_model_unless_the_file_says_which(
    tmp_path: Path,
) -> None:
    own_layers = f"{PACKED}fused_layers = false\n"
    for name, said in (("silent", ""), ("half", "unpacked_bits = 16"), ("prepared", "unpacked_bits = 32")):
        (tmp_path / f"{name}.toml").write_text(LLAMA + own_layers + said, encoding="utf-8")
    rows = [f"{name},a100-sxm4-80,training,bf16_amp,256,,10,1,,9,," for name in ("silent", "half", "prepared")]
    (tmp_path / "runs.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    answers = evaluate_file(tmp_path / "runs.csv").answers
    for silent, half, prepared in (
        [answer.step_s for answer in answers],
        [answer.peak_bytes for answer in answers],
    ):
        assert silent is not None
        assert half is not None
        assert prepared is not None
        assert (silent.value, silent.low) == (half.value, half.low)
        assert silent.high == prepared.high > half.high
    told = ["evaluate-perhaps-prepared" in {caveat.code for caveat in answer.caveats} for answer in answers]
    assert told == [True, False, False]


def test_the_low_end_of_a_time_is_that_of_fused_layers_unless_the_file_says_whose_they_were(tmp_path: Path) -> None:
    for name, said in (("silent", ""), ("own", "fused_layers = false"), ("fused", FUSED)):
        (tmp_path / f"{name}.toml").write_text(LLAMA + said, encoding="utf-8")
    rows = [f"{name},a100-sxm4-80,training,bf16_amp,256,,10,1,,,," for name in ("silent", "own", "fused")]
    (tmp_path / "runs.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    answers = evaluate_file(tmp_path / "runs.csv").answers
    silent, own, fused = (answer.step_s for answer in answers)
    assert silent is not None
    assert own is not None
    assert fused is not None
    assert (silent.value, silent.high) == (own.value, own.high)
    assert fused.value < own.value
    assert silent.low == fused.low < own.low
    told = ["evaluate-perhaps-fused" in {caveat.code for caveat in answer.caveats} for answer in answers]
    assert told == [True, False, False]


def predicted_on_a_small_card(folder: Path, row: str) -> RowAnswer:
    """ResNet-50 with Adam and foreach's temporaries: 0.51 GB of FP32, of 16 bits half of that, before activations."""
    (folder / "runs.csv").write_text(f"{HEADER},optimizer\n{row},,adamw\n", encoding="utf-8")
    card = replace(spec_table()["a100-sxm4-80"], memory_bytes=int(SMALL_CARD_BYTES))
    table = load_table("resnet50_v1_5", 224, "fp16_amp", "training")
    (answer,) = evaluate_file(
        folder / "runs.csv",
        specs={"a100-sxm4-80": card},
        tracer=lambda wanted: {key: replace(table, precision=key.precision) for key in wanted},
    ).answers
    return answer


@pytest.mark.parametrize(
    ("cells", "held_as"),
    [
        ("bf16_amp,1,224,90,1,,,", "bf16_true"),
        ("bf16_amp,1,224,,1,,0.4,", "bf16_true"),
        ("bf16_amp,1,224,90,2,ddp,,", "bf16_true"),
        ("bf16_amp,1,224,,1,,,0", "bf16_amp"),
        ("bf16_amp,1,224,,1,,,1", "bf16_true"),
        ("fp16_amp,1,224,90,1,,,", "fp16_amp"),
        ("fp32,1,224,90,1,,,", "fp32"),
    ],
)
def test_states_that_the_card_cannot_have_held_in_fp32_were_held_in_bf16_if_the_run_took_place(
    tmp_path: Path, cells: str, held_as: str
) -> None:
    answer = predicted_on_a_small_card(tmp_path, f"resnet50,a100-sxm4-80,training,{cells}")
    assert answer.workload is not None, answer.reason
    assert answer.workload.training.precision == held_as
    told = "evaluate-held-in-half" in {caveat.code for caveat in answer.caveats}
    assert told is (held_as == "bf16_true")


@pytest.mark.parametrize(
    ("precision", "peak_gb", "mode", "optimizer", "code"),
    [
        ("bf16_true", "0.003", "training", "adamw", "evaluate-not-updated"),
        ("fp32", "0.005", "training", "adamw", "evaluate-not-updated"),
        ("bf16_true", "0.001", "training", "adamw", "evaluate-no-room-for-update"),
        ("bf16_amp", "0.005", "training", "adamw", "evaluate-no-room-for-update"),
        ("bf16_true", "1.0", "training", "adamw", None),
        ("bf16_true", "0.002", "training", "none", None),
        ("bf16_true", "0.002", "forward_backward", "adamw", None),
    ],
)
def test_a_peak_without_room_for_the_states_says_that_no_update_was_in_it(
    tmp_path: Path, precision: str, peak_gb: str, mode: str, optimizer: str, code: str | None
) -> None:
    (tmp_path / "run.toml").write_text(LLAMA, encoding="utf-8")
    (tmp_path / "runs.csv").write_text(
        f"{HEADER},optimizer\nrun,a100-sxm4-80,{mode},{precision},1,,10,1,,{peak_gb},,,{optimizer}\n", encoding="utf-8"
    )
    (answer,) = evaluate_file(tmp_path / "runs.csv").answers
    assert answer.reason is None
    told = {"evaluate-no-room-for-update", "evaluate-not-updated"} & {caveat.code for caveat in answer.caveats}
    assert told == (set() if code is None else {code})


def test_what_had_no_room_for_an_update_is_predicted_as_both_passes_alone(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(LLAMA, encoding="utf-8")
    rows = [
        f"run,a100-sxm4-80,{mode},bf16_true,1,,10,1,,{peak},,,{optimizer},{source}"
        for mode, peak, optimizer, source in (
            ("training", "0.003", "adamw", "one"),
            ("forward_backward", "0.003", "none", "one"),
            ("training", "1", "adamw", "two"),
        )
    ]
    (tmp_path / "runs.csv").write_text("\n".join([f"{HEADER},optimizer,source", *rows]) + "\n", encoding="utf-8")
    without, passes, whole = evaluate_file(tmp_path / "runs.csv").answers
    assert (without.step_s, without.peak_bytes) == (passes.step_s, passes.peak_bytes)
    assert passes.step_s is not None
    assert whole.step_s is not None
    assert passes.step_s.value < whole.step_s.value


def test_rows_beside_one_that_had_no_room_for_an_update_had_none_either(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(LLAMA, encoding="utf-8")
    rows = [
        f"run,a100-sxm4-80,training,{precision},{batch},,10,1,,{peak},,,adamw,{source}"
        for precision, batch, peak, source in (
            ("bf16_true", 1, "0.003", "one"),
            ("bf16_true", 64, "1", "one"),
            ("bf16_true", 64, "", "one"),
            ("bf16_true", 64, "1", "two"),
            ("fp16_true", 64, "1", "one"),
        )
    ]
    (tmp_path / "runs.csv").write_text("\n".join([f"{HEADER},optimizer,source", *rows]) + "\n", encoding="utf-8")
    answers = evaluate_file(tmp_path / "runs.csv").answers
    modes = [None if answer.workload is None else answer.workload.training.mode for answer in answers]
    assert modes == [*["forward_backward"] * 3, "training", "training"]
    told = ["evaluate-not-updated-beside" in {caveat.code for caveat in answer.caveats} for answer in answers]
    assert told == [False, True, True, False, False]


@pytest.mark.parametrize(
    ("card", "peak_gb", "told"),
    [
        ("h100-sxm", "94.7", True),
        ("h100-sxm", "85", False),
        ("h100-sxm", "", False),
        ("H100", "94.7", False),
        ("H100", "140", True),
    ],
)
def test_a_peak_beyond_what_the_card_holds_was_on_another_of_its_name(
    tmp_path: Path, card: str, peak_gb: str, told: bool
) -> None:
    question = asked(tmp_path, "", f"run,{card},training,bf16_amp,1,,10,1,,{peak_gb},,")
    assert bool(told_of_a_larger_card(question)) is told
