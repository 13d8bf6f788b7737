"""Ranges of what a switch brings: what both steps err by cancels, what a host makes of one alone does not."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest

from advisor.core.sentences import Reason
from advisor.core.units import Estimate
from advisor.cost.efficiencies import efficiencies
from advisor.cost.parts import Part
from advisor.predict.prediction import Candidate, Device, Prediction
from advisor.predict.ranges.gain_range import LOG_WIDTHS, GainKind, gain_range, independent_ratio

WIDE = 3.0


def step(
    rate: float,
    *,
    spread: float = WIDE,
    host_share: float = 0.0,
    optimizer_s: float = 0.0,
    notes: tuple[str, ...] = (),
) -> Prediction:
    """One card's step at a rate that may be `spread` times as large or small; an optimizer makes it longer."""
    length_s = 1.0 / rate + optimizer_s
    rate = 1.0 / length_s
    made = Candidate(
        device=Device(key="card", name="card", spec_key="rtx4090", local=False), count=1, strategy="single",
        precision="fp32", batch_size_per_device=1,
    )  # fmt: skip
    return Prediction(
        **{name: getattr(made, name) for name in made.__struct_fields__},
        global_batch_size=1,
        step_s=Estimate(value=length_s, low=length_s, high=length_s, basis="specified"),
        samples_per_s=Estimate(value=rate, low=rate / spread, high=rate * spread, basis="specified"),
        peak_memory_bytes=None,
        job_s=None,
        parts=(
            Part(kind="host", duration_s=host_share * (length_s - optimizer_s)),
            Part(kind="forward", duration_s=(1.0 - host_share) * (length_s - optimizer_s)),
            Part(kind="optimizer", duration_s=optimizer_s),
        ),
        memory_capacity_bytes=None,
        fits=None,
        notes=tuple(Reason.of(code) for code in notes),
    )


def rate(low: float, value: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, basis="specified")


@pytest.mark.parametrize(
    ("after", "before", "ratio"),
    [
        (rate(8, 10, 12), rate(5, 5, 5), (1.6, 2, 2.4)),
        (rate(10, 10, 10), rate(4, 5, 6), (10 / 6, 2, 2.5)),
        (rate(5, 10, 20), rate(2.5, 5, 10), (2 * 2 ** -(2**0.5), 2, 2 * 2 ** (2**0.5))),
    ],
)
def test_squares_of_independent_errors_add(
    after: Estimate, before: Estimate, ratio: tuple[float, float, float]
) -> None:
    told = independent_ratio(after, before)
    assert (told.low, told.value, told.high) == pytest.approx(ratio)


@pytest.mark.parametrize("kind", ["alike", "compiled", "adapters", "unpublished"])
def test_a_gain_has_the_range_of_published_pairs_however_wide_its_steps(kind: GainKind) -> None:
    told = gain_range(step(20.0), step(10.0), kind)
    assert told.value == pytest.approx(2.0)
    assert math.log(told.high / 2.0) == pytest.approx(LOG_WIDTHS[kind])
    assert math.log(2.0 / told.low) == pytest.approx(LOG_WIDTHS[kind])


def test_what_errs_in_its_own_way_has_the_range_of_independent_steps() -> None:
    after, before = step(20.0), step(10.0)
    assert gain_range(after, before, "unlike") == independent_ratio(after.samples_per_s, before.samples_per_s)


def test_no_gain_is_vaguer_than_that_of_independent_steps() -> None:
    after, before = step(20.0, spread=1.05), step(10.0, spread=1.05)
    assert gain_range(after, before, "compiled") == independent_ratio(after.samples_per_s, before.samples_per_s)


def test_outside_of_what_was_fitted_a_gain_is_vaguer() -> None:
    told = gain_range(step(20.0, notes=("predict-outside-recurrent",)), step(10.0), "alike")
    factor = efficiencies().assumed.new_family_range
    assert math.log(told.high / told.value) == pytest.approx(LOG_WIDTHS["alike"] * factor)


def test_a_host_that_both_steps_wait_for_cancels() -> None:
    both = gain_range(step(20.0, host_share=0.8), step(10.0, host_share=0.8), "alike")
    neither = gain_range(step(20.0), step(10.0), "alike")
    assert (both.low, both.high) == pytest.approx((neither.low, neither.high))


def test_a_host_that_only_the_step_before_waits_for_makes_the_gain_larger_where_it_is_slow() -> None:
    told = gain_range(step(20.0), step(10.0, host_share=0.5), "compiled")
    plain = gain_range(step(20.0), step(10.0), "compiled")
    assert told.high > 1.3 * plain.high
    assert told.low < plain.low  # a quick host leaves less to gain
    other = gain_range(step(20.0, host_share=0.5), step(10.0), "compiled")
    assert other.low < plain.low / 1.3


def test_what_changes_little_of_a_step_gains_and_errs_little() -> None:
    told = gain_range(step(1.0, optimizer_s=0.01), step(1.0, optimizer_s=0.02), "alike")
    assert told.value == pytest.approx(1.02 / 1.01)
    assert told.high == pytest.approx(1.04 / 1.005)
    assert told.low == pytest.approx(1.01 / 1.02)


def test_what_changes_most_of_a_step_has_the_range_of_published_pairs() -> None:
    told = gain_range(step(1.0, optimizer_s=1.0), step(1.0, optimizer_s=9.0), "alike")
    assert math.log(told.high / told.value) == pytest.approx(LOG_WIDTHS["alike"])


PROGRAM = """
from msgspec.structs import replace
from advisor.cost.parts import PART_KINDS, Part
from advisor.predict.ranges.gain_range import gain_range
from advisor.core.units import exactly
from tests.predict.test_gain_range import step
for number in range(1, 40):
    parts = tuple(Part(kind=kind, duration_s=0.1 * (place + 1) / number) for place, kind in enumerate(PART_KINDS))
    whole_s = sum(part.duration_s for part in parts)
    before, after = (
        replace(step(1 / more), parts=parts, step_s=exactly(more, "specified")) for more in (whole_s + 0.01, whole_s)
    )
    print(repr(gain_range(after, before, "alike")))
"""


def test_a_range_is_the_same_in_every_process() -> None:
    ranges = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in range(4)
    }
    assert len(ranges) == 1
