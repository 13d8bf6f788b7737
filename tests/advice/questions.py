"""Generated questions: models from ten thousand to four hundred billion parameters, cards, counts, goals and limits.

Five in six models are known by their totals, drawn evenly in the logarithm of the size; one in six is a bundled
workload with its recorded operators, where sharded steps, adapters and fused attention have something to bite on.
"""

from __future__ import annotations

import math
import random
from functools import cache

import msgspec

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision, TracePrecision
from advisor.catalogue.spec_table import spec_table
from advisor.hardware.machine import Gpu, Machine
from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import saved_tables
from advisor.optable.totals import table_from_numbers
from advisor.recommend.fixed import Fixed
from advisor.recommend.prices import Prices
from advisor.recommend.recommendation import Goal, Limits
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Data, NumbersModel, Training, Workload, with_training
from advisor.workload.workload_file import bundled_names, load_workload
from tests.recommend.fakes import gpu, machine

GOALS: tuple[Goal, ...] = ("time", "cost", "energy")
PRECISIONS: tuple[Precision, ...] = ("fp32", "tf32", "default", "fp16_amp", "bf16_amp", "bf16", "bf16_true", "fp8")
RECORDED = tuple(name for name in bundled_names() if name != "llama_7b_pretraining")
RECORDED_EACH = 6
SIZES = (1, 2, 4, 8, 16, 32, 64, 256)
PRICES = Prices(
    currency="EUR",
    date="2026-01-31",
    devices={key: 0.2 + 0.1 * place for place, key in enumerate(sorted(spec_table()))},
    electricity_per_kwh=0.3,
)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, and the machine that asks."""

    seed: int
    request: AdviceRequest
    machine: Machine


def question(seed: int) -> Question:
    """The question of a seed: the same one on every machine."""
    draw = random.Random(seed)
    workload = _recorded(draw) if seed % RECORDED_EACH == 0 else _of_totals(draw, seed)
    keys = None if draw.random() < 0.5 else tuple(draw.sample(sorted(spec_table()), draw.randint(1, 3)))
    goal = draw.choice(GOALS)
    counts = draw.choice(((1,), (1, 2, 4, 8), (1, 2, 4, 8), (8,), (2, 4), (16,), (1, 8, 32)))
    limits = Limits(
        max_job_s=draw.choice((None, None, 36e2, 36e4)),
        max_power_w=draw.choice((None, None, None, 600.0, 3000.0)),
        max_cost=draw.choice((None, None, 20.0, 5000.0)) if goal == "cost" else None,
    )
    held = draw.random() < 0.15
    own = workload.training.batch_size * workload.training.gradient_accumulation_steps
    request = AdviceRequest(
        workload=workload,
        measure=False,
        gpu_keys=keys,
        counts=counts,
        goal=goal,
        limits=limits,
        prices=PRICES if limits.max_cost is not None or draw.random() < 0.3 else None,
        global_batch_size=math.lcm(own, *counts) if held and workload.training.mode == "training" else None,
        fixed=Fixed(batch_size=draw.random() < 0.2, precision=draw.random() < 0.2),
        host_memory_bytes=draw.choice((None, None, 64 * 2.0**30, 2 * 2.0**40)),
        node_count=1 if counts == (16,) and draw.random() < 0.5 else None,
    )
    return Question(seed=seed, request=request, machine=machine(*_local_cards(draw)))


def _of_totals(draw: random.Random, seed: int) -> Workload:
    """A model drawn evenly in the logarithm of its size."""
    parameters = 10 ** draw.uniform(4, math.log10(4e11))
    tokens = 10 ** draw.uniform(0, 3)
    model = NumbersModel(
        parameters=parameters,
        flop_per_sample=6 * parameters * tokens,
        activation_bytes_per_sample=34 * math.sqrt(parameters) * tokens * draw.uniform(1, 20),
    )
    training = Training(
        precision=draw.choice(PRECISIONS[:-1]),
        batch_size=draw.choice(SIZES),
        epochs=draw.choice((1, 3)),
        optimizer=draw.choice(("adamw", "sgd", "sgd_momentum")),
        gradient_accumulation_steps=draw.choice((1, 1, 1, 4, 16)),
        mode=draw.choice(("training", "training", "training", "inference")),
    )
    return Workload(name=f"question {seed}", model=model, data=_data(draw), training=training)


def _recorded(draw: random.Random) -> Workload:
    """A bundled workload with other settings of those that leave its operators as they were recorded."""
    known = load_workload(draw.choice(RECORDED))
    changed = with_training(
        known,
        batch_size=draw.choice((known.training.batch_size, *SIZES[:6])),
        precision=draw.choice((known.training.precision, known.training.precision, *PRECISIONS)),
        optimizer=draw.choice((known.training.optimizer, "adamw", "sgd")),
        gradient_accumulation_steps=draw.choice((1, 1, 4)),
        epochs=draw.choice((1, 3)),
    )
    return msgspec.structs.replace(
        changed, data=msgspec.structs.replace(known.data, samples=draw.choice((known.data.samples, 150, 1_281_167)))
    )


def _data(draw: random.Random) -> Data:
    return Data(samples=draw.choice((150, 67_349, 1_281_167)))


def _local_cards(draw: random.Random) -> tuple[Gpu, ...]:
    """No card in most machines; two alike, or two that differ, in the others."""
    kind = draw.choice(("none", "none", "none", "alike", "different"))
    if kind == "none":
        return ()
    if kind == "alike":
        return (gpu(0), gpu(1))
    return (gpu(0), gpu(1, name="NVIDIA GeForce RTX 4090", spec_key="rtx4090"))


def answered(asked: Question) -> AdviceRecord:
    """The advice, from what is known already: no trace, no measurement."""
    return advice_from_facts(asked.request, Facts(machine=asked.machine, tables=_tables(asked.request.workload)))


def _tables(workload: Workload) -> dict[TracePrecision, OpTable]:
    model = workload.model
    if isinstance(model, NumbersModel):
        return {traced: table_from_numbers(model, traced) for traced in sorted(set(TRACE_PRECISIONS.values()))}
    return dict(_saved(workload.name))


@cache
def _saved(name: str) -> dict[TracePrecision, OpTable]:
    known = next(one for one in map(load_workload, RECORDED) if one.name == name)
    return saved_tables(known)
