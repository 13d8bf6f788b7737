"""A device that something disturbed while it was measured: ranked with doubt, taken all the same, and told."""

from __future__ import annotations

import msgspec
import pytest

from advisor.measure.measurement import VerdictKind
from advisor.recommend.advise_from import recommend
from advisor.recommend.candidates import enumerate_candidates
from tests.recommend.fakes import SPECS, TINY, machine, measurement, predict_all, workload
from tests.recommend.test_recommend import IRIS, best_of, codes


def test_an_unstable_cpu_still_ties_and_is_taken_because_it_is_here() -> None:
    here, work = machine(), workload(batch_size=120, samples=120, epochs=200000)  # a shorter job is tied by its start
    found = predict_all(enumerate_candidates(work, here, SPECS), TINY, work, measured_keys=("cpu",))
    answer = recommend(work, here, found, [measurement("cpu", "unstable", batch_size=100)], specs=SPECS)
    best = best_of(answer)
    assert best.device.key == "cpu"
    assert best.tied_with
    assert best.thread_count == 8
    assert "why-tied" in codes(best.why)
    assert "caveat-measurement-unstable" in codes(answer.caveats)


def test_a_contended_cpu_that_looks_slower_than_the_launches_still_ties_with_them() -> None:
    here = machine()
    slowed = [
        msgspec.structs.replace(one, step_s=one.step_s.scaled(7), job_s=one.job_s.scaled(7) if one.job_s else None)
        if one.device.key == "cpu"
        else one
        for one in predict_all(enumerate_candidates(IRIS, here, SPECS), TINY, IRIS, measured_keys=("cpu",))
    ]
    answer = recommend(IRIS, here, slowed, [measurement("cpu", "contended")], specs=SPECS)
    best = best_of(answer)
    assert best.device.key == "cpu"
    assert "why-launch-bound-tied" in codes(best.why)
    assert not {"change-precision-other", "change-precision-same"} & codes(best.would_change_if)


@pytest.mark.parametrize("kind", ["unstable", "throttled", "contended"])
def test_each_untrusted_verdict_has_its_caveat(kind: VerdictKind) -> None:
    here = machine()
    found = predict_all(enumerate_candidates(IRIS, here, SPECS), TINY, IRIS, measured_keys=("cpu",))
    answer = recommend(IRIS, here, found, [measurement("cpu", kind), measurement("gone", kind)], specs=SPECS)
    assert f"caveat-measurement-{kind}" in codes(answer.caveats)


def test_a_disturbed_device_that_holds_no_step_has_no_figures_to_be_doubted() -> None:
    here = machine()
    found = predict_all(enumerate_candidates(IRIS, here, SPECS), TINY, IRIS, measured_keys=("cpu",))
    full = [msgspec.structs.replace(one, fits=False) if one.device.key == "cpu" else one for one in found]
    answer = recommend(IRIS, here, full, [measurement("cpu", "unstable")], specs=SPECS)
    assert not [code for code in codes(answer.caveats) if code.startswith("caveat-measurement-")]
