"""Generated questions: models from ten thousand to four hundred billion parameters, cards, counts, goals and limits."""

from __future__ import annotations

import math
import random

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision
from advisor.catalogue.spec_table import spec_table
from advisor.optable.totals import table_from_numbers
from advisor.recommend.fixed import Fixed
from advisor.recommend.recommendation import Goal, Limits
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Data, NumbersModel, Training, Workload
from tests.recommend.fakes import machine

GOALS: tuple[Goal, ...] = ("time", "cost", "energy")
PRECISIONS: tuple[Precision, ...] = ("fp32", "fp16_amp", "bf16_amp", "bf16", "bf16_true")


def question(seed: int) -> AdviceRequest:
    """One question, drawn evenly in the logarithm of the model's size."""
    draw = random.Random(seed)
    parameters = 10 ** draw.uniform(4, math.log10(4e11))
    tokens = 10 ** draw.uniform(0, 3)
    model = NumbersModel(
        parameters=parameters,
        flop_per_sample=6 * parameters * tokens,
        activation_bytes_per_sample=34 * math.sqrt(parameters) * tokens * draw.uniform(1, 20),
    )
    training = Training(
        precision=draw.choice(PRECISIONS),
        batch_size=draw.choice((1, 2, 4, 8, 16, 32, 64, 256)),
        epochs=draw.choice((1, 3)),
        optimizer=draw.choice(("adamw", "sgd", "sgd_momentum")),
        gradient_accumulation_steps=draw.choice((1, 1, 1, 4, 16)),
        mode=draw.choice(("training", "training", "training", "inference")),
    )
    data = Data(samples=draw.choice((150, 67_349, 1_281_167)))
    limits = Limits(
        max_job_s=draw.choice((None, None, 36e2, 36e4)), max_power_w=draw.choice((None, None, None, 600.0, 3000.0))
    )
    keys = None if draw.random() < 0.5 else tuple(draw.sample(sorted(spec_table()), draw.randint(1, 3)))
    return AdviceRequest(
        workload=Workload(
            name=f"question {seed}",
            model=model,
            data=data,
            training=training,
        ),
        measure=False,
        gpu_keys=keys,
        counts=draw.choice(((1,), (1, 2, 4, 8), (8,), (2, 4), (16,), (1, 8, 32))),
        goal=draw.choice(GOALS),
        limits=limits,
        fixed=Fixed(batch_size=draw.random() < 0.2),
        host_memory_bytes=draw.choice((None, None, 64 * 2.0**30, 2 * 2.0**40)),
    )


def answered(request: AdviceRequest) -> AdviceRecord:
    """The advice, from totals alone: no trace, no measurement."""
    model = request.workload.model
    assert isinstance(model, NumbersModel)
    tables = {traced: table_from_numbers(model, traced) for traced in sorted(set(TRACE_PRECISIONS.values()))}
    return advice_from_facts(request, Facts(machine=machine(), tables=tables))
