"""Configurations of other libraries are refused as such."""

from __future__ import annotations

import pytest

from advisor.core.errors import InputError
from advisor.workload.model_config import clean_config


@pytest.mark.parametrize(
    ("config", "library", "model"),
    [
        ({"_class_name": "UNet2DConditionModel", "sample_size": 64}, "diffusers", "UNet2DConditionModel"),
        ({"architecture": "resnet50d", "num_classes": 10}, "timm", "resnet50d"),
    ],
)
def test_a_configuration_of_another_library_is_refused_by_its_name(
    config: dict[str, object], library: str, model: str
) -> None:
    with pytest.raises(InputError, match=f"a configuration of {library} .*{model}") as caught:
        clean_config(config, "config.json")
    assert "build_model" in caught.value.remedy
