"""A model that chooses its own precision: the trace counts what runs, and says that it is not what was asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from advisor.catalogue.precisions import TracePrecision
from advisor.worker.trace.subject import Subject
from advisor.worker.trace.trace import trace

WIDTH = 64
Own = Callable[[], contextlib.AbstractContextManager[object]]


class Halved(nn.Module):
    """Two layers, the second in the precision that `own` says."""

    def __init__(self, own: Own) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.own = own

    def forward(self, values: Tensor) -> Tensor:
        hidden = self.one(values)
        with self.own():
            hidden = self.two(hidden.float())
        loss: Tensor = hidden.float().sum()
        return loss


def caveats(own: Own, precision: TracePrecision) -> dict[str, object]:
    table = trace(
        Subject(
            build=lambda: Halved(own),
            make_batch=lambda count: (torch.randn(count, WIDTH),),
            step=lambda model, batch: model(*batch),
            device_rules="cuda",
        ),
        precision,
    )
    return {one.code: one.numbers.get("share_fraction") for one in table.caveats}


def test_products_in_a_models_own_half_precision_are_said_where_fp32_was_asked_for() -> None:
    found = caveats(lambda: torch.autocast("cuda", dtype=torch.bfloat16), "fp32")
    assert found["trace-own-half"] == pytest.approx(0.6)  # three products of five: the first layer has no gradient in


def test_products_that_a_model_keeps_in_single_precision_are_said_under_autocast() -> None:
    found = caveats(lambda: torch.autocast("cuda", enabled=False), "amp")
    assert found["trace-own-single"] == pytest.approx(0.6)


@pytest.mark.parametrize("precision", ["fp32", "amp"])
def test_a_model_that_leaves_its_precision_to_others_has_no_remark(precision: TracePrecision) -> None:
    assert not any(code.startswith("trace-own") for code in caveats(contextlib.nullcontext, precision))
