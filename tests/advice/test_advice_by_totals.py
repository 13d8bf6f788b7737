"""A model known by its totals is answered like the same model traced, in a range that says what they leave out."""

from __future__ import annotations

import functools

import msgspec
import numpy as np
import pytest

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.catalogue.precisions import TRACE_PRECISIONS, TracePrecision
from advisor.core.units import Estimate
from advisor.optable.op_table import step_flop
from advisor.optable.saved_tables import saved_tables
from advisor.optable.totals import table_from_numbers
from advisor.predict.prediction import Prediction
from advisor.workload.workload import NumbersModel, Workload
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

BUNDLED = (
    "bert_base_sst2", "bert_large_squad", "dit_xl2", "gpt2_small", "resnet50", "roberta_large_classification",
    "unet_vgg16", "vit_base", "whisper_small", "lstm_classifier",
)  # fmt: skip
CARDS = ("v100-sxm2-32", "a100-sxm4-80", "h100-sxm", "rtx4090", "l40s")

Steps = dict[tuple[str, int], Prediction]


def steps(workload: Workload, facts: Facts) -> Steps:
    """One step on each card, at the workload's own precision and batch and at four times the batch."""
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=CARDS, counts=(1,))
    training = workload.training
    return {
        (one.device.key, one.batch_size_per_device): one
        for one in advice_from_facts(request, facts).predictions
        if one.device.key != "cpu"
        and one.precision == training.precision
        and one.batch_size_per_device in {training.batch_size, 4 * training.batch_size}
        and one.gradient_accumulation_steps == training.gradient_accumulation_steps
    }


@functools.cache
def traced_and_by_totals(name: str) -> tuple[Steps, Steps]:
    """The same steps from the trace, and from nothing but what the trace adds up to."""
    workload, here = load_workload(name), machine()
    tables = saved_tables(workload)
    traced = steps(workload, Facts(machine=here, tables=tables))
    own = tables[TRACE_PRECISIONS[workload.training.precision]]
    small, large = (traced["a100-sxm4-80", size].peak_memory_bytes for size in sorted({size for _, size in traced}))
    assert small is not None
    assert large is not None
    model = NumbersModel(
        parameters=own.parameter_count,
        flop_per_sample=step_flop(own, 1),
        activation_bytes_per_sample=(large.value - small.value) / (3 * workload.training.batch_size),
    )
    known = Facts(machine=here, tables={kind: table_from_numbers(model, kind) for kind in tables})
    return traced, steps(msgspec.structs.replace(workload, model=model), known)


def test_four_of_five_ranges_of_totals_hold_what_the_trace_gives() -> None:
    inside = []
    for name in BUNDLED:
        traced, by_totals = traced_and_by_totals(name)
        inside += [by_totals[place].step_s.holds(one.step_s.value) for place, one in traced.items()]
    assert len(inside) == 98, "V100 has no BF16"
    assert 0.75 <= np.mean(inside) <= 0.9


@pytest.mark.parametrize("name", ["bert_base_sst2", "vit_base", "dit_xl2", "whisper_small"])
def test_totals_put_cards_in_the_order_of_the_trace(name: str) -> None:
    traced, by_totals = traced_and_by_totals(name)
    size = max(size for _, size in traced)

    def order(found: Steps) -> list[str]:
        return sorted(
            (card for card, batch in traced if batch == size), key=lambda card: found[card, size].step_s.value
        )

    assert order(by_totals) == order(traced)


def test_a_large_model_known_by_its_totals_is_shared_out_like_the_same_model_traced() -> None:
    """Each of the equal layers is a unit that sharding gathers by itself, and a stage is made of whole ones."""
    workload, here = load_workload("llama_7b_pretraining"), machine()
    tables = saved_tables(workload)
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=("a100-sxm4-80",), counts=(8, 32))

    def shared_out(facts: Facts) -> dict[tuple[int, str, int], tuple[Estimate, Estimate]]:
        return {
            (one.count, one.strategy, one.batch_size_per_device): (one.step_s, one.peak_memory_bytes)
            for one in advice_from_facts(request, facts).predictions
            if one.precision == workload.training.precision
            and one.strategy in {"fsdp", "zero2", "pp"}
            and one.gradient_accumulation_steps == 1
            and one.step_s is not None
            and one.peak_memory_bytes is not None
        }

    traced = shared_out(Facts(machine=here, tables=tables))
    of_two, of_one = (traced[32, "zero2", size][1].value for size in (2, 1))
    own = tables[TRACE_PRECISIONS[workload.training.precision]]
    model = NumbersModel(
        parameters=own.parameter_count,
        flop_per_sample=step_flop(own, 1),
        activation_bytes_per_sample=of_two - of_one,
    )
    by_totals = shared_out(Facts(machine=here, tables={kind: table_from_numbers(model, kind) for kind in tables}))
    alike = [setup for setup in traced if setup in by_totals and setup[2] == 1]
    assert {strategy for _, strategy, _ in alike} == {"fsdp", "zero2", "pp"}
    for setup in alike:
        (step, peak), (of_trace, peak_of_trace) = by_totals[setup], traced[setup]
        assert peak.value == pytest.approx(peak_of_trace.value, rel=0.2), setup
        assert step.low < of_trace.value < step.high, setup


@pytest.mark.parametrize(
    ("parameters", "flop", "card", "count"), [(70e9, 1.7e15, "h100-sxm", 32), (4e11, 1e16, "h200-sxm", 128)]
)
def test_cards_that_share_what_totals_alone_tell_of_compute_most_of_the_time(
    parameters: float, flop: float, card: str, count: int
) -> None:
    model = NumbersModel(parameters=parameters, flop_per_sample=flop, activation_bytes_per_sample=20e9)
    base = load_workload("llama_8b")
    training = msgspec.structs.replace(base.training, precision="bf16_amp", batch_size=4, gradient_accumulation_steps=1)
    workload = msgspec.structs.replace(base, model=model, training=training)
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=(card,), counts=(count,), node_count=count // 8)
    kinds: tuple[TracePrecision, ...] = ("fp32", "amp")
    tables = {kind: table_from_numbers(model, kind) for kind in kinds}
    advice = advice_from_facts(request, Facts(machine=machine(), tables=tables))
    assert advice.recommendation is not None
    assert advice.recommendation.strategy == "fsdp"
    split = [one for one in advice.predictions if one.strategy in {"fsdp", "pp"} and one.batch_size_per_device == 1]
    assert {one.strategy for one in split} == {"fsdp", "pp"}
    for one in split:
        assert one.efficiency is not None
        assert one.efficiency.value > 0.3, one.strategy
