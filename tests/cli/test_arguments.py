"""Flags are checked one by one, and a wrong one is a sentence with a remedy."""

from __future__ import annotations

import pytest

from advisor.cli.arguments import DEFAULT_WORKLOAD, build_parser
from advisor.cli.commands import run
from advisor.core.errors import InputError


def test_measure_without_a_workload_takes_the_bundled_bert() -> None:
    assert build_parser().parse_args(["--measure"]).measure == DEFAULT_WORKLOAD


def test_counts_are_sorted_and_single() -> None:
    assert build_parser().parse_args(["--counts", "8, 2,2"]).counts == (2, 8)


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
        (("--batch", "abc"), "参数 --batch：'abc' 不是从 1 开始的整数。"),
        (("--budget", "-1"), "参数 --budget：'-1' 不是大于 0 的数。"),
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


def test_the_language_of_the_system_is_that_of_a_wrong_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.core.sentences.system_language", lambda: "zh")
    assert run(["--goal", "glory"]) == 2
    assert "命令行" in capsys.readouterr().err
