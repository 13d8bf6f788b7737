"""Where each parameter is stepped within backward, nothing is looked at that such a step cannot do."""

from __future__ import annotations

import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.optable.saved_tables import saved_tables
from advisor.workload.training_checks import takes
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine


@pytest.mark.parametrize("in_backward", [True, False])
def test_a_step_within_backward_neither_accumulates_nor_scales_its_loss(*, in_backward: bool) -> None:
    """With 96 samples neither card holds a pass: smaller ones would be accumulated, and shards off-loaded in four."""
    work = with_training(
        load_workload("gpt2_small"),
        precision="bf16_amp",
        batch_size=96,
        gradient_accumulation_steps=1,
        clip_gradient_norm=None,
        optimizer_in_backward=in_backward,
    )
    request = AdviceRequest(workload=work, measure=False, gpu_keys=("rtx3090", "v100-sxm2-16"), counts=(1, 4))
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(work))))
    found = {(one.precision, one.gradient_accumulation_steps > 1) for one in advice.predictions}
    assert all(takes(work.training, one.precision, one.gradient_accumulation_steps) for one in advice.predictions)
    assert {(precision, steps) for precision, steps in found if steps or precision == "fp16_amp"} == (
        set()
        if in_backward
        else {("bf16_amp", True), ("fp32", True), ("tf32", True), ("fp16_amp", False), ("fp16_amp", True)}
    )
    assert advice.recommendation is not None
