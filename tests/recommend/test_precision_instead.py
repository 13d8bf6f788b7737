"""What is said of another precision: taken where the advised card lacks the asked one, a gain where it is known."""

from __future__ import annotations

import msgspec
import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.catalogue.optimizers import Optimizer
from advisor.catalogue.precisions import Precision
from advisor.core.sentences import say
from advisor.optable.saved_tables import saved_tables
from advisor.recommend.advise_from import recommend
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.recommendation import prediction_of
from advisor.workload.workload import HuggingFaceModel, with_training
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import SPECS, TINY, TRANSFORMER, machine, measurement, predict_all, workload

IRIS = workload(batch_size=120, samples=120, epochs=20000)


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


@pytest.mark.parametrize(
    ("published", "key", "told"),
    [
        ("bfloat16", "v100-sxm2-32", True),
        ("bfloat16", "a100-sxm4-40", False),
        ("float16", "v100-sxm2-32", False),
        (None, "v100-sxm2-32", False),
    ],
)
def test_a_model_that_is_published_in_bf16_is_not_taken_in_fp16_without_a_word(
    published: str | None, key: str, *, told: bool
) -> None:
    """What autocast computes in FP16 ends at 65,504; Gemma 3 is known to pass it."""
    config = {"model_type": "gemma3_text"} | ({} if published is None else {"dtype": published})
    asked: Precision = "fp16_amp" if published == "float16" else "bf16_amp"
    work = msgspec.structs.replace(workload(asked), model=HuggingFaceModel(config=config, task="causal-lm"))
    here = machine()
    found = enumerate_candidates(work, here, SPECS, gpu_keys=(key,), counts=(1,), local=False)
    answer = recommend(work, here, predict_all(found, TRANSFORMER, work), specs=SPECS)
    assert answer.recommendation is not None
    caveats = [caveat for caveat in answer.caveats if caveat.code == "caveat-fp16-range"]
    assert len(caveats) == told
    for caveat in caveats:
        assert answer.recommendation.precision == "fp16_amp"
        assert "published in BF16, and V100 SXM2 32 GB takes FP16 AMP" in say(caveat, "en")
        assert "以 BF16 发布" in say(caveat, "zh")


@pytest.mark.parametrize(
    ("precision", "optimizer", "told"),
    [
        ("fp16_true", "adamw", True),
        ("fp16_true", "sgd", False),
        ("bf16_true", "adamw", False),
        ("fp16", "adamw", False),
    ],
)
def test_states_that_vanish_in_pure_fp16_are_told_of(precision: Precision, optimizer: Optimizer, *, told: bool) -> None:
    work = with_training(workload(precision), optimizer=optimizer)
    here = machine()
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("rtx3090",), counts=(1,), precisions=(precision,), local=False
    )
    answer = recommend(work, here, predict_all(found, TRANSFORMER, work), specs=SPECS)
    assert answer.recommendation is not None
    assert answer.recommendation.precision == precision
    assert ("caveat-fp16-states" in [caveat.code for caveat in answer.caveats]) is told


@pytest.mark.parametrize(("precisions", "told"), [(("bf16_true", "bf16_amp"), True), (("bf16_true",), False)])
def test_a_quicker_precision_that_is_taken_for_the_one_asked_for_says_by_how_much(
    precisions: tuple[Precision, ...], *, told: bool
) -> None:
    """Adapters in FP32 beside pure BF16 weights are slower than under autocast, which is no less exact."""
    work = load_workload("llama_8b_lora")
    assert work.training.precision == "bf16_true"
    request = AdviceRequest(workload=work, measure=False, gpu_keys=("h100-sxm",), counts=(1,), precisions=precisions)
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(work))))
    chosen = advice.recommendation
    assert chosen is not None
    assert chosen.precision == precisions[-1]
    reasons = [reason for reason in chosen.why if reason.code == "why-precision-quicker"]
    assert bool(reasons) is told
    for reason in reasons:
        slower = next(
            one for one in advice.predictions if one.precision == "bf16_true" and one.batch_size_per_device == 4
        )
        assert chosen.batch_size_per_device == 4
        ratio = slower.step_s.value / chosen.step_s.value
        assert reason.numbers["advantage_ratio"] == pytest.approx(ratio) != 1.0
        assert say(reason, "en").startswith("BF16 AMP is taken instead of pure BF16: no less exact")


@pytest.mark.parametrize("timed", [True, False])
def test_a_processor_gains_by_a_precision_only_where_that_was_timed_on_it(*, timed: bool) -> None:
    here = machine()
    found = predict_all(enumerate_candidates(IRIS, here, SPECS), TINY, IRIS, measured_keys=("cpu",))
    own = next(
        one for one in found if one.device.key == "cpu" and one.batch_size_per_device == IRIS.training.batch_size
    )
    half = msgspec.structs.replace(
        own,
        precision="bf16_amp",
        measured=timed,
        step_s=own.step_s.scaled(0.5),
        samples_per_s=own.samples_per_s.scaled(2),
        job_s=None if own.job_s is None else own.job_s.scaled(0.5),
    )
    others = [one for one in found if one.device.key == "cpu" and one.precision == "fp32"]
    answer = recommend(IRIS, here, [*others, half], [measurement("cpu", "stable")], specs=SPECS)
    assert answer.recommendation is not None
    told = {reason.code for reason in answer.recommendation.would_change_if}
    assert ("change-precision-same" in told) is timed


def test_another_precision_of_another_card_is_named_only_where_it_serves_the_goal() -> None:
    """An RTX 4090 in autocast is quicker than the advised L4 and needs more energy: it would change nothing."""
    work = load_workload("lstm_classifier")
    request = AdviceRequest(workload=work, measure=False, gpu_keys=("l4", "rtx4090", "t4"), counts=(1,), goal="energy")
    advice = advice_from_facts(request, Facts(machine=machine(), tables=dict(saved_tables(work))))
    chosen = advice.recommendation
    assert chosen is not None
    row = prediction_of(advice.predictions, chosen)
    quicker = [one for one in advice.predictions if one.device.key == "rtx4090" and one.precision == "bf16_amp"]
    assert row is not None
    assert row.device.key == "l4"
    assert max(one.samples_per_s.value for one in quicker) > 1.15 * row.samples_per_s.value
    assert "change-precision-other" not in {reason.code for reason in chosen.would_change_if}
