"""What is left of an epoch is dealt out as torch does; a script whose model cannot train on one sample ends well."""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import pytest
import torch
from torch.utils.data import BatchSampler, DistributedSampler, SequentialSampler

from advisor.advice import AdviceRequest, Facts, advice_from_facts, advise_events
from advisor.core.drive import drive
from advisor.optable.op_table import OpTable
from advisor.present.script import launch_script
from advisor.recommend.fixed import Fixed
from advisor.recommend.reasons.last_batch import smallest_last_batch
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord
from advisor.worker.trace.subject import subject_of
from advisor.worker.trace.trace import trace
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.persistence import growing_budgets
from tests.present.fakes import advice
from tests.present.script_forks import run_file
from tests.recommend.fakes import machine

LEFT = list(itertools.product((9, 16, 17, 25, 33), (1, 2, 3), (2, 4, 8)))
"""Samples, devices and batch size of each."""
NORMALISED = """
import torch
from torch import nn


def build_model():
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))


def make_batch(batch_size, length):
    return torch.randn(batch_size, 4), torch.zeros(batch_size, dtype=torch.long)
"""


def chosen(strategy: str, count: int, batch: int) -> Recommendation:
    made = advice().recommendation
    assert made is not None
    return msgspec.structs.replace(made, strategy=strategy, count=count, batch_size_per_device=batch)


@pytest.mark.parametrize(("samples", "count", "batch"), LEFT)
def test_ranks_are_left_what_distributed_sampler_leaves_them(samples: int, count: int, batch: int) -> None:
    data = torch.utils.data.TensorDataset(torch.zeros(samples))
    sampler: DistributedSampler[int] = DistributedSampler(data, num_replicas=count, rank=0)
    *_, last = BatchSampler(sampler, batch, drop_last=False)
    assert smallest_last_batch(samples, chosen("ddp", count, batch)) == len(last)


@pytest.mark.parametrize(("samples", "count", "batch"), LEFT)
def test_copies_in_one_process_are_left_the_chunks_of_a_batch(samples: int, count: int, batch: int) -> None:
    *_, last = BatchSampler(SequentialSampler(range(samples)), batch * count, drop_last=False)
    chunks = torch.arange(len(last)).chunk(count)
    assert smallest_last_batch(samples, chosen("dp", count, batch)) == min(len(chunk) for chunk in chunks)


def normalised(folder: Path, samples: int, batch: int) -> Workload:
    (folder / "model.py").write_text(NORMALISED, encoding="utf-8")
    described = folder / "mine.toml"
    described.write_text(
        'name = "mine"\n[model]\nsource = "python"\nfile = "model.py"\n'
        f"[data]\nsamples = {samples}\nloader_workers = 0\n"
        f'[training]\nbatch_size = {batch}\nprecision = "fp32"\nepochs = 2\n',
        encoding="utf-8",
    )
    return load_workload(described)


def advised(workload: Workload, table: OpTable) -> AdviceRecord:
    request = AdviceRequest(
        workload=workload,
        measure=False,
        gpu_keys=("rtx3090",),
        counts=(1,),
        precisions=("fp32",),
        fixed=Fixed(batch_size=True),
    )
    return advice_from_facts(request, Facts(machine=machine(), tables={"fp32": table}))


@pytest.mark.parametrize(("samples", "single"), [(17, True), (16, False), (18, False)])
def test_advice_and_script_of_a_model_that_cannot_train_on_one_sample(
    tmp_path: Path, samples: int, single: bool
) -> None:
    workload = normalised(tmp_path, samples, 4)
    made = advised(workload, trace(subject_of(workload, "fp32", allow_code=True), "fp32"))
    assert made.main is not None
    assert made.main.batch_size_per_device == 4
    assert ("workload-last-batch-single" in [caveat.code for caveat in made.caveats]) is single
    script = tmp_path / "train.py"
    text = launch_script.render(made)
    script.write_text(text, encoding="utf-8")
    ended = run_file(script)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert f'"steps": {2 * (samples // 4 + (samples % 4 > 1))},' in ended.stdout
    # Without that line torch itself ends it.
    kept = text.replace("        drop_last=single_left,\n", "")
    assert kept != text
    script.write_text(kept, encoding="utf-8")
    failed = run_file(script)
    assert (failed.returncode != 0) is single
    assert ("Expected more than 1 value per channel when training" in failed.stderr) is single


def test_two_ranks_of_one_sample_more_than_whole_batches_train_on(tmp_path: Path) -> None:
    workload = normalised(tmp_path, 18, 4)
    made = advised(workload, trace(subject_of(workload, "fp32", allow_code=True), "fp32"))
    assert made.main is not None
    ranks = msgspec.structs.replace(made.main, strategy="ddp", count=2)
    script = tmp_path / "train.py"
    script.write_text(launch_script.render(made, ranks), encoding="utf-8")
    ended = run_file(script, ranks=2)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert '"steps": 4,' in ended.stdout


def test_a_batch_of_all_copies_drops_what_leaves_one_of_them_a_single_sample() -> None:
    made = advice()
    model = msgspec.structs.replace(made.model, norms_single_values=True)
    text = launch_script.render(msgspec.structs.replace(made, model=model), chosen("dp", 3, 4))
    (condition,) = (line.partition("= ")[2] for line in text.splitlines() if line.strip().startswith("single_left ="))
    for samples in range(13, 60):
        names = {"samples": samples, "BATCH_SIZE": 12}
        assert eval(condition, names) is (smallest_last_batch(samples, chosen("dp", 3, 4)) == 1)


def test_no_set_up_leaves_a_device_a_single_sample_that_the_model_cannot_train_on(tmp_path: Path) -> None:
    workload = normalised(tmp_path, 64, 1)
    table = trace(subject_of(workload, "fp32", allow_code=True), "fp32")
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=("rtx3090",), precisions=("fp32",))
    made = advice_from_facts(request, Facts(machine=machine(), tables={"fp32": table}))
    assert made.main is not None
    assert min(prediction.batch_size_per_device for prediction in made.predictions) == 2
    assert "workload-own-batch-single" in [caveat.code for caveat in made.caveats]
    kept = advised(workload, table)
    assert kept.main is not None
    assert kept.main.batch_size_per_device == 1, "what the user fixes is kept"
    assert "workload-batches-single" in [caveat.code for caveat in kept.caveats]


def test_a_model_that_cannot_train_on_one_sample_is_measured_with_more(tmp_path: Path) -> None:
    """However little is known of the processor when the sizes are chosen."""
    workload = normalised(tmp_path, 64, 1)
    for budget_s in (1.0, *growing_budgets(6.0)):
        request = AdviceRequest(workload=workload, budget_s=budget_s, gpu_keys=(), counts=(1,), allow_code=True)
        made = drive(advise_events(request))
        assert "measure-worker-failed" not in [caveat.code for caveat in made.caveats]
        sizes = {step.batch_size for one in made.measurements for step in one.steps if step.summary is not None}
        if budget_s > 1.0 and sizes:
            break
    assert min(sizes) == 2
