"""What a new user meets: endings with one cause and one remedy, one screen of advice, forgiving names, a first file."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalogue.gpu_words import cards_meant
from advisor.catalogue.spec_table import spec_table
from advisor.cli.arguments import build_parser
from advisor.cli.commands import run
from advisor.core.errors import InputError
from advisor.core.sentences import sentence
from advisor.present.one_screen import ROWS

QUIET = ("--no-history", "--quiet")
FILES = {
    "raises": ("raise RuntimeError('boom')", "boom"),
    "leaves": ("import sys; sys.exit(3)", "SystemExit"),
    "doubles": ("return nn.Linear(8, 8).double()", "float64"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_model_that_cannot_be_traced_ends_with_two_one_cause_and_the_log(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    body, cause = FILES[kind]
    file = tmp_path / "mine.py"
    file.write_text(
        f"import torch\nfrom torch import nn\ndef build_model():\n    {body}\n"
        "def make_batch(n, length):\n    return torch.randn(n, 8), torch.randint(0, 8, (n,))\n"
    )
    assert run(["--predict", str(file), "--allow-code", *QUIET]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.strip().splitlines()
    assert len(lines) == 1
    assert cause in lines[0]
    assert "last-trace.log" in lines[0]


def file_with_strange_names(folder: Path) -> Path:
    """A user's file whose batches have names that its model does not take."""
    file = folder / "mine.py"
    file.write_text(
        "import torch\nfrom torch import nn\ndef build_model(): return nn.Linear(8, 4)\n"
        "def make_batch(n, length): return {'inputs': torch.randn(n, 8), 'targets': torch.zeros(n)}\n"
    )
    return file


