"""What would help is said where it likely would; what may as well cost stands in the table alone."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.core.sentences import Language, Reason
from advisor.core.units import Estimate
from advisor.present.summary import said, summarise
from advisor.present.switch_table import gain_cells, help_sentences
from advisor.recommend.switches import Switch, SwitchKind
from tests.present.fakes import advice
from tests.recommend.fakes import switch


def gaining(value: float, low: float, high: float, *, fits: bool = True) -> Switch:
    peak = Estimate(value=1e9, low=1e9, high=1e9, basis="specified")
    return switch(Estimate(value=value, low=low, high=high, basis="specified"), peak=peak, fits=fits)


@pytest.mark.parametrize(
    ("value", "low", "high", "told"),
    [
        (1.58, 1.26, 1.97, True),
        (1.19, 0.95, 1.48, True),
        (1.04, 1.02, 1.06, False),
        (1.09, 0.58, 2.07, False),
        (1.14, 0.61, 2.16, False),
        (0.8, 0.7, 0.9, False),
    ],
)
def test_a_gain_is_said_where_it_is_three_times_as_likely_as_none(
    value: float, low: float, high: float, *, told: bool
) -> None:
    assert len(help_sentences((gaining(value, low, high),), "en")) == told


@pytest.mark.parametrize(("precision", "cast"), [("bf16_amp", True), ("bf16", False), ("fp32", False)])
def test_shards_of_a_step_under_autocast_are_said_to_run_on_16_bit_weights(precision: Precision, *, cast: bool) -> None:
    sharded = msgspec.structs.replace(gaining(1.3, 1.2, 1.4), kind="sharding", precision=precision)
    (english,), (chinese,) = (help_sentences((sharded,), language) for language in ("en", "zh"))
    assert ("layers on 16-bit weights" in english) is cast
    assert ("16 位权重" in chinese) is cast


def test_a_gain_that_does_not_fit_is_not_said() -> None:
    assert help_sentences((gaining(1.58, 1.26, 1.97, fits=False),), "en") == ()


@pytest.mark.parametrize(
    ("kind", "job_s", "told"),
    [
        ("compile", 18.0, False),  # saves 6.5 s of a job, and takes longer to compile
        ("compile", 600.0, True),
        ("fused_optimizer", 0.004, False),
        ("fused_optimizer", 18.0, True),
        ("compile", None, True),
    ],
)
def test_what_takes_longer_to_have_than_it_saves_of_the_whole_job_is_not_said(
    kind: SwitchKind, job_s: float | None, *, told: bool
) -> None:
    job = None if job_s is None else Estimate(value=job_s, low=job_s, high=job_s, basis="specified")
    one = msgspec.structs.replace(gaining(1.36, 1.06, 1.89), kind=kind, job_s=job)
    assert len(help_sentences((one,), "en")) == told


@pytest.mark.parametrize(("room", "told"), [(None, 0), (0.9e9, 0), (1.1e9, 1)])
def test_what_stays_inside_the_memory_is_said_where_the_advised_step_may_not(room: float | None, told: int) -> None:
    sentences = help_sentences((gaining(1.01, 0.99, 1.03),), "en", room)
    assert len(sentences) == told
    # What gains time too is said once, with both.
    assert len(help_sentences((gaining(1.58, 1.26, 1.97),), "en", room)) == 1
    assert all("a step would need 954 MiB (at most 954 MiB), at 1.01 times the speed" in text for text in sentences)


def test_what_leaves_the_result_as_it_is_comes_before_what_needs_least_where_a_step_may_run_out() -> None:
    def needing(kind: SwitchKind, need: float, gain: float) -> Switch:
        peak = Estimate(value=need, low=need, high=need, basis="specified")
        return msgspec.structs.replace(gaining(gain, 0.9 * gain, 1.1 * gain), kind=kind, peak_memory_bytes=peak)

    eight, chunked = needing("optimizer_8bit", 6e8, 1.02), needing("chunked_loss", 8e8, 0.98)
    recomputed = needing("checkpointing", 7e8, 0.75)
    sentences = help_sentences((eight, recomputed, chunked), "en", 1e9)
    assert [text.partition(" a step")[0] for text in sentences] == [
        "With loss in chunks", "With 8-bit optimizer states"
    ]  # fmt: skip
    assert len(help_sentences((chunked, recomputed), "en", 1e9)) == 2
    assert len(help_sentences((chunked,), "en", 1e9)) == 1
    assert help_sentences((chunked, eight), "en", 1e8) == ()


def test_adapters_that_would_be_added_are_told_by_their_layers_and_rank() -> None:
    peak = Estimate(value=1e9, low=1e9, high=1e9, basis="specified")
    holding = msgspec.structs.replace(switch(None, peak=peak), kind="qlora")
    (added,), (told,) = (help_sentences((holding,), "en", adds_adapters=adds) for adds in (True, False))
    assert added.endswith("only adapters of rank 16 on all linear layers are trained.")
    assert told.endswith("only the adapters are trained.")  # those that the workload itself describes


@pytest.mark.parametrize(("low", "open_end"), [(0.95, True), (1.0, False), (1.1, False)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_whose_range_reaches_below_one_says_that_it_may_gain_nothing(
    low: float, language: Language, *, open_end: bool
) -> None:
    (told,) = help_sentences((gaining(1.19, low, 1.48),), language)
    assert (("may be no faster" in told) or ("也可能不会更快" in told)) is open_end


def test_what_autocast_gains_is_said_once() -> None:
    plain = advice()
    main = plain.recommendation
    assert main is not None
    numbers = {"device": "A", "gain_ratio": 1.7, "asked": "TF32"}
    change = tuple(
        Reason.of("change-precision-same", precision=PRECISION_LABELS[name], **numbers)  # type: ignore[arg-type]
        for name in ("bf16_amp", "bf16_true")
    )
    made = msgspec.structs.replace(plain, recommendation=msgspec.structs.replace(main, would_change_if=change))
    help_of = msgspec.structs.replace(gaining(1.7, 1.47, 1.94), kind="half")
    unsaid = msgspec.structs.replace(gaining(1.02, 0.9, 1.1), kind="half")
    for switches, left in (((help_of,), change[1:]), ((unsaid,), change), ((), change)):
        shown = summarise(msgspec.structs.replace(made, switches=switches), "en")
        lines = [line for section in shown.sections for line in section.sentences]
        assert [line for line in lines if "1.70" in line and "instead" in line.lower()] == list(said(left, "en"))


def test_a_millionth_of_a_byte_that_sums_differ_by_is_no_memory_saved() -> None:
    rest = msgspec.structs.replace(gaining(1.0, 0.9, 1.1), saved_bytes=-3.8e-6)
    assert gain_cells(rest, lambda size: f"{size} B")[2] == "0 B"
