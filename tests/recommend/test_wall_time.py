"""The wall time of a job, from its workload and a predicted step."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from advisor.catalogue.strategies import Strategy
from advisor.claims.predictor import candidate
from advisor.core.sentences import say
from advisor.cost.parts import Part
from advisor.predict.prediction import Prediction
from advisor.recommend.wall_time import (
    calm_interval,
    split_wall_time,
    steps_of,
    validation_pass_s,
    validation_s,
    validation_share,
)
from advisor.workload.workload import Workload
from tests.recommend.fakes import SPECS, TRANSFORMER, predict, workload


def made(work: Workload, **seconds: float) -> Prediction:
    prediction = predict(candidate(SPECS["rtx3090"], "fp32", 16), TRANSFORMER, work)
    parts = tuple(Part(kind=kind, duration_s=value) for kind, value in seconds.items())  # type: ignore[arg-type]
    total = sum(seconds.values())
    return msgspec.structs.replace(
        prediction,
        strategy="ddp",
        parts=parts,
        step_s=msgspec.structs.replace(prediction.step_s, value=total, low=total, high=total),
    )


def test_validation_costs_its_forward_passes() -> None:
    work = workload(samples=1600, validation_samples=320, evaluate_every_steps=10)
    prediction = made(work, forward=1.0, backward=2.0, host=0.3, loader=0.1)
    assert steps_of(work, prediction) == 100
    assert validation_pass_s(work, prediction) == pytest.approx(20 * (1.0 + 0.1 + 0.1))
    assert validation_s(work, prediction) == pytest.approx(10 * 24)
    assert validation_share(work, prediction) == pytest.approx(240 / (240 + 340))


def test_without_an_interval_validation_runs_once_an_epoch_and_without_rows_never() -> None:
    each = workload(samples=1600, validation_samples=320, epochs=3)
    prediction = made(each, forward=1.0, backward=2.0)
    assert validation_s(each, prediction) == pytest.approx(3 * 20)
    assert validation_share(workload(), prediction) is None
    assert validation_s(workload(validation_samples=320, mode="inference"), prediction) == 0
    bare = made(each, optimizer=1.0)
    assert validation_pass_s(each, bare) == 0


def test_the_split_adds_up_and_names_what_to_change_by_gain() -> None:
    work = workload(
        samples=1600, validation_samples=16_000, evaluate_every_steps=10, clip_gradient_norm=1.0, read_loss_every=1
    )
    prediction = made(
        work, forward=1.0, backward=2.0, optimizer=0.2, host=2.0, synchronisation=1.5, loader=1.0, copy=0.1,
        communication=3.0, imbalance=0.1,
    )  # fmt: skip
    split = split_wall_time(work, prediction)
    assert sum(part.duration_s for part in split.parts) == pytest.approx(split.total_s)
    assert sum(part.share_fraction for part in split.parts) == pytest.approx(1)
    assert split.total_s == pytest.approx(100 * prediction.step_s.value + validation_s(work, prediction))
    kinds = {part.kind for part in split.parts}
    assert kinds == {"training", "validation", "loss_reads", "loader", "copy", "launch", "communication", "imbalance"}
    of_step = prediction.part_share("communication") * 100 * prediction.step_s.value
    assert next(part.duration_s for part in split.parts if part.kind == "communication") == pytest.approx(of_step)
    assert split.changes[0].code == "wall-validate-less"
    calm = msgspec.structs.replace(work, data=msgspec.structs.replace(work.data, validation_samples=0))
    changes = split_wall_time(calm, prediction).changes
    gains = [change.figure("gain_s") for change in changes]
    assert gains == sorted(gains, reverse=True)
    assert {change.code for change in changes} == {
        "wall-read-less", "wall-load-faster", "wall-launch-less", "wall-synchronise-less",
    }  # fmt: skip
    for change in (*split.changes, *changes):
        assert say(change, "en")
        assert say(change, "zh")


@pytest.mark.parametrize("strategy", ["fsdp", "fsdp_offload", "zero2", "dp", "tp", "pp"])
def test_accumulating_is_no_help_where_every_pass_sends(strategy: Strategy) -> None:
    work = workload(samples=1600)
    prediction = made(work, forward=1.0, backward=2.0, communication=3.0)
    assert [change.code for change in split_wall_time(work, prediction).changes] == ["wall-synchronise-less"]
    sending = msgspec.structs.replace(prediction, strategy=strategy)
    assert split_wall_time(work, sending).changes == ()


def test_the_micro_batches_that_would_send_half_as_often_are_twice_those_of_the_set_up() -> None:
    work = workload(samples=1600)
    prediction = made(work, forward=1.0, backward=2.0, communication=3.0)
    (change,) = split_wall_time(work, msgspec.structs.replace(prediction, gradient_accumulation_steps=4)).changes
    assert change.figure("steps") == 8


def test_a_healthy_job_has_nothing_to_change() -> None:
    work = workload(samples=1600, read_loss_every=0)
    split = split_wall_time(work, made(work, forward=1.0, backward=2.0, synchronisation=1.0))
    assert split.changes == ()
    assert split.parts[0].kind == "training"


def test_a_calm_interval_makes_validation_five_percent() -> None:
    assert calm_interval(10_000.0, 10.0, 1000) == 19
    assert calm_interval(10_000.0, 0.0, 1000) == 1000
    assert calm_interval(0.0, 10.0, 1000) == 1000
    assert calm_interval(100.0, 1000.0, 1000) == 1000
    assert calm_interval(1_000_000.0, 3000.0, 100_000) == 5700


def test_the_shares_of_the_fake_physics_are_those_of_its_parts() -> None:
    prediction = predict(candidate(SPECS["rtx3090"], "fp32", 16), replace(TRANSFORMER, loader_s=0.1), workload())
    split = split_wall_time(workload(), prediction)
    loader = next(part for part in split.parts if part.kind == "loader")
    assert loader.share_fraction == pytest.approx(0.1 / prediction.step_s.value)
