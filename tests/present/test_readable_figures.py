"""Figures that a person reads at a glance: whole counts, rates without prefixes, energy in watt-hours."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.core.records import shared_fields
from advisor.core.sentences import Language, Reason, sentence
from advisor.core.units import Estimate, format_count, format_energy, format_range, format_rate
from advisor.present.look import OVER_LIMITS
from advisor.present.one_screen import one_screen
from advisor.present.report.batch_chart import nice_ticks
from advisor.present.report.figures import key_figures
from advisor.present.report.tables import device_table
from advisor.present.summary import best_by_device, summarise
from advisor.present.tables import Table
from advisor.recommend.batch_size import largest_global_batch
from advisor.recommend.recommendation import Alternative, rests_on
from advisor.store.advice_record import AdviceRecord
from advisor.store.json_file import read
from tests.present.fakes import advice

RECORDED = Path(__file__).parents[1] / "recorded" / "advice"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (83, "83"), (1500, "1,500"), (9999, "9,999"), (109_483_778, "109 M")]
)
def test_a_count_is_whole(number: int, text: str) -> None:
    assert format_count(number) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0.8164, "0.816 /s"), (65.39, "65.4 /s"), (1266.9, "1,270 /s"), (258_123, "258,000 /s"), (1.384e6, "1.38 M/s")],
)
def test_a_rate_has_three_figures(rate: float, text: str) -> None:
    assert format_rate(rate) == text


@pytest.mark.parametrize(
    ("joules", "text"),
    [(0.253, "253 mJ"), (12.0, "12.0 J"), (1150.0, "1.15 kJ"), (51_120.0, "14.2 Wh"), (4.1564e8, "115 kWh")],
)
def test_an_energy_is_in_watt_hours_from_one_on(joules: float, text: str) -> None:
    assert format_energy(joules) == text


def test_the_range_of_an_energy_keeps_one_unit() -> None:
    wide = Estimate(value=5184.0, low=2650.0, high=8496.0, basis="specified")
    assert format_range(wide, format_energy) == "1.44 Wh (0.736 Wh – 2.36 Wh)"
    small = Estimate(value=3000.0, low=1500.0, high=6000.0, basis="specified")
    assert format_range(small, format_energy) == "3.00 kJ (1.50 kJ – 6.00 kJ)"


@pytest.mark.parametrize("top", [0.013, 0.99, 1.0, 7.3, 80.0, 1590.0, 4.2e6])
def test_an_axis_has_a_few_round_ticks(top: float) -> None:
    ticks = nice_ticks(top)
    assert 3 <= len(ticks) <= 7
    assert ticks[0] == 0
    assert ticks[-1] <= top * 1.001
    step = ticks[1]
    assert float(f"{step:.0e}") == pytest.approx(step)


def test_a_name_longer_than_any_catalogue_takes_is_cut() -> None:
    assert sentence("summary-title", "en", workload="x" * 50_000).endswith("x…")


def test_the_advised_set_up_is_the_row_of_its_device_and_count_and_no_row_grows_the_batch_further() -> None:
    advice = read(RECORDED / "v1.json")
    advised = advice.recommendation
    assert advised is not None
    rows = best_by_device(advice)
    assert [row for row in rows if rests_on(advised, row)]
    assert max(row.global_batch_size for row in rows) <= largest_global_batch(advice.workload)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_table_marks_what_is_over_a_limit_and_says_what_the_mark_means(language: Language) -> None:
    made = advice()
    place = made.predictions.index(next(one for one in best_by_device(made) if one.device_and_count != _advised(made)))
    limited = msgspec.structs.replace(made, over_limits=(place,))
    for plain, marked in ((made, False), (limited, True)):
        for table in (summarise(plain, language).tables[0], one_screen(plain, language).tables[0], _reported(plain)):
            assert sum(row[0].endswith(f" {OVER_LIMITS}") for row in table.rows) == marked
            assert (OVER_LIMITS in table.title) is marked


def _advised(made: AdviceRecord) -> tuple[str, int]:
    assert made.recommendation is not None
    return made.recommendation.device_and_count


def _reported(made: AdviceRecord) -> Table:
    table = device_table(made, "en")
    assert table is not None
    return table


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_an_advice_is_tied_with_is_named_with_its_number_of_cards(language: Language) -> None:
    made = advice()
    main = made.recommendation
    assert main is not None
    own = made.predictions[0]
    other = msgspec.structs.replace(own, device=msgspec.structs.replace(own.device, key="other", name="Other GPU"))
    alternative = Alternative(
        **{**shared_fields(other, Alternative), "count": 8},
        device_key=other.device.key, device_name=other.device.name, gpu_hours=None, tied=True,
        reason=Reason.of("alternative-tied", device=other.device.name, count=8),
    )  # fmt: skip
    tied = msgspec.structs.replace(
        made,
        recommendation=msgspec.structs.replace(main, tied_with=(other.device,)),
        alternatives=(alternative,),
    )
    title = sentence("summary-tied", language)
    (shown,) = [text for label, text in summarise(tied, language).figures if label == title]
    assert shown == "8 × Other GPU"


def test_the_report_writes_the_range_of_an_energy_in_one_unit() -> None:
    shown = advice()
    main = shown.main
    assert main is not None
    around = Estimate(value=4068.0, low=1990.0, high=6228.0, basis="specified")
    predictions = tuple(msgspec.structs.replace(each, energy_j=around) for each in shown.predictions)
    figures = key_figures(msgspec.structs.replace(shown, predictions=predictions), main, "en")
    told = next(figure for figure in figures if figure["label"] == sentence("advice-energy", "en"))
    assert told["value"] == "1.13 Wh"
    assert told["range"].startswith("0.553 Wh – 1.73 Wh · ")
