"""Several switches at once: gains are multiplied, ranges widen, rivals exclude each other."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.precisions import Precision
from advisor.core.units import Estimate
from advisor.predict.prediction import Candidate, Device, Prediction
from advisor.recommend.combined_switches import can_be_combined, switched, without_rivals
from advisor.recommend.fixed import Fixed, not_kept
from advisor.recommend.switches import Switch
from tests.recommend import fakes
from tests.recommend.fakes import TRANSFORMER, predict, workload

JOB = Estimate(value=100.0, low=80.0, high=125.0, basis="calibrated")


def switch(gain: float | None, saved_bytes: float | None = 0.0, *, fits: bool = True) -> Switch:
    within = None if gain is None else Estimate(value=gain, low=gain / 1.2, high=gain * 1.2, basis="specified")
    return fakes.switch(within, saved_bytes, fits=fits)


def test_gains_multiply_and_savings_add() -> None:
    found = switched(JOB, [switch(1.25, 1e9), switch(2.0, -4e8)])
    assert found.job_s.value == pytest.approx(100 / 2.5)
    assert found.saved_bytes == pytest.approx(6e8)
    assert switched(JOB, [switch(3.0)]).job_s.value == pytest.approx(100 / 3)


def test_each_further_switch_widens_the_range() -> None:
    one, two = switched(JOB, [switch(1.25)]).job_s, switched(JOB, [switch(1.25), switch(1.0)]).job_s
    assert JOB.high / JOB.low < one.high / one.low < two.high / two.low


def test_a_saving_that_is_not_known_of_one_is_not_known_of_all() -> None:
    assert switched(JOB, [switch(1.1, None), switch(1.1, 5.0)]).saved_bytes is None


def test_without_switches_the_job_is_the_job() -> None:
    assert switched(JOB, []).job_s.value == pytest.approx(JOB.value)


def test_what_does_not_fit_or_has_no_rival_to_compare_with_cannot_be_combined() -> None:
    assert not can_be_combined(switch(1.2, fits=False))
    assert not can_be_combined(switch(None))


def test_of_rivals_the_last_one_chosen_stays() -> None:
    assert without_rivals("qlora", {"lora", "compile"}) == {"qlora", "compile"}
    assert without_rivals("compile", {"lora"}) == {"lora", "compile"}


def test_what_a_gain_errs_by_adds_to_what_the_job_errs_by() -> None:
    gain = Estimate(value=2.0, low=2.0 / 1.25, high=2.0 * 1.25, basis="specified")
    told = switched(JOB, [msgspec.structs.replace(switch(2.0), gain=gain)]).job_s
    both = 1.25 ** (2**0.5)  # each by a quarter, independently
    assert (told.low, told.value, told.high) == pytest.approx((50.0 / both, 50.0, 50.0 * both))


def step(batch_size: int, *, fits: bool | None, precision: Precision = "fp32") -> Prediction:
    """One card's step at a batch size."""
    candidate = Candidate(
        device=Device(key="card", name="card", spec_key=None, local=False), count=1, strategy="single",
        precision=precision, batch_size_per_device=batch_size,
    )  # fmt: skip
    return msgspec.structs.replace(predict(candidate, TRANSFORMER, workload()), fits=fits)


@pytest.mark.parametrize(("fits", "codes"), [(False, ["caveat-batch-not-kept"]), (True, []), (None, [])])
def test_a_batch_that_is_asked_for_and_fits_nowhere_is_said_not_to_be_kept(fits: bool | None, codes: list[str]) -> None:
    predictions = [step(8, fits=True), step(16, fits=fits)]
    said = not_kept(Fixed(batch_size=True), predictions, workload(batch_size=16).training)
    assert [reason.code for reason in said] == codes


@pytest.mark.parametrize(("fits", "codes"), [(False, ["caveat-precision-not-kept"]), (True, [])])
def test_a_precision_that_is_asked_for_and_fits_nowhere_is_said_not_to_be_kept(fits: bool, codes: list[str]) -> None:
    predictions = [step(16, fits=True), step(16, fits=fits, precision="bf16_amp")]
    said = not_kept(Fixed(precision=True), predictions, workload("bf16_amp", batch_size=16).training)
    assert [reason.code for reason in said] == codes


def test_a_batch_and_a_precision_that_only_together_fit_nowhere_are_said_together() -> None:
    large = step(16, fits=False, precision="bf16_amp")
    predictions = [step(8, fits=True, precision="bf16_amp"), step(16, fits=True), large]
    said = not_kept(Fixed(batch_size=True, precision=True), predictions, workload("bf16_amp", batch_size=16).training)
    assert [reason.code for reason in said] == ["caveat-fixed-not-kept"]
