"""What FP8 brings to shards is told by two steps on weights that were cast beforehand: like beside like."""

from __future__ import annotations

from collections.abc import Generator, Iterable

import msgspec
import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.advice.switched import find_switches
from advisor.advice.trial import Tables, Trial
from advisor.catalogue.precisions import Precision, TracePrecision
from advisor.core.drive import drive
from advisor.core.records import shared_fields
from advisor.measure.events import RunnerEvent
from advisor.measure.traces import Traces
from advisor.optable.saved_tables import saved_tables
from advisor.predict.prediction import Candidate, Prediction, SetUp
from advisor.recommend.fixed import Fixed
from advisor.recommend.recommendation import prediction_of
from advisor.recommend.switches import Switch
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

WORKLOAD = load_workload("llama_8b")


def request_of(precision: Precision) -> AdviceRequest:
    return AdviceRequest(
        workload=with_training(WORKLOAD, precision=precision),
        measure=False,
        gpu_keys=("h100-sxm",),
        counts=(8,),
        fixed=Fixed(precision=True),
        switches=True,
    )


def asked(request: AdviceRequest, tables: Tables) -> tuple[Facts, AdviceRecord, Prediction]:
    facts = Facts(machine=machine(), tables=dict(tables))
    advice = advice_from_facts(request, facts)
    chosen = prediction_of(advice.predictions, advice.recommendation)
    assert chosen is not None
    assert (chosen.strategy, chosen.precision) == ("fsdp", request.workload.training.precision)
    return facts, advice, chosen


def fp8_switch(
    monkeypatch: pytest.MonkeyPatch, request: AdviceRequest, facts: Facts, advice: AdviceRecord
) -> tuple[Switch, tuple[TracePrecision, ...]]:
    """What FP8 brings, and what was asked to be traced for it."""
    wanted_traces: list[tuple[TracePrecision, ...]] = []

    def find(
        traces: Traces, workload: Workload, wanted: Iterable[TracePrecision]
    ) -> Generator[RunnerEvent, None, Tables]:
        yield from ()
        if workload.training.precision != "fp8":
            return {}
        wanted_traces.append(tuple(wanted))
        known = traces.known(workload, wanted_traces[-1])
        return {precision: known[precision] for precision in wanted_traces[-1]}

    monkeypatch.setattr(Traces, "find", find)
    switches = drive(find_switches(request, facts, advice, Traces()))
    (switch,) = (one for one in switches if one.kind == "fp8")
    (wanted,) = wanted_traces
    return switch, wanted


@pytest.mark.parametrize(("precision", "traces"), [("bf16_amp", ("amp", "half")), ("bf16", ("half",))])
def test_fp8_of_shards_is_told_on_weights_that_were_cast_beforehand_as_the_advised_step_is(
    monkeypatch: pytest.MonkeyPatch, precision: Precision, traces: tuple[TracePrecision, ...]
) -> None:
    request, saved = request_of(precision), saved_tables(WORKLOAD)
    facts, advice, chosen = asked(request, {trace: saved[trace] for trace in traces})
    switch, wanted = fp8_switch(monkeypatch, request, facts, advice)
    assert wanted == ("fp8_cast",)
    changed = with_training(WORKLOAD, precision="fp8")
    set_up = msgspec.structs.replace(Candidate(**shared_fields(chosen, SetUp)), precision="fp8")
    trial = Trial(request, facts, changed, {"fp8_cast": saved_tables(changed)["fp8_cast"]})
    (told,) = trial.predicted([set_up])
    assert switch.step_s.value == pytest.approx(told.step_s.value)
    assert switch.gain is not None
    assert 1.0 < switch.gain.value < 2.0
