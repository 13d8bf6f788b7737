"""What a trace could not say, or built otherwise, stands among the caveats of the advice, in both languages."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision
from advisor.core.sentences import Reason, say
from advisor.optable.saved_tables import saved_tables
from advisor.recommend.fixed import Fixed
from advisor.recommend.recommendation import Limits
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine


def advised(name: str, precision: Precision, *caveats: Reason, compiled: bool = False) -> AdviceRecord:
    workload = with_training(load_workload(name), precision=precision, compile=compiled)
    tables = {
        key: msgspec.structs.replace(table, caveats=caveats) for key, table in saved_tables(load_workload(name)).items()
    }
    facts = Facts(machine=machine(), tables=tables)
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx3090",), counts=(1,), precisions=(precision,)
    )
    return advice_from_facts(request, facts)


def test_operators_of_unknown_work_are_named_in_the_advice() -> None:
    unknown = Reason.of("trace-unknown-operators", operators="mystery", share_fraction=0.25)
    caveats = advised("bert_base_sst2", "fp32", unknown).caveats
    assert unknown in caveats
    assert "mystery; 25 % of all calls" in say(unknown, "en")


@pytest.mark.parametrize(("precision", "said"), [("fp16", True), ("bf16", True), ("fp16_amp", False), ("fp32", False)])
def test_batch_normalisation_in_half_is_said_where_the_weights_are_halved(precision: Precision, said: bool) -> None:
    codes = [caveat.code for caveat in advised("resnet50", precision).caveats]
    assert ("workload-half-batch-norm" in codes) is said


def test_a_model_without_batch_normalisation_says_nothing_of_it() -> None:
    assert "workload-half-batch-norm" not in [one.code for one in advised("bert_base_sst2", "fp16").caveats]


def test_why_nothing_is_advised_and_what_comes_nearest_stand_before_remarks_on_the_model() -> None:
    workload = load_workload("gpt2_small")
    noted = Reason.of("workload-activation-in-parts", activation="gelu_new", instead="gelu_pytorch_tanh", kernels=8)
    tables = {key: msgspec.structs.replace(one, caveats=(noted,)) for key, one in saved_tables(workload).items()}
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx3090",), counts=(1,), limits=Limits(max_job_s=0.01)
    )
    codes = [one.code for one in advice_from_facts(request, Facts(machine=machine(), tables=tables)).caveats]
    assert codes[:2] == ["caveat-nothing-in-limits", "caveat-nearest-hours"]
    assert noted.code in codes[2:]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(("key", "told"), [("h100-sxm", True), ("rtx3090", False)])
def test_what_fp8_rests_on_is_said_where_it_is_advised_and_not_of_what_stands_in_for_it(key: str, told: bool) -> None:
    workload = with_training(load_workload("gpt2_small"), precision="fp8")
    noted = Reason.of("workload-fp8-predicted-only")
    tables = dict(saved_tables(load_workload("gpt2_small")))
    tables["fp8"] = msgspec.structs.replace(tables["amp"], precision="fp8", caveats=(noted,))
    facts = Facts(machine=machine(), tables=tables)
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=(key,), counts=(1,), fixed=Fixed(precision=True))
    advice = advice_from_facts(request, facts)
    assert advice.main is not None
    assert (advice.main.precision == "fp8") is told
    assert (noted in advice.caveats) is told


@pytest.mark.parametrize(("fixed", "advised_in"), [(True, None), (False, "tf32")])
def test_a_fixed_precision_without_a_trace_is_kept_or_nothing_is_advised(fixed: bool, advised_in: str | None) -> None:
    workload = with_training(load_workload("resnet50"), precision="fp16_amp")
    tables = {key: table for key, table in saved_tables(workload).items() if key != TRACE_PRECISIONS["fp16_amp"]}
    failure = Reason.of("advice-not-traced-at", precisions="FP16 AMP", reason="it failed")
    request = AdviceRequest(
        workload=workload, measure=False, gpu_keys=("rtx3090",), counts=(1,), fixed=Fixed(precision=fixed)
    )
    advice = advice_from_facts(request, Facts(machine=machine(), tables=tables, caveats=(failure,)))
    assert (advice.main.precision if advice.main is not None else None) == advised_in
    assert advice.caveats[0] == failure


def test_a_card_that_lacks_a_fixed_precision_keeps_its_stand_in_where_another_trace_failed() -> None:
    workload = load_workload("resnet50")
    tables = saved_tables(workload)
    del tables["amp"]
    request = AdviceRequest(
        workload=with_training(workload, precision="fp8"),
        measure=False,
        gpu_keys=("v100-sxm2-32",),
        counts=(1,),
        fixed=Fixed(precision=True),
    )
    advice = advice_from_facts(request, Facts(machine=machine(), tables=tables))
    assert {one.precision for one in advice.predictions} == {"fp32"}


@pytest.mark.parametrize(
    ("training", "trained_fraction", "told"),
    [
        ({}, 0.6, True),
        ({}, 0.9999, False),  # as many in three figures
        ({}, 1.0, False),
        ({"trainable": "head"}, 0.6, False),  # which was asked for
        ({"mode": "inference"}, 0.6, False),
    ],
)
def test_parameters_that_the_library_freezes_are_told_with_how_many_are_trained(
    training: dict[str, Any], trained_fraction: float, *, told: bool
) -> None:
    workload = load_workload("bert_base_sst2")
    tables = {
        key: msgspec.structs.replace(table, trainable_parameter_count=round(trained_fraction * table.parameter_count))
        for key, table in saved_tables(workload).items()
    }
    request = AdviceRequest(
        workload=with_training(workload, **training), measure=False, gpu_keys=("rtx3090",), counts=(1,)
    )
    caveats = advice_from_facts(request, Facts(machine=machine(), tables=tables)).caveats
    said = [say(caveat, "en") for caveat in caveats if caveat.code == "workload-frozen-parts"]
    assert bool(said) is told
    assert not told or said[0].startswith("Of 109 M parameters 65.7 M are trained: the model's library freezes")


@pytest.mark.parametrize("compiled", [True, False])
def test_a_compiled_model_that_chooses_by_its_values_is_said_to_break_its_graph(compiled: bool) -> None:
    caveats = advised("bert_base_sst2", "fp32", Reason(code="trace-sizes-by-values"), compiled=compiled).caveats
    assert ("trace-compiled-breaks" in {caveat.code for caveat in caveats}) is compiled
