"""Shards compute on weights that were cast beforehand: in the step's time, in its memory, and as published runs do."""

from __future__ import annotations

import pytest

from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision, TracePrecision
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import Strategy
from advisor.claims.predictor import candidate
from advisor.core.sentences import Reason
from advisor.cost.layout import Layout
from advisor.evaluate.row_predictions import BENCHMARK_HOST, predicted_step
from advisor.optable.saved_tables import saved_tables
from advisor.predict.assembly import predict_candidates
from advisor.predict.computed_precision import computed_precision, traces_of_shards
from advisor.predict.device_memory import MemorySolver
from advisor.predict.prediction import Candidate, Prediction
from advisor.predict.sources import Sources
from advisor.workload.workload import Training, Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine

CARD = spec_table()["h100-sxm"]
TRACED: tuple[TracePrecision, ...] = ("fp32", "amp", "half", "fp8", "fp8_cast", "half_cast")
ALL = Training(precision="bf16_amp", batch_size=1)
OFFLOADED = Training(precision="bf16_amp", batch_size=1, offload="parameters")
ADAPTERS = Training(precision="bf16_amp", batch_size=1, trainable="lora")


def on(count: int, strategy: Strategy, precision: Precision = "bf16_amp") -> Candidate:
    return candidate(CARD, precision, 1, count=count, strategy=strategy)


@pytest.mark.parametrize(
    ("set_up", "training", "computed"),
    [
        (on(1, "single"), ALL, "bf16_amp"),
        (on(8, "ddp"), ALL, "bf16_amp"),
        (on(8, "dp"), ALL, "bf16_amp"),
        (on(8, "zero2"), ALL, "bf16"),
        (on(8, "fsdp"), ALL, "bf16"),
        (on(8, "fsdp", "fp16_amp"), ALL, "fp16"),
        (on(8, "fsdp_offload"), ALL, "bf16"),
        (on(1, "fsdp_offload"), ALL, "bf16"),
        (on(1, "single"), OFFLOADED, "bf16"),
        (on(8, "ddp"), OFFLOADED, "bf16"),
        (on(8, "dp"), OFFLOADED, "bf16_amp"),
        (on(8, "tp"), ALL, "bf16_amp"),
        (on(16, "tp"), ALL, "bf16"),
        (on(8, "pp"), ALL, "bf16"),
        (on(8, "fsdp", "fp32"), ALL, "fp32"),
        (on(8, "fsdp", "bf16_true"), ALL, "bf16_true"),
        (on(8, "fsdp"), ADAPTERS, "bf16_cast"),
        (on(8, "zero2", "fp16_amp"), ADAPTERS, "fp16_cast"),
        (on(8, "ddp"), ADAPTERS, "bf16_amp"),
        (on(8, "fsdp", "bf16_true"), ADAPTERS, "bf16_true"),
        (on(8, "fsdp", "bf16"), ADAPTERS, "bf16"),
        (on(8, "fsdp", "fp8"), ALL, "fp8_cast"),
        (on(8, "ddp", "fp8"), ALL, "fp8"),
    ],
)
def test_what_shares_the_models_state_computes_on_cast_weights(
    set_up: Candidate, training: Training, computed: Precision
) -> None:
    assert computed_precision(set_up, training, TRACED) == computed
    assert computed_precision(set_up, training, (TRACE_PRECISIONS[set_up.precision],)) == set_up.precision


def test_only_shards_ask_for_a_further_trace() -> None:
    assert traces_of_shards((on(8, "ddp"), on(1, "single")), ALL, TRACED[:2]) == ()
    assert traces_of_shards((on(8, "ddp"), on(8, "fsdp")), ALL, TRACED[:2]) == ("half",)
    assert traces_of_shards((on(8, "fsdp"),), ALL, TRACED) == ()
    assert traces_of_shards((on(8, "fsdp", "fp8"),), ALL, TRACED[3:4]) == ("fp8_cast",)
    assert traces_of_shards((on(8, "fsdp"),), ADAPTERS, TRACED[:2]) == ("half_cast",)


def predicted(workload: Workload, set_up: Candidate) -> Prediction:
    tables = dict(saved_tables(workload))
    sources = Sources(workload=workload, tables=tables, specs=spec_table(), host=BENCHMARK_HOST)
    memory = MemorySolver(workload.training, tables, spec_table(), machine())
    (prediction,) = predict_candidates([set_up], sources, memory.answer).predictions
    return prediction


@pytest.mark.parametrize("strategy", ["zero2", "fsdp"])
def test_shards_under_autocast_take_the_time_and_memory_of_weights_in_half_with_fp32_copies(
    strategy: Strategy,
) -> None:
    workload = load_workload("llama_7b_pretraining")
    asked, in_half = (predicted(workload, on(8, strategy, precision)) for precision in ("bf16_amp", "bf16"))
    assert asked.precision == "bf16_amp"
    assert asked.step_s == in_half.step_s
    assert asked.peak_memory_bytes == in_half.peak_memory_bytes


def test_advice_and_evaluation_tell_one_time_of_a_sharded_run() -> None:
    workload = with_training(load_workload("llama_7b_pretraining"), batch_size=1, gradient_accumulation_steps=1)
    advised = predicted(workload, on(8, "fsdp"))
    cast = with_training(workload, precision="bf16")
    (table,) = (table for name, table in saved_tables(workload).items() if name == "half")
    layout = Layout(data_parallel="fsdp", count=8)
    judged = predicted_step(cast, CARD, layout, table=table, interconnect=None, software_year=None)
    assert not isinstance(judged, Reason)
    assert advised.step_s.value == pytest.approx(judged.step_s.value, rel=0.02)
