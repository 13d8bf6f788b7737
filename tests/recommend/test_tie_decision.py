"""Which figure decides inside a tie, by goal and by what is known; and a cost that nothing keeps."""

from __future__ import annotations

import re

import msgspec
import pytest

from advisor.core.sentences import Money, Reason, say
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison
from advisor.recommend.prices import Prices
from advisor.recommend.ranking import Row
from advisor.recommend.recommendation import Goal, Limits
from advisor.recommend.tie_decision import preference, tie_decision
from tests.recommend.fakes import SPECS, estimate, workload
from tests.recommend.test_batch_and_strategy import one
from tests.recommend.test_missed_limits import advised, nearest


def compared(goal: Goal) -> Comparison:
    return Comparison(
        workload=workload("fp32"),
        goal=goal,
        limits=Limits(),
        specs=SPECS,
        draws={},
        untrusted={},
        global_limit=1024,
        predictions=(),
    )


def set_up(cost: float | None = None, job_s: float | None = None, energy_j: float | None = None) -> Prediction:
    return msgspec.structs.replace(
        one(16, 100),
        cost=None if cost is None else estimate(cost),
        currency=None if cost is None else "EUR",
        job_s=None if job_s is None else estimate(job_s),
        energy_j=None if energy_j is None else estimate(energy_j),
    )


@pytest.mark.parametrize(
    ("goal", "chosen", "others", "code"),
    [
        ("time", set_up(2.0, 100.0), [set_up(3.0, 90.0), set_up(2.5, 80.0)], "why-tie-cost"),
        ("time", set_up(2.0, 100.0), [set_up(None, 90.0)], "why-tie-time"),
        ("time", set_up(2.0, 100.0), [set_up(None, 120.0), set_up(3.0, 90.0)], "why-tie-time"),
        ("time", set_up(None, 100.0), [set_up(None, 90.0)], "why-tie-time"),
        ("time", set_up(None, 100.0), [set_up(None, 100.2)], "why-tie-alike"),
        ("time", set_up(), [set_up(None, 90.0)], None),
        ("cost", set_up(None, 100.0), [set_up(None, 90.0)], None),
        ("energy", set_up(energy_j=5.0), [set_up(energy_j=9.0), set_up(energy_j=7.0)], "why-tie-energy"),
        ("energy", set_up(energy_j=5.0), [set_up()], None),
    ],
)
def test_inside_a_tie_the_first_figure_that_both_have_decides(
    goal: Goal, chosen: Prediction, others: list[Prediction], code: str | None
) -> None:
    reasons = list(tie_decision(compared(goal), chosen, others))
    assert [reason.code for reason in reasons] == ([] if code is None else [code])
    for reason in reasons:
        assert "{" not in say(reason, "en") + say(reason, "zh")


def test_a_card_without_a_price_is_no_free_one_inside_a_tie() -> None:
    tied = [Row(prediction=one, place=1, tied=True, trusted=True) for one in (set_up(2.0, 100.0), set_up(None, 160.0))]
    first = min(tied, key=lambda row: preference(row, tied, compared("time")))
    assert first.prediction.job_s == estimate(100.0)
    priced = [Row(prediction=one, place=1, tied=True, trusted=True) for one in (set_up(2.0, 100.0), set_up(1.0, 160.0))]
    assert min(priced, key=lambda row: preference(row, priced, compared("time"))) is priced[1]


def test_of_several_the_nearest_is_named() -> None:
    (cost,) = tie_decision(compared("time"), set_up(2.0, 100.0), [set_up(3.0), set_up(2.5)])
    (energy,) = tie_decision(compared("energy"), set_up(energy_j=5.0), [set_up(energy_j=9.0), set_up(energy_j=7.0)])
    assert cost.numbers["other_cost"] == Money(cost=2.5, currency="EUR")
    assert energy.numbers["other_energy_j"] == 7.0


def test_a_cost_that_nothing_keeps_is_told_beside_its_limit_in_their_currency() -> None:
    prices = Prices(currency="EUR", date="2026-01-01", devices=dict.fromkeys(SPECS, 3.0))
    answer = advised(Limits(max_cost=1e-6), prices=prices)
    told = nearest(answer)["caveat-nearest-cost"]
    assert told.numbers["limit"] == Money(cost=1e-6, currency="EUR")
    assert re.search(r"costs €\d[\d,.]*, [\d,.]+ times the < €0\.0001 allowed", say(told, "en"))
    assert "€" in say(told, "zh")
    assert told.figure("times_ratio") > 1.0


def test_what_is_here_is_taken_unless_the_other_card_is_clearly_ahead_at_another_batch_size() -> None:
    def timed(made: Prediction, value: float, low: float, high: float) -> Prediction:
        hours = Estimate(value=value, low=low, high=high, basis="specified").scaled(3600)
        return msgspec.structs.replace(made, job_s=hours)

    here = timed(one(16, 100), 1.65, 1.41, 2.25)
    here = msgspec.structs.replace(here, device=msgspec.structs.replace(here.device, key="GPU-0", local=True))
    other, larger = timed(one(16, 100), 1.07, 0.93, 1.42), timed(one(32, 100), 1.0, 0.88, 1.35)
    first = tuple(Row(prediction=each, place=1, tied=True, trusted=True) for each in (other, here))
    for predictions, taken in (((here, other), here), ((here, other, larger), other)):
        asked = compared("time")._replace(predictions=predictions)
        ordered = sorted(first, key=lambda row, asked=asked: preference(row, first, asked))  # type: ignore[misc]
        assert ordered[0].prediction is taken
    too_large = compared("time")._replace(predictions=(here, other, larger), global_limit=16)
    assert min(first, key=lambda row: preference(row, first, too_large)).prediction is here


def test_what_no_run_of_its_maker_bears_out_is_taken_only_where_it_is_clearly_ahead() -> None:
    note = Reason.of("predict-outside-maker", gpu="Instinct MI355X", link="fabric")
    unproven = msgspec.structs.replace(set_up(None, 90.0), notes=(note,))
    known = set_up(None, 100.0)
    tied = [Row(prediction=one, place=1, tied=True, trusted=True) for one in (unproven, known)]
    assert min(tied, key=lambda row: preference(row, tied, compared("time"))).prediction is known
    (reason,) = tie_decision(compared("time"), known, [unproven])
    assert reason.code == "why-tie-borne-out"
    assert not [each for each in tie_decision(compared("time"), unproven, [set_up(None, 99.0)]) if "borne" in each.code]
