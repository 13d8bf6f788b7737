"""That the processor was not measured is said first where it might win, and among the rest where it can't."""

from __future__ import annotations

import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.optable.saved_tables import saved_tables
from advisor.present.one_screen import one_screen
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine


@pytest.mark.parametrize(("name", "first"), [("iris_mlp", True), ("resnet50", False)])
def test_an_unmeasured_processor_is_said_first_only_where_the_card_waits_for_it(name: str, first: bool) -> None:
    workload = load_workload(name)
    advice = advice_from_facts(
        AdviceRequest(workload=workload, measure=False), Facts(machine=machine(), tables=saved_tables(workload))
    )
    codes = [caveat.code for caveat in advice.caveats]
    assert codes.count("predict-cpu-not-measured") == 1
    assert (codes[0] == "predict-cpu-not-measured") is first
    shown = [text for section in one_screen(advice, "en").sections for text in section.sentences]
    assert not first or any("measured, never read from a table" in text for text in shown)
