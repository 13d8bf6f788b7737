"""The bundled workloads as a person names them: read off their files, not guessed from their keys."""

from __future__ import annotations

import tomllib
from functools import cache

from advisor.core.bundled import workloads_folder


@cache
def bundled_titles() -> dict[str, str]:
    """The name that each bundled workload gives itself, by its key."""
    found = {}
    for path in sorted(workloads_folder().glob("*.toml")):
        with path.open("rb") as file:
            found[path.stem] = str(tomllib.load(file).get("name", path.stem))
    return found
