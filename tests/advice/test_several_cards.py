"""What the advice says of several cards, on real predictions: strategies, links, batches, cores, unlike cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.catalogue.precisions import TracePrecision
from advisor.catalogue.strategies import STRATEGY_FACTS
from advisor.core.errors import InputError
from advisor.core.sentences import Language, Reason, say
from advisor.hardware.machine import Machine
from advisor.optable.op_table import OpTable
from advisor.optable.saved_tables import saved_tables
from advisor.optable.totals import table_from_numbers
from advisor.predict.time_to_train import CriticalBatch
from advisor.present.script.launch_script import launch_command
from advisor.present.summary import set_up_line, summarise
from advisor.recommend.recommendation import Recommendation, prediction_of
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import Data, NumbersModel, Training, Workload, with_training
from advisor.workload.workload_file import load_workload

MACHINES = Path(__file__).resolve().parents[1] / "recorded" / "machines"
NUMBERS = Workload(
    name="numbers",
    model=NumbersModel(parameters=110e6, flop_per_sample=1.4e11, activation_bytes_per_sample=2.1e8),
    data=Data(samples=67349),
    training=Training(precision="fp16_amp", batch_size=16),
)


def _machine(*names: str) -> Machine:
    """The recorded machines' cards in the first one's host."""
    machines = [msgspec.json.decode((MACHINES / f"synthetic_{name}.json").read_bytes(), type=Machine) for name in names]
    if len(machines) == 1:
        return machines[0]
    cards = [gpu for machine in machines for gpu in machine.gpus]
    named = tuple(msgspec.structs.replace(gpu, index=n, uuid=f"GPU-{n:04d}") for n, gpu in enumerate(cards))
    return msgspec.structs.replace(machines[0], gpus=named, links=())


def _advice(workload: Workload | str, *keys: str, machine: Machine | None = None, **options: object) -> AdviceRecord:
    work = load_workload(workload) if isinstance(workload, str) else workload
    request = AdviceRequest(workload=work, measure=False, gpu_keys=keys, **options)  # type: ignore[arg-type]
    tables: dict[TracePrecision, OpTable] = dict(saved_tables(work))
    if isinstance(work.model, NumbersModel):
        precisions: tuple[TracePrecision, ...] = ("fp32", "amp")
        tables = {precision: table_from_numbers(work.model, precision) for precision in precisions}
    advice = advice_from_facts(request, Facts(machine=machine or _machine("host_cpu_only"), tables=tables))
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        assert summarise(advice, language).headline
    return advice


def _of(advice: AdviceRecord, code: str) -> Reason | None:
    chosen = advice.recommendation
    every = (*advice.reasons, *advice.caveats, *(chosen.why if chosen is not None else ()))
    return next((reason for reason in every if reason.code == code), None)


def _found(advice: AdviceRecord, code: str) -> Reason:
    reason = _of(advice, code)
    assert reason is not None, code
    return reason


def _chosen(advice: AdviceRecord) -> Recommendation:
    assert advice.recommendation is not None
    return advice.recommendation


def test_who_asks_for_many_cards_is_advised_among_them_though_the_description_has_one_sample_a_card() -> None:
    training = msgspec.structs.replace(NUMBERS.training, batch_size=1)
    one = msgspec.structs.replace(NUMBERS, training=training)
    advice = _advice(one, "h100-sxm", counts=(8, 16, 32), interconnect="NVSwitch + InfiniBand NDR x8", node_count=4)
    entered = [advice.predictions[place] for place in advice.best_set_ups]
    assert {row.count for row in entered} == {8, 16, 32}
    assert max(row.global_batch_size for row in entered) <= 32
    # The usual counts leave the bound where it is.
    usual = _advice(one, "h100-sxm")
    assert max(usual.predictions[place].global_batch_size for place in usual.best_set_ups) <= 8


def test_as_many_cards_as_are_asked_for_may_take_the_workloads_own_batch_each() -> None:
    link: dict[str, Any] = {"interconnect": "NVSwitch + InfiniBand NDR x8", "node_count": 4}
    many = _advice(NUMBERS, "h100-sxm", counts=(32,), **link)
    assert (_chosen(many).count, _chosen(many).batch_size_per_device) == (32, NUMBERS.training.batch_size)
    assert _of(many, "why-batch-beyond") is None
    # A critical batch size that is given bounds them all the same.
    bounded = _advice(
        NUMBERS, "h100-sxm", counts=(32,), critical_batch=CriticalBatch(low=64, high=64, given=True), **link
    )
    assert _chosen(bounded).global_batch_size <= 64


def test_several_cards_come_with_speed_up_efficiency_and_range() -> None:
    advice = _advice("resnet50", "rtx3090")
    chosen = _chosen(advice)
    assert chosen.count > 1
    assert chosen.efficiency is not None
    said = _found(advice, "scaling-efficiency")
    assert said.figure("speed_up_ratio") == pytest.approx(chosen.count * chosen.efficiency.value)
    assert said.figure("low_ratio") < said.figure("speed_up_ratio") < said.figure("high_ratio")


def test_cards_that_only_the_bound_on_the_batch_holds_back_are_said_to_be() -> None:
    reason = _found(_advice("bert_base_sst2", "a100-sxm4-40"), "scaling-batch-bound")
    assert (reason.numbers["more"], reason.numbers["batch"], reason.numbers["smaller_batch"]) == (2, 128, 64)
    assert reason.figure("marginal_fraction") >= 0.7
    assert _of(_advice("bert_base_sst2", "rtx3090"), "why-count-knee") is not None


def test_data_parallel_that_loses_has_its_causes_named() -> None:
    assert _of(_advice("resnet50", "rtx3090"), "scaling-dp-copies") is not None
    assert _of(_advice("resnet50", "a100-sxm4-40"), "scaling-dp-one-process") is not None


def test_numbers_alone_say_that_they_cannot_tell_what_one_process_costs() -> None:
    advice = _advice(NUMBERS, "a100-sxm4-40")
    assert _of(advice, "scaling-dp-untold") is not None
    assert _of(advice, "scaling-dp-one-process") is None
    assert _of(_advice("resnet50", "a100-sxm4-40"), "scaling-dp-untold") is None


def test_the_first_card_under_data_parallel_holds_what_all_put_out() -> None:
    """GPT-2's outputs are its logits over 50,257 words: 1,024 positions of a sample are 103 MB in half precision."""
    advice = _advice("gpt2_small", "a100-sxm4-80")
    reason = _found(advice, "scaling-dp-memory")
    extra = reason.figure("need_bytes") - reason.figure("other_bytes")
    outputs = 1024 * 50_257 * 2 * reason.figure("batch") * reason.figure("count")
    assert extra == pytest.approx(outputs, rel=0.1)


