"""Grouping keeps the order in which things come."""

from __future__ import annotations

from advisor.core.by_key import firsts, grouped

_WORDS = ("beta", "alpha", "bear", "axe", "cat")


def test_every_item_is_in_the_group_of_its_key_in_the_order_of_its_coming() -> None:
    groups = grouped(_WORDS, lambda word: word[0])
    assert list(groups.items()) == [("b", ["beta", "bear"]), ("a", ["alpha", "axe"]), ("c", ["cat"])]


def test_the_first_item_of_a_key_stands_for_it() -> None:
    assert list(firsts(_WORDS, lambda word: word[0]).items()) == [("b", "beta"), ("a", "alpha"), ("c", "cat")]


def test_of_nothing_there_are_no_groups() -> None:
    assert grouped((), len) == {}
    assert firsts((), len) == {}
