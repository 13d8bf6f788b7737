"""The 80 % range of one card's step: what makes it wider, and that it holds its value."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.core.sentences import Reason
from advisor.cost.efficiencies import Efficiencies, efficiencies
from advisor.cost.host_time import HostSpeed
from advisor.cost.step_time import predict_steps
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import OpTable
from advisor.predict.device_steps import DeviceSteps, from_grid
from advisor.predict.ranges.step_range import band_group, slice_of, step_band
from advisor.workload.workload import Training
from tests.cost.small_tables import CARD, OLD_CARD, attention, convolution, lstm, matmul, op, table, training

FIGURES = efficiencies()
QUICK = HostSpeed(forward_s_per_dispatch=0.0, backward_s_per_dispatch=0.0, optimizer_s_per_dispatch=0.0)
SLOW = HostSpeed(forward_s_per_dispatch=1e-3, backward_s_per_dispatch=1e-3, optimizer_s_per_dispatch=1e-3)


def a_model(unknown: float = 0.0) -> OpTable:
    plain = table(op("elementwise", (1e6, 4e6)), matmul((0.0, 512.0), 1024, 1024), dispatches=20, input_bytes=6e5)
    return replace(
        plain,
        caveats=(Reason.of("trace-unknown-operators", operators="mystery", share_fraction=unknown),) if unknown else (),
    )


def steps(
    model: OpTable,
    how: Training | None = None,
    *,
    card: GpuSpec = CARD,
    host: HostSpeed = QUICK,
    figures: Efficiencies = FIGURES,
) -> DeviceSteps:
    how, compiled = how or training(), compile_table(model)
    grid = predict_steps(compiled, how, how.precision, [card], [8, 64], host=host, figures=figures)
    known = host.forward_s_per_dispatch is not None
    band = step_band([card], compiled, how, grid.host_s / grid.total_s, figures, host_measured=known)
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


def test_a_known_card_has_the_range_of_its_group_and_nothing_else() -> None:
    band = next(band for band in FIGURES.bands if (band.group, band.slice) == ("known_card", "products"))
    found = steps(a_model())
    assert below(found) == pytest.approx(1.0 / min(band.low, 1.0 / FIGURES.assumed.least_range), rel=1e-6)
    assert above(found) == pytest.approx(max(band.high, FIGURES.assumed.least_range), rel=1e-6)


def test_a_step_that_waits_for_the_host_is_as_unsure_as_the_host() -> None:
    busy, waiting = steps(a_model()), steps(a_model(), host=SLOW)
    share = 1.0 - float(np.sum([waiting.forward_s, waiting.backward_s], axis=0)[0, 0] / waiting.total_s[0, 0])
    assert share > 0.9
    host = np.log(FIGURES.assumed.measured_host_range)
    assert np.log(above(waiting)) == pytest.approx(np.hypot(np.log(above(busy)), share * host), rel=0.02)
    assert np.log(below(waiting)) == pytest.approx(np.hypot(np.log(below(busy)), share * host), rel=0.02)


def test_a_host_that_nobody_measured_may_be_far_slower_and_a_little_quicker() -> None:
    compiled, how, whole = compile_table(a_model()), training(), np.array([[1.0]])
    unknown, measured = (
        step_band([CARD], compiled, how, whole, FIGURES, host_measured=known) for known in (False, True)
    )
    assert unknown[1].item() > measured[1].item() > 1.5
    assert measured[0].item() < unknown[0].item() < 1.0


def test_each_kind_of_step_has_the_range_of_its_kind() -> None:
    image, product = table(convolution(64)), table(matmul((0.0, 512.0), 1024, 1024))
    asked = (
        (image, training(), "convolutions"),
        (product, training(), "products"),
        (product, training(trainable="lora"), "adapters"),
        (image, training(compile=True), "compiled"),
        (image, training(mode="inference", optimizer="none"), "inference"),
    )
    for model, how, kind in asked:
        assert slice_of(compile_table(model), how) == kind


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
    recurrent = steps(table(lstm()))
    assert np.log(above(recurrent)) == pytest.approx(FIGURES.assumed.new_family_range * np.log(above(plain)))
    fused = steps(table(attention("flash"), precision="half"), training(precision="fp16"))
    # Runs with flash attention are among the fitted ones: it widens nothing.
    assert above(fused) * below(fused) == pytest.approx(above(plain) * below(plain))


def test_recurrent_layers_that_do_a_tenth_of_the_work_widen_nothing() -> None:
    plain, mostly = steps(a_model()), steps(table(lstm(), matmul((0.0, 1e6), 4096, 4096)))
    assert above(mostly) == pytest.approx(above(plain))


def test_no_range_is_narrower_than_laboratories_differ() -> None:
    certain = replace(FIGURES, bands=tuple(replace(band, low=0.99, high=1.01) for band in FIGURES.bands))
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
