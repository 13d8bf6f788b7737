"""What a reference that leads to no workload may mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.core.file_fault import closest_name, remedy
from advisor.core.sentences import Names, Reason

_MOST = 4


def reference_meant(text: str, like: Sequence[str], bundled: Sequence[str], *, of_hub: bool) -> Reason:
    """A remedy: names whose first words it is (`bert`), one that begins it or is spelled nearly so, the hub, or all.

    `like` are the names that it is held against, `bundled` those that are listed; `of_hub`: it may be a model's id
    there, and the hub was not to be asked.
    """
    begun = [name for name in like if _spelled(name).startswith(f"{_spelled(text)}_")]
    if begun:
        nearest = tuple(f"`{name}`" for name in sorted(begun, key=len)[:_MOST])
        return remedy("did-you-mean-one", names=Names(names=nearest, alternatives=True))
    beginning = [name for name in like if text.lower().startswith((f"{name}_", f"{name}-"))]
    closest = max(beginning, key=len, default=None) or closest_name(text, like)
    if closest is not None:
        return remedy("did-you-mean", word=closest)
    if of_hub:
        return remedy("of-the-hub")
    return remedy("bundled", names=Names(names=tuple(bundled)))


def _spelled(name: str) -> str:
    """As the bundled workloads are written: `BERT large` and `bert-large` alike."""
    return re.sub(r"[\s_-]+", "_", name.strip().lower())
