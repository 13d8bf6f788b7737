"""Parts of a library replaced by others for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def replaced(owner: object, **others: object) -> Iterator[None]:
    """Inside the block the attributes of `owner` named here are these."""
    before = {name: getattr(owner, name) for name in others}
    try:
        for name, other in others.items():
            setattr(owner, name, other)
        yield
    finally:
        for name, original in before.items():
            setattr(owner, name, original)
