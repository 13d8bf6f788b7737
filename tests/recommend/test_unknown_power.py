"""Devices whose power nobody published, where energy is the goal."""

from __future__ import annotations

from tests.recommend.test_fixed_and_ties import advised


def test_by_energy_a_card_of_unknown_power_is_shown_with_what_is_quickest_there() -> None:
    unknown = advised("bert_base_sst2", "gh200-96", "h100-sxm", goal="energy")
    by_time = advised("bert_base_sst2", "gh200-96", "h100-sxm")
    assert unknown.recommendation is not None
    assert unknown.recommendation.device.key == "h100-sxm"
    (shown,) = (
        one for one in map(unknown.predictions.__getitem__, unknown.best_set_ups) if one.device.key == "gh200-96"
    )
    assert shown.energy_j is None
    assert by_time.recommendation is not None
    assert shown.set_up == by_time.recommendation.set_up
