"""Logits that earlier losses kept twice."""

from __future__ import annotations

import pytest

from advisor.cost.memory.copied_logits import copies_logits, with_logits_copied
from advisor.optable.op_table import ALLOCATE, FREE, MemoryTimeline
from advisor.workload.workload import Training

LOGITS = (0.0, 1000.0)


def timeline() -> MemoryTimeline:
    """A weight, an activation, logits in forward; a gradient of the logits' size in backward."""
    events = [
        (ALLOCATE, 0, 64.0, 0.0),
        (ALLOCATE, 1, 0.0, 300.0),
        (ALLOCATE, 2, *LOGITS),
        (ALLOCATE, 3, *LOGITS),
        (FREE, 2, *LOGITS),
        (FREE, 1, 0.0, 300.0),
    ]
    kinds, storages, size0, size1 = zip(*events, strict=True)
    return MemoryTimeline(
        kind=kinds,
        storage=storages,
        size0_bytes=size0,
        size1_bytes=size1,
        resident_event_count=1,
        backward_start=3,
    )


def test_the_logits_of_forward_are_counted_twice_from_their_making_to_their_end() -> None:
    changed = with_logits_copied(timeline(), LOGITS)
    assert changed.size1_bytes == (0.0, 300.0, 2000.0, 1000.0, 2000.0, 300.0)
    assert changed.size0_bytes == timeline().size0_bytes


@pytest.mark.parametrize("logits", [(0.0, 0.0), (0.0, 999.0)])
def test_a_model_without_logits_in_its_timeline_keeps_it(logits: tuple[float, float]) -> None:
    assert with_logits_copied(timeline(), logits) == timeline()


@pytest.mark.parametrize(
    ("given", "copied"),
    [
        ({"fused_layers": True}, True),
        ({"fused_layers": True, "chunked_loss": True}, False),
        ({}, False),
        ({"fused_layers": True, "mode": "inference"}, False),
    ],
)
def test_only_a_fused_loss_of_whole_logits_peaks_with_the_copy(given: dict[str, object], copied: bool) -> None:
    training = Training(precision="bf16_amp", batch_size=1, **given)  # type: ignore[arg-type]
    assert copies_logits(training) is copied
