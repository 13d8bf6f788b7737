"""Every block of code and every command in README and docs is run, read or parsed; what is not is named, with why."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from advisor import load_workload
from advisor.catalogue.spec_table import read_gpu_file, spec_table
from advisor.claims.claim import read_claim_file
from advisor.cli.arguments import parse
from advisor.cli.commands import run
from advisor.recommend.prices import read_prices
from advisor.workload.workload_file import bundled_names

ROOT = Path(__file__).resolve().parents[2]
PAGES = tuple(
    page
    for page in sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])
    if page.parent.name != "tutorials"  # tests/docs/test_tutorials.py runs those whole
)
RUN_ELSEWHERE = {
    ("README.md", "sh"): "sets up environments and runs the whole suite: minutes of downloads; the install job does it",
    ("README.zh.md", "sh"): "the same in Chinese",
    ("index.md", "sh"): "installs the whole program, for minutes, as the README's block does",
    ("gpu_suite.md", "sh"): "needs an NVIDIA GPU; tests/on_gpu and tools/record_gpu.py --plan are tested by themselves",
    ("frozen.md", "sh"): "builds the frozen folder, for minutes; tests/frozen runs what it gives",
    ("desktop.md", "sh"): "registers file types with the desktop; tests/present/test_desktop_files.py checks the files",
    ("workload_file.md", "python"): "tests/workload/test_workload_page.py trains it",
}
"""Blocks that are not run here, by page and language, and why or where they are."""
PLACES = {"WORKLOAD": "iris_mlp", "FILE.toml": "made.toml", "FILE.csv": "runs.csv", "FILE": "prices.toml"}
QUICK = {"--list", "--help", "--predict", "--claim"}
"""Commands that are also run to their end: nothing is measured, opened or read from a file that only the reader has."""


def blocks() -> Iterator[tuple[str, str, str]]:
    for page in PAGES:
        for language, text in re.findall(
            r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            yield page.name, language, text


def commands() -> list[str]:
    found = set()
    for page in PAGES:
        if page.name == "troubleshooting.md":  # written from the program's own sentences
            continue
        found |= set(re.findall(r"`(advisor --[^`]*)`", page.read_text(encoding="utf-8")))
    return sorted(found)


def typed(command: str) -> list[str]:
    """The arguments of a documented command, with something in the place of what stands for the reader's own."""
    words = shlex.split(command.replace("[", "").replace("]", ""))[1:]
    return [PLACES.get(word, word) for word in words]


READ = [one for one in blocks() if one[:2] not in RUN_ELSEWHERE]


def test_pages_hold_blocks_and_commands() -> None:
    assert len(READ) >= 6
    assert len(commands()) >= 12
    shown = {one[:2] for one in blocks()}
    assert set(RUN_ELSEWHERE) <= shown, "a block that is gone needs no excuse"


@pytest.mark.parametrize(("page", "language", "text"), READ, ids=[f"{one[0]}-{i}" for i, one in enumerate(READ)])
def test_every_block_is_read_by_what_it_is_for(page: str, language: str, text: str, tmp_path: Path) -> None:
    assert language == "toml", f"{page}: say in RUN_ELSEWHERE where this block is run"
    file = tmp_path / "shown.toml"
    file.write_text(text, encoding="utf-8")
    if "[[claim]]" in text:
        assert len(read_claim_file(file)) == text.count("[[claim]]")
    elif "[[gpu]]" in text:
        assert len(read_gpu_file(file)) == text.count("[[gpu]]")
    elif "currency" in text:
        assert read_prices(file, spec_table()).devices
    elif "[model]" in text:
        if "my_network.py" in text:
            (tmp_path / "my_network.py").write_text("def build_model(): ...\n")
        assert load_workload(file).training.batch_size
    else:  # a part of a workload file: it joins a whole one
        whole = '[model]\nsource = "huggingface"\nconfig = "bert-base-uncased"\ntask = "causal-lm"\n'
        file.write_text(f'name = "part"\n{whole}[data]\nsamples = 10\nsequence_length = 8\n{text}', encoding="utf-8")
        assert load_workload(file).training.trainable == "lora"


@pytest.mark.parametrize("command", commands())
def test_every_documented_command_is_one(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = typed(command)
    monkeypatch.chdir(tmp_path)
    if words == ["--help"]:
        with pytest.raises(SystemExit) as left:
            parse(words)
        assert left.value.code == 0
        return
    parse(words)
    if words[0] in QUICK:
        assert run([*words, "--no-history", "--quiet"]) == 0
        assert capsys.readouterr().out


def test_the_line_of_python_in_the_readme_gives_a_recommendation(monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"`(from advisor import advise, load_workload; [^`]*)`", readme)
    name = re.findall(r'load_workload\("(\w+)"\)', line)[0]
    assert name in bundled_names()
    # It measures for half a minute as it stands: here it predicts.
    import advisor

    whole = advisor.advise
    monkeypatch.setattr(advisor, "advise", lambda workload: whole(workload, measure=False))
    scope: dict[str, object] = {}
    exec(line.replace("; advise", "; found = advise").removesuffix(".recommendation"), scope)
    assert isinstance(scope["found"], advisor.Advice)
    assert isinstance(scope["found"].recommendation, msgspec.Struct)
    calls = re.findall(r"`\.((?:explain|to_rows)\([^`]*\))`", readme)
    assert len(calls) == 3
    assert all(eval(f"found.{call}", scope) for call in calls)


def test_every_column_of_a_table_of_runs_is_documented() -> None:
    from advisor.evaluate.column_names import ANSWERABLE_COLUMNS, REQUIRED_COLUMNS
    from advisor.present.evaluation_text import ANSWER_COLUMNS

    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    section = page[page.index("## Tables of runs") : page.index("## Words for a link")]
    for column in (*REQUIRED_COLUMNS, *ANSWERABLE_COLUMNS, *ANSWER_COLUMNS):
        assert f"`{column}`" in section, column
    assert "all its micro-batches" in section
