"""The step model: parts that add up, the host's floor, optimizers, ranges, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from advisor.catalogue.precisions import TRACE_PRECISIONS, Precision
from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import say
from advisor.cost.efficiencies import CardShare, efficiencies
from advisor.cost.host_time import HostSpeed, joined_seconds
from advisor.cost.operators.device_rates import architecture_of, device_rates
from advisor.cost.optimizer_cost import optimizer_cost
from advisor.cost.step_parts import OWN_PARTS
from advisor.cost.step_time import StepGrid, predict_steps
from advisor.cost.traced_step import TracedStep
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import CompiledPass, OpTable
from advisor.workload.workload import Training
from tests.cost.small_tables import CARD, OLD_CARD, convolution, matmul, op, predicted_steps, table, training

FIGURES = efficiencies()
QUICK = HostSpeed(
    forward_s_per_dispatch=0.0,
    backward_s_per_dispatch=0.0,
    optimizer_s_per_dispatch=0.0,
    synchronisation_s=0.0,
    copies_inputs=False,
)


def a_model(**changes: object) -> OpTable:
    plain = table(
        op("elementwise", (1e6, 4e6)),
        matmul((0.0, 512.0), 1024, 1024),
        matmul((0.0, 512.0), 1024, 1024, phase="backward"),
        op("norm", (0.0, 4e6), phase="backward"),
        dispatches=200,
        input_bytes=6e5,
    )
    return replace(plain, **changes)


def step(model: OpTable, how: Training, *, batch: int = 8, host: HostSpeed | None = None) -> StepGrid:
    return predicted_steps(model, how, how.precision, [CARD], [batch], host=host)


def test_the_parts_add_up_to_the_whole_on_every_card_and_batch() -> None:
    how = training(optimizer="adamw", gradient_accumulation_steps=3, clip_gradient_norm=1.0, read_loss_every=1)
    grid = predicted_steps(a_model(), how, "fp32", [CARD, OLD_CARD], [1, 8, 64])
    total = sum(getattr(grid, name) for name in OWN_PARTS)
    assert np.allclose(total, grid.total_s, rtol=1e-12)
    assert all((getattr(grid, name) >= 0).all() for name in OWN_PARTS)


def test_a_step_that_the_host_cannot_feed_takes_as_long_as_the_host_needs() -> None:
    slow = HostSpeed(
        forward_s_per_dispatch=1e-3, backward_s_per_dispatch=1e-3, optimizer_s_per_dispatch=1e-3, copies_inputs=False
    )
    grid = step(a_model(), training(), host=slow)
    assert grid.total_s[0, 0] == pytest.approx(0.4, rel=0.01)
    assert grid.host_s[0, 0] > 0.9 * grid.total_s[0, 0]


def test_device_and_host_run_side_by_side() -> None:
    together = joined_seconds(np.array([[1.0, 3.0]]), 1.0)
    assert together[0, 0] == pytest.approx(2 ** (1 / 8))
    assert together[0, 1] == pytest.approx(3.0, rel=1e-4)
    assert joined_seconds(np.array([[2.0]]), 0.0)[0, 0] == 2.0


def test_the_known_host_counts_and_an_unknown_one_is_a_usual_one() -> None:
    model = a_model(dispatch_count={"forward": 10**6, "backward": 0})
    usual = step(model, training())
    assert usual.total_s[0, 0] == pytest.approx(1e6 * FIGURES.assumed.host_s_per_dispatch, rel=0.02)
    doubled = HostSpeed(forward_s_per_dispatch=2 * FIGURES.assumed.host_s_per_dispatch)
    assert step(model, training(), host=doubled).total_s[0, 0] == pytest.approx(2 * usual.total_s[0, 0], rel=0.02)


def test_copies_take_the_link_and_pageable_memory_takes_longer() -> None:
    pinned = step(a_model(), training(), host=HostSpeed())
    expected = 8 * 6e5 / (31.508e9 * 0.8)
    assert pinned.copy_s[0, 0] == pytest.approx(expected, rel=1e-4)
    pageable = step(a_model(), training(), host=HostSpeed(pinned=False))
    assert pageable.copy_s[0, 0] == pytest.approx(2 * expected, rel=1e-4)
    assert step(a_model(), training(), host=QUICK).copy_s[0, 0] == 0


def test_every_read_of_the_loss_and_the_scaler_waits_once() -> None:
    each = FIGURES.assumed.synchronisation_s

    def waits(how: Training, **changes: object) -> float:
        model = a_model(precision="amp" if how.precision == "fp16_amp" else "fp32", **changes)
        return float(step(model, how).synchronisation_s[0, 0] / each)

    assert waits(training()) == 0
    assert waits(training(read_loss_every=1)) == pytest.approx(1)
    assert waits(training(read_loss_every=10)) == pytest.approx(0.1)
    assert waits(training(read_loss_every=1, gradient_accumulation_steps=4)) == pytest.approx(4)
    assert waits(training(precision="fp16_amp", optimizer="adamw")) == pytest.approx(1)
    assert waits(training(), synchronisation_count=2) == pytest.approx(2)


def test_accumulation_repeats_the_passes_and_steps_once() -> None:
    once, thrice = (
        step(a_model(), training(optimizer="adamw", gradient_accumulation_steps=count), host=QUICK) for count in (1, 3)
    )
    assert thrice.forward_s[0, 0] == pytest.approx(3 * once.forward_s[0, 0])
    assert thrice.backward_s[0, 0] > 3 * once.backward_s[0, 0]
    assert thrice.optimizer_s[0, 0] == once.optimizer_s[0, 0]


@pytest.mark.parametrize("name", ["sgd", "sgd_momentum", "adam", "adamw", "adafactor", "lamb"])
def test_every_optimizer_moves_its_bytes_and_a_fused_one_no_more(name: str) -> None:
    plain, fused = (
        optimizer_cost(training(optimizer=name, fused_optimizer=way), "fp32", 1e6, 10) for way in (False, True)
    )
    assert 0 < fused.moved_bytes <= plain.moved_bytes
    assert 0 < fused.kernel_count <= plain.kernel_count


def test_no_optimizer_costs_nothing_and_neither_does_a_step_without_one() -> None:
    for how in (training(), training(optimizer="adamw", mode="forward_backward")):
        cost = optimizer_cost(how, "fp32", 1e6, 10)
        assert (cost.moved_bytes, cost.kernel_count, cost.dispatch_count) == (0, 0, 0)


def test_optimizer_bytes_follow_precision_scaler_clipping_and_states() -> None:
    base = optimizer_cost(training(optimizer="adamw"), "fp32", 1e6, 10)
    half = optimizer_cost(training(optimizer="adamw"), "bf16", 1e6, 10)
    scaled = optimizer_cost(training(optimizer="adamw"), "fp16_amp", 1e6, 10)
    clipped = optimizer_cost(training(optimizer="adamw", clip_gradient_norm=1.0), "fp32", 1e6, 10)
    small = optimizer_cost(training(optimizer="adamw", optimizer_bits=8), "fp32", 1e6, 10)
    assert half.moved_bytes - base.moved_bytes == 4e6
    assert scaled.moved_bytes - base.moved_bytes == 8e6
    assert clipped.moved_bytes - base.moved_bytes == 12e6
    assert small.moved_bytes < base.moved_bytes / 2
    assert small.kernel_count == 10


def test_before_2023_an_optimizer_was_a_loop_over_the_tensors() -> None:
    today = optimizer_cost(training(optimizer="sgd_momentum"), "fp32", 1e6, 500)
    then = optimizer_cost(training(optimizer="sgd_momentum"), "fp32", 1e6, 500, 2022)
    assert then.kernel_count == 4 * 500
    assert today.kernel_count < 50


def test_the_first_ampere_kernels_were_slower() -> None:
    how = training()
    today = predicted_steps(a_model(), how, "fp32", [CARD, OLD_CARD], [8], host=QUICK)
    then = predicted_steps(a_model(), how, "fp32", [CARD, OLD_CARD], [8], host=QUICK, software_year=2020)
    assert then.total_s[0, 0] / today.total_s[0, 0] == pytest.approx(FIGURES.fitted.early_ampere_slowdown)
    assert then.total_s[1, 0] == today.total_s[1, 0]


def test_the_compiler_fuses_traffic_and_saves_the_host() -> None:
    model = table(op("elementwise", (0.0, 1e8)), dispatches=10)
    eager, fused = (step(model, training(compile=way), host=QUICK) for way in (False, True))
    assert fused.total_s[0, 0] == pytest.approx(FIGURES.assumed.compiled_traffic * eager.total_s[0, 0])
    busy_host = HostSpeed(forward_s_per_dispatch=1.0, backward_s_per_dispatch=0.0, optimizer_s_per_dispatch=0.0)
    eager, fused = (step(model, training(compile=way), host=busy_host) for way in (False, True))
    assert fused.total_s[0, 0] == pytest.approx(FIGURES.assumed.compiled_dispatches * eager.total_s[0, 0], rel=0.01)


def test_factors_multiply_their_operator_kind_the_optimizer_and_the_whole() -> None:
    model = table(op("elementwise", (0.0, 1e8)), matmul((0.0, 4096.0), 4096, 4096))
    how = training(optimizer="adamw")

    def total(**factors: float) -> float:
        return float(predicted_steps(model, how, "fp32", [CARD], [8], host=QUICK, factors=factors).total_s[0, 0])

    plain = total()
    parts = [total(**{name: 2.0}) - plain for name in ("elementwise", "matmul", "optimizer")]
    assert sum(parts) == pytest.approx(plain)
    assert total(step=1.5) == pytest.approx(1.5 * plain)


def test_a_precision_that_the_card_lacks_is_refused_or_mapped_with_a_sentence() -> None:
    how = training(precision="bf16_amp")
    grid = predicted_steps(a_model(precision="amp"), how, "bf16_amp", [CARD, OLD_CARD], [8])
    assert grid.refusals[0] is None
    assert np.isfinite(grid.total_s[0, 0])
    assert grid.refusals[1] is not None
    assert "BF16" in say(grid.refusals[1], "en")
    assert "BF16" in say(grid.refusals[1], "zh")
    assert np.isnan(grid.total_s[1, 0])
    mapped = predicted_steps(a_model(), training(precision="tf32"), "tf32", [OLD_CARD], [8])
    assert mapped.refusals == (None,)
    assert [note.code for note in mapped.notes[0]] == ["predict-tf32-runs-as-fp32"]
    without = replace(CARD, fp16_flop_per_s=None)
    refused = predicted_steps(a_model(precision="amp"), training(precision="fp16_amp"), "fp16_amp", [without], [8])
    assert refused.refusals[0] is not None
    assert refused.refusals[0].code == "predict-missing-figures", "a card of its generation has FP16"


def test_a_card_with_missing_figures_says_which() -> None:
    bare = replace(CARD, sm_count=None, memory_bandwidth_bytes_per_s=None)
    grid = predicted_steps(a_model(), training(), "fp32", [bare, CARD], [1, 8])
    assert grid.refusals[0] is not None
    assert "sm_count, memory_bandwidth_bytes_per_s" in say(grid.refusals[0], "en")
    assert np.isnan(grid.total_s[0]).all()
    assert np.isfinite(grid.total_s[1]).all()
    eight = predicted_steps(a_model(precision=TRACE_PRECISIONS["fp8"]), training(), "fp8", [CARD], [8])
    assert eight.refusals[0] is not None
    assert eight.refusals[0].code == "predict-no-fp8"
    vague = replace(CARD, power_w=None, l2_bytes=None)
    noted = predicted_steps(a_model(), training(), "fp32", [vague], [8])
    assert [note.code for note in noted.notes[0]] == ["predict-power-unknown", "predict-cache-unknown"]


def test_nothing_is_asked_and_nothing_is_answered() -> None:
    assert predicted_steps(a_model(), training(), "fp32", [], [8]).total_s.shape == (0, 1)
    assert predicted_steps(a_model(), training(), "fp32", [CARD], []).total_s.shape == (1, 0)


def test_a_trace_of_another_precision_is_a_bug() -> None:
    with pytest.raises(ValueError, match="cannot predict fp16"):
        predicted_steps(a_model(), training(), "fp16", [CARD], [8])


def test_a_grid_is_what_its_cells_are_alone() -> None:
    compiled = compile_table(a_model())
    whole = predicted_steps(compiled, training(), "fp32", [CARD, OLD_CARD], [1, 8])
    alone = predicted_steps(compiled, training(), "fp32", [OLD_CARD], [8])
    assert whole.total_s[1, 1] == pytest.approx(alone.total_s[0, 0])


def test_cards_before_and_after_the_table_get_its_oldest_and_newest_architecture() -> None:
    figures = replace(FIGURES, architectures=tuple(row for row in FIGURES.architectures if not row.amd))
    names = [
        architecture_of(replace(CARD, compute_capability=number), FIGURES).name for number in ("5.2", "6.1", "99.0")
    ]
    assert names[0] == names[1] == figures.architectures[0].name
    last = max(row.from_capability for row in figures.architectures)
    assert names[2] in {row.name for row in figures.architectures if row.from_capability == last}
    later = replace(figures, architectures=tuple(row for row in figures.architectures if row.from_capability >= 7))
    newest = replace(later, architectures=tuple(replace(row, below_capability=9.6) for row in later.architectures[-1:]))
    assert architecture_of(replace(CARD, compute_capability="6.0"), later).from_capability == 7.0
    assert architecture_of(replace(CARD, compute_capability="50.0"), newest) == newest.architectures[0]


def test_a_card_of_amd_has_an_architecture_of_amd_and_no_other_card_has() -> None:
    radeon = replace(CARD, compute_capability=None, amdgpu_target="gfx1100")
    assert architecture_of(radeon, FIGURES).amd
    assert not architecture_of(CARD, FIGURES).amd


def test_power_and_clock_tell_forms_of_one_architecture_apart() -> None:
    small = replace(OLD_CARD, compute_capability="7.5", power_w=70.0)
    large = replace(small, power_w=280.0)
    slow = replace(OLD_CARD, boost_clock_hz=1.38e9)
    full = replace(CARD, compute_capability="8.6", fp32_flop_per_s=38e12, fp16_flop_per_s=154e12)
    halved = replace(full, fp16_flop_per_s=71e12)
    names = [architecture_of(spec, FIGURES).name for spec in (small, large, slow, OLD_CARD, full, halved)]
    assert len(set(names)) == 6


def test_the_parts_of_a_card_are_its_row_of_the_grid() -> None:
    compiled = compile_table(table(op("elementwise", (0.0, 1e8)), dispatches=5))
    grid = predicted_steps(compiled, training(), "fp32", [CARD, OLD_CARD], [1, 8])
    alone = predicted_steps(compiled, training(), "fp32", [OLD_CARD], [1, 8])
    assert grid.of_card(1)["forward_s"].tolist() == alone.forward_s.tolist()
    assert sum(grid.of_card(1).values(), np.zeros((1, 2))).tolist() == alone.total_s.tolist()


def test_by_default_products_stay_fp32_and_convolutions_take_tf32() -> None:
    def device_s(model: OpTable, precision: Precision) -> float:
        grid = predicted_steps(model, training(optimizer="sgd"), precision, [CARD], [32], host=QUICK)
        return float(grid.forward_s[0, 0])

    products, images = table(matmul((0.0, 512.0), 1024, 1024)), table(convolution(64))
    assert device_s(products, "default") == device_s(products, "fp32") > device_s(products, "tf32")
    assert device_s(images, "default") == device_s(images, "tf32") < device_s(images, "fp32")


@pytest.mark.parametrize("precision", ["fp32", "tf32", "bf16_amp"])
def test_what_a_card_computes_of_its_own_lifts_its_shares_and_its_power_limits_alike(precision: Precision) -> None:
    own = CardShare(key=CARD.key, bandwidth=1.0, compute=1.25, run_count=1, sources=("made up",))
    plain, quicker = (device_rates([CARD], precision, replace(FIGURES, cards=cards)) for cards in ((), (own,)))
    for name in ("fp32_share", "single_share", "half_share", "single_limit_flop_per_s", "half_limit_flop_per_s"):
        assert getattr(quicker, name) == pytest.approx(1.25 * getattr(plain, name)), name
    assert quicker.bandwidth_bytes_per_s == pytest.approx(plain.bandwidth_bytes_per_s)


@pytest.mark.parametrize("compiled", [False, True])
def test_layers_of_transformer_engine_bring_fused_work_where_they_run_whole(*, compiled: bool) -> None:
    passes = CompiledPass(ops=(op("fused", (0.0, 1e6)),), dispatch_count={"forward": 1})
    model = compile_table(replace(table(op("norm", (0.0, 8e6)), precision="fp8"), compiled=passes))
    how = training(precision="fp8", fp8_recipe="transformer_engine", compile=compiled)
    whole, alone = (
        predict_steps(
            TracedStep(compiled=model, training=how, precision="fp8", host=QUICK, whole_layers=layers),
            [spec_table()["h100-sxm"]],
            [64],
        ).forward_s.item()
        for layers in (True, False)
    )
    assert whole == alone if compiled else whole < alone / 2
