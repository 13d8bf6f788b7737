"""Segments that samples of different lengths leave beside those of the longest."""

from __future__ import annotations

import pytest

from advisor.cost.memory.need import MemoryQuestion, memory_question, published_bytes
from advisor.cost.memory.varied_lengths import longest_so_far, surplus_of_lengths
from tests.cost.test_memory import bert, training

BATCH = 8
MANY = 1000


@pytest.fixture
def question() -> MemoryQuestion:
    asked = memory_question(bert(), training(), "fp32", compute_capability="8.0")
    assert asked is not None
    return asked


@pytest.mark.parametrize(
    ("micro_batches", "batch_size", "lengths"),
    [
        (1, 1, [1.0]),
        (2, 1, [1.0]),
        (4, 1, [0.5, 1.0]),
        (50, 1, [0.5, 0.75, 0.875, 1.0]),
        (4, 2, [0.5**0.5, 1.0]),
        (50, 3, [0.5 ** (1 / 3), 0.75 ** (1 / 3), 0.875 ** (1 / 3), 1.0]),
    ],
)
def test_each_micro_batch_longer_than_all_before_halves_what_is_left_to_the_longest(
    micro_batches: int, batch_size: int, lengths: list[float]
) -> None:
    assert longest_so_far(micro_batches, batch_size) == pytest.approx(lengths)


def test_lengths_that_differ_need_segments_beyond_those_of_the_longest_alone(question: MemoryQuestion) -> None:
    assert surplus_of_lengths(question, BATCH, 1, None) == 0.0
    few, many = (surplus_of_lengths(question, BATCH, count, None) for count in (4, MANY))
    assert 0.0 < few <= many


def test_a_full_card_gives_back_what_shorter_samples_left(question: MemoryQuestion) -> None:
    alike = published_bytes(question, BATCH, "reserved", None)
    beside = question.context_bytes + question.shares.library_bytes
    boundless = surplus_of_lengths(question, BATCH, MANY, None)
    room = alike + boundless / 2
    assert 0.0 < surplus_of_lengths(question, BATCH, MANY, room + beside) <= room - alike
