"""Shell completion knows every flag, the words that a flag takes, bundled workloads, cards of the table, and files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.catalogue.precisions import PRECISIONS
from advisor.cli.arguments import SHELLS, Shell, build_parser
from advisor.cli.commands import run
from advisor.cli.completion import completion_script
from advisor.workload.workload_file import bundled_names

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="bash is not installed")


def completed(words: list[str], folder: Path) -> set[str]:
    """What bash offers for the last of the words."""
    assert BASH is not None
    typed = " ".join(f"'{word}'" for word in words)
    asked = f'COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _advisor; printf "%s\\n" "${{COMPREPLY[@]}}"'
    script = f"{completion_script(build_parser(), 'bash')}\n{asked}"
    done = subprocess.run([BASH, "--norc", "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


@needs_bash
def test_bash_completes_flags_words_workloads_cards_and_files(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").touch()
    assert completed(["advisor", "--prec"], tmp_path) == {"--precision"}
    assert completed(["advisor", "--precision", ""], tmp_path) == set(PRECISIONS)
    assert completed(["advisor", "--goal", "e"], tmp_path) == {"energy"}
    assert completed(["advisor", "--predict", ""], tmp_path) == {*bundled_names(), "mine.toml"}
    assert "rtx4090" in completed(["advisor", "--predict", "gpt2_small", "--gpus", "rtx40"], tmp_path)
    assert completed(["advisor", "--predict", "gpt2_small", "--gpus", "rtx4090,h100-s"], tmp_path) == {
        "rtx4090,h100-sxm"
    }
    assert completed(["advisor", "--prices", "mi"], tmp_path) == {"mine.toml"}
    assert completed(["advisor", "--batch", ""], tmp_path) == set()


@pytest.mark.parametrize("shell", SHELLS)
def test_every_flag_is_completed_in_every_shell(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--completion", shell]) == 0
    printed = capsys.readouterr().out
    for action in build_parser()._actions:
        for name in action.option_strings:
            if name.startswith("--"):
                assert (f"-l {name[2:]} " in printed + " ") if shell == "fish" else name in printed, name


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_what_is_printed_is_a_script_of_each_shell_that_is_here(shell: Shell, tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(completion_script(build_parser(), shell))
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--completion", "tcsh"]) == 2
    assert "bash" in capsys.readouterr().err
