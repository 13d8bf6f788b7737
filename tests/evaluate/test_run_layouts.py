"""How the devices of a published run split its work, as tables write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.core.sentences import say
from advisor.cost.layout import Layout
from tests.evaluate.test_run_rows import HEADER, ROW, rows_of


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("fsdp(zero3) x8", "fsdp"),
        ("fsdp1(zero3) x2", "fsdp"),
        ("fsdp2 x8", "fsdp"),
        ("zero2 (FSDP SHARD_GRAD_OP) x512", "zero2"),
        ("ddp (FSDP NO_SHARD) x2", "ddp"),
        ("ZeRO-1", "zero1"),
        ("megatron-deepspeed dp4 zero1 tp1 pp1", "zero1"),
        ("megatron dp8 (distributed optimizer) tp1 pp1 cp1", "zero1"),
        ("Megatron-LM dp8", "ddp"),
        ("DeepSpeed ZeRO-3", "fsdp"),
        ("deepspeed_zero2", "zero2"),
        ("ZeRO stage 1", "zero1"),
        ("FSDP full shard", "fsdp"),
        ("hybrid_shard", "hsdp"),
        ("DistributedDataParallel", "ddp"),
        ("DataParallel", "dp"),
        ("fsdp2 x8 reshard_after_forward=never (zero2)", "zero2"),
        ("fsdp2 x8 reshard_after_forward=True", "fsdp"),
        ("megatron dp8 (distributed optimizer) tp1 pp1 cp1 vp1", "zero1"),
        ("dp8 tp1 zero1 group=all", "zero1"),
        ("dp8 tp1 zero1 group=8", "zero1"),
    ],
)
def test_what_replicas_share_is_read_with_a_remark_and_a_degree(tmp_path: Path, cell: str, meant: str) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",n_gpus,parallel", f"{ROW},8,{cell}")
    assert row.problem is None
    assert row.layout.data_parallel == meant


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("fsdp2 x8 + tp8", Layout(data_parallel="fsdp", count=64, tensor=8)),
        ("dp8 zero1 tp4 pp2", Layout(data_parallel="zero1", count=64, tensor=4, pipeline=2)),
        ("fsdp2 x2 + cp4", Layout(data_parallel="fsdp", count=64, context=4)),
        ("tp=8", Layout(data_parallel="ddp", count=64, tensor=8)),
    ],
)
def test_degrees_named_beside_what_replicas_share_are_read(tmp_path: Path, cell: str, meant: Layout) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",n_gpus,parallel", f"{ROW},64,{cell}")
    assert row.problem is None
    assert row.layout == meant


@pytest.mark.parametrize(
    "cell",
    [
        "fsdp2 x8 + tp8 async-TP",
        "megatron dp4 tp4 pp8 cp1 vp6",
        "sequence parallel",
        "dp64 tp1 zero1 group=8",
        "dp8 zero1 group=80",
        "fsdp2 reshard_after_forward=4",
        "ddp reshard_after_forward=never",
        "single",
        "none",
    ],
)
def test_a_layout_with_more_than_degrees_is_refused_with_the_words_that_are_read(tmp_path: Path, cell: str) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",n_gpus,parallel", f"{ROW},64,{cell}")
    assert row.problem is not None
    assert "tpN ppN cpN" in say(row.problem, "en")


def test_degrees_that_two_columns_tell_differently_are_refused(tmp_path: Path) -> None:
    (row, same) = rows_of(tmp_path, HEADER + ",n_gpus,tp,parallel", ROW + ",8,4,ddp tp8", ROW + ",8,4,ddp tp4")
    assert row.problem is not None
    assert "tp=4" in say(row.problem, "en")
    assert same.layout.tensor == 4


def test_degrees_beside_what_replicas_share_must_divide_the_cards(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",n_gpus,parallel", ROW + ",8,ddp tp3")
    assert row.problem is not None
    assert "ddp tp3" in say(row.problem, "en")


@pytest.mark.parametrize(
    ("cell", "whole"),
    [("fsdp x2", True), ("fsdp1(zero3) x2", True), ("hsdp", True), ("fsdp2 x8", False), ("zero3", False)],
)
def test_the_second_generation_of_full_sharding_and_deepspeed_gather_no_modules(
    tmp_path: Path, cell: str, *, whole: bool
) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",n_gpus,parallel", f"{ROW},8,{cell}")
    assert row.problem is None
    assert row.shards_modules is whole


def test_one_card_alone_may_say_so(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, HEADER + ",n_gpus,parallel", ROW + ",1,single (deepspeed)")
    assert row.problem is None
    assert row.layout == Layout(data_parallel="single")
