"""Pictures have the sides that were told, else those of the configuration, else assumed ones."""

from __future__ import annotations

import msgspec
import pytest

from advisor.workload.picture_sides import sides_in_config, sides_of_pictures
from advisor.workload.workload_file import load_workload


@pytest.mark.parametrize(
    ("config", "sides"),
    [
        ({"image_size": 96}, (96, 96)),
        ({"image_size": [512, 864]}, (512, 864)),
        ({"vision_config": {"image_size": 336}}, (336, 336)),
        ({"backbone_config": {"image_size": (32, 64)}}, (32, 64)),
        ({"image_size": {"height": 160, "width": 224}}, (160, 224)),
        ({"image_size": {"shortest_edge": 224}}, None),
        ({"image_size": [3, 224, 224]}, None),
        ({"image_size": "224"}, None),
        ({"image_size": 0}, None),
        ({}, None),
    ],
)
def test_a_configuration_tells_one_side_or_both_of_what_it_sees(
    config: dict[str, object], sides: tuple[int, int] | None
) -> None:
    assert sides_in_config(config) == sides


@pytest.mark.parametrize(
    ("configured", "told", "assumed", "sides"),
    [
        ((160, 224), 224, True, (160, 224)),
        ((160, 224), 384, False, (384, 384)),
        (None, 224, True, (224, 224)),
        (None, None, False, (224, 224)),
        ((160, 224), None, False, (160, 224)),
    ],
)
def test_a_side_that_was_given_stands_before_the_configurations_and_that_before_an_assumed_one(
    configured: tuple[int, int] | None, told: int | None, sides: tuple[int, int], *, assumed: bool
) -> None:
    workload = load_workload("resnet50")
    workload = msgspec.structs.replace(
        workload,
        data=msgspec.structs.replace(workload.data, image_size=told),
        assumed=("data.image_size",) if assumed else (),
    )
    assert sides_of_pictures(configured, workload) == sides
