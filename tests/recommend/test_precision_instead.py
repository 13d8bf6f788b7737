"""Where the advised card lacks the precision that was asked for, the advice says so before anything else."""

from __future__ import annotations

import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.precisions import Precision
from advisor.core.sentences import say
from advisor.optable.saved_tables import saved_tables
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine


@pytest.mark.parametrize(
    ("key", "asked", "used"),
    [
        ("a100-sxm4-40", "fp8", "BF16 AMP"),
        ("rtx3090", "fp8", "BF16 AMP"),
        ("v100-sxm2-32", "bf16_amp", "FP16 AMP"),
        ("h100-sxm", "bf16_amp", None),
    ],
)
def test_what_was_taken_for_a_precision_that_the_card_lacks_is_the_first_reason(
    key: str, asked: Precision, used: str | None
) -> None:
    work = with_training(load_workload("bert_base_sst2"), precision=asked)
    request = AdviceRequest(
        workload=work, measure=False, gpu_keys=(key,), counts=(1,), precisions=(asked, "bf16_amp", "fp32")
    )
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(work))))
    assert advice.recommendation is not None
    first = advice.recommendation.why[0]
    assert (first.code == "why-precision-instead") is (used is not None)
    assert first.numbers.get("used") == used
    if used is not None:
        assert say(first, "en").endswith(f": {used} was taken instead.")
        assert f"改用 {used}" in say(first, "zh")
