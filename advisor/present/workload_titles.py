"""The names of workloads as a person reads them: a bundled one's in the reader's language, any other's as it is."""

from __future__ import annotations

import tomllib
from functools import cache

from advisor.core.bundled import workloads_folder
from advisor.core.sentences import Language, sentence, visible
from advisor.workload.workload import Workload


@cache
def _bundled_names() -> dict[str, str]:
    """The key of each bundled workload, by the name that its file gives it."""
    keys = {}
    for path in sorted(workloads_folder().glob("*.toml")):
        with path.open("rb") as file:
            keys[str(tomllib.load(file).get("name", path.stem))] = path.stem
    return keys


def workload_title(name: str, language: Language) -> str:
    """The name of a workload; in `language` where it is a bundled one's."""
    key = _bundled_names().get(name)
    return _title(key, language) if key else visible(name)


def bundled_titles(language: Language) -> dict[str, str]:
    """The title of each bundled workload by its key, in the order of the titles."""
    titles = {key: _title(key, language) for key in _bundled_names().values()}
    return dict(sorted(titles.items(), key=lambda pair: pair[1].casefold()))


def bundled_key(workload: Workload) -> str:
    """The bundled workload that this one is, to the last field; empty where it is none of them."""
    from advisor.workload.workload_file import load_workload

    key = _bundled_names().get(workload.name, "")
    return key if key and load_workload(key) == workload else ""


def _title(key: str, language: Language) -> str:
    return sentence(f"bundled-{key.replace('_', '-')}", language)