def test_a_pair_without_its_bridge_is_told_what_the_bridge_would_give() -> None:
    reason = _found(_advice("bert_base_sst2", "rtx3090"), "scaling-missing-bridge")
    assert reason.figure("nvlink_step_s") < 0.9 * reason.figure("step_s")
    bridged = _advice("bert_base_sst2", "rtx3090", interconnect="NVLink bridge")
    assert _of(bridged, "scaling-missing-bridge") is None


def test_cards_that_never_had_nvlink_are_compared_with_it() -> None:
    advice = _advice(NUMBERS, "rtx4090", counts=(1, 2))
    assert _found(advice, "scaling-missing-nvlink").figure("nvlink_bytes_per_s") > 1e11
    assert _of(_advice(NUMBERS, "a100-sxm4-40"), "scaling-missing-nvlink") is None


def test_a_grown_global_batch_is_weighed_against_the_samples_it_needs() -> None:
    chosen = _chosen(advice := _advice("resnet50", "a100-sxm4-40"))
    held, scaled = chosen.time_to_train
    assert (held.scaling, held.global_batch_size) == ("held", 64)
    assert (scaled.scaling, scaled.global_batch_size) == ("scaled", chosen.global_batch_size)
    assert scaled.sample_count.low < scaled.sample_count.value < scaled.sample_count.high
    assert _found(advice, "scaling-critical-batch").figure("high_ratio") > 2
    assert _of(advice, "scaling-held-batch") is not None


