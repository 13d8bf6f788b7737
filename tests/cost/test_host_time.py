from __future__ import annotations

from dataclasses import replace
from typing import Literal

import msgspec
import numpy as np
import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.cost.efficiencies import efficiencies
from advisor.cost.host_time import HostSpeed, host_seconds, joined_seconds, slower_host_factor
from advisor.cost.optimizer_cost import OptimizerCost, optimizer_cost
from advisor.cost.traced_step import TracedStep
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_columns import Floats
from advisor.optable.op_table import CompiledPass, Op
from advisor.workload.workload import Mode
from tests.cost.small_tables import convolution, op, table, training


@pytest.mark.parametrize("host_over_device", [0.1, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("slowness", [0.5, 1.0, 4.0])
def test_what_waits_for_a_host_tells_what_a_slower_one_would_make_of_the_step(
    host_over_device: float, slowness: float
) -> None:
    device = np.array([[1.0]])
    step, slower = (joined_seconds(device, host_over_device * factor) for factor in (1.0, slowness))
    found = slower_host_factor((step - device) / step, slowness)
    assert found.item() == pytest.approx((slower / step).item(), rel=1e-3)


def test_a_step_that_waits_for_its_host_alone_takes_as_long_as_that_and_one_that_never_does_stays() -> None:
    found = slower_host_factor(np.array([[1.0, 0.0]]), 4.0)
    assert found[0] == pytest.approx([4.0, 1.0], rel=1e-3)


def test_a_compiled_step_launches_its_fused_kernels_forward_and_backward() -> None:
    passes = CompiledPass(ops=(), dispatch_count={"forward": 300, "backward": 500})
    traced = msgspec.structs.replace(table(op("elementwise", (0.0, 1e6)), dispatches=5), compiled=passes)
    how = training(compile=True)
    compiled, assumed = compile_table(traced), efficiencies().assumed
    cost = optimizer_cost(how, "fp32", 0.0, 0.0)
    host = HostSpeed(forward_s_per_dispatch=1e-5, backward_s_per_dispatch=2e-5, optimizer_s_per_dispatch=0.0)
    twice = HostSpeed(forward_s_per_dispatch=1e-5, backward_s_per_dispatch=4e-5, optimizer_s_per_dispatch=0.0)
    slower, faster = (host_seconds(compiled, how, cost, speed, assumed, batch_size=1) for speed in (twice, host))
    assert slower - faster == pytest.approx(500 * 2e-5 * assumed.compiled_launch)


def test_convolutions_and_batch_norms_cost_the_host_several_dispatches_unless_compiled() -> None:
    how, assumed = training(), efficiencies().assumed
    cost = optimizer_cost(how, "fp32", 0.0, 0.0)

    def issued_s(*ops: Op, compile_it: bool = False) -> Floats | float:
        passes = CompiledPass(ops=(), dispatch_count={"forward": 3, "backward": 0})
        traced = msgspec.structs.replace(table(*ops, dispatches=5), compiled=passes)
        return host_seconds(
            compile_table(traced), training(compile=compile_it), cost, HostSpeed(), assumed, batch_size=1
        )

    norm = msgspec.structs.replace(op("norm", (0.0, 1e6)), name="native_batch_norm", count=3)
    forward, backward = convolution(64), convolution(64, direction="weight_gradient")
    others = tuple(op("elementwise", (0.0, 1e6), phase=phase) for phase in ("forward", "backward"))
    of_convolution, of_norm = assumed.host_convolution_dispatches - 1.0, assumed.host_batch_norm_dispatches - 1.0
    further = of_convolution * (1.0 + assumed.host_backward_share) + 3 * of_norm
    found = issued_s(forward, backward, norm) - issued_s(*others)
    assert found == pytest.approx(further * assumed.host_s_per_dispatch)
    assert issued_s(forward, backward, norm, compile_it=True) == issued_s(*others, compile_it=True)


def test_selective_checkpointing_asks_its_policy_about_every_operator_of_forward_unless_compiled() -> None:
    traced = table(op("elementwise", (0.0, 1e6)), dispatches=5)
    passes = CompiledPass(ops=(), dispatch_count={"forward": 300, "backward": 500})
    compiled, assumed = compile_table(msgspec.structs.replace(traced, compiled=passes)), efficiencies().assumed
    usual = HostSpeed()
    slow = HostSpeed(forward_s_per_dispatch=2.0 * assumed.host_s_per_dispatch)

    def issued_s(host: HostSpeed, kind: Literal["selective", "full"], *, compile_it: bool = False) -> Floats | float:
        how = training(activation_checkpointing=kind, compile=compile_it)
        return host_seconds(compiled, how, optimizer_cost(how, "fp32", 0.0, 0.0), host, assumed, batch_size=1)

    asked = 5 * assumed.selective_s_per_dispatch
    assert issued_s(usual, "selective") - issued_s(usual, "full") == pytest.approx(asked)
    assert issued_s(slow, "selective") - issued_s(slow, "full") == pytest.approx(2.0 * asked)
    assert issued_s(usual, "selective", compile_it=True) == issued_s(usual, "full", compile_it=True)


def test_an_optimizer_that_backward_calls_is_called_once_a_tensor() -> None:
    compiled, assumed = compile_table(table(op("elementwise", (0.0, 1e6)), dispatches=5)), efficiencies().assumed

    def cost(*, in_backward: bool) -> OptimizerCost:
        how = training(optimizer="adamw", fused_optimizer=True, optimizer_in_backward=in_backward)
        return optimizer_cost(how, "fp32", 1e6, 40)

    def issued_s(*, in_backward: bool) -> Floats | float:
        return host_seconds(compiled, training(), cost(in_backward=in_backward), HostSpeed(), assumed, batch_size=1)

    together, alone = cost(in_backward=False), cost(in_backward=True)
    assert (together.update_count, alone.update_count) == (1, 40)
    assert alone.kernel_count == 40, "a kernel a tensor"
    assert alone.moved_bytes == together.moved_bytes
    calls = (alone.dispatch_count - together.dispatch_count) * assumed.host_s_per_dispatch
    assert issued_s(in_backward=True) - issued_s(in_backward=False) == pytest.approx(39 * assumed.host_update_s + calls)


def test_software_of_2020_and_2021_takes_longer_for_each_operator_and_longer_still_for_backward_of_convolutions() -> (
    None
):
    how, assumed = training(mode="forward_backward"), efficiencies().assumed
    cost = optimizer_cost(how, "fp32", 0.0, 0.0)

    def issued_s(year: int | None, *ops: Op) -> Floats | float:
        compiled = replace(compile_table(table(*ops, dispatches=5)), parameter_tensor_count=0)
        return host_seconds(compiled, how, cost, HostSpeed(), assumed, year, batch_size=1)

    plain = op("elementwise", (0.0, 1e6))
    of_each = (
        5 * (1.0 + assumed.host_backward_share) * (assumed.earlier_host_s_per_dispatch - assumed.host_s_per_dispatch)
    )
    assert issued_s(2021, plain) - issued_s(2022, plain) == pytest.approx(of_each)
    assert issued_s(2022, plain) == issued_s(2025, plain) == issued_s(None, plain)
    norm = msgspec.structs.replace(op("norm", (0.0, 1e6), phase="backward"), name="native_batch_norm_backward", count=3)
    slow = (convolution(64, direction="weight_gradient"), norm)
    others = tuple(msgspec.structs.replace(plain, phase="backward") for _ in slow)
    further = [issued_s(year, *slow) - issued_s(year, *others) for year in (2021, 2022)]
    widened = assumed.earlier_host_s_per_dispatch / assumed.host_s_per_dispatch
    expected = 4 * assumed.earlier_host_backward_dispatches * assumed.earlier_host_s_per_dispatch
    assert further[0] - further[1] * widened == pytest.approx(expected)


def test_gradients_that_are_kept_cost_the_host_two_operators_a_tensor_before_pytorch_2() -> None:
    compiled = replace(compile_table(table(op("elementwise", (0.0, 1e6)), dispatches=5)), parameter_tensor_count=40)
    assumed = efficiencies().assumed

    def issued_s(year: int | None, mode: Mode) -> Floats | float:
        how = training(mode=mode, gradient_accumulation_steps=4)
        return host_seconds(
            compiled, how, optimizer_cost(how, "fp32", 0.0, 0.0), HostSpeed(), assumed, year, batch_size=1
        )

    kept = issued_s(2022, "forward_backward") - issued_s(2023, "forward_backward")
    assert kept == pytest.approx(40 * 2.0 * assumed.host_s_per_dispatch), "cleared once a step"
    assert issued_s(2022, "inference") == issued_s(2023, "inference")
    assert issued_s(None, "forward_backward") == issued_s(2026, "forward_backward")


def test_the_host_of_a_card_for_desktops_is_quicker_than_a_server_but_not_with_software_before_1_10() -> None:
    how, assumed = training(mode="forward_backward"), efficiencies().assumed
    compiled = replace(compile_table(table(op("elementwise", (0.0, 1e6)), dispatches=5)), parameter_tensor_count=0)
    cost = optimizer_cost(how, "fp32", 0.0, 0.0)

    def issued_s(year: int | None, host: HostSpeed | None = None, *, desktop: bool) -> Floats | float:
        return host_seconds(compiled, how, cost, host or HostSpeed(), assumed, year, batch_size=1, desktop=desktop)

    quicker = assumed.desktop_host_s_per_dispatch / assumed.host_s_per_dispatch
    assert quicker < 1.0
    assert issued_s(None, desktop=True) == pytest.approx(quicker * issued_s(None, desktop=False))
    assert issued_s(2021, desktop=True) == issued_s(2021, desktop=False)
    measured = HostSpeed(forward_s_per_dispatch=6e-6, backward_s_per_dispatch=5e-6, optimizer_s_per_dispatch=6e-6)
    assert issued_s(None, measured, desktop=True) == issued_s(None, measured, desktop=False)


def test_each_card_has_the_host_that_such_cards_stand_in() -> None:
    assumed, specs = efficiencies().assumed, spec_table()
    compiled = compile_table(table(op("elementwise", (0.0, 1e6)), dispatches=5))
    step = TracedStep(compiled=compiled, training=training(), precision="fp32")
    keys = ("a100-sxm4-80", "rtx4090", "rtx6000ada", "rtx4090-laptop", "titanrtx", "rx7900xtx")
    server, *others, unknown = step.issue_s([*(specs[key] for key in keys), None], np.ones(1), assumed)[:, 0]
    quicker = pytest.approx(server * assumed.desktop_host_s_per_dispatch / assumed.host_s_per_dispatch)
    assert others == [quicker, server, quicker, quicker, server]
    assert unknown == server
