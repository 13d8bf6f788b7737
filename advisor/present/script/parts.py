"""Parts of the launch script that only some workloads need: texts beside its templates, in `resources/launch/parts`."""

from __future__ import annotations

from string import Template

from advisor.core.bundled import resource


def part(name: str, **slots: object) -> str:
    """The lines of a part with its slots filled."""
    return Template(resource(f"launch/parts/{name}.py.txt").read_text(encoding="utf-8")).substitute(slots)
