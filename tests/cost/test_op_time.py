"""The operator model: bounds, tiles, layouts, caches and the families' own rules."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.cost.operators.attention_time import attention_seconds
from advisor.cost.operators.device_rates import device_rates
from advisor.cost.operators.device_time import device_seconds
from advisor.cost.operators.op_time import smooth_maximum, smooth_minimum, sustained_peaks, tensor_widths
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import Op, OpKind, Phase
from tests.cost.busy_time import FIGURES, FITTED, START_S, seconds
from tests.cost.small_tables import CARD, OLD_CARD, attention, convolution, fixed, lstm, matmul, op, table


def test_smooth_joins_touch_the_harder_bound_far_from_the_corner_and_soften_it_there() -> None:
    one, three = np.array(1.0), np.array(3.0)
    assert smooth_maximum(one, three) == pytest.approx(3.0, rel=0.01)
    assert smooth_minimum(one, three) == pytest.approx(1.0, rel=0.01)
    assert smooth_maximum(one, one) == pytest.approx(2**0.25)
    assert smooth_minimum(one, one) == pytest.approx(2**-0.25)


def test_a_long_copy_runs_at_the_card_bandwidth_times_its_share() -> None:
    """8 GB but for 0.2 of 42 MB in its cache, at 0.9 · 0.8 of 1.555 TB/s."""
    assert seconds([op("elementwise", fixed(8e9))]) == pytest.approx(7.138e-3, rel=0.03)


def test_a_card_with_few_multiprocessors_cannot_draw_on_all_of_its_memory() -> None:
    starved = replace(CARD, memory_bandwidth_bytes_per_s=1e14)
    # 108 multiprocessors of 1.41 GHz at 20 bytes a clock draw 3.046 TB/s.
    assert seconds([op("elementwise", fixed(8e9))], spec=starved) == pytest.approx(2.627e-3, rel=0.01)


def test_a_tiny_operator_costs_its_kernel_start() -> None:
    assert seconds([op("elementwise", fixed(64))]) == pytest.approx(START_S, rel=1e-3)


def test_traffic_that_fits_into_the_cache_is_cheaper_a_byte() -> None:
    small = seconds([op("elementwise", fixed(20e6))]) - START_S
    large = seconds([op("elementwise", fixed(20e9))]) - START_S
    assert small * 1000 < large * 0.82


def test_a_large_product_sustains_the_peak_of_its_precision() -> None:
    size = 16384
    for precision, element_bytes, field in (("fp32", 4, "fp32"), ("tf32", 4, "single"), ("fp16", 2, "half")):
        product = matmul(fixed(size), size, size, element_bytes=element_bytes)
        rates = device_rates([CARD], precision, FIGURES)  # type: ignore[arg-type]
        peak = float(getattr(sustained_peaks(rates, FITTED), field)[0])
        reached = 2.0 * size**3 / seconds([product], precision)  # type: ignore[arg-type]
        assert 0.9 * peak < reached < 1.05 * peak


def test_one_more_row_of_tiles_than_the_card_has_multiprocessors_costs_part_of_a_wave() -> None:
    def spilled(phase: Phase, precision: Precision) -> float:
        full, more = (
            seconds([matmul(fixed(128 * 108 + rows), 128, 448, phase=phase)], precision) - START_S for rows in (0, 1)
        )
        return more / full

    assert 1.2 < spilled("backward", "fp32") < 2.0
    assert 1.2 < spilled("forward", "tf32") < 2.0


def test_forward_products_in_fp32_lose_no_part_of_a_wave() -> None:
    full, spilled = (seconds([matmul(fixed(128 * 108 + rows), 128, 448)]) for rows in (0, 1))
    assert spilled / full < 1.05


def test_a_product_too_small_for_the_card_is_split_along_a_long_inner_side_only() -> None:
    def rate(k: int) -> float:
        return 2.0 * 256 * 256 * k / (seconds([matmul(fixed(256), 256, k)]) - START_S)

    assert rate(8192) > 2.0 * rate(256)


def test_an_inner_side_no_longer_than_the_others_is_not_split() -> None:
    cube = seconds([matmul(fixed(512), 512, 512)]) - START_S
    longer = seconds([matmul(fixed(512), 512, 4096)]) - START_S
    assert longer < 6.0 * cube


@pytest.mark.filterwarnings("error")
def test_a_product_whose_rows_would_fall_below_none_at_a_small_batch_takes_a_start_and_no_more() -> None:
    # A router gave an expert 2 of 8 samples and 10 of 16: by that line it would get minus 5 of 1.
    routed = matmul((-6.0, 1.0), 256, 256)
    shape = replace(routed.matmul, k=(-6.0, 1.0))  # type: ignore[type-var] # a matmul has one
    none, some = seconds([routed], batch=1.0), seconds([routed], batch=64.0)
    assert 0 < none <= some
    assert 0 < seconds([replace(routed, matmul=shape)], batch=1.0) <= some


def test_a_product_of_one_tile_keeps_most_of_the_card_idle_however_long_its_inner_side() -> None:
    def reached(width: int, k: int) -> float:
        return 2.0 * width * width * k / (seconds([matmul(fixed(width), width, k)]) - START_S)

    assert reached(32, 1 << 22) < 0.2 * reached(1024, 1 << 18)


def test_tensor_core_products_take_longer_with_the_libraries_of_2020() -> None:
    size = fixed(16384)
    for precision, element_bytes, card, least in (
        ("tf32", 4, CARD, 1.25),
        ("fp16", 2, CARD, 1.0),
        ("fp16", 2, OLD_CARD, 1.2),
        ("fp32", 4, OLD_CARD, 1.0),
    ):
        product = matmul(size, 16384, 16384, element_bytes=element_bytes)
        old, new = (seconds([product], precision, card, software_year=year) for year in (2020, None))  # type: ignore[arg-type]
        assert old / new == pytest.approx(least, rel=0.02)


def test_products_with_odd_sides_are_slower_in_16_bit_and_leave_tensor_cores_in_2020() -> None:
    aligned, odd = (matmul(fixed(8192), width, 8192, element_bytes=2) for width in (8192, 8191))
    assert seconds([odd], "fp16") > 1.5 * seconds([aligned], "fp16")
    plain = [seconds([matmul(fixed(8192), width, 8192)]) for width in (8192, 8191)]
    assert plain[1] == pytest.approx(plain[0], rel=0.01)
    old = seconds([odd], "fp16", OLD_CARD, software_year=2020)
    assert old > 3.0 * seconds([odd], "fp16", OLD_CARD)


def test_tf32_products_need_aligned_sides_from_hopper_on() -> None:
    hopper = replace(CARD, compute_capability="9.0", tf32_flop_per_s=494.5e12, sm_count=132, boost_clock_hz=1.98e9)
    aligned, odd = (matmul(fixed(8192), width, 8192) for width in (8192, 8191))
    assert seconds([odd], "tf32", hopper) > 1.2 * seconds([aligned], "tf32", hopper)
    assert seconds([odd], "tf32") == pytest.approx(seconds([aligned], "tf32"), rel=0.01)


def test_backward_products_and_batched_products_are_slower_by_their_shares() -> None:
    one = seconds([matmul(fixed(16384), 8192, 8192)])
    back = seconds([matmul(fixed(16384), 8192, 8192, phase="backward")])
    batched = seconds([matmul(fixed(2048), 8192, 8192, batch=8)])
    assert back / one == pytest.approx(1.111, rel=0.02)
    assert batched / one == pytest.approx(1.25, rel=0.02)


def test_a_card_without_tf32_runs_such_products_in_fp32() -> None:
    product = matmul(fixed(8192), 8192, 8192)
    assert seconds([product], "tf32", OLD_CARD) == seconds([product], "fp32", OLD_CARD)


def test_less_board_power_lowers_what_a_card_sustains() -> None:
    product = matmul(fixed(8192), 8192, 8192, element_bytes=2)
    frugal = replace(CARD, power_w=150.0)
    unknown = replace(CARD, power_w=None)
    assert seconds([product], "fp16", frugal) > 1.2 * seconds([product], "fp16")
    assert seconds([product], "fp16", unknown) < seconds([product], "fp16")


def test_batch_norm_is_limited_by_elements_in_nchw_and_free_of_it_in_nhwc() -> None:
    evaluated = replace(op("norm", fixed(4e9), element_bytes=2), batch_norm=True)
    norm = replace(evaluated, read_bytes=fixed(4e9))
    assert seconds([norm], "fp16") > seconds([norm], "fp16", nhwc=True)
    assert seconds([evaluated], "fp16") == seconds([evaluated], "fp16", nhwc=True)


def test_each_kind_of_memory_bound_operator_has_its_own_share_of_the_bandwidth() -> None:
    kinds: tuple[OpKind, ...] = ("elementwise", "norm", "softmax", "copy", "reduction")
    times = {kind: seconds([op(kind, fixed(4e9))]) for kind in kinds}
    assert times["copy"] > times["elementwise"]
    assert times["reduction"] > times["elementwise"]


def test_flash_attention_beats_the_memory_efficient_kernel_and_needs_ampere() -> None:
    flash, efficient = attention("flash"), attention("efficient")
    assert seconds([flash], "fp16", batch=8.0) < seconds([efficient], "fp16", batch=8.0)
    on_old = [seconds([kernel], "fp16", OLD_CARD, batch=8.0) for kernel in (flash, efficient)]
    assert on_old[0] == on_old[1]
    assert seconds([attention("flash", phase="backward")], "fp16", batch=8.0) > 2.5 * seconds(
        [flash], "fp16", batch=8.0
    )


def test_attention_in_fp32_numbers_is_no_faster_where_products_may_be_tf32() -> None:
    op = attention("efficient", element_bytes=4)
    assert seconds([op], "tf32", batch=64.0) == seconds([op], "fp32", batch=64.0)


def test_the_kernels_of_flash_attention_that_a_run_names_count_whatever_its_year() -> None:
    kernel = attention("flash", length=4096)
    old, new = (seconds([kernel], "fp16", batch=8.0, software_year=year) for year in (2023, 2024))
    assert old > new
    named = [seconds([kernel], "fp16", batch=8.0, software_year=2023, flash_generation=one) for one in (1, 2)]
    assert named == [old, new]


def test_the_first_kernels_of_flash_attention_take_heads_of_powers_of_two() -> None:
    first, second = (
        [
            seconds([attention("flash", length=4096, size=size)], "fp16", batch=8.0, flash_generation=one)
            / attention("flash", length=4096, size=size).flop[1]
            for size in (80, 128)
        ]
        for one in (1, 2)
    )
    assert first[0] / first[1] == pytest.approx(128 / 80, rel=0.05)
    assert second[0] / second[1] == pytest.approx(96 / 80, rel=0.05)


@pytest.mark.parametrize(
    ("key", "year", "quicker"), [("h100-sxm", None, True), ("h100-sxm", 2023, False), ("l40s", None, False)]
)
def test_transformer_engine_calls_attention_that_is_written_for_hopper(
    key: str, year: int | None, quicker: bool
) -> None:
    compiled = compile_table(table(attention("flash", length=8192), precision="half"))
    plain, engine = (
        device_seconds(
            compiled,
            device_rates([spec_table()[key]], "fp8", FIGURES, year, transformer_engine=own),
            np.array([[8.0]]),
            FIGURES,
            channels_last=False,
        ).forward.item()
        for own in (False, True)
    )
    if quicker:
        assert 1.2 < plain / engine < FIGURES.assumed.hopper_attention
    else:
        assert plain == engine


def with_head(size: int, element_bytes: int = 2) -> Op:
    """Long attention of heads of `size` numbers, which computes, not waits for memory."""
    op = attention("flash", length=4096, element_bytes=element_bytes)
    assert op.attention is not None
    flop = (0.0, op.flop[1] * size / op.attention.head_size)
    return replace(op, flop=flop, attention=replace(op.attention, head_size=size))


def test_a_head_between_two_kernels_takes_as_long_as_the_wider_one_in_16_bits_alone() -> None:
    narrow, wide = (seconds([with_head(size)], "fp16", batch=8.0) for size in (40, 64))
    assert narrow == pytest.approx(wide, rel=0.01)
    assert seconds([with_head(72)], "fp16", batch=8.0) == pytest.approx(
        seconds([with_head(96)], "fp16", batch=8.0), rel=0.01
    )
    single, wider = (seconds([with_head(size, 4)], "fp32", batch=8.0) for size in (40, 64))
    assert single < 0.9 * wider


def test_attention_computes_whole_tiles_of_queries_and_keys() -> None:
    odd, filled = (seconds([attention("flash", length=length)], "fp16", batch=64.0) for length in (257, 320))
    whole = seconds([attention("flash", length=384)], "fp16", batch=64.0)
    assert odd == pytest.approx(filled, rel=0.1)
    assert filled < whole


def test_eager_attention_counts_as_what_it_is_traced_to() -> None:
    compiled = compile_table(table(attention("eager"), precision="half"))
    assert compiled.attention.count == 0
    assert compiled.memory.count == 1


def test_recurrent_layers_pay_two_kernels_a_step_however_small_the_batch() -> None:
    short, long = seconds([lstm(steps=50)]), seconds([lstm(steps=100)])
    assert long == pytest.approx(2 * short, rel=0.1)
    assert long > 100 * 2 * START_S
    assert seconds([lstm(phase="backward")]) > long
    assert seconds([lstm(layers=2)]) > 1.9 * long


def test_alike_operators_are_merged_and_count_as_often_as_they_are_called() -> None:
    compiled = compile_table(table(*[op("elementwise", (0.0, 1e6))] * 3, matmul((0.0, 16.0), 64, 64)))
    assert compiled.memory.count == 1
    assert compiled.memory.constant.call_count.tolist() == [3.0]
    assert compiled.matmul.at(np.array([[2.0], [4.0]])).m.tolist() == [[32.0], [64.0]]


def test_faster_memory_is_never_slower_and_more_work_never_faster() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        ops = [
            op("elementwise", (0.0, float(rng.integers(1, 10**7)))),
            matmul((0.0, float(rng.integers(1, 2048))), int(rng.integers(1, 4096)), int(rng.integers(1, 4096))),
            convolution(int(rng.integers(1, 64)) * 8),
        ]
        fast = replace(CARD, memory_bandwidth_bytes_per_s=CARD.memory_bandwidth_bytes_per_s * 1.7)  # type: ignore[operator]
        assert seconds(ops, spec=fast, batch=8.0) <= seconds(ops, batch=8.0)
        assert seconds(ops, batch=9.0) >= 0.9 * seconds(ops, batch=8.0)


@pytest.mark.parametrize(("key", "width"), [("v100-sxm2-16", 1.0), ("a100-sxm4-40", 2.0), ("h100-sxm", 4.0)])
def test_the_width_law_counts_tensor_cores_against_those_of_the_v100(key: str, width: float) -> None:
    _, half = tensor_widths(device_rates([spec_table()[key]], "fp16", FIGURES))
    assert half[0] == pytest.approx(width, rel=0.09)  # the H100's rate is given at less than its highest clock


def test_tf32_has_the_width_of_16_bit_products() -> None:
    single, half = tensor_widths(device_rates([spec_table()["a100-sxm4-40"]], "tf32", FIGURES))
    assert single[0] == pytest.approx(half[0], rel=0.01)


def test_attention_fills_a_wave_with_tiles_of_128_rows() -> None:
    """54 heads on 108 SMs: 128 rows give half of them a tile, 256 rows all, so 4 times the work takes twice as long.

    27 heads of 640 rows make 1.25 waves and lose 0.8 of what the second lacks: 1.85, with 1.25 times the keys of 512.
    """
    rates = device_rates([CARD], "fp16", FIGURES)

    def compute_s(length: int, heads: int = 54) -> float:
        compiled = compile_table(table(attention("flash", length=length), precision="half"))
        work = compiled.attention.at(np.array(heads / 12))
        return float(attention_seconds(work, rates, sustained_peaks(rates, FITTED), FIGURES)[0])

    assert compute_s(256) / compute_s(128) == pytest.approx(2.0, rel=0.05)
    assert compute_s(640, 27) / compute_s(512, 27) == pytest.approx(1.25 * 1.85, rel=0.05)


@pytest.mark.parametrize(("year", "early"), [(2018, 1.0), (2020, 1.0), (2021, 0.0), (2024, 0.0), (None, 0.0)])
def test_products_of_odd_sizes_need_alignment_with_the_software_up_to_amperes_first_year(
    year: int | None, early: float
) -> None:
    table = spec_table()
    cards = [table["v100-sxm2-32"], table["a100-sxm4-40"]]
    rates = device_rates(cards, "fp16", FIGURES, year)
    assert rates.needs_alignment.tolist() == [early, 0.0]
    assert rates.early_kernels.tolist() == [0.0, early]
