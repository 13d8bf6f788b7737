"""What is unlike all fitted runs is said of a prediction, and widens its range."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from advisor.core.sentences import say
from advisor.cost.efficiencies import Efficiencies, efficiencies
from advisor.cost.layout import Layout
from advisor.cost.traced_step import TracedStep
from advisor.optable.compiled_table import compile_table
from advisor.optable.op_table import OpTable
from advisor.predict.ranges.envelope import card_outside, layout_outside, outside_envelope
from advisor.predict.ranges.step_range import step_band
from advisor.workload.workload import Training
from tests.cost.small_tables import CARD, lstm, matmul, table, training

FIGURES = efficiencies()
PLAIN = matmul((0.0, 512.0), 1024, 1024)


def codes(model: OpTable, how: Training, figures: Efficiencies = FIGURES) -> list[str]:
    return [one.code for one in outside_envelope(compile_table(model), how, figures)]


def width(model: OpTable, how: Training, figures: Efficiencies = FIGURES) -> float:
    none = np.zeros((1, 1))
    step = TracedStep(compiled=compile_table(model), training=how, precision=how.precision)
    low, high = step_band(step, [CARD], none, (none, none), figures)
    return float(np.log(high / low).item())


def test_a_step_like_the_fitted_ones_is_inside() -> None:
    assert codes(table(PLAIN), training()) == []
    assert codes(table(PLAIN), training(mode="inference", compile=True)) == []
    assert codes(table(PLAIN), training(compile=True)) == []
    assert card_outside(CARD, FIGURES) == ()


def test_fp8_is_outside_and_has_a_range_of_half_as_much_again_and_more() -> None:
    fp8 = table(PLAIN, precision="fp8")
    assert codes(fp8, training(precision="fp8")) == ["predict-outside-precision"]
    assert width(fp8, training(precision="fp8")) > 1.5 * width(table(PLAIN), training())


def test_what_was_compiled_in_no_fitted_run_and_recurrent_layers_are_outside() -> None:
    inference_alone = replace(FIGURES, envelope=replace(FIGURES.envelope, compiled_modes=("inference",)))
    assert codes(table(PLAIN), training(compile=True), inference_alone) == ["predict-outside-compiled"]
    assert codes(table(lstm()), training()) == ["predict-outside-recurrent"]


def test_a_model_larger_than_any_that_was_fitted_is_outside_however_little_of_it_is_trained() -> None:
    size = FIGURES.envelope.largest_parameter_count
    larger, as_large = (replace(table(PLAIN), parameter_count=int(size * share)) for share in (1.1, 0.9))
    assert larger.trainable_parameter_count < size
    for how in (training(), training(trainable="lora", quantization="nf4")):
        assert codes(larger, how) == ["predict-outside-size"]
        assert codes(as_large, how) == []
        assert width(larger, how) > width(as_large, how)


def test_of_several_ways_of_being_outside_the_widest_counts() -> None:
    how = training(precision="fp8", compile=True)
    fp8 = table(PLAIN, precision="fp8")
    inference_alone = replace(FIGURES, envelope=replace(FIGURES.envelope, compiled_modes=("inference",)))
    assert len(codes(fp8, how, inference_alone)) == 2
    assert FIGURES.assumed.compiled_range > FIGURES.assumed.new_precision_range
    assert width(fp8, how, inference_alone) == width(table(PLAIN), training(compile=True), inference_alone)


def test_a_card_of_a_generation_that_nobody_ran_is_named() -> None:
    stranger = replace(CARD, key="new", compute_capability="11.0")
    assert [reason.code for reason in card_outside(stranger, FIGURES)] == ["predict-outside-generation"]


def test_a_card_of_a_maker_of_whom_nothing_was_fitted_is_named_and_has_a_wider_range() -> None:
    radeon = replace(CARD, key="new", compute_capability=None, amdgpu_target="gfx1100")
    assert [reason.code for reason in card_outside(radeon, FIGURES)] == ["predict-outside-maker"]
    assert FIGURES.assumed.other_maker_range > 2
    linked = replace(radeon, mesh_bytes_per_s=64e9)
    told = [say(card_outside(card, FIGURES)[0], "en") for card in (radeon, linked)]
    assert ["joined by PCIe" in words for words in told] == [True, False]


def test_a_split_of_tensors_stages_or_lengths_is_named_with_its_degree() -> None:
    reasons = layout_outside(Layout(count=16, tensor=4, pipeline=2))
    assert [(reason.numbers["kind"], reason.numbers["count"]) for reason in reasons] == [("tensor", 4), ("pipeline", 2)]
    assert layout_outside(Layout(count=8)) == ()
