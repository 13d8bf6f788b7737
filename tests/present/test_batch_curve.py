"""One rule says which predictions make the curve of a device over its batch sizes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.predict.prediction import Prediction
from advisor.present.batch_curve import batch_curve
from advisor.store.json_file import read

ADVICE = read(Path(__file__).parents[1] / "recorded" / "advice" / "v1.json")
ALONE = next(one for one in ADVICE.predictions if one.device.key == "rtx3090" and one.strategy == "single")


def point(batch_size: int, **changes: object) -> Prediction:
    """A prediction of the one card in FP32."""
    return msgspec.structs.replace(ALONE, precision="fp32", batch_size_per_device=batch_size, fits=True, **changes)


def shown(*points: Prediction, **beside: object) -> list[tuple[int, int]]:
    """Batch size and accumulation steps of what stands on the curve beside such an advice."""
    curve = batch_curve(points, "rtx3090", "fp32", point(8, **beside))
    return [(one.batch_size_per_device, one.gradient_accumulation_steps) for one in curve]


def test_of_one_batch_size_the_least_accumulation_counts_and_sizes_ascend() -> None:
    assert shown(
        point(8, gradient_accumulation_steps=4),
        point(4, gradient_accumulation_steps=8),
        point(8, gradient_accumulation_steps=2),
    ) == [(4, 8), (8, 2)]


def test_the_curve_ends_with_the_first_batch_that_does_not_fit() -> None:
    beyond = [msgspec.structs.replace(point(size), fits=False) for size in (64, 32)]
    assert shown(point(16), *beyond) == [(16, 1), (32, 1)]
    assert shown(*beyond) == [(32, 1)]


def test_a_smaller_batch_that_does_not_fit_is_left_out() -> None:
    assert shown(msgspec.structs.replace(point(4), fits=False), point(8)) == [(8, 1)]


@pytest.mark.parametrize(("beside", "on_curve"), [("single", 8), ("ddp", 8), ("fsdp_offload", 4)])
def test_one_card_off_loads_beside_a_strategy_that_does(beside: str, on_curve: int) -> None:
    points = (point(8), point(4, strategy="fsdp_offload"), point(2, count=2, strategy="ddp"))
    assert shown(*points, strategy=beside) == [(on_curve, 1)]


def test_another_precision_or_card_stands_on_another_curve() -> None:
    other = msgspec.structs.replace(ALONE.device, key="another")
    assert shown(msgspec.structs.replace(point(8), precision="tf32"), point(4, device=other)) == []


def test_what_frees_memory_in_the_advice_frees_it_on_the_curve() -> None:
    tight = [msgspec.structs.replace(point(size), fits=size < 2) for size in (1, 2)]
    freed = [point(size, checkpointing_added=True, gradient_accumulation_steps=3) for size in (1, 2, 4)]
    assert shown(*tight, *freed) == [(1, 1), (2, 1)]
    assert shown(*tight, *freed, checkpointing_added=True) == [(1, 3), (2, 3), (4, 3)]
    assert shown(*tight, checkpointing_added=True) == [(1, 1), (2, 1)], "another card that needs none of it"


def test_where_no_card_alone_was_looked_at_as_many_as_are_advised_make_the_curve() -> None:
    asked = [point(size, count=2, strategy="ddp") for size in (8, 2, 4)]
    fewer = point(2, count=2, strategy="dp")
    advised = {"count": 2, "strategy": "ddp"}
    assert shown(*asked, fewer, **advised) == [(2, 1), (4, 1), (8, 1)]
    accumulated = point(8, count=2, strategy="ddp", gradient_accumulation_steps=4)
    assert shown(*asked, accumulated, **advised, gradient_accumulation_steps=4)[-1] == (8, 4), "the advised set-up"
    assert shown(point(4), *asked, **advised) == [(4, 1)], "one alone was looked at"
    full = msgspec.structs.replace(point(4), fits=False)
    assert shown(full, *asked, **advised) == [(2, 1), (4, 1), (8, 1)], "and holds no step"


def test_another_device_that_was_only_looked_at_in_numbers_has_its_quickest_way_on_the_curve() -> None:
    slow = [point(size, count=4, strategy="fsdp") for size in (2, 4)]
    quick = [msgspec.structs.replace(one, strategy="ddp", samples_per_s=one.samples_per_s.scaled(3.0)) for one in slow]
    beside = msgspec.structs.replace(point(8), device=msgspec.structs.replace(ALONE.device, key="advised"))
    curve = batch_curve([*slow, *quick], "rtx3090", "fp32", beside)
    assert [(one.strategy, one.count, one.batch_size_per_device) for one in curve] == [("ddp", 4, 2), ("ddp", 4, 4)]
