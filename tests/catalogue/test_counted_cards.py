"""A number of cards beside a name, as people write it; a name that only begins like one stays a name."""

from __future__ import annotations

import pytest

from advisor.catalogue.counted_cards import cards_together, counted_card, counts_by_key
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import MOST_DEVICES
from advisor.core.errors import InputError


@pytest.mark.parametrize(
    ("words", "card", "count"),
    [
        ("2x rtx 3090", "rtx 3090", 2),
        ("2*rtx3090", "rtx3090", 2),
        ("8 X H100", "H100", 8),
        ("4×A100", "A100", 4),
        ("１６ｘ a100", "a100", 16),
        ("两张4090", "4090", 2),
        ("8块 a100", "a100", 8),
        ("1xa100", "a100", 1),
        ("2 x titan rtx", "titan rtx", 2),
        ("a100", "a100", None),
        ("rx 7900 xtx", "rx 7900 xtx", None),
        ("7900xtx", "7900xtx", None),
        ("9900 XTX", "9900 XTX", None),
        ("4090", "4090", None),
        ("4090x2", "4090", 2),
        ("A100 x8", "A100", 8),
        ("rtx 3090 × 2", "rtx 3090", 2),
        ("H100*4", "H100", 4),
        ("3090 两张", "3090", 2),
        ("A800 8块", "A800", 8),
        ("mi300x x8", "mi300x", 8),
        ("4090x", "4090x", None),
        ("4x2080", "2080", 4),
        ("nobody knows x2", "nobody knows x2", None),
    ],
)
def test_the_number_beside_a_card_is_told_from_its_name(words: str, card: str, count: int | None) -> None:
    assert counted_card(words, spec_table()) == (card, count)


@pytest.mark.parametrize("words", ["0x a100", "-2x a100", "1.5x a100", "a100 x0", f"{MOST_DEVICES + 1}x a100"])
def test_a_number_that_no_card_can_have_is_refused_with_what_to_write(words: str) -> None:
    with pytest.raises(InputError) as refused:
        counted_card(words, spec_table())
    assert f"--gpus: `{words}`" in refused.value.text
    assert "`2x a100`" in refused.value.remedy
    with pytest.raises(InputError, match=r"^gpus: "):
        counted_card(words, spec_table(), "call")


@pytest.mark.parametrize("words", ["2x", "2 *", "两张"])
def test_a_number_alone_is_refused(words: str) -> None:
    with pytest.raises(InputError, match="a number without a card"):
        counted_card(words, spec_table())


def test_a_card_may_be_asked_for_with_several_numbers_and_beside_them_one_without_is_one() -> None:
    asked = (("a", 4), ("b", None), ("a", 1))
    assert counts_by_key(asked) == {"a": (1, 4), "b": (1,)}
    assert counts_by_key(asked, (1, 2)) == {"a": (1, 4), "b": (1, 2)}
    assert counts_by_key((("a", None), ("b", None)), (1, 2)) == {}


@pytest.mark.parametrize(
    ("words", "items"),
    [
        ("1x 3090 + 1x 4090", ("1x 3090", "1x 4090")),
        ("rtx 3090 and 2x a100", ("rtx 3090", "2x a100")),
        ("mi300x & h100", ("mi300x", "h100")),
        ("3090和4090", ("3090", "4090")),
        ("3090 + nobody knows", ()),
        ("rtx 4090", ()),
    ],
)
def test_cards_of_several_kinds_in_one_job_are_told_from_a_name(words: str, items: tuple[str, ...]) -> None:
    assert cards_together(words, spec_table()) == items
