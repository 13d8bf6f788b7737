"""Where decoding or tokenising would limit a job whose loader nobody timed, and where nothing is said of it."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from advisor.catalogue.loading import COLLATED_ROWS_PER_S, DECODED_IMAGES_PER_S, TOKENS_PER_S, keeping_workers
from advisor.core.sentences import Money, Reason
from advisor.protocol.messages import LoaderPass
from advisor.recommend.prices import Prices
from advisor.recommend.reasons.loading import making_of
from advisor.recommend.recommendation import Limits, Recommendation
from advisor.recommend.strategy import STARTING_S
from advisor.workload.workload import HuggingFaceModel, Workload
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import TRANSFORMER, measurement, workload
from tests.recommend.test_recommend import advise, best_of


def pictures(side: int, workers: int) -> Workload:
    plain = workload("fp16_amp")
    data = msgspec.structs.replace(plain.data, image_size=side, loader_workers=workers)
    return msgspec.structs.replace(plain, data=data)


def advised(asked: Workload) -> tuple[Recommendation, list[Reason]]:
    best = best_of(advise(asked, TRANSFORMER, keys=("a100-sxm4-40",)))
    return best, [one for one in best.why if one.code == "why-decoding-bound"]


def test_decoding_that_cannot_keep_up_is_said_first_with_the_time_of_the_job_and_the_workers_it_wants() -> None:
    best, said = advised(pictures(224, 1))
    rate = best.samples_per_s.value / best.count
    assert rate > DECODED_IMAGES_PER_S, "the fake card is to be faster than one core"
    assert best.why[0] == said[0]
    assert best.job_s is not None
    assert said[0].numbers["least_job_s"] == pytest.approx(best.job_s.value * rate / DECODED_IMAGES_PER_S)
    assert said[0].numbers["wanted"] == keeping_workers(rate, DECODED_IMAGES_PER_S)
    assert keeping_workers(rate, DECODED_IMAGES_PER_S) * DECODED_IMAGES_PER_S >= rate


@pytest.mark.parametrize(("side", "workers"), [(224, 1024), (32, 1)])
def test_enough_workers_and_small_pictures_are_no_matter(side: int, workers: int) -> None:
    assert advised(pictures(side, workers))[1] == []


@pytest.mark.parametrize("workers", [1, 1024])
def test_where_decoding_limits_nobody_the_cores_that_it_wants_are_named(workers: int) -> None:
    best = best_of(advise(pictures(224, workers), TRANSFORMER, keys=("a100-sxm4-40",)))
    said = [one for one in best.why if one.code == "why-decoding-cores"]
    assert bool(said) == (workers > 1), "with one worker decoding limits, which is said instead"
    for one in said:
        cores = keeping_workers(best.samples_per_s.value, DECODED_IMAGES_PER_S)
        assert one.numbers["cores"] == cores
        assert cores > best.count
        assert (cores - 1) * DECODED_IMAGES_PER_S < best.samples_per_s.value <= cores * DECODED_IMAGES_PER_S
        assert one != best.why[0]


def test_what_is_made_is_told_by_the_data() -> None:
    assert making_of(load_workload("resnet50")) == ("why-decoding-bound", DECODED_IMAGES_PER_S)
    bert = load_workload("bert_base_sst2")
    assert bert.data.sequence_length
    assert making_of(bert) == ("why-tokenising-bound", TOKENS_PER_S / bert.data.sequence_length)
    assert making_of(load_workload("iris_mlp")) == ("why-rows-bound", COLLATED_ROWS_PER_S)
    assert making_of(load_workload("whisper_small")) is None
    sound = HuggingFaceModel(config={"model_type": "wav2vec2", "architectures": ["Wav2Vec2ForCTC"]})
    assert making_of(msgspec.structs.replace(bert, model=sound)) is None, "no text, though no task is named"


QUICK = replace(
    TRANSFORMER,
    flop_per_sample=1e3,
    bytes_per_sample=1e3,
    kernel_count=20,
    gradient_bytes=4e3,
    memory_per_sample_bytes=1e3,
)
"""A model that is over before anybody notices."""


def rows(workers: int, samples: int = 40_000_000) -> Workload:
    table = load_workload("iris_mlp")
    data = msgspec.structs.replace(table.data, samples=samples, loader_workers=workers)
    training = msgspec.structs.replace(table.training, batch_size=4096, epochs=1)
    return msgspec.structs.replace(table, data=data, training=training)


def test_rows_that_are_taken_one_by_one_bound_a_job_that_is_over_at_once_without_them() -> None:
    best = best_of(advise(rows(4), QUICK, keys=("a100-sxm4-40",)))
    assert best.job_s is not None
    assert best.job_s.value < STARTING_S
    said = best.why[0]
    assert said.code == "why-rows-bound"
    assert said.numbers["most"] == pytest.approx(4 * COLLATED_ROWS_PER_S, rel=1e-3)
    assert said.numbers["least_job_s"] == pytest.approx(40_000_000 / (4 * COLLATED_ROWS_PER_S), rel=1e-3)
    assert all(reason.code != "why-short-job" for reason in best.why), "it is not over at once with such a loader"


def test_a_few_rows_are_loaded_before_anybody_notices() -> None:
    codes = [reason.code for reason in best_of(advise(rows(4, 100_000), QUICK, keys=("a100-sxm4-40",))).why]
    assert "why-short-job" in codes


def test_rows_whose_loading_was_timed_here_are_in_the_step_and_not_bounded_again() -> None:
    timed_pass = LoaderPass(batch_size=16, worker_count=0, made_s=1e-5, low_s=1e-5, high_s=1e-5, ready_s=1e-5)
    timed = msgspec.structs.replace(measurement("cpu", "stable"), loader=(timed_pass,))
    best = best_of(advise(rows(0), TRANSFORMER, keys=(), measurements=(timed,)))
    assert best.device.local
    assert all(reason.code != "why-rows-bound" for reason in best.why)


@pytest.mark.parametrize(("share", "told"), [(0.99, True), (1.01, False)])
def test_a_limit_that_loading_alone_would_pass_is_told_of_hours_and_of_costs(share: float, told: bool) -> None:
    asked, prices = pictures(224, 1), Prices(currency="EUR", date="2026-01-01", devices={"a100-sxm4-40": 3.0})
    least_s = advised(asked)[1][0].figure("least_job_s")
    best = best_of(advise(asked, TRANSFORMER, keys=("a100-sxm4-40",), prices=prices))
    assert best.job_s is not None
    assert best.cost is not None
    least = best.cost.value * least_s / best.job_s.value
    assert least == pytest.approx(3.0 * best.count * least_s / 3600)
    for limits, code in (
        (Limits(max_job_s=least_s * share), "caveat-hours-loading"),
        (Limits(max_cost=least * share), "caveat-cost-loading"),
    ):
        answer = advise(asked, TRANSFORMER, keys=("a100-sxm4-40",), prices=prices, limits=limits)
        same = best_of(answer)
        assert (same.count, same.batch_size_per_device) == (best.count, best.batch_size_per_device)
        said = [one for one in answer.caveats if one.code == code]
        assert bool(said) is told
        if said and limits.max_job_s is not None:
            assert said[0].figure("least_s") == pytest.approx(least_s)
            assert said[0].figure("limit_s") == limits.max_job_s
        elif said:
            sum_told = said[0].numbers["least"]
            assert isinstance(sum_told, Money)
            assert sum_told.cost == pytest.approx(least)


@pytest.mark.parametrize(("made_s", "code"), [(0.001, "why-loader-workers"), (1e6, "why-loader-bound")])
def test_workers_that_cost_more_here_than_they_save_are_not_to_be_more(made_s: float, code: str) -> None:
    alone = LoaderPass(batch_size=16, worker_count=0, made_s=made_s, low_s=made_s, high_s=made_s, ready_s=made_s)
    timed = msgspec.structs.replace(measurement("cpu", "stable"), loader=(alone,))
    answer = advise(workload("fp32"), replace(TRANSFORMER, loader_s=1000.0), keys=(), measurements=(timed,))
    best = best_of(answer)
    assert best.device.local
    (said,) = [one for one in best.why if one.code.startswith("why-loader")]
    assert said.code == code
    if code == "why-loader-workers":
        assert said.numbers["made_s"] == pytest.approx(made_s * best.batch_size_per_device / 16)
