"""The 80 % range of one card's step: what makes it wider, and that it holds its value."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.core.sentences import Reason
from advisor.cost.efficiencies import Efficiencies, ShareSpread, efficiencies
from advisor.cost.host_time import HostSpeed
from advisor.cost.traced_step import TracedStep
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import OpTable
from advisor.predict.device_steps import DeviceSteps, from_grid
from advisor.predict.ranges.deviation import log_deviation, share_slopes
from advisor.predict.ranges.step_range import band_group, step_band
from advisor.workload.workload import Training
from tests.cost.small_tables import CARD, OLD_CARD, attention, lstm, matmul, op, predicted_steps, table, training

FIGURES = efficiencies()
AS_KNOWN = replace(FIGURES, assumed=replace(FIGURES.assumed, new_family_range=1.0))
QUICK = HostSpeed(forward_s_per_dispatch=0.0, backward_s_per_dispatch=0.0, optimizer_s_per_dispatch=0.0)
SLOW = HostSpeed(forward_s_per_dispatch=1e-3, backward_s_per_dispatch=1e-3, optimizer_s_per_dispatch=1e-3)


def a_model(unknown: float = 0.0) -> OpTable:
    plain = table(op("elementwise", (1e6, 4e6)), matmul((0.0, 512.0), 1024, 1024), dispatches=20, input_bytes=6e5)
    return replace(
        plain,
        caveats=(Reason.of("trace-unknown-operators", operators="mystery", share_fraction=unknown),) if unknown else (),
    )


def slopes_of(
    model: OpTable, how: Training, card: GpuSpec = CARD, host: HostSpeed = QUICK, figures: Efficiencies = FIGURES
) -> tuple[Floats, Floats]:
    def seconds(changed: Efficiencies) -> Floats:
        return predicted_steps(model, how, how.precision, [card], [8, 64], host=host, figures=changed).total_s

    return share_slopes(seconds, seconds(figures), [card.key], figures)


def steps(
    model: OpTable,
    how: Training | None = None,
    *,
    card: GpuSpec = CARD,
    host: HostSpeed = QUICK,
    figures: Efficiencies = FIGURES,
) -> DeviceSteps:
    how, compiled = how or training(), compile_table(model)
    grid = predicted_steps(compiled, how, how.precision, [card], [8, 64], host=host, figures=figures)
    step = TracedStep(compiled=compiled, training=how, precision=how.precision, host=host)
    slopes = slopes_of(model, how, card, host, figures)
    band = step_band(step, [card], grid.host_s / grid.total_s, slopes, figures)
    return from_grid(grid, band, 0, "specified")


def below(one: DeviceSteps) -> float:
    return float((one.total_s / one.low_s)[0, 0])


def above(one: DeviceSteps) -> float:
    return float((one.high_s / one.total_s)[0, 0])


@pytest.mark.parametrize("card", [CARD, OLD_CARD])
@pytest.mark.parametrize("host", [QUICK, SLOW])
def test_the_range_holds_its_value(card: GpuSpec, host: HostSpeed) -> None:
    found = steps(a_model(), card=card, host=host)
    assert np.all(found.low_s < found.total_s)
    assert np.all(found.total_s < found.high_s)


def test_a_known_card_has_the_range_of_its_group_in_deviations_and_nothing_else() -> None:
    bands = {(band.group, band.compiled): band for band in FIGURES.bands}
    assert len(bands) == 6
    for compiles in (False, True):
        how, band = training(compile=compiles), bands["known_card", compiles]
        deviation = log_deviation(slopes_of(a_model(), how), FIGURES.share_spread)[0, 0]
        found, least = steps(a_model(), how), np.log(FIGURES.assumed.least_range)
        assert np.log(below(found)) == pytest.approx(max(band.below * deviation, least), rel=1e-6)
        assert np.log(above(found)) == pytest.approx(max(band.above * deviation, least), rel=1e-6)


def test_slopes_tell_what_a_step_waits_for() -> None:
    copies = table(op("elementwise", (0.0, 4e9)), dispatches=1)
    products = table(matmul((0.0, 4096.0), 8192, 8192), dispatches=1)
    for model, waits in ((copies, (-1.0, 0.0)), (products, (0.0, -1.0))):
        for found, wanted in zip(slopes_of(model, training(optimizer="none")), waits, strict=True):
            assert found[0] == pytest.approx(wanted, abs=0.04)
    for of_share in slopes_of(a_model(), training(), host=SLOW):
        assert of_share[0] == pytest.approx(0.0, abs=1e-3)


def test_what_makes_runs_err_alike_adds_in_squares() -> None:
    spread = ShareSpread(
        bandwidth=0.3, compute=0.2, source_bandwidth=0.4, source_compute=0.1, model=0.03, run=0.02 * 2**0.5
    )
    half, none = np.array([-0.5]), np.zeros(1)
    alone = 0.03**2 + 0.04**2
    assert log_deviation((none, none), spread)[0] == pytest.approx(0.05)
    assert log_deviation((half, none), spread)[0] == pytest.approx(np.sqrt(0.2**2 + alone))
    assert log_deviation((none, half), spread)[0] == pytest.approx(np.sqrt(0.05**2 + alone))
    assert log_deviation((half, none), spread, new_card=1.0)[0] == pytest.approx(np.sqrt(0.25**2 + alone))


def test_a_step_that_waits_for_the_host_is_as_unsure_as_the_host() -> None:
    waiting = steps(a_model(), host=SLOW)
    share = 1.0 - float(np.sum([waiting.forward_s, waiting.backward_s], axis=0)[0, 0] / waiting.total_s[0, 0])
    assert share > 0.9
    band = next(band for band in FIGURES.bands if (band.group, band.compiled) == ("known_card", False))
    alone, least = (
        log_deviation((np.zeros(1), np.zeros(1)), FIGURES.share_spread)[0],
        np.log(FIGURES.assumed.least_range),
    )
    host = share * np.log(FIGURES.assumed.measured_host_range)
    assert np.log(above(waiting)) == pytest.approx(np.hypot(max(least, band.above * alone), host), rel=0.02)
    assert np.log(below(waiting)) == pytest.approx(np.hypot(max(least, band.below * alone), host), rel=0.02)


def test_a_host_that_nobody_measured_may_be_twice_as_slow_and_twice_as_quick() -> None:
    compiled, how, whole, none = compile_table(a_model()), training(), np.array([[1.0]]), np.zeros((1, 1))
    unknown, measured = (
        step_band(
            TracedStep(compiled=compiled, training=how, precision=how.precision, host=host),
            [CARD],
            whole,
            (none, none),
            FIGURES,
        )
        for host in (HostSpeed(), HostSpeed(forward_s_per_dispatch=1e-6))
    )
    assert unknown[1].item() > measured[1].item() > 1.5
    assert 0.45 < unknown[0].item() < measured[0].item() < 0.7
    assert unknown[1].item() >= 1.0 / unknown[0].item() >= 2.0


def test_a_model_that_is_known_by_its_totals_alone_has_a_range_wider_by_its_factor() -> None:
    totals = replace(a_model(), caveats=(Reason.of("workload-totals-only"),))
    narrow = replace(FIGURES, assumed=replace(FIGURES.assumed, totals_range=1.0))
    known, wide, as_known = steps(a_model()), steps(totals), steps(totals, figures=narrow)
    assert FIGURES.assumed.totals_range > 1
    for side in (above, below):
        assert side(wide) > side(known)
        assert side(as_known) == pytest.approx(side(known))


def test_the_compiler_widens_the_range_of_a_mode_of_which_no_run_was_fitted_by_its_factor() -> None:
    figures = replace(FIGURES, envelope=replace(FIGURES.envelope, compiled_modes=("inference",)))
    inside, outside = (steps(a_model(), training(compile=True), figures=one) for one in (FIGURES, figures))
    assert np.log(above(outside)) == pytest.approx(FIGURES.assumed.compiled_range * np.log(above(inside)))
    assert np.log(below(outside)) == pytest.approx(FIGURES.assumed.compiled_range * np.log(below(inside)))


def test_ranges_are_wider_for_new_architectures_and_new_families() -> None:
    stranger = replace(CARD, key="new", compute_capability="11.0")
    cousin = replace(CARD, key="a100-other")
    assert [band_group(spec, FIGURES) for spec in (CARD, cousin, stranger)] == [
        "known_card",
        "known_architecture",
        "new_architecture",
    ]
    plain = steps(a_model())
    assert above(steps(a_model(), card=stranger)) * below(steps(a_model(), card=stranger)) > above(plain) * below(plain)
    assert above(steps(a_model(), card=cousin)) > above(plain)
    recurrent, as_known = (steps(table(lstm()), figures=figures) for figures in (FIGURES, AS_KNOWN))
    assert np.log(above(recurrent)) == pytest.approx(FIGURES.assumed.new_family_range * np.log(above(as_known)))
    fused = table(attention("flash"), precision="half"), training(precision="fp16")
    # Runs with flash attention are among the fitted ones: it widens nothing.
    assert above(steps(*fused)) == pytest.approx(above(steps(*fused, figures=AS_KNOWN)))


def test_recurrent_layers_that_do_a_tenth_of_the_work_widen_nothing() -> None:
    mostly = table(lstm(), matmul((0.0, 1e6), 4096, 4096))
    assert above(steps(mostly)) == pytest.approx(above(steps(mostly, figures=AS_KNOWN)))


def test_no_range_is_narrower_than_laboratories_differ() -> None:
    certain = replace(FIGURES, bands=tuple(replace(band, below=0.01, above=0.01) for band in FIGURES.bands))
    found = steps(a_model(), figures=certain)
    assert above(found) == pytest.approx(FIGURES.assumed.least_range, rel=1e-6)
    assert below(found) == pytest.approx(FIGURES.assumed.least_range, rel=1e-6)


def test_calls_of_unknown_work_widen_the_range_and_leave_the_value() -> None:
    known, few, many = (steps(a_model(share)) for share in (0.0, 0.01, 0.4))
    assert known.total_s == pytest.approx(few.total_s)
    assert below(few) > below(known)
    assert below(many) == pytest.approx(below(few))
    wider = FIGURES.assumed.new_family_range * np.log(above(known))
    assert np.log(above(few)) == pytest.approx(wider - 2 * np.log(1 - 0.01))
    assert np.log(above(many)) == pytest.approx(wider - 2 * np.log(1 - 0.4))


def test_a_step_of_nothing_but_unknown_work_still_has_a_finite_range() -> None:
    assert 100 < above(steps(a_model(1.0))) < 1000
