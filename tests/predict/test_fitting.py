"""The fit: finds figures that made the data, is deterministic, and predicts by the same formulas as the program."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from advisor.core.errors import InputError
from advisor.cost.efficiencies import efficiencies, read_efficiencies
from advisor.cost.host_time import HostSpeed
from advisor.optable.compiled_table import compile_table
from tests.cost.small_tables import (
    CARD,
    OLD_CARD,
    attention,
    convolution,
    lstm,
    matmul,
    op,
    predicted_steps,
    table,
    training,
)
from tools.fitting.card_shares import without_shares
from tools.fitting.fit import MeasuredStep, StepSet, fit
from tools.fitting.leaving_out import leave_out
from tools.fitting.priors import PRIORS

FIGURES = without_shares(efficiencies())
HOST = HostSpeed(copies_inputs=False)


def made_up_steps(scale: float = 1.0) -> list[MeasuredStep]:
    """Steps that took exactly what figures with other copies and products would let expect."""
    truth = replace(FIGURES, fitted=replace(FIGURES.fitted, copy=0.45, fp32_matmul=0.8))
    steps = []
    for number, card in enumerate([CARD, OLD_CARD, replace(CARD, key="other", memory_bandwidth_bytes_per_s=9e11)]):
        for batch in (8, 32, 128):
            compiled = compile_table(
                table(op("copy", (0.0, 1e7)), matmul((0.0, 1024.0), 2048, 2048), convolution(64), dispatches=20)
            )
            how = training(optimizer="adamw", batch_size=batch)
            grid = predicted_steps(compiled, how, "fp32", [card], [batch], host=HOST, figures=truth)
            steps.append(
                MeasuredStep(
                    compiled=compiled,
                    training=how,
                    precision="fp32",
                    spec=card,
                    batch_size=batch,
                    measured_s=float(grid.total_s[0, 0]) * scale,
                    host=HOST,
                    workload=f"model {number}",
                    group=number,
                )
            )
    return steps


def test_the_fit_explains_what_was_made_by_the_model_and_says_the_same_twice() -> None:
    steps = StepSet(made_up_steps(), FIGURES)
    before = np.abs(np.log(steps.predicted_s(FIGURES.fitted) / steps.measured_s)).mean()
    found = fit(steps, FIGURES.fitted)
    after = np.abs(np.log(steps.predicted_s(found) / steps.measured_s)).mean()
    assert after < 0.5 * before
    assert found == fit(steps, FIGURES.fitted)


def test_all_steps_at_once_are_what_each_is_alone() -> None:
    card = replace(CARD, key="x")
    cases = [
        (table(lstm(), lstm(phase="backward")), training(), 4, None),
        (table(attention("flash"), precision="half"), training(precision="fp16", optimizer="sgd"), 8, None),
        (
            table(convolution(64, element_bytes=2), precision="half"),
            training(precision="fp16", channels_last=True, optimizer="sgd_momentum"),
            16,
            2020,
        ),
        (table(op("norm", (0.0, 1e7)), dispatches=10**5), training(read_loss_every=1), 2, None),
    ]
    steps = [
        MeasuredStep(
            compiled=compile_table(model),
            training=how,
            precision=how.precision,
            spec=card,
            batch_size=batch,
            measured_s=1.0,
            host=HOST,
            software_year=year,
            group=0,
        )
        for model, how, batch, year in cases
    ]
    together = StepSet(steps, FIGURES).predicted_s(FIGURES.fitted)
    alone = [
        predicted_steps(model, how, how.precision, [card], [batch], host=HOST, software_year=year).total_s[0, 0]
        for model, how, batch, year in cases
    ]
    assert together == pytest.approx(alone)


def test_steps_of_one_group_share_their_weight() -> None:
    steps = [replace_group(step, "one" if index < 4 else index) for index, step in enumerate(made_up_steps())]
    weights = StepSet(steps, FIGURES).weights()
    assert weights.tolist() == [0.5] * 4 + [1.0] * 5


def replace_group(step: MeasuredStep, group: Hashable) -> MeasuredStep:
    return dataclasses.replace(step, group=group)


def test_what_is_left_out_is_not_seen() -> None:
    steps = made_up_steps()
    odd = [replace_measured(step, 3.0) if step.spec.key == "other" else step for step in steps]
    by_card = leave_out(odd, lambda step: step.spec.key, FIGURES, FIGURES.fitted)
    related = leave_out(
        odd,
        lambda step: step.workload,
        FIGURES,
        FIGURES.fitted,
        related=lambda step, key: step.workload == key or step.spec.key == "other",
    )
    refitted = fit(StepSet(odd[:6], FIGURES), FIGURES.fitted)
    assert by_card[6:] == pytest.approx(StepSet(odd[6:], FIGURES).predicted_s(refitted), rel=1e-3)
    assert by_card[6:] != pytest.approx(StepSet(odd[6:], FIGURES).predicted_s(FIGURES.fitted), rel=0.05)
    measured = np.array([step.measured_s for step in odd])
    assert (by_card[6:] < 0.6 * measured[6:]).all()
    assert related.shape == measured.shape
    assert (related > 0).all()


@pytest.mark.nightly
def test_a_single_odd_step_is_left_out_by_the_linear_system_as_by_a_fit_without_it() -> None:
    steps = [replace_measured(step, 1.5 if number == 1 else 1.0) for number, step in enumerate(made_up_steps() * 3)]
    odd, start = steps[1], fit(StepSet(steps, FIGURES), FIGURES.fitted)
    predicted = leave_out(steps, lambda step: step is odd, FIGURES, start)[1]
    alone = StepSet([odd], FIGURES)
    refitted = alone.predicted_s(fit(StepSet([step for step in steps if step is not odd], FIGURES), start))
    assert predicted == pytest.approx(refitted, rel=1e-3)
    assert alone.predicted_s(start) > 1.003 * refitted


def replace_measured(step: MeasuredStep, factor: float) -> MeasuredStep:
    return dataclasses.replace(step, measured_s=step.measured_s * factor)


def test_every_fitted_figure_has_a_prior_and_stays_within_reach_of_it() -> None:
    assert set(PRIORS) == set(FIGURES.fitted.__struct_fields__)
    for name, prior in PRIORS.items():
        distance = abs(np.log(getattr(FIGURES.fitted, name) / prior.centre)) / prior.spread
        assert distance < 3.0, name
        assert 0.0 < prior.spread <= 1.0, name


def test_a_missing_or_broken_file_of_figures_is_refused_with_the_command_that_makes_one(tmp_path: Path) -> None:
    broken = tmp_path / "efficiencies.toml"
    broken.write_text("schema_version = 1\n", encoding="utf-8")
    for path in (broken, tmp_path / "absent.toml"):
        with pytest.raises(InputError) as caught:
            read_efficiencies(path)
        assert "fit_efficiencies" in caught.value.remedy


def test_one_step_of_many_is_left_out_of_the_linear_system_as_of_a_fit_of_its_own() -> None:
    steps = [replace_group(step, index) for index, step in enumerate(made_up_steps() * 3)]
    steps[4] = replace_measured(steps[4], 3.0)
    linear = leave_out(steps, lambda step: step.group == 4, FIGURES, fit(StepSet(steps, FIGURES), FIGURES.fitted))
    refitted = fit(StepSet(steps[:4] + steps[5:], FIGURES), FIGURES.fitted)
    assert linear[4] == pytest.approx(StepSet(steps[4:5], FIGURES).predicted_s(refitted)[0], rel=0.02)


def test_a_device_waits_for_the_host_in_small_steps_and_hardly_in_large_ones() -> None:
    plain = made_up_steps()[0]
    sizes = (
        (table(op("copy", (0.0, 1e3)), dispatches=10_000), 1),
        (table(matmul((0.0, 4096.0), 8192, 8192), dispatches=2), 64),
    )
    steps = [dataclasses.replace(plain, compiled=compile_table(model), batch_size=batch) for model, batch in sizes]
    small, large = StepSet(steps, FIGURES).host_fraction(FIGURES.fitted)
    assert 0.9 < small < 1.0
    assert 0.0 <= large < 0.01