def test_a_known_critical_batch_narrows_the_time_and_bounds_the_batch() -> None:
    known = CriticalBatch(low=4000, high=4000, given=True)
    advice = _advice("resnet50", "a100-sxm4-40", critical_batch=known)
    chosen = _chosen(advice)
    assert 512 < chosen.global_batch_size <= 4000
    scaled = chosen.time_to_train[-1]
    assert scaled.sample_count.low == scaled.sample_count.high
    assert _of(advice, "scaling-critical-batch") is None
    assert _of(advice, "scaling-critical-batch-given") is not None


def test_the_workloads_own_batch_on_one_device_leaves_nothing_to_weigh() -> None:
    advice = _advice("bert_base_sst2", "rtx3090", counts=(1,), global_batch_size=16)
    assert _chosen(advice).time_to_train == ()
    assert _of(advice, "scaling-learning-rate") is None
    assert _of(advice, "scaling-critical-batch") is None


def test_a_held_global_batch_has_its_own_reasons() -> None:
    advice = _advice("bert_base_sst2", "rtx3090", counts=(1, 2, 4), global_batch_size=50)
    chosen = _chosen(advice)
    assert chosen.global_batch_size == 50
    assert _of(advice, "why-batch-divides") is not None
    assert _found(advice, "scaling-counts-left-out").numbers["counts"] == "4"
    assert {reason.code for one in advice.batch_advice if (reason := one.reason)} == {"why-batch-divides"}


def test_devices_that_do_not_spread_over_the_machines_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be spread evenly over 3 machines"):
        _advice("resnet50", "rtx3090", node_count=3)


def test_several_machines_are_named_in_the_advice_and_in_its_launch_command() -> None:
    advice = _advice(
        "resnet50", "a100-sxm4-40", node_count=2, counts=(2, 8), interconnect="NVSwitch + InfiniBand HDR x8"
    )
    chosen = _chosen(advice)
    assert (chosen.count, chosen.node_count) == (8, 2)
    assert "in 2 machines" in set_up_line(chosen, "en")
    assert "--nnodes 2 --nproc-per-node 4" in launch_command(chosen)
    assert {one.count for one in advice.predictions if one.strategy == "dp"} == {2}, "two stand in one machine"


def test_fewer_cards_than_fill_the_machines_stand_in_as_few_of_them_as_hold_them() -> None:
    words = "NVSwitch + 10GbE"
    of_both = _advice("resnet50", "a100-sxm4-40", node_count=2, counts=(8, 16), interconnect=words)
    alone = _advice("resnet50", "a100-sxm4-40", counts=(8,), interconnect=words)
    eight = {one.set_up: one.step_s for one in of_both.predictions if one.count == 8}
    assert eight == {one.set_up: one.step_s for one in alone.predictions if one.set_up in eight}
    spread = _advice("resnet50", "a100-sxm4-40", node_count=2, counts=(8,), interconnect=words)
    slower = {one.set_up: one.step_s for one in spread.predictions if one.strategy == "ddp"}
    assert all(slower[key].value > eight[key].value for key in slower)


def test_the_cards_of_this_machine_stay_in_it_however_many_machines_are_asked_about() -> None:
    advice = _advice("resnet50", machine=_machine("rtx3090_x2"), node_count=2)
    plain = _advice("resnet50", machine=_machine("rtx3090_x2"))
    assert [one.step_s for one in advice.predictions] == [one.step_s for one in plain.predictions]
    assert _chosen(advice).node_count == 1


