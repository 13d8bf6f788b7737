"""Two runs are compared by what differs; ranges that touch make no difference."""

from __future__ import annotations

import msgspec

from advisor.core.units import Estimate
from advisor.present.comparison import compare
from advisor.store.advice_record import AdviceRecord
from tests.present import fakes
from tests.present.recorded import recorded


def faster(advice: AdviceRecord, factor: float) -> AdviceRecord:
    """The same advice with every step `factor` times as long."""
    predictions = tuple(msgspec.structs.replace(item, step_s=item.step_s.scaled(factor)) for item in advice.predictions)
    assert advice.recommendation is not None
    chosen = msgspec.structs.replace(advice.recommendation, step_s=advice.recommendation.step_s.scaled(factor))
    return msgspec.structs.replace(advice, predictions=predictions, recommendation=chosen)


def test_equal_advices_differ_in_nothing() -> None:
    for advice in (recorded(), fakes.advice()):
        found = compare(advice, advice)
        assert found.settings == ()
        assert found.same_set_up
        assert found.steps
        assert all(step.ratio == 1 and not step.clear for step in found.steps)
        assert all(figure.ratio == 1 and not figure.clear for figure in found.figures)


def test_a_clear_difference_is_one_whose_ranges_do_not_touch() -> None:
    advice = fakes.advice()
    slightly, twice = compare(advice, faster(advice, 1.1)), compare(advice, faster(advice, 2.0))
    assert not any(step.clear for step in slightly.steps)
    assert all(step.clear for step in twice.steps)
    assert [figure.ratio for figure in twice.figures if figure.field == "step_s"] == [2.0]


def test_what_changed_around_the_run_is_named_by_its_path() -> None:
    advice = fakes.advice()
    software = msgspec.structs.replace(advice.machine.software, torch="2.14.0")
    training = msgspec.structs.replace(advice.workload.training, batch_size=32)
    other = msgspec.structs.replace(
        advice,
        machine=msgspec.structs.replace(advice.machine, software=software),
        workload=msgspec.structs.replace(advice.workload, training=training),
    )
    found = {row.field: (row.first, row.second) for row in compare(advice, other).settings}
    assert found == {"machine.software.torch": ("2.13.0", "2.14.0"), "workload.training.batch_size": ("16", "32")}


def test_a_step_that_a_disturbed_measurement_tells_in_both_runs_is_measured() -> None:
    advice = fakes.advice()
    first, *others = advice.predictions
    timed = msgspec.structs.replace(first, measured=True)
    told = msgspec.structs.replace(advice, predictions=(timed, *others))
    assert [step.measured for step in compare(advice, told).steps if step.of.set_up == first.set_up] == [False]
    (step,) = (step for step in compare(told, told).steps if step.of.set_up == first.set_up)
    assert (step.measured, step.first) == (True, first.step_s)


def test_another_set_up_or_none_is_not_the_same_one() -> None:
    advice = fakes.advice()
    assert not compare(advice, msgspec.structs.replace(advice, recommendation=None)).same_set_up
    assert advice.recommendation is not None
    chosen = msgspec.structs.replace(advice.recommendation, count=1)
    assert not compare(advice, msgspec.structs.replace(advice, recommendation=chosen)).same_set_up


def test_costs_in_different_currencies_are_not_compared() -> None:
    advice = fakes.advice()
    assert advice.recommendation is not None
    cost = Estimate(value=3.0, low=2.0, high=4.0, basis="specified")
    euro, yuan = (
        msgspec.structs.replace(
            advice, recommendation=msgspec.structs.replace(advice.recommendation, cost=cost, currency=currency)
        )
        for currency in ("EUR", "CNY")
    )
    assert "cost" in {figure.field for figure in compare(euro, euro).figures}
    assert "cost" not in {figure.field for figure in compare(euro, yuan).figures}
