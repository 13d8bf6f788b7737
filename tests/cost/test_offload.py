"""Off-loading: what crosses the slot, what the host updates, what hides, and what stays on which memory."""

from __future__ import annotations

import dataclasses
from typing import get_args

import msgspec
import numpy as np
import pytest

from advisor.catalogue.links import PINNED_COPY_SHARE
from advisor.catalogue.precisions import Precision
from advisor.cost.memory.offloaded import kept_bytes, offloaded_bytes, on_device_fraction
from advisor.cost.scaling.offload import FASTEST_HOST_OPTIMIZER, Offloading, Place, offloaded_step, offloading_of
from advisor.cost.scaling.scaling_figures import scaling_figures
from advisor.optable.op_table import OpTable, at
from advisor.workload.workload import Offload, Trainable, Training
from tests.accuracy.tables import load_table
from tests.cost.small_tables import need_of

SLOT = 10e9
RATE = PINNED_COPY_SHARE * SLOT
ASSUMED = scaling_figures().assumed
WEIGHTS, GRADIENTS, UPDATE = 4e9, 4e9, 28e9


def step(offloading: Offloading, forward_s: float, backward_s: float, *, rounds: int = 1, share: float = 1.0):  # type: ignore[no-untyped-def]  # noqa: ANN201 - a tuple of arrays
    parts = {"forward_s": np.array([forward_s * rounds]), "backward_s": np.array([backward_s * rounds])}
    return offloaded_step(
        offloading,
        Place(SLOT, share, share, rounds),
        parts,
        parameter_bytes=WEIGHTS,
        gradient_bytes=GRADIENTS,
        batch_sizes=np.array([8.0]),
        assumed=ASSUMED,
    )


def test_an_off_loaded_optimizer_copies_gradients_beside_backward_and_weights_after_its_update() -> None:
    optimizer = Offloading(kind="optimizer", update_bytes=UPDATE)
    long, short = step(optimizer, 1.0, 10.0), step(optimizer, 0.1, 0.2)
    assert long.copy_s == pytest.approx(WEIGHTS / RATE)
    assert short.copy_s == pytest.approx(WEIGHTS / RATE + GRADIENTS / RATE - 0.2)
    assert long.update_s == pytest.approx(UPDATE / ASSUMED.host_optimizer_bytes_per_s)
    assert long.slow_s == pytest.approx(GRADIENTS / RATE)
    at_best = long.copy_s + long.update_s - long.quick_s
    assert at_best == pytest.approx(
        max(UPDATE / ASSUMED.host_optimizer_bytes_per_s / FASTEST_HOST_OPTIMIZER, WEIGHTS / RATE)
    )


def test_off_loaded_weights_come_up_twice_a_micro_batch_and_the_update_once_a_step() -> None:
    weights = Offloading(kind="parameters", update_bytes=UPDATE)
    once, four = step(weights, 1.0, 2.0), step(weights, 1.0, 2.0, rounds=4)
    assert once.copy_s == pytest.approx((2 * WEIGHTS + GRADIENTS) / RATE)
    assert four.copy_s == pytest.approx(4 * once.copy_s)
    assert four.update_s == pytest.approx(once.update_s)
    at_best = once.copy_s + once.update_s - once.quick_s
    quickest = UPDATE / ASSUMED.host_optimizer_bytes_per_s / FASTEST_HOST_OPTIMIZER
    assert at_best == pytest.approx(max(0.0, (2 * WEIGHTS + GRADIENTS) / RATE - 3.0) + quickest)
    half = step(weights, 1.0, 2.0, share=0.5)
    assert half.copy_s == pytest.approx(once.copy_s / 2)


def test_off_loaded_weights_come_up_once_where_there_is_no_way_back() -> None:
    table = load_table("opt_350m", 512, "half", "inference", fused=True)
    training = Training(precision="bf16_true", mode="inference", batch_size=8, offload="parameters")
    weights = offloading_of(training, table, (0.0, 0.0))
    assert weights.update_bytes == 0.0
    assert step(dataclasses.replace(weights, gradient_ratio=0.0), 1.0, 0.0).copy_s == pytest.approx(WEIGHTS / RATE)


