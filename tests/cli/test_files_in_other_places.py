"""A file that is given where another kind belongs is told by what it is, whole or cut short; no field is at fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.cli import run
from advisor.core.bundled import workloads_folder
from advisor.core.file_kinds import FileKind, kind_of
from advisor.core.sentences import Language, sentence
from advisor.store import json_file
from tests.present.fakes import advice

CONFIG = {"architectures": ["BertForMaskedLM"], "model_type": "bert", "hidden_size": 256, "num_hidden_layers": 2}
FILES: dict[FileKind, tuple[str, bytes]] = {
    "advice": ("kept.json", json_file.encode(advice())),
    "config": ("tiny.json", json.dumps(CONFIG, indent=1).encode()),
    "adapter": ("adapter_config.json", b'{"peft_type": "LORA", "r": 16, "target_modules": ["q_proj"]}'),
    "workload": ("own.toml", (workloads_folder() / "iris_mlp.toml").read_bytes()),
    "prices": ("prices.toml", b'currency = "USD"\ndate = "2026-11-01"\n[devices]\nrtx4090 = 0.4\n'),
    "gpus": ("cards.toml", b'[[gpu]]\nkey = "mine"\nname = "Mine"\nmemory_bytes = 24e9\n'),
    "claims": ("claims.toml", b'[[claim]]\ntext = "2 GPUs made it 3.5 times faster"\ngpu = "rtx4090"\n'),
    "runs": ("runs.csv", b"workload,gpu_key,ms\nresnet50,v100-sxm2-32,300\n"),
    "python": ("model.py", b"def build_model():\n    return None\n"),
}
PLACES: dict[str, FileKind | None] = {
    "--predict": None,
    "--open": "advice",
    "--prices": "prices",
    "--gpu-file": "gpus",
    "--claim-file": "claims",
    "--evaluate": "runs",
    "--log": "log",
}
WORKLOADS = {"config", "workload", "python"}


def given(folder: Path, kind: FileKind) -> Path:
    name, content = FILES[kind]
    path = folder / name
    path.write_bytes(content)
    return path


def told(place: str, path: Path, language: Language, capsys: pytest.CaptureFixture[str]) -> str:
    before = ["--predict", "iris_mlp", "--no-history"] if place in {"--prices", "--gpu-file"} else []
    assert run([*before, place, str(path), "--language", language, "--quiet"]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("place", PLACES)
def test_a_file_in_the_place_of_another_is_told_by_what_it_is(
    place: str, language: Language, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in FILES:
        if kind == PLACES[place] or (PLACES[place] is None and kind in WORKLOADS):
            continue
        path = given(tmp_path, kind)
        said = sentence(f"file-is-{kind}", language, path=str(path))
        remedy = sentence(f"file-is-{kind}-remedy", language)
        text = told(place, path, language, capsys)
        assert text.count("\n") == 1
        assert said in text, (place, kind)
        assert remedy in text
        assert path.read_bytes() == FILES[kind][1]


@pytest.mark.parametrize("kind", ["advice", "config", "prices", "workload"])
def test_a_file_that_was_cut_short_is_of_the_kind_of_the_whole_one(kind: FileKind, tmp_path: Path) -> None:
    path, whole = given(tmp_path, kind), FILES[kind][1]
    assert kind_of(path) == kind
    for share in (0.5, 0.7, 0.9, 0.99):
        path.write_bytes(whole[: int(len(whole) * share)])
        assert kind_of(path) == kind


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.json", b""),
        ("list.json", b"[1, 2]"),
        ("package.json", b'{"name": "x", "dependencies": {}}'),
        ("pyproject.toml", b'[project]\nname = "x"\nversion = "1"\n'),
        ("bytes.json", b"\x80\x02\xff"),
        ("notes.txt", b"a model of a friend"),
    ],
)
def test_what_begins_like_nothing_known_is_of_no_kind(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert kind_of(path) is None
    assert kind_of(tmp_path) is None
    assert kind_of(tmp_path / "absent") is None
