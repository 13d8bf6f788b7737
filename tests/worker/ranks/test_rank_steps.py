"""DataParallel's step among ranks: timed where it runs, left out without harm where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from advisor.protocol.messages import RankFinding, RanksRequest
from advisor.worker.ranks.collectives import Rank
from advisor.worker.ranks.steps import RankSteps
from tests.measure.rank_driver import small_plan


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[tuple[RankSteps, list[RankFinding]]]:
    """A group of one rank on the processor, where DataParallel is the module itself."""
    dist.init_process_group("gloo", init_method=f"file://{tmp_path / 'rendezvous'}", rank=0, world_size=1)
    try:
        request: RanksRequest = small_plan(1.0).request(tmp_path)
        world = dist.group.WORLD
        assert world is not None
        found: list[RankFinding] = []
        rank = Rank(rank=0, count=1, device=torch.device("cpu"), control=world, keep=found.append)
        yield RankSteps(request, rank), found
    finally:
        dist.destroy_process_group()


def test_a_data_parallel_step_is_timed_over_the_local_cards(
    alone: tuple[RankSteps, list[RankFinding]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    steps, found = alone
    steps.measure_data_parallel(0.1)
    (finding,) = found
    assert (finding.kind, finding.rank_count, finding.accumulation_steps) == ("dp_step", 3, 1)
    assert len(finding.samples_s) >= 5
    assert all(sample > 0 for sample in finding.samples_s)


def test_a_data_parallel_step_that_does_not_fit_is_left_out_and_costs_nothing_else(
    alone: tuple[RankSteps, list[RankFinding]], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, found = alone

    def too_large(*_: object) -> None:
        message = "CUDA out of memory"
        raise torch.OutOfMemoryError(message)

    monkeypatch.setattr(RankSteps, "_backward", too_large)
    steps.measure_data_parallel(0.1)
    assert found == []


def test_the_losses_of_several_cards_are_stepped_as_their_mean(
    alone: tuple[RankSteps, list[RankFinding]], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, found = alone
    loss = steps._loaded.loss
    several = replace(steps._loaded, loss=lambda *given: torch.stack([loss(*given)] * 2))
    monkeypatch.setattr(steps, "_loaded", several)
    steps.measure_data_parallel(0.1)
    assert [finding.kind for finding in found] == ["dp_step"]
