"""Shares of single cards: found where runs tell them, shrunk where few do, never beyond the data sheet."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from advisor.catalogue.spec_table import spec_table
from advisor.cost.efficiencies import CardShare, ShareSpread, efficiencies
from advisor.cost.host_time import HostSpeed
from advisor.cost.operators.device_rates import device_rates
from advisor.optable.compiled_table import compile_table
from advisor.predict.ranges.step_range import band_group
from tests.accuracy.fitted_steps import fitted_steps
from tests.accuracy.llm_steps import table_key
from tests.cost.small_tables import CARD, matmul, op, predicted_steps, table, training
from tools.fitting import card_shares
from tools.fitting.card_shares import CardShares, without_shares
from tools.fitting.fit import MeasuredStep, StepSet
from tools.fitting.leaving_out import leave_out

FIGURES = without_shares(efficiencies())
FITTED = FIGURES.fitted
HOST = HostSpeed(copies_inputs=False)
TRUTH = {"first": (1.15, 1.0), "second": (1.0, 1.0), "third": (0.9, 1.1)}
"""Shares of bandwidth and compute by which the made-up runs were made."""
SPREAD = ShareSpread(
    bandwidth=0.06,
    compute=0.05,
    source_bandwidth=0.05,
    source_compute=0.05,
    model=0.05,
    run=0.05,
)


def share(key: str, bandwidth: float = 1.0, compute: float = 1.0) -> CardShare:
    return CardShare(key=key, bandwidth=bandwidth, compute=compute, run_count=1, sources=("a source",))


def test_a_card_that_differs_in_its_links_alone_has_the_share_of_its_namesake_elsewhere() -> None:
    figures, cards = efficiencies(), spec_table()
    rates = device_rates([cards["a100-sxm4-80"], cards["a800-sxm4-80"]], "bf16_amp", figures)
    for field in dataclasses.fields(rates):
        first, second = getattr(rates, field.name)
        assert first == second, field.name
    assert {band_group(cards[key], figures) for key in ("a100-sxm4-80", "a800-sxm4-80")} == {"known_card"}


def made_up(*sources: str, models: int = 6) -> list[MeasuredStep]:
    """Runs of half copies, half products in turn, of every source, model and card, that took what the truth tells."""
    truth = replace(FIGURES, cards=tuple(share(key, *both) for key, both in TRUTH.items()))
    found = []
    for key in TRUTH:
        card = replace(CARD, key=key)
        for source in sources:
            for model in range(models):
                work = op("copy", (0.0, 1e8)) if model % 2 else matmul((0.0, 1024.0), 4096, 4096)
                compiled = compile_table(table(work, dispatches=2))
                how = training(batch_size=16 + model)
                grid = predicted_steps(compiled, how, "fp32", [card], [16 + model], host=HOST, figures=truth)
                found.append(
                    MeasuredStep(
                        compiled=compiled,
                        training=how,
                        precision="fp32",
                        spec=card,
                        batch_size=16 + model,
                        measured_s=float(grid.total_s[0, 0]),
                        host=HOST,
                        workload=f"model {model}",
                        source=source,
                        group=(key, source),
                    )
                )
    return found


def told(steps: list[MeasuredStep], kept: NDArray[np.bool_] | None = None) -> dict[str, CardShare]:
    return {card.key: card for card in CardShares(steps, FIGURES, FITTED).told(SPREAD, kept=kept)}


def test_what_many_runs_of_several_publishers_tell_of_a_card_is_found() -> None:
    found = told(made_up("one", "two", "three"))
    assert set(found) == set(TRUTH)
    for key, (bandwidth, compute) in TRUTH.items():
        assert found[key].bandwidth == pytest.approx(bandwidth, abs=0.05), key
        assert found[key].compute == pytest.approx(compute, abs=0.05), key
        assert found[key].sources == ("one", "three", "two")
        assert found[key].run_count == 18
    assert found["first"].bandwidth > found["second"].bandwidth + 0.05


def test_few_runs_move_a_card_little_and_a_second_publisher_tells_more_than_more_runs_of_the_first() -> None:
    steps = made_up("one", "two")
    of_first = np.array([step.spec.key == "first" for step in steps])
    by_one = np.array([step.source == "one" for step in steps])
    copies = np.array([step.workload == "model 1" for step in steps])
    single, one, both = (told(steps, ~of_first | chosen) for chosen in (by_one & copies, by_one, of_first))
    moved = [np.log(found["first"].bandwidth) for found in (single, one, both)]
    assert 0.0 < moved[0] < moved[1] < moved[2] < np.log(TRUTH["first"][0])


def test_how_much_cards_differ_is_estimated_from_the_runs() -> None:
    pytest.importorskip("scipy")
    apart = CardShares(made_up("one", "two"), FIGURES, FITTED).spread()
    alike = [
        dataclasses.replace(step, measured_s=float(StepSet([step], FIGURES).predicted_s(FITTED)[0]))
        for step in made_up("one", "two")
    ]
    assert apart.bandwidth > 0.04
    assert apart.bandwidth > 5 * CardShares(alike, FIGURES, FITTED).spread().bandwidth


def test_shares_that_never_stand_still_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    shares = CardShares(made_up("one", "two"), FIGURES, FITTED)
    monkeypatch.setattr(card_shares, "_MOST_ROUNDS", 2)
    monkeypatch.setattr(card_shares, "_STILL", 0.0)
    with pytest.raises(ArithmeticError, match="still move"):
        shares.told(SPREAD)
    with pytest.raises(ArithmeticError, match="still move"):
        shares.spread()


def test_no_card_copies_faster_than_its_data_sheet_says() -> None:
    rates = device_rates([replace(CARD, key="x")], "fp32", replace(FIGURES, cards=(share("x", 1.5),)))
    assert rates.bandwidth_bytes_per_s[0] == CARD.memory_bandwidth_bytes_per_s


def test_a_card_whose_runs_are_left_out_has_no_share() -> None:
    steps = made_up("one", "two")
    figures = replace(FIGURES, share_spread=SPREAD, cards=tuple(told(steps).values()))
    fits = (FITTED,) * len(TRUTH)
    predicted = leave_out(steps, lambda step: step.spec.key, figures, FITTED, fits=fits)
    assert predicted == pytest.approx(StepSet(steps, FIGURES).predicted_s(FITTED))
    by_model = leave_out(steps, lambda step: step.workload, figures, FITTED, fits=(FITTED,) * 6)
    measured = np.array([step.measured_s for step in steps])
    assert np.abs(np.log(by_model / measured)).mean() < 0.5 * np.abs(np.log(predicted / measured)).mean()


def test_runs_of_families_that_told_no_share_are_predicted_better_with_the_shares_that_the_others_tell() -> None:
    figures, steps = efficiencies(), fitted_steps()
    families = np.array([step.family for step in steps])
    names = list(dict.fromkeys(families))
    measured = np.array([step.measured_s for step in steps])
    told = leave_out(steps, lambda step: step.family, figures, FITTED, fits=(FITTED,) * len(names))
    plain = StepSet(steps, FIGURES).predicted_s(FITTED)
    better = np.abs(plain / measured - 1.0) - np.abs(told / measured - 1.0)
    assert better.mean() > 0.004
    for name in names:
        assert better[families == name].mean() > -0.002, name
    assert better[families == "cnn"].mean() > 0.006


def test_no_run_of_a_card_that_is_not_the_tables_tells_a_share_of_the_tables() -> None:
    steps = [step for step in fitted_steps() if step.spec.key not in spec_table()]
    assert {table_key(step) for step in steps} == {"h100-sxm", "a100-sxm4-80"}
    others = {(step.spec.key, step.source) for step in steps}
    shares = {(card.key, source) for card in efficiencies().cards for source in card.sources}
    assert others <= shares
    assert not {(table_key(step), step.source) for step in steps} & shares
