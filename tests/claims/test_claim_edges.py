"""Claims at the edges of what can be read and predicted: a verdict each, or a refusal that says what is missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim
from advisor.claims.judge import check_claim
from advisor.claims.predictor import Predictor, candidate, tables_of
from advisor.claims.reading.numbers.figures import Figures, find_figures
from advisor.claims.reading.reader import parse_claim
from advisor.core.errors import InputError
from advisor.core.sentences import Reason
from advisor.measure import traces
from advisor.measure.events import RunnerEvent
from advisor.measure.traces import TraceUnanswered
from advisor.workload.workload import NumbersModel
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import SPECS
from tests.recommend.real_predictor import real_predictor

CHANGE = Claim(
    gpus=("a100-sxm4-40",), workload="bert_base_sst2", precision="bf16_amp", reference_precision="fp32",
    speed_up_ratio=2.0,
)  # fmt: skip
NUMBERS = NumbersModel(parameters=1e6, flop_per_sample=1e9, activation_bytes_per_sample=1e6)


def test_a_lone_duration_beside_a_word_for_a_step_is_a_steps_and_else_the_whole_jobs() -> None:
    assert find_figures("one iteration and 2 seconds") == Figures(step_s=2.0)
    assert find_figures("ResNet-50 and 2 seconds") == Figures(job_s=2.0)


def test_of_two_speeds_in_one_text_the_cards_are_told_apart_whichever_comes_first() -> None:
    faster_first = parse_claim("A100 200 images/s, V100 100 images/s for resnet50", SPECS)
    faster_last = parse_claim("V100 100 images/s, A100 200 images/s for resnet50", SPECS)
    for claim in (faster_first, faster_last):
        assert (claim.gpus[0], claim.reference_gpus, claim.speed_up_ratio) == ("a100-sxm4-40", ("v100-sxm2-32",), 2.0)


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("before it ran 100 images/s, with 2 GPUs 180 images/s", 1.8),
        ("with 2 GPUs it took 1 hour, before it was 3 hours", 3.0),
    ],
)
def test_a_speed_beside_a_number_of_cards_is_held_against_the_one_before(text: str, ratio: float) -> None:
    assert parse_claim(text, SPECS).speed_up_ratio == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (Claim(workload="bert_base_sst2", fits=True), "names no GPU"),
        (Claim(unknown_gpus=("RTX 4060",), count=1, speed_up_ratio=2.0), "RTX 4060"),
        (Claim(gpus=("no-such-card",), workload="resnet50", step_s=1.0), "`no-such-card` is not in the spec table"),
        (replace(CHANGE, gpus=("v100-sxm2-32",)), "V100"),
        (Claim(gpus=("v100-sxm2-32",), workload="bert_base_sst2", fits=True, precision="fp8"), "V100"),
    ],
)
def test_what_the_table_cannot_answer_is_refused_by_the_cards_name(claim: Claim, words: str) -> None:
    with pytest.raises(InputError) as refused:
        check_claim(claim, real_predictor())
    assert words in refused.value.text


def test_without_any_trace_a_change_and_a_fit_are_refused() -> None:
    blind = dataclasses.replace(real_predictor(), table_source=lambda _: {}, _tables={})
    for claim in (CHANGE, Claim(gpus=CHANGE.gpus, workload="bert_base_sst2", fits=True)):
        with pytest.raises(InputError, match="A100"):
            check_claim(claim, blind)


def test_a_card_without_one_of_two_precisions_does_not_bound_the_change() -> None:
    both = check_claim(replace(CHANGE, gpus=("a100-sxm4-40", "v100-sxm2-32")), real_predictor())
    assert both.bound_ratio == check_claim(CHANGE, real_predictor()).bound_ratio


def test_more_cards_that_are_said_to_be_slower_are_below_what_is_expected() -> None:
    answer = check_claim("4 V100 are 2x slower than 1 for resnet50", real_predictor())
    assert (answer.verdict, answer.reasons[0].code) == ("below_expected", "claim-more-cards-slower")


def test_a_claim_of_any_workload_is_predicted_from_its_totals_or_its_saved_table() -> None:
    predictor = Predictor(spec_table())
    totals = replace(load_workload("iris_mlp"), model=NUMBERS)
    assert {table.parameter_count for table in tables_of(totals).values()} == {1_000_000}
    assert set(predictor.tables(load_workload("iris_mlp"))) == set(tables_of(load_workload("iris_mlp")))
    (answer,) = predictor.predict(totals, [candidate(spec_table()["a100-sxm4-40"], "fp32", 8)])
    assert answer.fits is True


def test_what_cannot_be_traced_has_the_tables_that_were_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    def unanswered(*_: object, **__: object) -> Iterator[RunnerEvent]:
        yield from ()
        raise TraceUnanswered(Reason.of("worker-torch-missing", package="torch"))

    monkeypatch.setattr(traces, "trace_workload", unanswered)
    assert tables_of(load_workload("unet_vgg16", overrides={"image_size": 96})) == {}
