"""Error figures of measured steps: known answers."""

from __future__ import annotations

import pytest

from advisor.predict.evaluation import ScoredStep, ranked_pairs, score, scores_by


def a_step(gpu: str, measured_s: float, predicted_s: float, *, batch: int = 8, precision: str = "fp32") -> ScoredStep:
    return ScoredStep(
        workload="resnet50",
        mode="training",
        precision=precision,
        length=224,
        layout="nchw",
        optimizer="sgd",
        gpu_key=gpu,
        family="cnn",
        batch_size=batch,
        measured_s=measured_s,
        predicted_s=predicted_s,
        low_s=0.9 * predicted_s,
        high_s=1.1 * predicted_s,
    )


def test_errors_coverage_and_pairs_of_three_cards() -> None:
    steps = [a_step("a", 1.0, 1.2), a_step("b", 2.0, 2.0), a_step("c", 4.0, 1.0)]
    found = score(steps)
    assert found.step_count == 3
    assert found.mean_error_fraction == pytest.approx((0.2 + 0.0 + 0.75) / 3)
    assert found.median_error_fraction == pytest.approx(0.2)
    assert found.bias_fraction == pytest.approx(0.0)
    assert found.covered_fraction == pytest.approx(1 / 3)
    assert found.pair_count == 3
    assert found.ranked_fraction == pytest.approx(1 / 3)
    assert found.ratio_error_fraction == pytest.approx((abs(2 / 1.2 / 2 - 1) + abs(1 / 1.2 / 4 - 1) + 0.75) / 3)


def test_pairs_need_the_same_work_other_cards_and_a_clear_difference() -> None:
    same_card = [a_step("a", 1.0, 1.0), a_step("a", 2.0, 2.0)]
    close = [a_step("a", 1.0, 1.0), a_step("b", 1.05, 1.0)]
    other = [a_step("a", 1.0, 1.0), a_step("b", 2.0, 2.0, precision="tf32")]
    assert [len(ranked_pairs(steps)) for steps in (same_card, close, other)] == [0, 0, 0]


def test_pairs_compare_times_a_sample_where_batches_differ() -> None:
    steps = [a_step("a", 1.0, 1.0, batch=8), a_step("b", 1.0, 1.0, batch=16)]
    found = score(steps)
    assert found.pair_count == 1
    assert found.ranked_fraction == 1.0
    assert found.ratio_error_fraction == pytest.approx(0.0)


def test_a_group_counts_the_pairs_that_its_steps_take_part_in() -> None:
    steps = [a_step("a", 1.0, 1.0), a_step("b", 2.0, 2.0), a_step("c", 4.0, 4.0)]
    by_card = scores_by(steps, lambda step: step.gpu_key)
    assert [(found.group, found.step_count, found.pair_count) for found in by_card] == [
        ("a", 1, 2),
        ("b", 1, 2),
        ("c", 1, 2),
    ]


def test_no_steps_have_no_errors() -> None:
    found = score([])
    assert found.step_count == 0
    assert found.mean_error_fraction is None
    assert found.ranked_fraction is None


@pytest.mark.parametrize(("measured_s", "covered"), [(0.89, False), (0.91, True), (1.09, True), (1.11, False)])
def test_a_time_is_covered_between_both_ends_of_its_range_alone(measured_s: float, covered: bool) -> None:
    assert a_step("a", measured_s, 1.0).covered is covered
