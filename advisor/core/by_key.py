"""Things under a key that each of them gives, in the order in which they come."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """All items of each key, keys in the order of their first item."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def firsts(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, Item]:
    """The first item of each key."""
    return {name: members[0] for name, members in grouped(items, key).items()}
