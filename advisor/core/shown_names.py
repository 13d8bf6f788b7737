"""How a card is called wherever its name is shown: without the family that its maker sells it in."""

from __future__ import annotations

import re

_FAMILY = re.compile(r"\b(?:GeForce (?=(?:RTX|GTX|GT|MX)\b|\d)|Tesla (?=[A-Z]\d))")
"""Only before what is a card's name: `Tesla` alone may be anything. Quadro stays: an RTX 6000 is another card."""


def shown_card(text: str) -> str:
    """`RTX 3090` for `GeForce RTX 3090`, `V100 SXM2 32 GB` for `Tesla V100 SXM2 32 GB`; records keep the whole name."""
    return _FAMILY.sub("", text)
