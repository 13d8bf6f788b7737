"""Products with odd sides: torch.compile pads them to what tensor cores want, where that pays."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.cost.operators.device_rates import device_rates
from advisor.cost.operators.device_time import device_seconds
from advisor.optable.compiled_table import compile_table
from tests.cost.busy_time import FIGURES
from tests.cost.small_tables import fixed, matmul, table

ROWS, WIDTH = 16 * 1024, 768


def head_s(
    vocabulary: int,
    *,
    compiled: bool,
    rows: int = ROWS,
    width: int = WIDTH,
    card: str = "a100-sxm4-80",
    precision: Precision = "bf16_amp",
    year: int | None = None,
) -> float:
    """Seconds of a language model's last product."""
    element_bytes = 2 if precision == "bf16_amp" else 4
    head = compile_table(table(matmul(fixed(rows), vocabulary, width, element_bytes=element_bytes)))
    rates = device_rates([spec_table()[card]], precision, FIGURES, year, compiled=compiled)
    return device_seconds(head, rates, np.ones((1, 1)), FIGURES, channels_last=False).forward.item()


@pytest.mark.parametrize("card", ["a100-sxm4-80", "h100-sxm"])
def test_an_odd_vocabulary_costs_a_compiled_step_the_copies_that_pad_it_and_an_eager_one_far_more(card: str) -> None:
    even = head_s(50304, compiled=False, card=card)
    assert head_s(50304, compiled=True, card=card) == even
    assert even < head_s(50257, compiled=True, card=card) < 0.9 * head_s(50257, compiled=False, card=card)
    # Tokens' and words' matrices are small beside the logits, which are written, read and written again.
    copies_s = 2 * ROWS * 50257 * 2 / spec_table()[card].memory_bandwidth_bytes_per_s  # type: ignore[operator] # known
    assert head_s(50257, compiled=True, card=card) - even == pytest.approx(copies_s, rel=0.6)


def test_tf32_products_are_padded_on_hopper_where_odd_ones_are_slow_and_cost_ampere_nothing() -> None:
    slow, padded, even = (
        head_s(size, compiled=compiled, width=8192, card="h100-sxm", precision="tf32")
        for size, compiled in ((50257, False), (50257, True), (50260, True))
    )
    assert even < padded < 0.9 * slow
    assert head_s(50257, compiled=True, precision="tf32") == head_s(50257, compiled=False, precision="tf32")


def test_fp32_products_have_no_tensor_cores_to_be_padded_for() -> None:
    assert head_s(50257, compiled=True, precision="fp32") == head_s(50257, compiled=False, precision="fp32")


def test_a_product_that_waits_for_memory_is_not_padded() -> None:
    assert head_s(50257, compiled=True, rows=8) == head_s(50257, compiled=False, rows=8)


@pytest.mark.parametrize(("year", "pads"), [(2023, False), (2024, True), (None, True)])
def test_the_compiler_pads_from_the_software_of_2024_on(year: int | None, *, pads: bool) -> None:
    assert (head_s(50257, compiled=True, year=year) < head_s(50257, compiled=False, year=year)) == pads
