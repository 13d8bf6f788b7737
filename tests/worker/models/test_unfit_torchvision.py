"""A torchvision whose extension was built for another torch keeps no model of transformers from being built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_UNFIT = """
import torch

@torch.library.register_fake("torchvision::nms")
def nms(boxes, scores, threshold):
    return boxes
"""
_BUILDS = """
from advisor.worker.models.load_model import load
from advisor.workload.workload_file import load_workload

sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
load(
    load_workload(
        {
            "name": "small",
            "model": {
                "source": "huggingface",
                "task": "sequence-classification",
                "config": {"model_type": "bert", "vocab_size": 50, **sizes},
            },
            "data": {"samples": 8, "sequence_length": 8},
            "training": {"precision": "fp32", "batch_size": 1},
        }
    ),
    device="cpu",
)
import torchvision
print("built")
"""


def test_a_model_of_transformers_is_built_beside_a_torchvision_that_does_not_fit(tmp_path: Path) -> None:
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text(_UNFIT, encoding="utf-8")
    paths = [str(tmp_path), *(path for path in sys.path if path)]
    done = subprocess.run(
        [sys.executable, "-c", _BUILDS],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip().endswith("built"), done.stderr[-2000:]
