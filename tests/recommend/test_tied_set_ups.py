"""Which set-ups are marked as tied with the advised one."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.precisions import Precision
from advisor.core.units import Estimate
from advisor.predict.prediction import Prediction
from advisor.recommend.advise_from import recommend
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.fixed import FREE, Fixed
from advisor.recommend.recommendation import Recommendation
from tests.recommend.fakes import SPECS, TRANSFORMER, machine, predict_all, workload
from tests.recommend.test_fixed_and_ties import advised


def test_what_is_marked_as_tied_are_the_set_ups_that_were_compared() -> None:
    advice = advised("resnet50", "h200-sxm", "h100-sxm", "h100-nvl", "rtx4090")
    chosen = advice.recommendation
    assert chosen is not None
    tied = {(item.device_key, item.count) for item in advice.alternatives if item.tied}
    assert tied
    assert {key for key, _ in tied} == {device.key for device in chosen.tied_with}
    decided = next(reason for reason in chosen.why if reason.code == "why-tie-time")
    jobs = [item.job_s.value for item in advice.alternatives if item.tied and item.job_s is not None]
    assert decided.figure("other_job_s") == min(jobs)
    assert chosen.job_s is not None
    assert decided.figure("job_s") == chosen.job_s.value < min(jobs)


@pytest.mark.parametrize(
    ("plain_high", "fixed", "tied"),
    [(1.3, FREE, False), (2.5, FREE, True), (1.3, Fixed(precision=True), True)],
    ids=["its own other precision is surely ahead", "so wide is that too", "the user rules it out"],
)
def test_a_card_is_not_tied_for_the_wide_range_of_a_precision_that_it_need_not_take(
    plain_high: float, fixed: Fixed, *, tied: bool
) -> None:
    here, work = machine(), workload("fp16_amp")
    figures: dict[tuple[str, Precision], tuple[float, float, float]] = {
        ("a100-sxm4-40", "fp16_amp"): (0.5, 1.0, 3.0),
        ("a100-sxm4-40", "tf32"): (1.1, 1.2, plain_high),
        ("l40s", "fp16_amp"): (1.8, 2.0, 2.2),
        ("l40s", "tf32"): (3.6, 4.0, 4.4),
    }

    def shaped(one: Prediction) -> Prediction:
        low, value, high = figures[one.device.key, one.precision]
        hours = Estimate(value=value * 3600, low=low * 3600, high=high * 3600, basis="specified")
        return msgspec.structs.replace(one, job_s=hours)

    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("a100-sxm4-40", "l40s"), counts=(1,), precisions=("fp16_amp", "tf32"),
        batch_sizes=(16,), local=False,
    )  # fmt: skip
    known = [shaped(one) for one in predict_all(found, TRANSFORMER, work)]
    best = recommend(work, here, known, specs=SPECS, fixed=fixed).recommendation
    assert best is not None
    assert (best.device.key, best.precision) == ("a100-sxm4-40", "fp16_amp")
    assert [device.key for device in best.tied_with] == (["l40s"] if tied else [])


def _as_long(prediction: Prediction, seconds: float) -> Prediction:
    return msgspec.structs.replace(
        prediction, job_s=Estimate(value=seconds, low=seconds, high=seconds, basis="specified")
    )


def _of_a_job(seconds: float, *keys: str) -> tuple[Recommendation, tuple[str, ...]]:
    """What is advised where the job takes so long on an A100, twice that on an L40S, and cards share it evenly."""
    here, work = machine(), workload("fp16_amp", batch_size=16)
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=keys, counts=(1, 2, 4), precisions=("fp16_amp",),
        batch_sizes=(16,), local=False,
    )  # fmt: skip
    times = {"a100-sxm4-40": 1, "l40s": 2}
    known = [
        _as_long(one, seconds * times[one.device.key] / one.count) for one in predict_all(found, TRANSFORMER, work)
    ]
    best = recommend(work, here, known, specs=SPECS).recommendation
    assert best is not None
    return best, tuple(reason.code for reason in best.why)


def test_a_job_that_is_over_before_it_could_start_elsewhere_is_advised_on_one_card_and_tied_with_every_other() -> None:
    best, codes = _of_a_job(0.15, "a100-sxm4-40", "l40s")
    assert (best.device.key, best.count) == ("a100-sxm4-40", 1)
    assert [device.key for device in best.tied_with] == ["l40s"]
    assert {"why-short-job", "why-tied-short"} <= set(codes)
    assert not {"why-tie-time", "why-count-short", "why-tied"} & set(codes)


def test_cards_that_save_less_than_their_start_are_not_advised_and_those_that_save_more_are() -> None:
    best, codes = _of_a_job(3.0, "a100-sxm4-40")
    assert (best.count, best.tied_with) == (4, ())  # 2.25 s are saved, by two cards 1.5 s
    best, codes = _of_a_job(2.0, "a100-sxm4-40")
    assert (best.count, best.tied_with) == (1, ())
    assert "why-count-short" in codes
    best, codes = _of_a_job(3600.0, "a100-sxm4-40")
    assert best.count > 1
    assert not {"why-short-job", "why-count-short"} & set(codes)
