"""That the processor was not measured is said first where it might win, and among the rest where it can't."""

from __future__ import annotations

import msgspec
import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.core.sentences import Reason, say
from advisor.measure.measurement import Verdict
from advisor.optable.saved_tables import saved_tables
from advisor.present.one_screen import one_screen
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine, measurement


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


@pytest.mark.parametrize(
    ("cause", "in_a_step"),
    [
        (Reason.of("worker-users-code-failed", error="ValueError: `no such column`", device="cpu"), False),
        (Reason.of("measure-ended-out-of-memory", batch_size=1), True),
    ],
)
def test_why_nothing_could_be_timed_is_said_first_and_measuring_is_no_remedy_then(
    cause: Reason, in_a_step: bool
) -> None:
    workload = load_workload("iris_mlp")
    made = measurement("cpu", "not_measured")
    if in_a_step:
        ended = msgspec.structs.replace(made.steps[0], verdict=Verdict(kind="not_measured", reason=cause))
        failed = msgspec.structs.replace(made, steps=(ended, ended))
    else:
        failed = msgspec.structs.replace(made, steps=(), caveats=(cause,))
    advice = advice_from_facts(
        AdviceRequest(workload=workload, measure=True),
        Facts(machine=machine(), tables=saved_tables(workload), measurements=(failed,)),
    )
    codes = [caveat.code for caveat in advice.caveats]
    assert codes[0] == cause.code
    assert codes.count(cause.code) == 1
    assert "predict-cpu-not-measured" not in codes
    shown = [text for section in one_screen(advice, "en").sections for text in section.sentences]
    assert say(cause, "en") in shown