def test_a_file_that_gives_something_else_is_told_in_the_readers_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = file_with_strange_names(tmp_path)
    assert run(["--predict", str(file), "--allow-code", "--language", "zh", *QUIET]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "mine：无法追踪该模型。" in line
    assert f"{file}：make_batch 返回的字典的键为 inputs, targets，而 Linear 的 forward 的参数为 input。" in line
    assert "请按 forward 的参数命名张量" in line
    assert "完整日志：" in line


def test_a_fault_of_a_users_file_is_told_once_and_is_none_to_report_where_it_is_measured_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = file_with_strange_names(tmp_path)
    assert run(["--measure", str(file), "--allow-code", "--device", "cpu", "--budget", "5", *QUIET]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "make_batch returned a dict of inputs, targets, but forward of Linear takes input" in line
    assert "report this" not in line


def test_what_is_measured_for_want_of_a_speed_and_fails_there_is_told_by_both_causes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "mine.py"
    file.write_text(
        "import torch\nfrom torch import nn\ndef build_model(): return nn.Linear(8, 8).double()\n"
        "def make_batch(n, length): return torch.randn(n, 8), torch.randint(0, 8, (n,))\n"
    )
    assert run(["--measure", str(file), "--allow-code", "--device", "cpu", "--budget", "5", *QUIET]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "no speed is known here (weight: float64)" in line
    assert "must have the same dtype" in line


def test_a_side_that_a_model_has_of_itself_is_not_said_to_be_assumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "efficientnet.json"
    config.write_text('{"model_type": "efficientnet"}')
    assert run(["--predict", str(config), "--gpus", "l40s", "--counts", "1", "--details", *QUIET]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Pictures are 600 × 600 pixels" in told
    assert "Not given, so assumed: 10,000 training samples" in told
    assert "images of" not in told


def test_a_precision_that_cannot_be_traced_is_named_and_never_another_where_a_user_fixed_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, described = tmp_path / "strict.py", tmp_path / "strict.toml"
    file.write_text(
        "import torch\nfrom torch import nn\nclass Strict(nn.Linear):\n    def forward(self, x):\n"
        "        out = super().forward(x)\n        assert out.dtype == torch.float32, 'FP32 only'\n        return out\n"
        "def build_model(): return Strict(8, 4)\n"
        "def make_batch(n, length): return torch.randn(n, 8), torch.randint(0, 4, (n,))\n"
    )
    described.write_text(
        'name = "strict"\n[model]\nsource = "python"\nfile = "strict.py"\n[data]\nsamples = 10000\n'
        '[training]\nbatch_size = 8\nepochs = 3\noptimizer = "adamw"\nprecision = "fp16_amp"\n'
    )
    flags = ("--allow-code", "--gpus", "rtx4090", "--counts", "1", *QUIET)
    for path, fixed, code in ((file, ("--precision", "fp16_amp"), 6), (described, (), 0)):
        assert run(["--predict", str(path), *fixed, *flags]) == code
        answer = capsys.readouterr().out
        assert ("TF32, one device" in answer) is (code == 0)  # the nearest that is at least as exact
        told = answer.partition("Beware")[2].strip().splitlines()
        named = [line for line in told if "At FP16 AMP the model could not be traced, so nothing is predict" in line]
        assert named
        assert "AssertionError: `FP32 only`" in named[0]
        assert not fixed or named[0] == told[0]  # what was asked for and not kept comes first


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--predict", "bert_base_sst2", "--interconnect", "wet string"), "`wet string` 不是已知的连接。请使用"),
        (("--predict", "bert_base_sst2", "--global-batch", "50", "--counts", "4,8"), "例如 48 或 52，"),
        (("--predict", "bert_base_sst2", "--global-batch", "67350", "--counts", "2"), "多于数据的 67,349 个。请最多"),
        (("--predict", "bert_base_sst2", "--nodes", "3", "--counts", "2,4"), "请让 --counts 为 3 的倍数"),
        (("--measure", "iris_mlp", "--budget", "0.1"), "请至少给出 1.00 s"),
        (("--measure", "iris_mlp", "--device", "no-card"), "--device no-card：这里没有这个设备。请从 cpu"),
        (("--init", "job.txt"), "请命名为 job.toml"),
    ],
)
def test_what_a_flag_asks_in_vain_is_told_in_the_readers_language(
    flags: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*flags, "--language", "zh", *QUIET]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.strip().splitlines()
    assert said in line


def test_a_fixed_batch_that_no_card_holds_by_itself_is_kept_with_checkpointing_and_what_it_costs_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--predict", "bert_base_sst2", "--batch", "1024", "--gpus", "rtx4090", *QUIET]) == 0
    answer = capsys.readouterr().out
    assert "batch size 1,024 per device" in answer
    assert "with activation checkpointing" in answer.partition("Why")[0]
    assert "Without activation checkpointing no step fits 8 × RTX 4090" in answer
    assert "The model does not fit one such card" not in answer
    assert "Activation checkpointing would save" not in answer
    assert (
        "Without what you fixed, 8 × RTX 4090 at batch size 256 in 4 passes"
        in answer.partition("What would change this")[2]
    )


def test_where_nothing_fits_the_code_is_six(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--predict", "bert_base_sst2", "--gpus", "rtx4090", "--max-hours", "0.0001", *QUIET]) == 6
    assert "No set-up could be recommended" in capsys.readouterr().out


def test_the_default_answer_is_one_screen_and_says_what_it_leaves_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--predict", "bert_base_sst2", *QUIET]) == 0
    short = capsys.readouterr().out.splitlines()
    assert len(short) <= 40
    assert short[-1].endswith("--details")
    table = short[short.index(next(line for line in short if line.startswith("Device"))) + 1 :]
    assert len([line for line in table if "GiB" in line]) == ROWS
    assert run(["--predict", "bert_base_sst2", "--details", *QUIET]) == 0
    assert len(capsys.readouterr().out.splitlines()) > len(short)


def test_without_prices_the_rows_of_the_cheapest_tell_the_gpu_hours_that_decide(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--predict", "resnet50", "--goal", "cost", "--gpus", "4090,l40s", "--language", "en", *QUIET]) == 0
    short = capsys.readouterr().out.splitlines()
    head = next(place for place, line in enumerate(short) if line.startswith("Device"))
    assert short[head].rstrip().endswith("GPU-hours")
    assert "Cost" not in short[head]
    hours = [float(line.split()[-2]) for line in short[head + 1 :] if line.endswith(" h")]
    assert len(hours) >= 2
    assert hours[0] == min(hours)


def test_a_family_of_cards_stands_for_all_its_variants_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--predict", "ResNet-50", "--gpus", "V100", "--counts", "1", *QUIET]) == 0
    assert "v100-pcie-16, v100-pcie-32, v100-sxm2-16, v100-sxm2-32" in capsys.readouterr().err


def test_an_unknown_card_is_answered_with_the_nearest_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--predict", "resnet50", "--gpus", "rtx4900", *QUIET]) == 2
    assert "Did you mean `rtx4090`" in capsys.readouterr().err
    assert run(["--predict", "resnet50", "--gpus", "t4,CPU", *QUIET]) == 2
    assert "--measure --device cpu" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        (["--gpus", "4090", "3090"], "--gpus 4090,3090"),
        (["--gpus", "4090,", "3090"], "--gpus 4090,3090"),
        (["--gpus", "4090 3090"], "--gpus 4090,3090"),
        (["--gpus", "rtx 4090 3080 ti a100 80gb"], '--gpus "rtx 4090,3080 ti,a100 80gb"'),
        (["--counts", "1", "2", "4"], "--counts 1,2,4"),
    ],
)
def test_a_list_with_blanks_is_answered_with_the_commas_that_it_lacks(
    line: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--predict", "iris_mlp", *line, *QUIET]) == 2
    assert f"Join the names by commas, without blanks: {remedy}" in capsys.readouterr().err


def test_of_several_cards_that_are_unknown_all_are_named_with_what_is_likest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--predict", "iris_mlp", "--gpus", "foo,a10x,rtx4900", *QUIET]) == 2
    told = capsys.readouterr().err
    assert "not in the spec table: `foo`, `a10x`, `rtx4900`. Did you mean `a10`, `rtx4090`?" in " ".join(told.split())


@pytest.mark.parametrize(("words", "key"), [("1080ti", "gtx1080ti"), ("1080 Ti", "gtx1080ti"), ("6800", "rx6800")])
def test_a_consumer_card_is_known_by_its_number_alone_whatever_its_series(words: str, key: str) -> None:
    assert cards_meant(words, spec_table()) == (key,)


@pytest.mark.parametrize(("word", "meant"), [("BF16-AMP", "bf16_amp"), ("amp", "fp16_amp"), ("float32", "fp32")])
def test_a_precision_is_read_however_it_is_written(word: str, meant: str) -> None:
    assert build_parser().parse_args(["--precision", word]).precision == meant


@pytest.mark.parametrize(
    ("flag", "word", "meant"),
    [
        ("--optimizer", "AdamW", "adamw"),
        ("--optimizer", "SGD-Momentum", "sgd_momentum"),
        ("--quantization", "NF4", "nf4"),
        ("--trainable", "LoRA", "lora"),
        ("--goal", "Energy", "energy"),
    ],
)
def test_a_word_of_several_is_read_in_capitals_and_with_hyphens_too(flag: str, word: str, meant: str) -> None:
    assert getattr(build_parser().parse_args([flag, word]), flag.removeprefix("--")) == meant


def test_a_word_that_could_mean_several_precisions_is_asked_about() -> None:
    for word in ("bfloat16", "torch.bfloat16"):
        with pytest.raises(InputError, match="Did you mean bf16_amp, bf16 or bf16_true"):
            build_parser().parse_args(["--precision", word])


def test_a_word_that_is_like_no_precision_is_not_taken_for_one() -> None:
    with pytest.raises(InputError) as caught:
        build_parser().parse_args(["--precision", "float64"])
    assert "Did you mean" not in str(caught.value)


def test_a_link_that_is_not_known_is_answered_wholly_in_the_readers_language(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = ["--predict", "iris_mlp", "--gpus", "t4", "--interconnect", "carrier pigeon", "--language", "zh", *QUIET]
    assert run(line) == 2
    told = capsys.readouterr().err
    assert "GB/s" in told
    assert " number " not in told


def test_a_bundled_model_that_cannot_be_traced_has_its_name_in_the_readers_language(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = ["--predict", "iris_mlp", "--checkpointing", "full", "--gpus", "t4", *QUIET]
    assert run([*line, "--language", "zh"]) == 2
    told = capsys.readouterr().err
    assert sentence("bundled-iris-mlp", "zh") in told
    assert sentence("bundled-iris-mlp", "en") not in told
