"""As many machines as a prediction counts are what the advice and its launch line name."""

from __future__ import annotations

import pytest

from advisor.advice import advice_from_facts
from advisor.advice.facts import Facts
from advisor.advice.request import AdviceRequest
from advisor.optable.saved_tables import saved_tables
from advisor.present.script.launch_script import launch_command
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine
from tests.recommend.test_fixed_and_ties import advised


@pytest.mark.parametrize(("count", "machines"), [(8, 1), (9, 1), (12, 2), (16, 2), (20, 4), (64, 8)])
def test_more_cards_than_a_machine_has_are_started_on_as_many_machines_as_were_counted(
    count: int, machines: int
) -> None:
    chosen = advised("bert_base_sst2", "h100-sxm", counts=(count,)).recommendation
    assert chosen is not None
    assert (chosen.count, chosen.node_count) == (count, machines)
    assert count % machines == 0
    ranks = f"--nnodes {machines} --nproc-per-node {count // machines} "
    assert (ranks in launch_command(chosen)) == (machines > 1)


def test_who_says_that_sixteen_cards_stand_in_one_machine_is_believed() -> None:
    workload = load_workload("bert_base_sst2")
    request = AdviceRequest(workload=workload, measure=False, gpu_keys=("h100-sxm",), counts=(16,), node_count=1)
    facts = Facts(machine=machine(), tables=dict(saved_tables(workload)))
    chosen = advice_from_facts(request, facts).recommendation
    assert chosen is not None
    assert (chosen.count, chosen.node_count) == (16, 1)
