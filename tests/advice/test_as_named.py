"""So many of one card against so many of another: exactly these are compared, each with a ratio and its range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from advisor import advise
from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.present.one_screen import one_screen
from advisor.present.summary import summarise
from advisor.recommend.recommendation import names_set_ups
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload

if TYPE_CHECKING:
    from advisor import Advice
    from advisor.predict.prediction import Prediction
    from advisor.recommend.recommendation import Goal


def asked(gpus: str, workload: str = "bert_base_sst2", **training: object) -> Advice:
    return advise(with_training(load_workload(workload), **training), measure=False, gpus=gpus)


def compared(advice: Advice) -> dict[tuple[str, int], Prediction]:
    return {one.device_and_count: one for one in (advice.predictions[place] for place in advice.best_set_ups)}


def told(advice: Advice) -> list[Reason]:
    assert advice.recommendation is not None
    return [reason for reason in advice.recommendation.why if reason.code.startswith("against-")]


def test_two_cards_against_another_one_are_exactly_what_is_compared() -> None:
    advice = asked("2x rtx 3090, 1x a100-sxm4-40")
    assert {one.device_and_count for one in advice.predictions} == {("rtx3090", 2), ("a100-sxm4-40", 1)}
    rows = compared(advice)
    assert set(rows) == {("rtx3090", 2), ("a100-sxm4-40", 1)}
    (reason,) = told(advice)
    assert reason.numbers["other"] == "2 × GeForce RTX 3090"
    times: list[Estimate] = []
    for key in (("rtx3090", 2), ("a100-sxm4-40", 1)):
        job_s = rows[key].job_s
        assert job_s is not None
        times.append(job_s)
    slow, fast = times
    assert reason.figure("advantage_ratio") == pytest.approx(slow.value / fast.value)
    assert 1 < reason.figure("low_ratio") < reason.figure("advantage_ratio") < reason.figure("high_ratio")
    assert reason.numbers["clear"] == "yes"


def test_a_tie_is_called_one_by_the_list_and_by_the_ratio() -> None:
    advice = asked("2x rtx 4090, 1x l40s")
    assert advice.recommendation is not None
    (reason,) = told(advice)
    tied = bool(advice.recommendation.tied_with)
    assert tied
    assert (reason.numbers["clear"], reason.figure("low_ratio") <= 1) == ("no", True)
    assert "no clear difference" in str(summarise(advice, "en").sections)
    assert "没有明显差别" in str(summarise(advice, "zh").sections)


def test_one_card_is_compared_with_several_of_its_own() -> None:
    advice = asked("1x a100-sxm4-40, 4x a100-sxm4-40")
    assert set(compared(advice)) == {("a100-sxm4-40", 1), ("a100-sxm4-40", 4)}
    (reason,) = told(advice)
    assert reason.numbers["device"] == "4 × A100 SXM4 40 GB"
    # The card's own error is in both: how well four work together is what the range is of.
    assert reason.figure("high_ratio") <= 4 * 1.01
    assert reason.numbers["clear"] == "yes"
    assert advice.recommendation is not None
    assert not any(one.code == "why-only-asked" for one in advice.recommendation.why)


def test_a_card_without_a_number_beside_one_with_is_one_of_it() -> None:
    assert {one.device_and_count for one in asked("2x 4090, l40s").predictions} == {("rtx4090", 2), ("l40s", 1)}


def test_without_any_number_the_question_is_what_it_was() -> None:
    advice = asked("rtx4090,l40s")
    assert {one.count for one in advice.predictions} == {1, 2, 4, 8}
    assert not names_set_ups(advice.recommendation)


def test_a_set_up_that_holds_no_step_is_told_by_how_much() -> None:
    advice = asked("1x gtx1080ti, 8x h100-sxm", "llama_8b")
    said = [reason for reason in told(advice) if reason.code == "against-no-room"]
    assert [reason.numbers["other"] for reason in said] == ["GeForce GTX 1080 Ti"]
    assert said[0].figure("need_bytes") > said[0].figure("capacity_bytes")


def test_epoch_energy_and_set_ups_stand_in_the_tables() -> None:
    advice = asked("2x rtx 3090, 1x a100-sxm4-40", epochs=3)
    short, whole = one_screen(advice, "en").tables[0], summarise(advice, "en").tables[0]
    assert {"Epoch", "Job"} <= {*short.columns}
    assert {"Epoch", "Energy", "Step", "Memory"} <= {*whole.columns}
    assert short.rows[1][0] == "2 × RTX 3090, DDP"
    again = msgspec.json.decode(advice.to_json(), type=dict)
    assert any(reason["code"] == "against-time" for reason in again["recommendation"]["why"])


def test_the_goal_is_what_the_ratio_is_of() -> None:
    from advisor.advice import AdviceRequest, Facts, advice_from_facts
    from advisor.hardware.detect import detect_machine
    from advisor.optable.saved_tables import saved_tables

    workload = load_workload("bert_base_sst2")
    counts: dict[str, tuple[int, ...]] = {"rtx3090": (2,), "a100-sxm4-40": (1,)}
    goals: tuple[Goal, ...] = ("cost", "energy")
    facts = Facts(machine=detect_machine(), tables=dict(saved_tables(workload)))
    for goal in goals:
        request = AdviceRequest(
            workload=workload,
            measure=False,
            gpu_keys=tuple(counts),
            card_counts=counts,
            goal=goal,
        )
        found = advice_from_facts(request, facts).recommendation
        assert found is not None
        told_in = "hours" if goal == "cost" else goal  # without prices
        assert f"against-{told_in}" in {reason.code for reason in found.why}


def test_copies_that_serve_by_themselves_are_said_to_be_compared_one_by_one() -> None:
    advice = asked("2x rtx 3090, 1x a100-sxm4-40", mode="inference")
    assert {one.count for one in advice.predictions} == {1}
    (said,) = [caveat for caveat in advice.caveats if caveat.code == "inference-counts-not-kept"]
    assert said.numbers["count"] == 2


def test_a_laptops_card_has_no_second_one() -> None:
    names = [caveat for caveat in asked("2x rtx4090-laptop, 1x l40s").caveats if caveat.code.startswith("scaling-lone")]
    assert [caveat.code for caveat in names] == ["scaling-lone-card-not-kept"]
