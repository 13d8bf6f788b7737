"""The report's words: settings as the window calls them, and one name for a device in every chart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from advisor.core.sentences import Language, Reason, listed, sentence
from advisor.core.units import Estimate
from advisor.present.card_names import names_with_place, tied_names
from advisor.present.report.batch_chart import batch_chart
from advisor.present.report.content import report_content
from advisor.present.summary import summarise
from advisor.present.window_words import window_words
from tests.present.recorded import recorded
from tests.recommend.fakes import switch

if TYPE_CHECKING:
    from collections.abc import Iterator

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_FLAG = re.compile(r"(?<![\w-])--[a-z]")
_NAMING_FLAGS = (
    Reason.of("measure-ended-no-budget", batch_size=8),
    Reason.of("predict-cpu-not-measured"),
)


def said(value: object) -> Iterator[str]:
    """Every text of the report but what is to be typed as it stands."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key != "command":
                yield from said(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from said(inner)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_the_report_names_a_flag(language: Language) -> None:
    advice = msgspec.structs.replace(recorded(), caveats=_NAMING_FLAGS)
    main = advice.main
    assert main is not None
    elsewhere = msgspec.structs.replace(main, device=msgspec.structs.replace(main.device, local=False))
    for one in (advice, msgspec.structs.replace(advice, recommendation=elsewhere)):
        texts = list(said(report_content(one, language)))
        assert not [text for text in texts if _FLAG.search(text)]
        assert any(window_words("--budget", language) in text for text in texts)


def test_a_flag_that_has_no_name_in_the_window_stays() -> None:
    assert window_words("pip install --force-reinstall", "en") == "pip install --force-reinstall"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tie_is_told_alike_in_report_and_terminal_also_where_nothing_was_predicted_for_it(language: Language) -> None:
    advice = recorded()
    main = advice.recommendation
    assert main is not None
    here = next(one.device for one in advice.predictions if one.device.local)
    gone = msgspec.structs.replace(here, key="gone", name="NVIDIA GeForce RTX 9999")
    tied = msgspec.structs.replace(advice, recommendation=msgspec.structs.replace(main, tied_with=(here, gone)))
    told = listed([names_with_place(advice.predictions, language)[here.key], "RTX 9999"], language)
    assert (sentence("summary-tied", language), told) in summarise(tied, language).figures
    assert any(told in text for text in said(report_content(tied, language)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("count", "left"), [(8, 0), (9, 2), (30, 23)])
def test_of_many_that_are_tied_the_first_are_named_and_the_others_counted(
    language: Language, count: int, left: int
) -> None:
    advice = recorded()
    main = advice.recommendation
    assert main is not None
    many = tuple(msgspec.structs.replace(main.device, key=f"k{n}", name=f"Card {n}") for n in range(count))
    names = tied_names(advice, msgspec.structs.replace(main, tied_with=many), language)
    assert names[: count - left] == tuple(f"Card {n}" for n in range(count - left))
    assert names[count - left :] == ((sentence("summary-tied-more", language, count=left),) if left else ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_curve_over_batch_sizes_names_devices_as_the_other_charts_do(language: Language) -> None:
    advice = recorded()
    chart: dict[str, Any] | None = batch_chart(advice, language)
    assert chart is not None
    names = set(names_with_place(advice.predictions, language).values())
    named = {re.sub(r" \([^()]*\)$", "", series["name"]) for series in chart["series"]}
    assert {name.removeprefix("1 × ") for name in named} <= names
    assert all(re.fullmatch(r"[\d,]+(\.\d*[1-9])?", tick["text"]) for tick in chart["y_ticks"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_of_a_model_that_could_not_be_traced_claims_no_trace(language: Language) -> None:
    advice = recorded()
    reason = Reason.of("trace-worker-killed")
    untraced = msgspec.structs.replace(advice.model, traced=False, not_traced_reason=reason)
    told = list(said(report_content(msgspec.structs.replace(advice, model=untraced), language)))
    assert sentence("report-not-traced", language, reason=sentence("trace-worker-killed", language)) in told
    assert sentence("report-method-untraced", language) in told
    assert sentence("report-method-1", language) not in told
    assert sentence("report-method-1", language) in list(said(report_content(advice, language)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_would_be_better_than_a_makeshift_comes_before_why(language: Language) -> None:
    advice = recorded()
    chosen = advice.main
    assert chosen is not None
    assert report_content(advice, language)["first"]["help"] is None
    makeshift = msgspec.structs.replace(chosen, strategy="fsdp_offload")
    peak = Estimate(value=1e9, low=1e9, high=1e9, basis="specified")
    adapters = msgspec.structs.replace(switch(None, peak=peak), kind="lora")
    offered = msgspec.structs.replace(advice, recommendation=makeshift, switches=(adapters,))
    told = report_content(offered, language)["first"]["help"]
    assert told["title"] == sentence("summary-help", language)
    assert "LoRA" in " ".join(told["sentences"])
