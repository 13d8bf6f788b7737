"""The bundled workloads as a person names them: read off their files, not guessed from their keys."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING

from advisor.core.bundled import workloads_folder

if TYPE_CHECKING:
    from advisor.workload.workload import Workload


@cache
def bundled_titles() -> dict[str, str]:
    """The name that each bundled workload gives itself, by its key."""
    found = {}
    for path in sorted(workloads_folder().glob("*.toml")):
        with path.open("rb") as file:
            found[path.stem] = str(tomllib.load(file).get("name", path.stem))
    return found


def bundled_key(workload: Workload) -> str:
    """The bundled workload that this one is, to the last field; empty where it is none of them."""
    from advisor.workload.workload_file import load_workload

    named = (key for key, title in bundled_titles().items() if title == workload.name)
    return next((key for key in named if load_workload(key) == workload), "")
