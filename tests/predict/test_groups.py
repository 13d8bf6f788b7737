"""What is asked of predictions of several cards afterwards: their link, another link, unlike cards together."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from advisor.predict.assembly import predict_candidates
from advisor.predict.device_memory import unknown_memory
from advisor.predict.groups import Groups
from advisor.predict.prediction import Prediction
from tests.predict.asked import A100, CPU, HERE, STRANGER, V100, candidate, sources


def asked() -> tuple[dict[tuple[str, int], Prediction], Groups]:
    candidates = [candidate(device, count) for device in (A100, V100, HERE) for count in (1, 2, 4)]
    found = predict_candidates(candidates, sources(), unknown_memory)
    return {(one.device.key, one.count): one for one in found.predictions}, found.groups


def test_the_same_step_over_its_own_link_is_itself_and_over_a_slower_one_longer() -> None:
    predictions, groups = asked()
    two = predictions[(A100.key, 2)]
    link = groups.link(two)
    assert link is not None
    assert groups.step_over(two, link) == pytest.approx(two.step_s.value)
    slow = replace(link, type="given", wire_bytes_per_s=1e8, peer_to_peer=False)
    longer = groups.step_over(two, slow)
    assert longer is not None
    assert longer > 2 * two.step_s.value


def test_what_was_not_predicted_here_has_no_link_traffic_or_cores() -> None:
    predictions, groups = asked()
    two = predictions[(A100.key, 2)]
    elsewhere = (replace(two, precision="tf32"), replace(two, device=STRANGER))
    for one in elsewhere:
        assert groups.link(one) is None
        assert groups.traffic(one) is None
        assert groups.host_core_count(one) is None
    traffic = groups.traffic(two)
    assert traffic is not None
    assert traffic.gradient_bytes == 4e6
    assert groups.step_over(replace(two, batch_size_per_device=9), groups.link(two) or two) is None  # type: ignore[arg-type]


def test_cores_are_known_of_this_machine_alone() -> None:
    predictions, groups = asked()
    assert groups.host_core_count(predictions[(HERE.key, 1)]) == 16
    assert groups.host_core_count(predictions[(A100.key, 1)]) is None


def test_unlike_cards_train_together_at_the_pace_of_the_slowest() -> None:
    predictions, groups = asked()
    mixed = groups.mixed([V100, A100], "fp32", 1)
    assert [{device.key for device in one.devices} for one in mixed] == [{A100.key}, {A100.key, V100.key}]
    alone, both = mixed
    assert alone.step_s == pytest.approx(predictions[(A100.key, 1)].step_s.value)
    assert both.step_s >= predictions[(V100.key, 1)].step_s.value
    assert both.samples_per_s == pytest.approx(16 / both.step_s)
    assert {one.batch_size for one in mixed} == {8}


def test_the_faster_of_unlike_cards_waits_and_of_alike_ones_none() -> None:
    _, groups = asked()
    (alone, both), alike = (groups.mixed(cards, "fp32", 1) for cards in ([V100, A100], [A100, A100, A100]))
    assert alone.waits_s == (0.0,)
    assert both.waits_s[0] > both.waits_s[1] == 0.0
    assert [one.waits_s for one in alike] == [(0.0,) * count for count in (1, 2, 3)]


def test_a_group_with_a_card_that_has_no_step_is_none() -> None:
    _, groups = asked()
    assert groups.mixed([A100, CPU], "fp32", 1) == ()
    assert groups.mixed([A100, V100], "tf32", 1) == ()
