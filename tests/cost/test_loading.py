"""What a step waits for its data: the arithmetic of a loader beside a step, and what holds for any pass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.cost.loading import Loading, loading_of, waiting_s
from advisor.protocol.messages import LoaderPass

SECONDS = st.floats(1e-6, 10.0)
WORKERS = st.integers(0, 64)


def a_pass(batch: int, made_s: float, *, workers: int = 0, ready_s: float | None = None) -> LoaderPass:
    return LoaderPass(
        batch_size=batch,
        worker_count=workers,
        made_s=made_s,
        low_s=made_s / 2,
        high_s=made_s * 2,
        ready_s=made_s if ready_s is None else ready_s,
    )


def known(passes: list[LoaderPass], workers: int, *, cores: int | None = None, on_cpu: bool = False) -> Loading:
    found = loading_of(passes, workers, core_count=cores, on_cpu=on_cpu)
    assert found is not None
    return found


def waits(loading: Loading, step_s: float, batch: float = 8, shared: tuple[int, int] | None = None) -> float:
    return waiting_s(loading, np.array([[batch]]), np.array([[step_s]]), shared_cores=shared).item()


def test_without_workers_the_step_waits_for_all_of_its_data() -> None:
    assert waits(known([a_pass(8, 0.3)], 0), 1.0) == pytest.approx(0.3)
    assert waits(known([a_pass(8, 3.0)], 0), 1.0) == pytest.approx(3.0)


def test_workers_share_the_batches_and_only_what_is_longer_than_the_step_shows() -> None:
    four = known([a_pass(8, 4.0)], 4)
    assert waits(four, 0.25) == pytest.approx(0.75)
    assert waits(four, 1.5) == 0


def test_here_no_more_workers_count_than_there_are_cores() -> None:
    assert waits(known([a_pass(8, 4.0)], 8, cores=2), 0.5) == pytest.approx(1.5)


def test_handing_over_that_was_timed_here_is_added_and_left_at_home() -> None:
    passes = [a_pass(8, 0.4), a_pass(16, 0.8), a_pass(8, 0.5, workers=2, ready_s=0.1)]
    assert waits(known(passes, 2, cores=2), 0.25) == pytest.approx(0.25)
    assert waits(known(passes, 2, cores=2), 0.25, batch=16) == pytest.approx(0.45)
    assert waits(known(passes, 2), 0.15) == pytest.approx(0.05)


def test_a_step_on_the_processor_takes_ready_batches_itself() -> None:
    passes = [a_pass(8, 0.4), a_pass(8, 0.2, workers=2, ready_s=0.1)]
    assert waits(known(passes, 2, cores=8, on_cpu=True), 5.0) == pytest.approx(0.1)
    assert waits(known(passes, 2, cores=8), 5.0) == 0


def test_a_step_that_has_all_cores_pays_for_what_loading_takes_of_them() -> None:
    loading = known([a_pass(8, 0.4)], 2, cores=2)
    assert waits(loading, 1.0, shared=(2, 2)) == pytest.approx(0.2)
    assert waits(loading, 1.0, shared=(1, 2)) == 0


def test_sizes_between_lie_on_a_line_and_those_beyond_take_as_much_a_sample() -> None:
    loading = known([a_pass(8, 0.8), a_pass(16, 1.2)], 0)
    assert waits(loading, 1.0, batch=12) == pytest.approx(1.0)
    assert waits(loading, 1.0, batch=64) == pytest.approx(4.8)


def test_a_loader_that_nobody_timed_is_not_known() -> None:
    assert loading_of([], 4) is None


@given(SECONDS, SECONDS, WORKERS, WORKERS)
def test_more_workers_never_slow(made_s: float, step_s: float, some: int, more: int) -> None:
    fewer, most = (known([a_pass(8, made_s)], count) for count in sorted((some, more)))
    assert waits(most, step_s) <= waits(fewer, step_s)


@given(SECONDS, st.integers(1, 64), st.floats(1.0, 100.0))
def test_a_loader_faster_than_the_step_changes_nothing(made_s: float, workers: int, times: float) -> None:
    assert waits(known([a_pass(8, made_s)], workers), made_s / workers * times) <= 1e-12


@given(SECONDS, SECONDS, WORKERS, st.integers(1, 16), st.integers(1, 16))
def test_a_job_is_never_faster_than_its_step_nor_slower_than_one_after_the_other(
    made_s: float, step_s: float, workers: int, threads: int, cores: int
) -> None:
    waited = waits(known([a_pass(8, made_s)], workers), step_s, shared=(threads, cores))
    assert 0 <= waited <= made_s * (1 + 1e-9)
