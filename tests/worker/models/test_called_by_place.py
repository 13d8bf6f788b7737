"""A model file whose functions fail is told what they were called with, by its own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from advisor.core.errors import InputError
from tests.worker.models.test_load_model_python_file import GOOD, loaded

if TYPE_CHECKING:
    from pathlib import Path


def test_a_batch_maker_that_takes_a_device_where_the_length_comes_sees_it(tmp_path: Path) -> None:
    code = GOOD.replace("make_batch(batch_size, length, ", "make_batch(size, device, ")
    code = code.replace("torch.randn(batch_size, ", "torch.tensor([1.0]).to(device), torch.randn(size, ")
    with pytest.raises(InputError, match=r"net\.py: make_batch\(size=2, device=8\) raised"):
        loaded(tmp_path, code).make_batch(2)


def test_a_function_without_such_arguments_is_named_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="net\\.py: build_model raised ValueError: `no`"):
        loaded(tmp_path, "def build_model(classes):\n    raise ValueError('no')\n")
