"""`--cases`, `--log`, `--evaluate` and `--claim-file` as a user runs them: what is printed is what the JSON holds."""

from __future__ import annotations

import csv
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cases.case_file import bundled_cases
from advisor.cli.faults import NOTHING_FITS
from tests.cli.test_commands import Home, advisor

BARS = "".join(
    f"100%|██████████| 500/500 [01:0{number}<00:00,  8.05it/s]\nEpoch {number}: val 100%|████| 100/100 [00:31<00:00]\n"
    for number in (1, 2, 3)
)
RUNS = """workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms
resnet50,a100-sxm4-80,training,fp16_amp,128,224,60
resnet50,rtx3090,training,fp16_amp,64,224,60000
"""
CLAIMS = """
[[claim]]
text = "BERT-base at 30 ms a step, batch 32, length 384, FP32, on a V100"

[[claim]]
workload = "resnet50"
gpu = "a100-sxm4-80"
precision = "fp16_amp"
batch_size = 128
step_s = 0.06
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}


def test_every_case_is_answered_on_the_terminal_and_in_the_file(tmp_path: Path, home: Home) -> None:
    ended = advisor("--cases", "--json", str(tmp_path / "cases.json"), "--quiet", home=home)
    assert ended.returncode == 0, ended.stderr
    answers = {answer["case_id"]: answer for answer in json.loads((tmp_path / "cases.json").read_bytes())}
    assert list(answers) == list(bundled_cases())
    for case in bundled_cases().values():
        assert case.question.en in ended.stdout
        assert answers[case.id]["reasons"]
    headings = [line for line in ended.stdout.splitlines() if not line.startswith(" ") and line]
    assert [line.split(":")[0] for line in headings] == list(answers)
    assert ended.stdout.count("  • ") == sum(len(answer["reasons"]) for answer in answers.values())


def test_a_log_is_explained_and_its_report_written(tmp_path: Path, home: Home) -> None:
    log = tmp_path / "train.log"
    log.write_text(BARS, encoding="utf-8")
    ended = advisor("--log", str(log), "--json", str(tmp_path / "log.json"), home=home)
    assert ended.returncode == 0, ended.stderr
    report = json.loads((tmp_path / "log.json").read_bytes())
    assert ended.stdout.count("  • ") == len(report["reasons"]) > 0


def test_a_log_beside_an_advice_is_held_against_it(tmp_path: Path, home: Home) -> None:
    log = tmp_path / "train.log"
    log.write_text(BARS, encoding="utf-8")
    alone = advisor("--log", str(log), home=home)
    both = advisor("--predict", "resnet50", "--gpus", "rtx3090", "--log", str(log), "--quiet", home=home)
    assert both.returncode == 0, both.stderr
    assert "Advice for" in both.stdout
    for line in alone.stdout.splitlines():
        assert line in both.stdout


def test_runs_of_ones_own_are_judged_row_by_row(tmp_path: Path, home: Home) -> None:
    runs, rows = tmp_path / "runs.csv", tmp_path / "rows.csv"
    runs.write_text(RUNS, encoding="utf-8")
    ended = advisor("--evaluate", str(runs), "--csv", str(rows), home=home)
    assert ended.returncode == 0, ended.stderr
    answers = list(csv.DictReader(rows.read_text(encoding="utf-8").splitlines()))
    assert [answer["gpu_key"] for answer in answers] == ["a100-sxm4-80", "rtx3090"]
    for answer in answers:
        off = float(answer["predicted_ms"]) / float(answer["ms"]) - 1
        assert float(answer["error"]) == pytest.approx(off, abs=1e-3)
    lines = {line.split()[0]: line for line in ended.stdout.splitlines() if line.strip()}
    assert "-99.9 %" in lines["rtx3090"]
    assert "0.0 %" in lines["rtx3090"]
    assert "Tracing the model" in ended.stderr


def test_a_table_of_which_no_row_can_be_predicted_ends_as_what_cannot_be_recommended(
    tmp_path: Path, home: Home
) -> None:
    runs, rows = tmp_path / "runs.csv", tmp_path / "rows.csv"
    runs.write_text(RUNS.replace("a100-sxm4-80", "a101").replace("rtx3090", "rtx3091"), encoding="utf-8")
    ended = advisor("--evaluate", str(runs), "--csv", str(rows), "--quiet", home=home)
    assert ended.returncode == NOTHING_FITS
    assert ended.stderr.count("\n") == 1
    assert "Not one of the 2 rows could be predicted" in ended.stderr
    assert "2 of 2 rows could not be predicted" in ended.stdout
    assert len(list(csv.DictReader(rows.read_text(encoding="utf-8").splitlines()))) == 2


def test_what_a_command_does_not_write_is_refused_by_its_flag(tmp_path: Path, home: Home) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text(RUNS, encoding="utf-8")
    for flags in (["--evaluate", str(runs), "--json", "-"], ["--cases", "--pdf", str(tmp_path / "out.pdf")]):
        ended = advisor(*flags, "--quiet", home=home)
        assert ended.returncode == 2
        assert flags[-2] in ended.stderr or "--csv" in ended.stderr
    assert not (tmp_path / "out.pdf").exists()


def test_a_file_of_claims_gets_a_verdict_for_each(tmp_path: Path, home: Home) -> None:
    (tmp_path / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    ended = advisor("--claim-file", str(tmp_path / "claims.toml"), "--json", "-", "--quiet", home=home)
    assert ended.returncode == 0, ended.stderr
    verdicts = [answer["verdict"] for answer in json.loads(ended.stdout)]
    assert verdicts[0] == "impossible"
    assert len(verdicts) == 2
    assert verdicts[1] != "impossible"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix's")
def test_a_terminal_shows_a_bar_that_is_gone_at_the_end(home: Home) -> None:
    controller, terminal = pty.openpty()
    settings = {**os.environ, "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8", "TERM": "xterm", **home}
    command = [sys.executable, "-m", "advisor", "--predict", "iris_mlp", "--gpus", "rtx3090"]
    with subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=terminal) as running:
        os.close(terminal)
        drawn = bytearray()
        try:
            while piece := os.read(controller, 65536):
                drawn += piece
        except OSError:  # what Linux gives where the other end is closed
            pass
        assert running.stdout is not None
        printed = running.stdout.read().decode()
    os.close(controller)
    assert running.returncode == 0
    assert "Advice for" in printed
    assert "━".encode() in drawn
    assert drawn.rstrip().endswith(b"\x1b[2K") or b"\x1b[?25h" in drawn
