"""Local measurements correct the model: by class, by the user's step, and a little of it elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from advisor.catalogue.precisions import Precision
from advisor.core.sentences import say
from advisor.cost.efficiencies import efficiencies
from advisor.cost.host_time import HostSpeed
from advisor.cost.operators.device_rates import device_rates
from advisor.cost.operators.device_time import device_seconds
from advisor.measure.measurement import Measurement, RateMeasurement, StepMeasurement, Summary, Verdict, VerdictKind
from advisor.optable.compiled_table import CompiledTable, compile_table
from advisor.predict.calibration import (
    _FIT_SPREAD,
    AGREES_WITHIN,
    calibrate,
    carried_over,
    class_factors,
    factors_elsewhere,
    factors_here,
    host_speed,
    pass_floor_s,
)
from advisor.predict.microbenchmark_ops import operators_of
from tests.cost.small_tables import CARD, OLD_CARD, matmul, op, predicted_steps, table, training

FIGURES = efficiencies()
MATMUL = {"m": 4096.0, "n": 4096.0, "k": 4096.0, "flop": 2.0 * 4096**3, "bytes": 3.0 * 4 * 4096**2}
ELEMENTWISE = {"count": 2.0**26, "bytes": 3.0 * 4 * 2**26}
CONVOLUTION = {"batch": 32.0, "channels": 64.0, "side": 56.0, "kernel": 3.0, "groups": 1.0}
CONVOLUTION |= {"flop": 3 * 2.0 * 32 * 56**2 * 64 * 64 * 9}
ATTENTION = {"batch": 8.0, "length": 1024.0, "heads": 12.0, "flop": 3.5 * 4.0 * 8 * 12 * 1024**2 * 64}


def summary(median_s: float) -> Summary:
    return Summary(
        median_s=median_s,
        low_s=median_s,
        high_s=median_s,
        mad_s=0.0,
        first_quartile_s=median_s,
        third_quartile_s=median_s,
        sample_count=30,
        duration_s=1.0,
        stop_reason="settled",
        drift_ratio=None,
    )


def rate(
    kind: str, figures: dict[str, float], median_s: float, *, precision: Precision = "fp32", verdict: str = "stable"
) -> RateMeasurement:
    return RateMeasurement(
        kind=kind,
        precision=precision,
        figures=figures,
        samples=(),
        summary=summary(median_s),
        verdict=Verdict(kind=verdict),  # type: ignore[arg-type]
    )


def predicted_s(kind: str, figures: dict[str, float], precision: Precision = "fp32") -> float:
    made = operators_of(rate(kind, figures, 1.0, precision=precision))
    assert made is not None
    rates = device_rates([CARD], precision, FIGURES)
    busy = device_seconds(made, rates, np.ones((1, 1)), FIGURES, channels_last=False)
    return float(busy.forward[0, 0] + busy.backward[0, 0])


def measured(*rates: RateMeasurement, steps: tuple[StepMeasurement, ...] = ()) -> Measurement:
    return Measurement(
        device_key="GPU-1",
        device_name=CARD.name,
        created_utc="2026-11-21T00:00:00Z",
        workload_name="x",
        environment=None,
        steps=steps,
        rates=rates,
        verdict=Verdict(kind="stable"),
    )


def step_at(batch: int, median_s: float) -> StepMeasurement:
    return StepMeasurement(
        batch_size=batch,
        precision="fp32",
        thread_count=None,
        layer_limit=None,
        samples=(),
        summary=summary(median_s),
        device_summary=summary(median_s),
        parts_s={},
        memory=None,
        verdict=Verdict(kind="stable"),
    )


def a_model() -> CompiledTable:
    return compile_table(table(op("elementwise", (0.0, 1e8)), matmul((0.0, 4096.0), 4096, 4096), dispatches=5))


@pytest.mark.parametrize(
    ("kind", "figures", "corrected"),
    [
        ("matmul", MATMUL, "matmul"),
        ("elementwise", ELEMENTWISE, "norm"),
        ("convolution", CONVOLUTION, "convolution"),
        ("attention", ATTENTION, "attention"),
        ("reduction", {"rows": 2.0**13, "columns": 2.0**10, "bytes": 2.0**26}, "softmax"),
    ],
)
def test_a_class_that_runs_slower_here_is_corrected_a_good_part_of_the_way(
    kind: str, figures: dict[str, float], corrected: str
) -> None:
    expected = predicted_s(kind, figures)
    one = class_factors([rate(kind, figures, 1.3 * expected)], CARD, FIGURES)
    many = class_factors([rate(kind, figures, 1.3 * expected)] * 8, CARD, FIGURES)
    assert 1.05 < one[corrected] < many[corrected] < 1.3
    assert class_factors([rate(kind, figures, expected)], CARD, FIGURES)[corrected] == pytest.approx(1.0)


def test_half_precision_microbenchmarks_correct_too() -> None:
    halved = MATMUL | {"bytes": MATMUL["bytes"] / 2}
    slow = rate("matmul", halved, 2 * predicted_s("matmul", halved, "fp16"), precision="fp16")
    assert class_factors([slow], CARD, FIGURES)["matmul"] > 1.1


def test_the_optimizer_has_a_factor_of_its_own() -> None:
    figures = {"tensors": 8.0, "elements": 2.0**24, "bytes": 7.0 * 4 * 2**27, "adamw": 1.0}
    slow = class_factors([rate("optimizer", figures, 1.0)], CARD, FIGURES)
    plain = {name: value for name, value in figures.items() if name != "adamw"} | {"sgd": 1.0}
    assert list(slow) == ["optimizer"]
    assert slow["optimizer"] < class_factors([rate("optimizer", plain, 1.0)], CARD, FIGURES)["optimizer"]


def test_what_tells_nothing_of_a_class_is_passed_over() -> None:
    slow = 2 * predicted_s("matmul", MATMUL)
    useless = [
        rate("matmul", MATMUL, slow, verdict="throttled"),
        rate("matmul", MATMUL, slow, verdict="unstable"),
        rate("matmul", MATMUL, 1e-6),
        rate("launch", {"call_count": 1.0}, 1e-3),
        rate("matmul", MATMUL, slow, precision="bf16"),
        replace(rate("matmul", MATMUL, slow), summary=None),
    ]
    assert class_factors(useless, OLD_CARD, FIGURES) == {}


def test_the_step_factor_is_what_classes_leave_over_on_the_users_own_step() -> None:
    model, how = a_model(), training()
    host = HostSpeed()
    grid = predicted_steps(model, how, "fp32", [CARD], [8, 16], host=host)
    steps = tuple(step_at(batch, 1.1 * float(grid.total_s[0, index])) for index, batch in enumerate((8, 16)))
    found = calibrate(measured(steps=steps), CARD, {"fp32": model}, how)
    assert found.step_factor == pytest.approx(1.1, rel=0.02)
    assert found.step_factor_elsewhere == pytest.approx(1.1**0.5, rel=0.02)
    assert found.batch_sizes == (8, 16)
    assert found.notes == ()
    here = predicted_steps(model, how, "fp32", [CARD], [8], host=host, factors=factors_here(found))
    assert here.total_s[0, 0] == pytest.approx(steps[0].summary.median_s, rel=0.02)  # type: ignore[union-attr]


def test_a_large_disagreement_is_a_wrong_description_and_is_not_carried_over() -> None:
    for factor, code in ((2.0, "predict-run-slower-than-described"), (0.5, "predict-run-faster-than-described")):
        elsewhere, notes = carried_over(factor)
        assert elsewhere == 1.0
        assert [note.code for note in notes] == [code]
        assert "2.00" in say(notes[0], "en")
        assert "2.00" in say(notes[0], "zh")
    just_below = float(np.exp(AGREES_WITHIN * 0.99))
    kept, notes = carried_over(just_below)
    assert kept == pytest.approx(just_below**0.5)
    assert notes == ()


def test_cards_elsewhere_get_the_mean_of_what_is_carried_over() -> None:
    one = calibrate(measured(), CARD, {}, training())
    assert one.step_factor == 1.0
    two = [replace(one, step_factor_elsewhere=1.21), replace(one, step_factor_elsewhere=1.0)]
    assert factors_elsewhere(two) == {"step": pytest.approx(1.1)}
    assert factors_elsewhere([]) == {}


def test_steps_without_a_matching_trace_or_on_a_card_without_figures_say_nothing() -> None:
    steps = (step_at(8, 1.0),)
    assert calibrate(measured(steps=steps), CARD, {}, training()).batch_sizes == ()
    bare = replace(CARD, sm_count=None)
    assert calibrate(measured(steps=steps), bare, {"fp32": a_model()}, training()).batch_sizes == ()


def test_the_host_speed_comes_from_its_own_microbenchmark() -> None:
    chain = rate("host_overhead", {"forward_calls": 64.0, "links": 32.0}, 256 * 6e-6)
    found = host_speed(measured(chain))
    assert found.forward_s_per_dispatch == pytest.approx(6e-6)
    assert found.optimizer_s_per_dispatch == found.forward_s_per_dispatch
    assert calibrate(measured(chain), CARD, {}, training()).host_s_per_dispatch == pytest.approx(6e-6)
    assert host_speed(measured()).forward_s_per_dispatch is None


def test_an_operator_timed_on_the_cpu_is_given_its_launch_and_no_wait_for_a_card() -> None:
    chain = rate("host_overhead", {"forward_calls": 64.0, "links": 32.0}, 256 * 6e-6)
    wait = rate("synchronise", {"call_count": 1.0}, 1e-6)
    found = host_speed(replace(measured(chain, wait), device_key="cpu"))
    assert found.forward_s_per_dispatch == pytest.approx(6e-6 + FIGURES.assumed.host_launch_s)
    assert found.synchronisation_s is None
    assert host_speed(measured(chain, wait)).synchronisation_s == 1e-6


def test_a_card_waits_for_the_python_that_the_processor_was_timed_at() -> None:
    small = table(op("elementwise", (0.0, 1e3)), dispatches=5)
    split = {"forward": 2e-4, "backward": 3e-4, "optimizer": 1e-4}
    steps = (replace(step_at(8, 9e-4), parts_s=dict.fromkeys(split, 1.0)), replace(step_at(1, 6e-4), parts_s=split))
    on_cpu = replace(measured(steps=steps), device_key="cpu")
    floor = pass_floor_s(on_cpu, small)
    launches_s = sum(small.dispatch_count.values()) * FIGURES.assumed.host_launch_s
    assert floor == pytest.approx(5e-4 + launches_s, rel=0.01)
    slow = predicted_steps(small, training(), "fp32", [CARD], [8], host=HostSpeed(pass_floor_s=floor))
    assert slow.total_s[0, 0] >= 0.99 * floor
    assert slow.total_s[0, 0] > predicted_steps(small, training(), "fp32", [CARD], [8]).total_s[0, 0]


@pytest.mark.parametrize("kind", ["contended", "unstable", "throttled"])
def test_what_others_cost_a_step_is_no_python_that_a_card_would_wait_for(kind: VerdictKind) -> None:
    small = table(op("elementwise", (0.0, 1e3)), dispatches=5)
    split = {"forward": 2e-4, "backward": 3e-4, "optimizer": 1e-4}
    chain = rate("host_overhead", {"forward_calls": 64.0, "links": 32.0}, 256 * 6e-6)
    quiet = replace(step_at(8, 9e-4), parts_s=split)
    disturbed = replace(step_at(1, 0.6), parts_s=split, verdict=Verdict(kind=kind))
    slow = replace(step_at(1, 0.6), parts_s=split)
    launches_s = sum(small.dispatch_count.values()) * FIGURES.assumed.host_launch_s
    for steps, floor_s in (((disturbed, quiet), 9e-4 * 5 / 6 + launches_s), ((disturbed,), 0.0)):
        on_cpu = replace(measured(chain, steps=steps), device_key="cpu")
        assert pass_floor_s(on_cpu, small) == pytest.approx(floor_s, rel=0.01)
    both = replace(measured(chain, steps=(slow, quiet)), device_key="cpu")
    assert pass_floor_s(both, small) < 1e-3, "the quicker step is issued whole too"
    hardly = replace(disturbed, summary=summary(1e-4))
    assert pass_floor_s(replace(measured(chain, steps=(hardly,)), device_key="cpu"), small) > launches_s


def test_a_model_whose_smallest_step_computes_gives_no_floor() -> None:
    large = table(matmul((0.0, 4096.0), 4096, 4096), dispatches=5)
    split = {"forward": 2e-4, "backward": 3e-4, "optimizer": 1e-4}
    on_cpu = replace(measured(steps=(replace(step_at(1, 6e-4), parts_s=split),)), device_key="cpu")
    assert pass_floor_s(on_cpu, large) == 0.0
    assert pass_floor_s(measured(steps=on_cpu.steps), large) == 0.0
    assert pass_floor_s(replace(on_cpu, steps=()), large) == 0.0


@pytest.mark.parametrize(("rows", "computes"), [(64.0, True), (32.0, False)])
def test_three_tenths_of_a_step_that_compute_are_not_negligible(rows: float, computes: bool) -> None:
    # 64 × 88 × 88 products take 0.2 ms at 5 GFLOP/s, the least that a processor does: 0.4 of forward and backward.
    small = table(matmul((0.0, rows), 88, 88), dispatches=5)
    split = {"forward": 2e-4, "backward": 3e-4, "optimizer": 1e-4}
    on_cpu = replace(measured(steps=(replace(step_at(1, 6e-4), parts_s=split),)), device_key="cpu")
    assert (pass_floor_s(on_cpu, small) == 0.0) is computes


def test_a_class_is_taken_to_be_off_by_more_than_cards_differ_and_less_than_publishers_do() -> None:
    spread = FIGURES.share_spread
    for card, publisher in ((spread.bandwidth, spread.source_bandwidth), (spread.compute, spread.source_compute)):
        alone = np.hypot(card, spread.model)
        assert alone < _FIT_SPREAD < np.hypot(alone, publisher)
