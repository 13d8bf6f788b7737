"""What a model reads into a list costs one wait for the device, however long the list is."""

from __future__ import annotations

import pytest
import torch

from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace
from tests.worker.trace.test_kept_values import Batch, Picked, words_with_pictures


class ReadAsList(Picked):
    """Reads all its words into a list, row by row of numbers."""

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        rows = words.tolist()
        assert [sum(row) for row in rows] == [35] * len(words)
        assert words[:0].tolist() == []
        word: object = words[0, 0].tolist()
        assert word == 7
        loss: torch.Tensor = self.head(self.words(words)).sum()
        return loss


@pytest.mark.parametrize("batch_size", [2, 64])
def test_a_list_of_all_numbers_waits_for_the_device_once(batch_size: int) -> None:
    def batch_of(count: int) -> Batch:
        return words_with_pictures(count * batch_size)

    table = trace(Subject(build=ReadAsList, make_batch=batch_of, step=lambda m, b: m(*b)), "fp32")
    assert table.synchronisation_count == 2  # the whole list, and the single word that is asked for too
