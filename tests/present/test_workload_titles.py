"""The names of workloads as a person reads them."""

from __future__ import annotations

import tomllib

import pytest

from advisor.core.bundled import workloads_folder
from advisor.present.workload_titles import bundled_key, bundled_titles, workload_title
from advisor.workload.workload_file import bundled_names, load_workload


def test_a_bundled_workload_is_called_in_english_as_its_file_calls_it() -> None:
    titles = bundled_titles("en")
    assert set(titles) == set(bundled_names())
    for key, title in titles.items():
        assert title == tomllib.loads((workloads_folder() / f"{key}.toml").read_text(encoding="utf-8"))["name"]
        assert workload_title(title, "en") == title


def test_a_bundled_workload_has_a_chinese_name_of_its_own() -> None:
    english, chinese = bundled_titles("en"), bundled_titles("zh")
    assert len(set(chinese.values())) == len(english)
    for key, title in chinese.items():
        assert title != english[key]
        assert workload_title(english[key], "zh") == title


@pytest.mark.parametrize("language", ["en", "zh"])
def test_titles_come_in_their_order(language: str) -> None:
    titles = list(bundled_titles("zh" if language == "zh" else "en").values())
    assert titles == sorted(titles, key=str.casefold)


def test_a_name_of_ones_own_stays_as_it_is() -> None:
    assert workload_title("我的模型 on SST-2", "en") == workload_title("我的模型 on SST-2", "zh") == "我的模型 on SST-2"


def test_only_an_unchanged_bundled_workload_has_its_key() -> None:
    workload = load_workload("resnet50")
    assert bundled_key(workload) == "resnet50"
    assert not bundled_key(load_workload("resnet50", overrides={"batch_size": 7}))
