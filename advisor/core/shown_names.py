"""How a card is called wherever its name is shown: as the spec table calls it, without maker and family."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache

from advisor.core.bundled import resource

_FAMILY = re.compile(
    r"\b(?:NVIDIA )?(?:GeForce (?=(?:RTX|GTX|GT|MX)\b|\d)|Tesla (?=[A-Z]\d))"
    r"|\bNVIDIA (?=(?:RTX|GTX|Quadro)\b|[A-Z]{1,2}\d)"
)
"""Only before what is a card's name: `Tesla` alone may be anything. Quadro stays: an RTX 6000 is another card."""
_ONE_NAME = re.compile(r"((?:\d+ × )?)(.+?)((?: \(\d+\))?)")
"""A name with how many there are, and with its place among others of that name."""


@lru_cache(maxsize=4096)
def shown_card(text: str) -> str:
    """`RTX 3090` for `GeForce RTX 3090`, `2 × A100 SXM4 40 GB` for `2 × NVIDIA A100-SXM4-40GB`; records keep the names.

    A name of the driver that several rows of the spec table have (with another memory each) only loses its maker.
    """
    one = _ONE_NAME.fullmatch(text)
    if one is not None and one[2] in (rows := _rows_by_driver()):
        text = f"{one[1]}{rows[one[2]]}{one[3]}"
    return _FAMILY.sub("", text)


@cache
def _rows_by_driver() -> dict[str, str]:
    """Names of rows by what the driver calls their cards, where that is no other row's."""
    rows: dict[str, str] = {}
    shared = set[str]()
    for row in tomllib.loads(resource("gpus.toml").read_text(encoding="utf-8"))["gpu"]:
        for name in () if row.get("memory_replaced") else row.get("nvml_names", ()):
            if name in rows:
                shared.add(name)
            rows[name] = row["name"]
    # `A10` alone is how people call the card, too; with its maker it is the driver's word.
    return {name: row for name, row in rows.items() if name not in shared and not name.isalnum()}
