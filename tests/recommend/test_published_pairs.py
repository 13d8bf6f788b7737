"""Published pairs of switches: written from the tables of runs, chosen by card, and set against a prediction."""

from __future__ import annotations

from typing import get_args

from advisor.core.units import Estimate
from advisor.recommend.published_pairs import PublishedGain, published_gain, published_pairs
from advisor.recommend.switches import Change, SwitchKind, adapter_changes
from advisor.workload.workload import with_training
from advisor.workload.workload_file import load_workload
from tools.write_switch_pairs import language_pairs, vision_pairs


def test_the_shipped_pairs_are_those_of_the_tables_of_runs() -> None:
    pairs = (*language_pairs(), *vision_pairs())
    assert sum(entry.pair_count for entry in published_pairs()) == len(pairs)
    for entry in published_pairs():
        gains = sorted(
            pair[5]
            for pair in pairs
            if pair[:5] == (entry.switch, entry.family, entry.gpu_key, entry.mode, entry.source)
        )
        assert len(gains) == entry.pair_count
        assert abs(gains[0] - entry.least_gain_ratio) <= 5e-4
        assert abs(gains[-1] - entry.greatest_gain_ratio) <= 5e-4
        assert entry.least_gain_ratio <= entry.median_gain_ratio <= entry.greatest_gain_ratio


def test_every_pair_is_of_a_switch_that_can_be_told() -> None:
    assert {entry.switch for entry in published_pairs()} <= set(get_args(SwitchKind))


def test_pairs_of_the_card_itself_come_before_those_of_others() -> None:
    own = published_gain("compile", "vision", "rtx5090", "inference", None)
    others = published_gain("compile", "vision", "l40s", "inference", None)
    assert own is not None
    assert others is not None
    assert (own.same_card, others.same_card) == (True, False)
    assert own.pair_count < others.pair_count
    assert own.bears_out is None


def test_a_prediction_is_borne_out_where_its_range_meets_that_of_the_pairs() -> None:
    found = published_gain("compile", "language", "h100-sxm", "training", None)
    assert found is not None
    middle = found.median_gain_ratio

    def borne_out(low: float, high: float) -> bool | None:
        gain = Estimate(value=(low + high) / 2, low=low, high=high, basis="specified")
        answer = published_gain("compile", "language", "h100-sxm", "training", gain)
        return None if answer is None else answer.bears_out

    assert borne_out(middle - 0.01, middle + 0.01) is True
    assert borne_out(found.greatest_gain_ratio + 0.1, found.greatest_gain_ratio + 0.3) is False


def test_nothing_is_told_of_what_nobody_published() -> None:
    assert published_gain("padded_vocabulary", "language", "h100-sxm", "training", None) is None
    assert published_gain("compile", None, "h100-sxm", "training", None) is None


def test_packed_weights_are_held_against_pairs_with_adapters_on_both_sides_alone() -> None:
    lora = with_training(load_workload("llama_8b"), trainable="lora", lora_rank=16, lora_targets="attention")
    (packed,) = (change for change in adapter_changes(lora) if change.kind == "qlora")
    (from_all,) = (change for change in adapter_changes(load_workload("llama_8b")) if change.kind == "qlora")

    def pairs_of(change: Change) -> PublishedGain | None:
        return published_gain(change.paired_as or change.kind, "language", "a100-sxm4-80", "training", None)

    found = pairs_of(packed)
    assert found is not None
    assert 1.0 < found.least_gain_ratio < found.greatest_gain_ratio < 1.1  # packed weights were quicker there
    assert pairs_of(from_all) is None
