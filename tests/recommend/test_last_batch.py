"""A last batch of one sample is said where it would end training, and nowhere else."""

from __future__ import annotations

import msgspec
import pytest

from advisor.optable.saved_tables import saved_tables
from advisor.recommend.reasons.last_batch import single_sample_caveat
from advisor.recommend.recommendation import Recommendation
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.present.fakes import advice


def chosen(strategy: str, count: int, batch: int) -> Recommendation:
    made = advice().recommendation
    assert made is not None
    return msgspec.structs.replace(made, strategy=strategy, count=count, batch_size_per_device=batch)


def of_iris(samples: int, mode: str = "training") -> Workload:
    workload = load_workload("iris_mlp")
    data = msgspec.structs.replace(workload.data, samples=samples)
    training = msgspec.structs.replace(workload.training, mode=mode)
    return msgspec.structs.replace(workload, data=data, training=training)


@pytest.mark.parametrize(
    ("samples", "batch", "normalised", "mode", "codes"),
    [
        (121, 12, True, "training", ["workload-last-batch-single"]),
        (120, 12, True, "training", []),
        (122, 12, True, "training", []),
        (121, 12, False, "training", []),
        (121, 12, True, "inference", []),
        (120, 1, True, "training", ["workload-batches-single"]),
    ],
)
def test_what_ends_training_is_said_and_nothing_else(
    samples: int, batch: int, normalised: bool, mode: str, codes: list[str]
) -> None:
    tables = saved_tables(load_workload("iris_mlp")).values()
    told = [msgspec.structs.replace(table, norms_single_values=normalised) for table in tables]
    said = single_sample_caveat(of_iris(samples, mode), chosen("single", 1, batch), told)
    assert [one.code for one in said] == codes


def test_nothing_advised_is_left_nothing() -> None:
    assert single_sample_caveat(of_iris(121), None, saved_tables(load_workload("iris_mlp")).values()) == ()
