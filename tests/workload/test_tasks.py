"""What a configuration says of its model's inputs and task, where the workload names no task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.core.errors import InputError
from advisor.workload.model_config import clean_config, task_of_model
from advisor.workload.tasks import DataKind, data_kind
from advisor.workload.workload import HuggingFaceModel
from advisor.workload.workload_file import load_workload


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"model_type": "detr", "architectures": ["DetrForObjectDetection"]}, "image"),
        ({"model_type": "maskformer", "architectures": ["MaskFormerForInstanceSegmentation"]}, "image"),
        ({"model_type": "unheard_of", "architectures": ["UnheardOfForDepthEstimation"]}, "image"),
        ({"model_type": "owlvit", "architectures": ["OwlViTForObjectDetection"], "text_config": {}}, "text"),
        ({"model_type": "bert", "architectures": ["BertForSequenceClassification"]}, "text"),
        ({"model_type": "wav2vec2", "architectures": ["Wav2Vec2ForCTC"]}, "speech"),
        ({"model_type": "bert", "architectures": "BertForObjectDetection"}, "text"),
        ({"model_type": "bert", "architectures": [7]}, "text"),
    ],
)
def test_the_class_that_a_configuration_was_saved_as_tells_what_it_takes(
    config: dict[str, Any], kind: DataKind
) -> None:
    assert data_kind(config) == kind


def test_a_detector_is_asked_for_the_side_of_its_pictures_and_for_no_text() -> None:
    config = {"model_type": "detr", "architectures": ["DetrForObjectDetection"]}
    described: dict[str, Any] = {
        "name": "detector",
        "model": {"source": "huggingface", "config": config},
        "data": {"samples": 100, "image_size": 800},
        "training": {"precision": "fp32", "batch_size": 2},
    }
    assert load_workload(described).data.image_size == 800
    described["data"] = {"samples": 100}
    with pytest.raises(InputError, match="image_size"):
        load_workload(described)


def test_the_task_of_a_model_is_the_workloads_and_else_the_configurations() -> None:
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}
    assert task_of_model(HuggingFaceModel(config=config)) == "causal-lm"
    assert task_of_model(HuggingFaceModel(config=config, task="sequence-classification")) == "sequence-classification"


@pytest.mark.parametrize("model_type", ["mask2former", "deformable_detr", "rt_detr", "sam", "videomae"])
def test_a_type_whose_class_takes_pictures_alone_is_asked_for_their_side_where_its_class_is_not_named(
    model_type: str,
) -> None:
    described: dict[str, Any] = {
        "name": "pictures",
        "model": {"source": "huggingface", "config": {"model_type": model_type}},
        "data": {"samples": 100, "image_size": 384},
        "training": {"precision": "fp32", "batch_size": 2},
    }
    assert load_workload(described).data.image_size == 384


def test_a_model_of_time_series_is_asked_for_no_words() -> None:
    described: dict[str, Any] = {
        "name": "series",
        "model": {"source": "huggingface", "config": {"model_type": "patchtst"}},
        "data": {"samples": 100},
        "training": {"precision": "fp32", "batch_size": 2},
    }
    assert load_workload(described).data.sequence_length is None


def test_a_bare_configuration_is_given_the_side_that_its_part_that_sees_was_made_for(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "sam", "vision_config": {"image_size": 1024}}))
    assert load_workload(str(path)).data.image_size == 1024


def test_a_backbone_of_another_library_can_be_declined_and_never_asked_for() -> None:
    config = {"model_type": "detr", "use_timm_backbone": False}
    assert clean_config(config, "config.json")["use_timm_backbone"] is False
    assert "use_timm_backbone" not in clean_config({**config, "use_timm_backbone": True}, "config.json")
