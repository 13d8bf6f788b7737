"""Ranges of what switches bring, held against published pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from advisor.cost.efficiencies import efficiencies
from advisor.predict.ranges.gain_range import LOG_WIDTHS, GainKind
from tests.accuracy.fitted_steps import fitted_steps
from tests.accuracy.switch_gains import BESIDE_EACH_OTHER, gain_errors, gain_pairs, weights, width_of
from tools.fitting.fit import StepSet

LEAST_PAIRS: dict[GainKind, int] = {"alike": 350, "compiled": 60, "adapters": 70}


@pytest.mark.parametrize("kind", LEAST_PAIRS)
def test_a_gains_range_holds_four_of_five_published_pairs_and_is_not_idle(kind: GainKind) -> None:
    steps, figures = fitted_steps(), efficiencies()
    pairs = [pair for pair in gain_pairs(steps) if pair.kind == kind]
    assert len(pairs) >= LEAST_PAIRS[kind]
    errors = gain_errors(pairs, steps, StepSet(steps, figures).predicted_s(figures.fitted))
    assert 0.80 <= float(np.average(errors <= LOG_WIDTHS[kind], weights=weights(pairs))) <= 0.92
    assert width_of(pairs, errors) == pytest.approx(LOG_WIDTHS[kind], abs=0.025)  # widths are of sources left out


def test_what_nobody_published_has_the_widest_range() -> None:
    assert LOG_WIDTHS["unpublished"] == max(LOG_WIDTHS.values())
    assert math.exp(LOG_WIDTHS["unpublished"]) < 1.4


def test_pairs_differ_in_one_thing_alone() -> None:
    steps = fitted_steps()
    for pair in gain_pairs(steps):
        one, other = steps[pair.one], steps[pair.other]
        assert (one.source, one.spec.key, one.workload) == (other.source, other.spec.key, other.workload)
        assert (one.batch_size != other.batch_size) is (pair.switch == "batch")
        if pair.switch != "trainable" or {one.precision, other.precision} != BESIDE_EACH_OTHER:
            assert (one.precision != other.precision) is (pair.switch == "precision")
        assert (one.training.compile != other.training.compile) is (pair.switch == "compile")
