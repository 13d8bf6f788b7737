"""Convolutions: Winograd, one dimension, layouts, groups, directions and the width of FP32 units."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from advisor.catalogue.precisions import Precision
from advisor.optable.op_table import ConvolutionPass
from tests.cost.busy_time import FITTED, seconds
from tests.cost.small_tables import CARD, convolution


def test_winograd_speeds_up_square_kernels_of_unit_stride_in_fp32_only() -> None:
    def rate(kernel: int, precision: Precision) -> float:
        layer = convolution(256, kernel=kernel)
        return layer.flop[1] * 32 / seconds([layer], precision, batch=32.0)

    assert rate(3, "fp32") > 1.3 * rate(5, "fp32")
    assert rate(3, "tf32") < 1.3 * rate(5, "tf32")


def test_convolutions_in_fp32_gain_little_from_a_second_set_of_fp32_units() -> None:
    """CARD has 64 of them a multiprocessor; narrower ones than those are not taken to be easier to feed."""

    def speed_up(units: float, precision: Precision) -> float:
        rate = CARD.fp32_flop_per_s or 0.0
        other = replace(CARD, fp32_flop_per_s=units * rate, power_w=1e6)
        layer = [convolution(256, kernel=3)]
        own = replace(CARD, power_w=1e6)
        return seconds(layer, precision, own, batch=64.0) / seconds(layer, precision, other, batch=64.0)

    exponent = FITTED.convolution_units_exponent
    assert speed_up(2.0, "fp32") == pytest.approx(2.0 ** (1.0 - exponent), rel=0.05)
    assert speed_up(0.5, "fp32") == pytest.approx(0.5, rel=0.05)
    assert speed_up(2.0, "tf32") == pytest.approx(1.0, rel=0.05)


def test_one_dimensional_kernels_run_at_their_share_of_square_ones() -> None:
    line = convolution(512, kernel_elements=3, positions=(0.0, 4096.0))
    square = convolution(512, kernel=1, positions=(0.0, 3 * 4096.0))
    assert seconds([line], batch=16.0) > seconds([square], batch=16.0) * 1.19


def test_channels_last_saves_the_layout_transforms_of_tensor_core_convolutions() -> None:
    layer = convolution(64, element_bytes=2)
    saved = seconds([layer], "fp16", batch=64.0) - seconds([layer], "fp16", batch=64.0, nhwc=True)
    assert saved > 0
    plain = convolution(64)
    assert seconds([plain], batch=64.0) == seconds([plain], batch=64.0, nhwc=True)


def test_depthwise_convolutions_run_far_below_the_peak_and_grouped_ones_by_their_width() -> None:
    depthwise = convolution(512, groups=512)
    rate = depthwise.flop[1] * 64 / seconds([depthwise], batch=64.0)
    assert rate < 0.4 * CARD.fp32_flop_per_s  # type: ignore[operator]
    narrow, wide = convolution(512, groups=64), convolution(512, groups=4)
    assert seconds([narrow], batch=64.0) / narrow.flop[1] > 2 * seconds([wide], batch=64.0) / wide.flop[1]


@pytest.mark.parametrize(
    ("channels", "forward", "backward"), [(16, True, True), (24, False, False), (96, True, False), (128, True, False)]
)
def test_channels_last_groups_that_fit_no_tile_leave_the_tensor_cores(
    channels: int, forward: bool, backward: bool
) -> None:
    ways: tuple[ConvolutionPass, ...] = ("forward", "input_gradient")
    for way, tiled in zip(ways, (forward, backward), strict=True):
        grouped = convolution(channels * 8, groups=8, element_bytes=2, direction=way)
        last, first = (seconds([grouped], "fp16", batch=512.0, nhwc=nhwc) for nhwc in (True, False))
        direct = grouped.flop[1] * 512.0 / (0.25 * 19.49e12)
        assert (last < first) == tiled
        assert (last > 0.9 * direct) == (not tiled)


def test_every_direction_of_a_convolution_takes_its_time() -> None:
    ways: tuple[ConvolutionPass, ...] = ("forward", "input_gradient", "weight_gradient")
    times = [seconds([convolution(256, direction=way)], batch=32.0) for way in ways]
    assert max(times) < 2.0 * min(times)
