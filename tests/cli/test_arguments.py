"""Flags are checked one by one, and a wrong one is a sentence with a remedy."""

from __future__ import annotations

import re

import pytest

from advisor.cli.argument_values import number_of, optimizer_word, precision_word, samples_number
from advisor.cli.arguments import build_parser
from advisor.cli.commands import run
from advisor.cli.faults import ArgumentFault
from advisor.core.bundled import resource
from advisor.core.errors import InputError
from advisor.workload.workload import DEFAULT_WORKLOAD
from advisor.workload.workload_file import load_workload

_OF_OTHERS = {"--force-reinstall", "--bf16"}
"""Flags of pip and of training scripts that sentences name."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_flag_that_a_sentence_names_is_one(language: str) -> None:
    flags = {name for action in build_parser()._actions for name in action.option_strings} | _OF_OTHERS
    for path in (resource("sentences") / language).glob("*.ftl"):
        named = re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", path.read_text(encoding="utf-8"))
        assert set(named) <= flags, path.name


def test_measure_without_a_workload_takes_the_bundled_bert() -> None:
    assert build_parser().parse_args(["--measure"]).measure == DEFAULT_WORKLOAD


def test_counts_are_sorted_and_single() -> None:
    assert build_parser().parse_args(["--counts", "8, 2,2"]).counts == (2, 8)
    assert build_parser().parse_args(["--counts", "8，2、4"]).counts == (2, 4, 8)


def test_gpu_keys_are_split_at_commas() -> None:
    assert build_parser().parse_args(["--gpus", "rtx3090,rtx4090"]).gpus == ("rtx3090", "rtx4090")


@pytest.mark.parametrize(
    "flags",
    [
        ["--batch", "0"],
        ["--batch", "-3"],
        ["--batch", "many"],
        ["--batch", "1" * 4000],
        ["--budget", "nan"],
        ["--budget", "inf"],
        ["--counts", "1,zero"],
        ["--counts", "100000"],
        ["--precision", "fp12"],
        ["--goal", "glory"],
        ["--measure", "--predict"],
        ["--unknown"],
        ["--lang", "zh"],
    ],
)
def test_a_wrong_flag_is_refused_in_a_sentence_with_a_remedy(flags: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        build_parser().parse_args(flags)
    assert caught.value.exit_code == 2
    assert caught.value.text.startswith("Command line:")
    assert "--help" in caught.value.remedy


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--predict", "--nosuch"), "无法识别的参数：--nosuch。"),
        (("--predict", "--gpu", "4090"), "是否指 --gpus？"),
        (("--batch", "abc"), "参数 --batch：'abc' 不是从 1 到 1,000,000 的整数。"),
        (("--budget", "-1"), "参数 --budget：'-1' 不是从 0.001 到 86,400 的数。"),
        (("--counts", "100000"), "100,000 个设备"),
        (("--critical-batch", "9-8"), "终点小于起点"),
        (("--precision", "fp12"), "不是精度"),
        (("--lora-targets", ","), "没有写出任何层"),
        (("--goal", "glory"), "参数 --goal：'glory' 不在可选之列：time, cost, energy。"),
        (("--measure", "--predict"), "不能与参数 --measure 同用"),
        (("--batch",), "参数 --batch：缺少值。"),
        (("--predict", "iris_mlp", "--gpus", "A10X"), "是否指 `a10`、"),
        (("--predict", "iris_mlp", "--max-cost", "3"), "没有给出价格"),
        (("--detect", "--pdf", "x.pdf"), "只能写 --json"),
        (("--predict", "iris_mlp", "--json", "/nowhere/x.json"), "所在文件夹不存在"),
        (("--predict", "iris_mlp", "--json", "-", "--csv", "-"), "标准输出"),
    ],
)
def test_a_wrong_command_line_is_refused_in_the_readers_language(
    flags: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*flags, "--language", "zh"]) == (5 if "/nowhere/x.json" in flags else 2)
    told = capsys.readouterr().err
    assert said in told
    assert len(told.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("flag", "given", "said"),
    [
        ("--nodes", "99999999", "from 1 to 4,096"),
        ("--batch", "999999999", "from 1 to 1,000,000"),
        ("--sequence-length", "99999999", "from 1 to 1,000,000"),
        ("--lora-rank", "999999999", "from 1 to 4,096"),
        ("--samples", "9" * 20, "from 1 to 1,000,000,000,000"),
        ("--global-batch", "9" * 20, "from 1 to 1,000,000,000,000"),
        ("--prune-history", "99999999999", "from 1 to 36,500"),
        ("--epochs", "1e300", "from 1e-06 to 1,000,000"),
        ("--max-hours", "1e-300", "from 0.0001 to 1,000,000"),
        ("--max-power", "1e-9", "from 1 to 1e+09"),
        ("--max-cost", "1e99", "from 1e-06 to 1e+15"),
        ("--budget", "1e12", "from 0.001 to 86,400"),
        ("--host-memory", "1e30", "from 0.1 to 1,000,000"),
        ("--verify", "1e-9", "from 1 to 86,400"),
    ],
)
def test_an_absurd_number_is_refused_with_the_flag_and_its_range(flag: str, given: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        build_parser().parse_args([flag, given])
    assert flag in caught.value.text
    assert said in caught.value.text


def test_no_card_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="no card is named"):
        build_parser().parse_args(["--gpus", ""])


def test_cards_are_also_split_at_semicolons_and_chinese_commas() -> None:
    assert build_parser().parse_args(["--gpus", "4090;3090，A100、L40S"]).gpus == ("4090", "3090", "A100", "L40S")


def test_a_flag_that_does_not_go_with_a_bundled_workload_names_no_file_of_the_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--predict", "bert_base_sst2", "--batch", "1000000"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("advisor: bert_base_sst2: `training.batch_size` is 1000000")


def test_the_language_of_the_system_is_that_of_a_wrong_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.core.sentences.system_language", lambda: "zh")
    assert run(["--goal", "glory"]) == 2
    assert "命令行" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flag", "text", "number"),
    [
        ("--samples", "1e6", 1_000_000),
        ("--samples", "1.1M", 1_100_000),
        ("--samples", "10 万", 100_000),
        ("--samples", "1,281,167", 1_281_167),
        ("--host-memory", "24GB", 24.0),
        ("--host-memory", "1.5 TiB", 1536.0),
        ("--max-hours", "30min", 0.5),
        ("--max-hours", "2 天", 48.0),
        ("--max-power", "1.2kW", 1200.0),
    ],
)
def test_a_number_may_bring_its_scale_or_unit_along(flag: str, text: str, number: float) -> None:
    parse = samples_number if flag == "--samples" else number_of(flag)
    assert parse(text) == number


@pytest.mark.parametrize(
    ("flag", "text"),
    [
        ("--samples", "1.5"),
        ("--samples", "10GB"),
        ("--max-hours", "3 GB"),
        ("--samples", "1,2"),
        ("--samples", "nan"),
        ("--max-hours", "inf"),
    ],
)
def test_a_number_of_another_unit_is_none(flag: str, text: str) -> None:
    parse = samples_number if flag == "--samples" else number_of(flag)
    with pytest.raises(ArgumentFault):
        parse(text)


@pytest.mark.parametrize("word", ["adamw_8bit", "paged_adamw_8bit", "AdamW-8bit", "adamw_bnb_8bit"])
def test_a_trainers_word_for_an_optimizer_is_told_by_its_fields(word: str) -> None:
    with pytest.raises(ArgumentFault) as refused:
        optimizer_word(word)
    assert refused.value.numbers["fields"] == 'optimizer = "adamw", optimizer_bits = 8'
    workload: dict[str, object] = {
        "name": "w",
        "model": {"source": "template", "template": "mlp", "layers": [4, 3]},
        "data": {"samples": 100},
        "training": {"batch_size": 4, "precision": "fp32", "optimizer": word},
    }
    with pytest.raises(InputError, match="optimizer_bits = 8"):
        load_workload(workload)


@pytest.mark.parametrize(
    ("given", "ours"),
    [
        ("--deadline", "--max-hours"),
        ("--bs", "--batch"),
        ("--per_device_train_batch_size", "--batch"),
        ("--seq-len", "--sequence-length"),
        ("--bf16", "--precision"),
        ("--mixed_precision", "--precision"),
        ("--gradient_checkpointing", "--checkpointing"),
        ("--load_in_4bit", "--quantization"),
        ("--num_gpus", "--counts"),
        ("--nnodes", "--nodes"),
        ("--energy", "--goal"),
        ("--output", "--json"),
    ],
)
def test_an_option_that_other_programs_call_so_is_told_by_our_name(given: str, ours: str) -> None:
    with pytest.raises(InputError, match="unrecognized") as caught:
        build_parser().parse_args(["--predict", "resnet50", given, "3"])
    assert caught.value.remedy == f"Did you mean {ours}? See advisor --help."


@pytest.mark.parametrize("given", ["resnet50", "my/train.toml", "net.py", "config.json"])
def test_a_workload_without_its_command_is_told_where_it_stands(given: str) -> None:
    for line in ([given], [given, "--gpus", "4090"], ["--predict", "--gpus", "4090", given]):
        with pytest.raises(InputError, match="unrecognized") as caught:
            build_parser().parse_args(line)
        assert caught.value.remedy == f"A workload stands behind --predict or --measure: advisor --predict {given}."


def test_what_is_no_option_anywhere_is_told_where_help_is() -> None:
    with pytest.raises(InputError, match="unrecognized") as caught:
        build_parser().parse_args(["--predict", "resnet50", "--frobnicate", "3"])
    assert caught.value.remedy == "See advisor --help."


@pytest.mark.parametrize("given", ["fp64", "float64", "torch.float64", "double"])
def test_double_precision_is_refused_as_that_and_not_taken_for_a_mistyped_half(given: str) -> None:
    with pytest.raises(ArgumentFault) as caught:
        precision_word(given)
    assert caught.value.what == "double-precision"
    assert caught.value.near == ()
