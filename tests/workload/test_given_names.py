"""A model that comes as a file is called by what tells it apart: file, folder, its own word for itself, or its size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.workload.model_config import bundled_config
from advisor.workload.workload_file import load_workload

_HASH = "86b5e0934494bd15c9632b12f734a8a67f723594"


def config_at(place: Path, **fields: Any) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({**(bundled_config("bert-base-uncased") or {}), **fields}), encoding="utf-8")
    return place


@pytest.mark.parametrize(
    "place",
    [
        "downloads/config.json",
        "Downloads/config (1).json",
        "tmp/config.json",
        "tmpab12cd34/config.json",
        "tmp.Xk3jdLsQ2m/config.json",
        "my/下载/config.json",
        "模型/config-2.json",
        "new folder (3)/config.json",
        "checkpoint-500/../configs/model.json",
        f"blobs/{_HASH}/config.json",
        "2026-11-30/config.json",
    ],
)
@pytest.mark.parametrize(
    ("own", "name"),
    [
        ("bert-large-uncased", "bert-large-uncased"),
        ("meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-hf"),
        ("/home/someone/runs/intent-bert/checkpoint-1500", "intent-bert"),
        ("C:\\models\\intent-bert", "intent-bert"),
        ("./output", "bert 12×768"),
        ("", "bert 12×768"),
        (3, "bert 12×768"),
    ],
)
def test_where_file_and_folder_say_nothing_the_configuration_names_its_model(
    place: str, own: object, name: str, tmp_path: Path
) -> None:
    (tmp_path / "checkpoint-500").mkdir()
    assert load_workload(config_at(tmp_path / place, _name_or_path=own)).name == name


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("intent-bert/config.json", "intent-bert"),
        ("intent-bert/checkpoint-500/config.json", "intent-bert"),
        (f"models--google-bert--bert-base-uncased/snapshots/{_HASH}/config.json", "google-bert/bert-base-uncased"),
        ("downloads/intent-bert.json", "intent-bert"),
        ("test-bert/config.json", "test-bert"),
        ("small/config (1).json", "small"),
    ],
)
def test_a_name_that_a_person_gave_stands_before_what_the_configuration_says(
    place: str, name: str, tmp_path: Path
) -> None:
    path = config_at(tmp_path / place, _name_or_path="bert-base-uncased")
    assert load_workload(path).name == name
    if path.name == "config.json":
        assert load_workload(path.parent).name == name


def test_a_model_is_not_called_by_the_person_whose_folder_it_lies_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "someone"
    path = config_at(home / "config.json")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    assert load_workload(path).name == "bert 12×768"


@pytest.mark.parametrize(
    ("place", "name"),
    [("road-unet/model.py", "road-unet"), ("downloads/road_unet.py", "road_unet"), ("tmp/model.py", "model")],
)
def test_a_python_file_that_is_called_as_any_other_has_the_name_of_its_folder(
    place: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / place
    path.parent.mkdir()
    path.write_text("def build_model(): ...\ndef make_batch(batch_size, length): ...\n", encoding="utf-8")
    assert load_workload(path).name == name


def test_what_is_wrong_with_a_configuration_is_told_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "downloads" / "config.json"
    path.parent.mkdir()
    path.write_text("{", encoding="utf-8")
    with pytest.raises(Exception, match=r"config\.json"):
        load_workload(path)