def test_off_loaded_activations_cost_what_is_too_long_to_hide() -> None:
    activations = Offloading(kind="activations", kept_bytes=(0.0, 2e9))
    one_way = 8 * 2e9 / RATE
    hidden, bare = step(activations, 10.0, 10.0), step(activations, 0.5, 1.0)
    assert hidden.copy_s == pytest.approx(0.0)
    assert hidden.slow_s == pytest.approx(2 * one_way)
    assert bare.copy_s == pytest.approx(2 * one_way - 1.5)
    assert hidden.update_s is None
    four = step(activations, 0.5, 1.0, rounds=4)
    assert four.copy_s == pytest.approx(4 * bare.copy_s)


def test_without_a_timeline_nothing_is_known_to_be_kept_for_backward() -> None:
    assert kept_bytes(msgspec.structs.replace(_bert(), memory=None)) == (0.0, 0.0)


@pytest.mark.parametrize("kind", [kind for kind in get_args(Offload) if kind != "none"])
def test_off_loading_moves_memory_from_the_device_to_the_host(kind: Offload) -> None:
    table, plain = _bert(), _training()
    moved = msgspec.structs.replace(plain, offload=kind)
    needs = [_need(table, training) for training in (plain, moved)]
    assert needs[1] < needs[0]
    assert offloaded_bytes(table, plain, "fp32", "none", 8) == 0.0
    assert offloaded_bytes(table, moved, "fp32", kind, 8) >= 0.8 * (needs[0] - needs[1])


def test_what_forward_keeps_is_off_loaded_but_for_two_blocks() -> None:
    table = _bert()
    assert on_device_fraction(table) == pytest.approx(2 / 12)
    assert offloaded_bytes(table, _training(), "fp32", "activations", 8) == pytest.approx(
        at(kept_bytes(table), 8) * 10 / 12
    )


def test_a_hosts_update_moves_what_the_optimizer_must_read_and_write_of_what_is_trained() -> None:
    table = _bert()
    found = offloading_of(_training(), table, (0.0, 0.0))
    assert found.update_bytes == 28.0 * table.trainable_parameter_count


@pytest.mark.parametrize(
    ("precision", "trainable", "ratios"),
    [
        ("fp32", "all", (1.0, 1.0)),
        ("bf16_amp", "all", (2.0, 1.0)),
        ("bf16", "all", (2.0, 2.0)),
        ("bf16_true", "all", (1.0, 1.0)),
        ("bf16_amp", "lora", (1.0, 1.0)),
    ],
)
def test_shards_of_fp32_are_copied_whole_whatever_they_are_cast_to(
    precision: Precision, trainable: Trainable, ratios: tuple[float, float]
) -> None:
    training = Training(precision=precision, batch_size=8, trainable=trainable, offload="parameters")
    found = offloading_of(training, _bert(), (0.0, 0.0))
    assert (found.resting_ratio, found.gradient_ratio) == ratios
    bare = dataclasses.replace(found, resting_ratio=1.0, gradient_ratio=1.0)
    (whole,), (cast,) = step(found, 1e-9, 1e-9).copy_s, step(bare, 1e-9, 1e-9).copy_s
    assert whole / cast == pytest.approx((2 * WEIGHTS * ratios[0] + GRADIENTS * ratios[1]) / (2 * WEIGHTS + GRADIENTS))


def _bert() -> OpTable:
    return load_table("bert_base_squad", 384, "fp32", "training")


def _training() -> Training:
    return Training(precision="fp32", batch_size=8)


def _need(table: OpTable, training: Training) -> float:
    found = need_of(table, training, "fp32", 8, compute_capability="8.0")
    return found.need_bytes
