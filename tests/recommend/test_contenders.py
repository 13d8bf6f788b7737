"""What each device enters the comparison with: as many cards as are worth having, and never more that are slower."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from advisor.measure.measurement import VerdictKind
from advisor.predict.prediction import Device, Prediction
from advisor.recommend.comparison import Finalist
from advisor.recommend.winner import find_contenders, find_winner
from tests.recommend.fakes import comparison
from tests.recommend.test_batch_and_strategy import one


def finalist(key: str, rates: Mapping[int, float], chosen: int) -> Finalist:
    """A device with so many samples a second by its number of cards."""
    device = Device(key=key, name=key, spec_key=key, local=False)
    by_count = {
        count: msgspec.structs.replace(
            one(16, rate, count=count, strategy="single" if count == 1 else "ddp"), device=device
        )
        for count, rate in rates.items()
    }
    return Finalist(chosen=by_count[chosen], by_count=tuple(by_count.values()))


def entered(*finalists: Finalist) -> list[Prediction]:
    return [one.chosen for one in find_contenders(comparison(16, 1024, 4096), finalists)]


def test_each_device_enters_with_as_many_cards_as_are_worth_having() -> None:
    first, second = entered(
        finalist("a", {1: 10, 2: 20, 4: 39}, chosen=4), finalist("b", {1: 8, 2: 15, 4: 20}, chosen=2)
    )
    assert (first.count, second.count) == (4, 4)


def test_a_device_whose_fewer_cards_are_quicker_enters_with_those() -> None:
    """Of cards that share nothing quickly, four that shard may be slower than one that off-loads."""
    _, second = entered(finalist("a", {1: 10, 2: 20, 4: 39}, chosen=4), finalist("b", {1: 5, 2: 3, 4: 4}, chosen=1))
    assert (second.count, second.samples_per_s.value) == (1, 5)


def test_a_device_that_has_no_such_count_enters_with_the_knee_of_its_own() -> None:
    _, second = entered(finalist("a", {1: 10, 2: 20, 4: 39}, chosen=4), finalist("b", {1: 8, 2: 15}, chosen=2))
    assert second.count == 2


def ranked(*finalists: Finalist, untrusted: Mapping[str, VerdictKind] | None = None) -> list[str]:
    asked = comparison(16, 1024, 4096)._replace(untrusted=untrusted or {})
    winner = find_winner(asked, finalists)
    assert winner is not None
    return [row.prediction.device.key for row in winner.rows]


def here(of: Finalist, **changes: object) -> Finalist:
    """The same cards in this machine."""
    device = Device(key="GPU-1", name="a", spec_key="a", local=True)
    found = [msgspec.structs.replace(one, device=device, **changes) for one in of.by_count]
    return Finalist(chosen=found[of.by_count.index(of.chosen)], by_count=tuple(found))


def test_a_card_that_is_here_is_not_tied_with_itself() -> None:
    a, b = finalist("a", {1: 10}, chosen=1), finalist("b", {1: 10}, chosen=1)
    assert sorted(ranked(a, b, here(a))) == ["GPU-1", "b"]
    more = finalist("a", {1: 10, 2: 19}, chosen=2)
    assert sorted(ranked(more, b, here(a))) == ["GPU-1", "a", "b"]


def test_a_card_that_is_here_but_half_full_or_disturbed_does_not_stand_for_a_free_one() -> None:
    a = finalist("a", {1: 10}, chosen=1)
    usable = a.chosen.memory_capacity_bytes
    assert usable is not None
    assert sorted(ranked(a, here(a, memory_capacity_bytes=usable / 2))) == ["GPU-1", "a"]
    measured = msgspec.structs.replace(a.chosen.step_s, basis="measured")
    assert sorted(ranked(a, here(a, step_s=measured), untrusted={"GPU-1": "contended"})) == ["GPU-1", "a"]