def test_an_undescribed_network_between_machines_is_said_and_a_described_one_is_not() -> None:
    assert _of(_advice("resnet50", "a100-sxm4-40", node_count=2), "scaling-network-unstated") is not None
    told = _advice("resnet50", "a100-sxm4-40", node_count=2, interconnect="NVSwitch + InfiniBand HDR x8")
    assert _of(told, "scaling-network-unstated") is None


def test_cards_that_together_do_less_than_one_are_said_to() -> None:
    many = _advice("llama_8b", "h100-sxm", counts=(32,), node_count=4, interconnect="1 GbE")
    assert _found(many, "scaling-fewer-quicker").numbers["count"] == 32
    assert _of(_advice("llama_8b", "h100-sxm", counts=(8,)), "scaling-fewer-quicker") is None


def test_cards_that_wait_for_their_hosts_memory_are_not_said_to_be_quicker_if_fewer() -> None:
    """What it waits for it waits for on fewer cards too."""
    work = with_training(load_workload("llama_8b"), gradient_accumulation_steps=1)
    advice = _advice(work, "rtx4090", counts=(4,))
    row = prediction_of(advice.predictions, _chosen(advice))
    assert row is not None
    assert STRATEGY_FACTS[row.strategy].offloads
    assert row.efficiency is not None
    assert row.efficiency.value * 4 < 1
    assert _of(advice, "scaling-fewer-quicker") is None


def test_unlike_cards_that_gain_together_are_said_to() -> None:
    reason = _found(_advice("resnet50", machine=_machine("rtx3090_x1", "rtx2080ti_x2")), "scaling-uneven-pays")
    assert "2 × " in str(reason.numbers["devices"])
    assert reason.figure("gain_ratio") > 1.1


def test_a_card_that_would_hold_up_the_others_is_said_to() -> None:
    reason = _found(_advice("resnet50", machine=_machine("t4_x1", "rtx4090_x1")), "scaling-uneven-cards")
    assert "T4" in str(reason.numbers["slowest"])
    assert "4090" in str(reason.numbers["devices"])
    assert reason.figure("gain_ratio") > 1.5


def test_alike_cards_and_lone_ones_are_not_called_uneven() -> None:
    for name in ("rtx3090_x2", "rtx4090_x1"):
        codes = {reason.code for reason in _advice("resnet50", machine=_machine(name)).reasons}
        assert not {code for code in codes if code.startswith("scaling-uneven")}


def test_ranks_wait_for_the_cores_of_their_own_host() -> None:
    host = _machine("rtx4090_x8")
    few = msgspec.structs.replace(host, cpu=msgspec.structs.replace(host.cpu, usable_core_count=2))
    plenty = msgspec.structs.replace(host, cpu=msgspec.structs.replace(host.cpu, usable_core_count=64))

    def least_step_s(machine: Machine) -> float:
        steps = [one for one in _advice("resnet50", machine=machine).predictions if one.count == 8]
        return min(one.step_s.value for one in steps if one.strategy == "ddp")

    assert least_step_s(few) > 1.2 * least_step_s(plenty)


def test_fewer_ranks_are_advised_on_a_host_of_few_cores_and_it_is_said() -> None:
    host = _machine("a100-sxm4-40_x8")
    few = msgspec.structs.replace(host, cpu=msgspec.structs.replace(host.cpu, usable_core_count=3))
    short, plenty = _advice("resnet50", machine=few), _advice("resnet50", machine=host)
    assert _chosen(short).count < _chosen(plenty).count == 8
    assert _found(short, "scaling-host-cores").numbers["cores"] == 3
    assert _of(plenty, "scaling-host-cores") is None


def test_every_reason_of_several_cards_is_said_in_both_languages() -> None:
    for workload, key in (("bert_base_sst2", "l40s"), ("resnet50", "v100-sxm2-32"), ("gpt2_small", "rtx4090")):
        advice = _advice(workload, key)
        for reason in advice.reasons:
            assert "{" not in say(reason, "en")
            assert "{" not in say(reason, "zh")
