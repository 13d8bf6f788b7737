"""The command line as a script sees it: exit codes, stdout, stderr, files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MODEL_FILE = """
import torch
from torch import nn

def build_model():
    open(MARK, "w").close()
    return nn.Linear(4, 2)

def make_batch(batch_size, length):
    return torch.randn(batch_size, 4), torch.randint(0, 2, (batch_size,))
"""


Home = dict[str, str]


def advisor(*flags: str, home: Home, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8", **home}
    return subprocess.run(
        [sys.executable, "-m", "advisor", *flags],
        cwd=cwd,
        env=settings,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}


def test_predict_gives_advice_for_the_usual_cards(tmp_path: Path, home: Home) -> None:
    ended = advisor("--predict", "bert_base_sst2", "--json", "-", "--quiet", cwd=tmp_path, home=home)
    assert ended.returncode == 0, ended.stderr
    advice = json.loads(ended.stdout)
    keys = {prediction["device"]["key"] for prediction in advice["predictions"]}
    assert {"rtx3090", "rtx4090", "l40s"} <= keys
    assert any(key.startswith("v100") for key in keys)
    assert any(key.startswith("a100") for key in keys)
    for prediction in advice["predictions"]:
        total = sum(part["duration_s"] for part in prediction["parts"])
        assert total == pytest.approx(prediction["step_s"]["value"], rel=1e-6)
    assert "Why" in ended.stderr


def test_strict_fp32_ranks_the_4090_ahead_and_mixed_precision_turns_it(home: Home) -> None:
    def step_s(precision: str) -> dict[str, float]:
        flags = ("--precision", precision, "--batch", "16", "--json", "-", "--quiet", "--no-history")
        advice = json.loads(advisor("--predict", "bert_base_sst2", *flags, home=home).stdout)
        return {
            prediction["device"]["key"]: prediction["step_s"]["value"]
            for prediction in advice["predictions"]
            if prediction["precision"] == precision
            and prediction["count"] == 1
            and prediction["batch_size_per_device"] == 128
        }

    strict, mixed = step_s("fp32"), step_s("fp16_amp")
    assert strict["rtx4090"] < strict["a100-sxm4-40"]
    assert mixed["a100-sxm4-40"] < mixed["rtx4090"]


def test_a_saved_advice_prints_identically(tmp_path: Path, home: Home) -> None:
    saved = tmp_path / "advice.json"
    first = advisor("--predict", "iris_mlp", "--json", str(saved), "--quiet", "--no-history", home=home)
    again = advisor("--open", str(saved), home=home)
    assert first.returncode == again.returncode == 0
    assert first.stdout == again.stdout
    assert "Advice for" in first.stdout


def test_every_format_is_written_at_once(tmp_path: Path, home: Home) -> None:
    flags = []
    for name in ("json", "pdf", "csv", "markdown", "script"):
        flags += [f"--{name}", str(tmp_path / f"out.{name}")]
    ended = advisor("--predict", "resnet50", *flags, "--language", "zh", "--quiet", "--no-history", home=home)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF")
    assert "的建议" in (tmp_path / "out.markdown").read_text(encoding="utf-8")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").startswith("device_key,")
    compile((tmp_path / "out.script").read_text(encoding="utf-8"), "train.py", "exec")


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (("--predict", "no_such_workload"), 2, "no_such_workload"),
        (("--predict", "missing.toml"), 2, "missing.toml"),
        (("--predict", "broken.toml"), 2, "broken.toml"),
        (("--predict", "unknown_field.toml"), 2, "optimiser"),
        (("--predict", "deep.toml"), 2, "num_hidden_layers"),
        (("--predict", "iris_mlp", "--batch", "0"), 2, "--batch"),
        (("--predict", "iris_mlp", "--gpus", "rtx9999"), 2, "rtx9999"),
        (("--predict", "iris_mlp", "--gpu-file", "broken.toml"), 2, "broken.toml"),
        (("--predict", "iris_mlp", "--prices", "broken.toml"), 2, "broken.toml"),
        (("--predict", "iris_mlp", "--max-cost", "5"), 2, "--prices"),
        (("--predict", "iris_mlp", "--interconnect", "two cans and a string"), 2, "interconnect"),
        (("--measure", "iris_mlp", "--device", "7"), 2, "--device 7"),
        (("--predict", "iris_mlp", "--device", "cuda:7"), 2, "--device `cuda:7`: it says what is measured"),
        (("--measure", "code.py"), 2, "--allow-code"),
        (("--open", "missing.json"), 2, "missing.json"),
        (("--open", "broken.toml"), 2, "broken.toml"),
        (("--evaluate", "missing.csv"), 2, "missing.csv"),
        (("--claim-file", "missing.toml"), 2, "missing.toml"),
        (("--claim", "nothing to see here"), 2, "claim"),
        (("--predict", "iris_mlp", "--json", "no/such/folder/out.json"), 5, "no/such/folder"),
        (("--predict", "iris_mlp", "--json", "-", "--csv", "-"), 2, "stdout"),
        (("--detect", "--pdf", "x.pdf"), 2, "--json"),
        (("--predict", "iris_mlp", "--window"), 2, "--window"),
    ],
)
def test_wrong_input_is_one_sentence_with_a_remedy(
    tmp_path: Path, home: Home, flags: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "broken.toml").write_text('name = "x\n[[[', encoding="utf-8")
    training = '[training]\nprecision = "fp32"\nbatch_size = 4\n'
    head = 'name = "x"\n[model]\nsource = "template"\ntemplate = "mlp"\nlayers = [4, 3]\n[data]\nsamples = 10\n'
    (tmp_path / "unknown_field.toml").write_text(head + training + 'optimiser = "sgd"\n', encoding="utf-8")
    deep = 'name = "x"\n[model]\nsource = "huggingface"\n[model.config]\nmodel_type = "bert"\n'
    deep += "num_hidden_layers = 1000000\n[data]\nsamples = 10\nsequence_length = 8\n"
    (tmp_path / "deep.toml").write_text(deep + training, encoding="utf-8")
    (tmp_path / "code.py").write_text(MODEL_FILE, encoding="utf-8")
    ended = advisor(*flags, "--quiet", cwd=tmp_path, home=home)
    assert ended.returncode == code, ended.stderr
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    complaint = [line for line in ended.stderr.splitlines() if line.startswith("advisor: ")]
    assert len(complaint) == 1, ended.stderr


def test_detect_names_what_is_here_and_writes_a_fixture(tmp_path: Path, home: Home) -> None:
    ended = advisor("--detect", "--json", str(tmp_path / "machine.json"), home=home)
    assert ended.returncode == 0, ended.stderr
    machine = json.loads((tmp_path / "machine.json").read_text(encoding="utf-8"))
    assert machine["cpu"]["usable_core_count"] >= 1
    assert ended.stdout.strip()


def test_list_names_every_workload_and_card(home: Home) -> None:
    listed = advisor("--list", home=home).stdout
    assert "bert_base_sst2" in listed
    assert "rtx4090" in listed
    assert len([line for line in listed.splitlines() if "GiB" in line]) >= 39


def test_a_reader_that_goes_away_is_no_error(home: Home) -> None:
    command = f"{sys.executable} -m advisor --list | head -1"
    settings = {**os.environ, **home}
    ended = subprocess.run(["bash", "-c", command], env=settings, capture_output=True, text=True, check=False)
    assert "Traceback" not in ended.stderr


def test_a_foreign_file_is_not_written_over_without_force(tmp_path: Path, home: Home) -> None:
    precious = tmp_path / "thesis.json"
    precious.write_text('{"my": "thesis"}', encoding="utf-8")
    flags = ("--predict", "iris_mlp", "--quiet", "--no-history", "--json", str(precious))
    assert advisor(*flags, home=home).returncode == 2
    assert precious.read_text(encoding="utf-8") == '{"my": "thesis"}'
    assert advisor(*flags, "--force", home=home).returncode == 0


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("2 GPUs made it 3.5 times faster", "impossible"),
        ("BERT-base at 30 ms a step, batch 32, length 384, FP32, on a V100", "impossible"),
        ("ResNet-50 training at 5,000 images/s on one 3090", "impossible"),
    ],
)
def test_a_claim_beyond_physics_is_called_impossible(home: Home, claim: str, verdict: str) -> None:
    ended = advisor("--claim", claim, "--json", "-", home=home)
    assert ended.returncode == 0, ended.stderr
    assert [answer["verdict"] for answer in json.loads(ended.stdout)] == [verdict]


def test_a_terminal_that_cannot_show_chinese_gets_escapes(home: Home) -> None:
    settings = {**home, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ended = advisor("--predict", "iris_mlp", "--language", "zh", "--quiet", "--no-history", home=settings)
    assert ended.returncode == 0, ended.stderr
    assert "\\u" in ended.stdout
