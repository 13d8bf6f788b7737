"""The published cases: the known answers come out of real predictions."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence

import msgspec
import pytest

from advisor.cases.answers import answer_all_cases, answer_case
from advisor.cases.case_file import CaseAnswer, bundled_cases
from advisor.cases.scaling import answer_roberta, answer_unet
from advisor.catalogue.precisions import Precision
from advisor.catalogue.spec_table import spec_table
from advisor.claims.predictor import Predictor, candidate
from advisor.core.bundled import resource
from advisor.core.errors import InputError
from advisor.core.sentences import Reason, Value, say
from advisor.core.units import Estimate
from advisor.predict.prediction import Candidate, Prediction
from advisor.workload.workload import Workload
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import estimate, machine
from tests.recommend.real_predictor import real_predictor


def answered(case_id: str) -> CaseAnswer:
    return answer_case(case_id, real_predictor())


def said(answer: CaseAnswer, code: str) -> Reason:
    return next(reason for reason in answer.reasons if reason.code == code)


def numbers(answer: CaseAnswer, code: str) -> Mapping[str, Value]:
    return said(answer, code).numbers


def test_all_eight_cases_are_answered_with_numbers_and_reasons_in_both_languages() -> None:
    answers = answer_all_cases(real_predictor())
    assert [answer.case_id for answer in answers] == list(bundled_cases())
    assert len(answers) == 8
    for answer in answers:
        assert answer.figures
        assert len(answer.reasons) >= 2
        for reason in answer.reasons:
            assert say(reason, "en") != say(reason, "zh")


def test_the_two_contradicting_cases_name_each_other() -> None:
    first, second = answered("fp32-4090-vs-a100"), answered("bert-base-sst2-across-gpus")
    assert first.contradicts == (second.case_id,)
    assert second.contradicts == (first.case_id,)
    for answer in (first, second):
        assert numbers(answer, "case-contradicts")["case"] == answer.contradicts[0]


def test_strict_fp32_makes_the_4090_twice_an_a100_and_tf32_and_autocast_turn_it() -> None:
    answer = answered("fp32-4090-vs-a100")
    assert answer.verdict == "plausible"
    assert answer.figures["fp32_ratio"] > 1.7
    assert answer.figures["tf32_ratio"] < 1
    assert answer.figures["fp16_amp_ratio"] < 1


def test_the_iris_mlp_is_launch_bound_and_no_gpu_helps() -> None:
    answer = answered("iris-mlp-gpu-slower-than-cpu")
    assert answer.verdict == "plausible"
    assert answer.figures["fixed_fraction"] > 0.9
    assert said(answer, "case-all-gpus-alike").figure("count") > 30
    assert said(answer, "case-gpu-pays-from").figure("batch") > 10_000


def test_the_unets_dp_and_ddp_are_plausible() -> None:
    answer = answered("unet-dp-vs-ddp")
    assert answer.verdict == "plausible"
    assert answer.figures["reported_dp_ratio"] == pytest.approx(208 / 140)
    assert answer.figures["reported_ddp_ratio"] == pytest.approx(208 / 118)
    assert answer.figures["predicted_ddp_ratio"] == pytest.approx(208 / 118, rel=0.15)
    ahead = said(answer, "case-ddp-ahead")
    assert ahead.figure("ahead_count") > ahead.figure("count") / 2


def test_two_3090_on_roberta_are_near_what_is_expected_and_step_counts_differ_by_noise() -> None:
    answer = answered("roberta-large-2x3090-grad-accumulation")
    assert answer.verdict == "plausible"
    assert answer.figures["reported_ratio"] == pytest.approx(1.456, abs=0.01)
    assert answer.figures["predicted_gain_ratio"] > 1.1
    assert "case-accumulation-noise" in {reason.code for reason in answer.reasons}


def test_the_list_of_cards_cannot_hold_at_one_precision() -> None:
    answer = answered("bert-base-sst2-across-gpus")
    assert answer.verdict == "below_expected"
    codes = [reason.code for reason in answer.reasons]
    assert "case-job-slower" in codes
    assert "case-job-fits-fp32" in codes
    assert answer.figures["claimed_order_ratio"] > 2
    assert answer.figures["fp32_order_ratio"] < 1


def test_the_rnn_crosses_near_batch_330() -> None:
    answer = answered("rnn-batch-crossover")
    assert answer.figures["crossover_count"] == pytest.approx(330, rel=0.03)


def test_two_gpus_alone_cannot_bring_three_hours_to_52_minutes() -> None:
    answer = answered("two-gpus-three-hours-to-52-minutes")
    assert answer.verdict == "impossible"
    assert answer.figures["claimed_ratio"] == pytest.approx(180 / 52)
    assert numbers(answer, "case-at-best")["best_s"] == 5400


def test_validation_takes_72_percent_of_the_epoch_log() -> None:
    answer = answered("epoch-log-with-frequent-validation")
    assert answer.figures["validation_fraction"] == pytest.approx(0.72, abs=0.01)
    assert answer.figures["better_epoch_s"] == pytest.approx(3600, rel=0.1)
    assert numbers(answer, "log-validate-less")["better_steps"] == 1000


def test_the_bundled_cases_report_every_figure_and_claim_of_their_sources() -> None:
    raw = tomllib.loads(resource("cases.toml").read_text(encoding="utf-8"))["case"]
    for case in raw:
        known = bundled_cases()[case["id"]]
        assert known.question.text("en") == case["question"]["en"]
        assert known.question.text("zh") == case["question"]["zh"]
        assert all(claim.en and claim.zh for claim in known.claims)
        assert known.reported.keys() == case["reported"].keys()
    assert bundled_cases()["roberta-large-2x3090-grad-accumulation"].runs("ddp2_accum2_s") == [686.4]


def test_an_unknown_case_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="no-such-case") as refused:
        answer_case("no-such-case", real_predictor())
    assert "unet-dp-vs-ddp" in refused.value.remedy


def test_other_figures_get_other_answers() -> None:
    unet = bundled_cases()["unet-dp-vs-ddp"]
    quick = msgspec.structs.replace(unet, reported={**unet.reported, "ddp_batch8_per_gpu_s": 60})
    assert answer_unet(quick, real_predictor()).verdict == "plausible_only_with"
    roberta = bundled_cases()["roberta-large-2x3090-grad-accumulation"]
    superlinear = msgspec.structs.replace(
        roberta, reported={**roberta.reported, "ddp2_s": [400.0, 401.0], "ddp2_accum20_s": [900.0, 901.0]}
    )
    answer = answer_roberta(superlinear, real_predictor())
    assert answer.verdict == "plausible_only_with"
    assert "case-accumulation-differs" in {reason.code for reason in answer.reasons}


def test_times_that_fit_a_precision_are_told_which() -> None:
    bert, work = bundled_cases()["bert-base-sst2-across-gpus"], load_workload("bert_base_sst2")

    def job(key: str, precision: Precision) -> Estimate:
        card = candidate(spec_table()[key], precision, work.training.batch_size)
        found = real_predictor().predict(work, (card,))[0].job_s
        assert found is not None
        return found.scaled(1 / 60)

    between = (job("a100-sxm4-40", "fp16_amp").high + job("a100-sxm4-40", "fp32").low) / 2
    times = {
        "a100_40gb_min": between,
        "l40s_48gb_min": job("l40s", "fp16_amp").value,
        "v100_32gb_min": job("v100-pcie-32", "fp32").value,
        "rtx3090_24gb_min": job("rtx3090", "fp32").value,
        "rtx4090_min": job("rtx4090", "fp16_amp").value,
    }
    healthy = answer_case(msgspec.structs.replace(bert, reported={**bert.reported, **times}), real_predictor())
    assert healthy.verdict == "plausible_only_with"
    codes = [reason.code for reason in healthy.reasons]
    assert codes.count("case-job-fits-amp") == 2
    assert codes.count("case-job-fits-fp32") == 2
    assert codes.count("case-job-between") == 1


def test_where_nothing_can_be_traced_only_cases_with_their_own_figures_are_answered() -> None:
    empty = Predictor(spec_table(), lambda _: {}, machine())
    alone = {"rnn-batch-crossover", "two-gpus-three-hours-to-52-minutes", "epoch-log-with-frequent-validation"}
    for case_id in bundled_cases():
        if case_id in alone:
            assert answer_case(case_id, empty).case_id == case_id
        else:
            with pytest.raises(InputError) as refused:
                answer_case(case_id, empty)
            assert refused.value.remedy


class Partial(Predictor):
    """The real predictions with something left out."""

    def __init__(self, **changes: object) -> None:
        self.changes = changes
        super().__init__({key: spec for key, spec in spec_table().items() if key != changes.get("without")})

    def predict(self, workload: Workload, candidates: Sequence[Candidate]) -> tuple[Prediction, ...]:
        given = {name: value for name, value in self.changes.items() if name in {"job_s", "efficiency", "step_s"}}
        found = real_predictor().predict(workload, candidates)
        return tuple(msgspec.structs.replace(one, **given) for one in found if one.precision not in self.changes)


def test_missing_pieces_leave_an_answer_with_fewer_reasons_or_a_refusal() -> None:
    case = bundled_cases()["fp32-4090-vs-a100"]
    without = answer_case(case, Partial(tf32=False))
    assert "tf32_ratio" not in without.figures
    unlinked = answer_case(msgspec.structs.replace(case, devices=("rtx4090", "l40s")), Partial())
    assert "case-large-models-decide" not in {reason.code for reason in unlinked.reasons}
    with pytest.raises(InputError):
        answer_case("bert-base-sst2-across-gpus", Partial(job_s=None))
    unet = answer_case("unet-dp-vs-ddp", Partial(without="t4", efficiency=None))
    assert said(unet, "case-ddp-ahead").figure("count") == 14
    flat = answer_case("iris-mlp-gpu-slower-than-cpu", Partial(step_s=estimate(1e-4)))
    assert "case-gpu-pays-from" not in {reason.code for reason in flat.reasons}


def test_a_case_tells_its_model_in_both_languages_or_as_it_is() -> None:
    for case in bundled_cases().values():
        assert case.model_text("en")
        assert case.model_text("zh")
