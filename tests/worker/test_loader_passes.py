"""The loader as the worker times it: the workload's samples or the file's own data set, for every kind of model."""

from __future__ import annotations

import statistics
from pathlib import Path

import msgspec
import pytest

from advisor.protocol.messages import LoaderPass, LoaderRequest, WorkerEvent
from advisor.worker.train.loader_passes import answer, quartiles
from advisor.workload.workload import Data, PythonModel, Training, Workload
from advisor.workload.workload_file import load_workload

FILE = """
import time
import torch
from torch import nn


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        time.sleep(0.001)
        return torch.randn(4), torch.tensor(0)


def build_model():
    return nn.Linear(4, 2)


def make_batch(batch_size, length):
    return torch.randn(batch_size, 4), torch.zeros(batch_size, dtype=torch.long)


def make_dataset(length):
    return {made}
"""


class Box:
    def __init__(self) -> None:
        self.sent: list[WorkerEvent] = []

    def send(self, event: WorkerEvent) -> None:
        self.sent.append(event)


def passes(workload: Workload, *sizes: int) -> list[LoaderPass]:
    box = Box()
    data = msgspec.structs.replace(workload.data, loader_workers=0)
    request = LoaderRequest(
        workload=msgspec.structs.replace(workload, data=data), batch_sizes=sizes, budget_s=0.05, allow_code=True
    )
    answer(request, box)  # type: ignore[arg-type]
    return [one for one in box.sent if isinstance(one, LoaderPass)]


def own(folder: Path, made: str) -> Workload:
    folder.joinpath("model.py").write_text(FILE.replace("{made}", made), encoding="utf-8")
    return Workload(
        name="own",
        model=PythonModel(file="model.py"),
        data=Data(samples=1000),
        training=Training(precision="fp32", batch_size=4),
        source_folder=str(folder),
    )


def test_samples_in_memory_stand_for_a_data_set_that_is_not_here() -> None:
    found = passes(load_workload("iris_mlp"), 8, 120, 121)
    assert [(one.batch_size, one.worker_count, one.own_data) for one in found] == [(8, 0, False), (120, 0, False)]
    assert all(0 < one.low_s <= one.made_s == one.ready_s <= one.high_s for one in found)


@pytest.mark.nightly
def test_a_model_of_billions_of_parameters_takes_no_memory_to_time_its_loader() -> None:
    assert [one.batch_size for one in passes(load_workload("llama_8b"), 2)] == [2]


def test_the_data_set_of_the_users_file_is_the_one_that_is_timed(tmp_path: Path) -> None:
    (found,) = passes(own(tmp_path, "Slow()"), 4)
    assert found.own_data
    assert found.made_s >= 4 * 0.001


def test_a_data_set_without_samples_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="make_dataset returned a list without samples"):
        passes(own(tmp_path, "[]"), 4)


@pytest.mark.parametrize("blocks", [[0.005], [0.001, 0.009], [0.009, 0.001, 0.002], [0.001, 0.002, 0.003, 0.004, 0.01]])
def test_the_range_of_a_few_blocks_lies_inside_of_what_they_took(blocks: list[float]) -> None:
    low, middle, high = quartiles(blocks)
    assert min(blocks) <= low <= middle <= high <= max(blocks)
    assert middle == statistics.median(blocks)
