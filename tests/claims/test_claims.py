"""Verdicts on claims, from the program's own predictions of the bundled models."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.claims.bounds import ratio_bound, step_bound
from advisor.claims.claim import Claim, ClaimEntry, Verdict, any_precision_of, read_claim_file
from advisor.claims.judge import check_claim
from advisor.claims.limits import likely_limits
from advisor.claims.predictor import Predictor, candidate
from advisor.claims.setting import claimed_workload, range_over, usual_precision
from advisor.core.errors import InputError
from advisor.core.sentences import say
from advisor.optable.op_table import step_flop
from advisor.optable.saved_tables import saved_tables
from advisor.predict.accuracy_record import accuracy_record
from advisor.predict.prediction import Candidate, Prediction
from advisor.workload.workload import Workload, with_training
from advisor.workload.workload_file import load_workload
from tests.claims.judged import assert_judged, assert_readable
from tests.recommend.fakes import SPECS, TRANSFORMER, machine, predict
from tests.recommend.real_predictor import real_predictor

VERDICTS: list[tuple[str, Verdict, str]] = [
    ("2 GPUs made it 3.5 times faster", "impossible", "claim-more-than-linear"),
    ("两张3090训练比单卡快3.5倍", "impossible", "claim-more-than-linear"),
    ("An epoch fell from 3 hours to 52 minutes with a second GPU", "impossible", "claim-more-than-linear"),
    ("BERT-base at 30 ms a step, batch 32, FP32, on a V100", "impossible", "claim-impossible-step"),
    ("ResNet-50 training at 5,000 images/s on one 3090", "impossible", "claim-impossible-rate"),
    ("一张 RTX 3090 上 ResNet-50 每秒训练 5000 张图", "impossible", "claim-impossible-rate"),
    ("ResNet-50 in FP32 on a T4 at 3000 images/s", "impossible", "claim-impossible-rate"),
    ("H100 SXM is 60 times faster than T4 on resnet50 in FP32", "impossible", "claim-ratio-impossible"),
    ("ResNet-50 FP32 on V100 at 360 images/s", "plausible", "claim-plausible"),
    ("ResNet-50 trains at 800 images/s on one V100 SXM2 in AMP", "plausible", "claim-plausible"),
    ("An RTX 4090 is more than twice as fast as an A100 without mixed precision", "plausible", "claim-ratio-plausible"),
    ("RTX 4090 is 0.78 times as fast as A100 SXM 40GB in AMP", "plausible", "claim-ratio-plausible"),
    ("4 x L40S give a speed-up of 3.6x on vit base", "plausible", "claim-scaling-plausible"),
    ("4 GPUs gave a 3.2x speed-up", "plausible", "claim-efficiency-plausible"),
    ("4 GPUs gave 1.4x speed-up", "below_expected", "claim-efficiency-low"),
    ("8 A100 with DataParallel were 7.9x as fast", "plausible_only_with", "claim-efficiency-one-process"),
    ("用DataParallel在8张A100上训练速度是单卡的7.9倍", "plausible_only_with", "claim-efficiency-one-process"),
    ("8 A100 with DistributedDataParallel were 7.9x as fast", "plausible", "claim-efficiency-plausible"),
    ("8 x A100 SXM 40GB give a speed-up of 1.5x on vit base", "below_expected", "claim-scaling-below"),
    ("bert base on RTX 4090, 3 epochs in 38 minutes, batch 16, AMP", "below_expected", "claim-below"),
    ("ResNet-50 at 90 images/s on a 4090 with AMP", "below_expected", "claim-below"),
    ("iris MLP takes 2 ms a step on a 3080 Ti", "below_expected", "claim-below"),
    ("RTX 4090 is 1.0x faster than RTX 3090 on bert base fp16", "below_expected", "claim-ratio-below"),
    ("bert base on A100 40GB, 3 epochs in 18 minutes, batch 16", "plausible_only_with", "claim-only-with-precision"),
    ("ResNet-50 in FP32 on V100 SXM2 at 700 images/s", "plausible_only_with", "claim-only-with-precision"),
    ("An RTX 4090 is 2.5 times as fast as an A100", "plausible_only_with", "claim-ratio-only-with-precision"),
    ("An RTX 4090 is 2.5 times as fast as an A100 with AMP", "plausible_only_with", "claim-ratio-only-elsewhere"),
    ("BERT on A100 is 6x V100", "plausible_only_with", "claim-ratio-only-with-precision"),
    ("BERT on A100 is 12x V100", "impossible", "claim-ratio-impossible"),
    ("fp16 is 8x faster than fp32 on V100", "plausible_only_with", "claim-change-above"),
    ("RoBERTa-large on two RTX 3090 is 97% faster than on one", "plausible_only_with", "claim-scaling-above"),
    ("H100 SXM is 6x faster than V100 on BERT-large fp16 at batch 4", "plausible_only_with", "claim-ratio-above"),
    ("ResNet-50 on a T4 at 1000 images/s", "plausible_only_with", "claim-only-with-inference"),
    ("U-Net inference in AMP on an RTX 3090 at 10000 images/s", "impossible", "claim-impossible-rate"),
    ("U-Net inference nhwc, torch.compile, AMP, RTX 3090: 9000 images/s", "impossible", "claim-impossible-rate"),
    ("P100 is 2 times as fast as T4 on resnet50", "plausible", "claim-ratio-plausible"),
    ("4 T4 in bf16 give a speed-up of 3x on vit base", "plausible", "claim-efficiency-plausible"),
]


@pytest.mark.parametrize(("text", "verdict", "code"), VERDICTS, ids=[text for text, _, _ in VERDICTS])
def test_a_claim_gets_the_right_verdict_with_its_numbers(text: str, verdict: Verdict, code: str) -> None:
    assert_judged(text, verdict, code)


def test_the_bound_that_proves_a_step_impossible_is_work_over_peak() -> None:
    answer = check_claim("BERT-base at 5 ms a step, batch 32, FP32, on a V100 SXM2 32GB", real_predictor())
    assert answer.bound_step_s is not None
    table = saved_tables(load_workload("bert_base_sst2"))["fp32"]
    least = step_flop(table, 32) / spec_table()["v100-sxm2-32"].fp32_flop_per_s  # type: ignore[operator]
    assert answer.bound_step_s == pytest.approx(least, rel=0.1)
    reason = answer.reasons[0]
    assert reason.figure("needed_flop_per_s") > reason.figure("peak_flop_per_s")


@pytest.mark.parametrize("name", ["bert_base_sst2", "resnet50", "unet_vgg16", "lstm_classifier"])
def test_no_prediction_beats_its_own_roofline(name: str) -> None:
    predictor, workload = real_predictor(), load_workload(name)
    tables = predictor.tables(workload)
    wanted = [
        candidate_of(key, precision, batch)
        for key in predictor.specs
        for precision in ("fp32", "tf32", "fp16_amp")
        for batch in (1, 16, 128)
    ]
    made = predictor.predict(workload, wanted)
    assert len(made) > 200
    for one in made:
        bound = step_bound(tables, predictor.specs[one.device.key], one.precision, one.batch_size_per_device)
        assert bound is None or bound.step_s < one.step_s.low, (one.device.key, one.precision)


def candidate_of(key: str, precision: str, batch: int) -> Candidate:
    return candidate(spec_table()[key], precision, batch)  # type: ignore[arg-type]


def test_inference_is_bounded_by_the_forward_pass_alone() -> None:
    tables = saved_tables(load_workload("resnet50"))
    spec = spec_table()["t4"]
    training, inference = (step_bound(tables, spec, "fp32", 32, mode) for mode in ("training", "inference"))
    assert training is not None
    assert inference is not None
    assert inference.step_s < training.step_s / 2


def test_a_ratio_is_bounded_by_what_a_card_computes_where_it_lacks_the_precision() -> None:
    a100, v100 = spec_table()["a100-sxm4-40"], spec_table()["v100-sxm2-32"]
    assert a100.tf32_flop_per_s is not None
    assert v100.fp32_flop_per_s is not None
    assert ratio_bound(a100, v100, "tf32") == pytest.approx(a100.tf32_flop_per_s / v100.fp32_flop_per_s)


def test_what_is_expected_at_the_claimed_precision_is_told_where_another_would_explain_a_ratio() -> None:
    answer = check_claim("RTX 4090 is 2x faster than A100 training BERT-base in fp16", real_predictor())
    reason = answer.reasons[0]
    assert answer.expected_ratio is not None
    assert answer.expected_ratio.value < 1
    assert (reason.code, reason.numbers["precision"]) == ("claim-ratio-only-elsewhere", "FP16 AMP")
    assert reason.figure("expected_ratio") == answer.expected_ratio.value


def test_a_missing_figure_gives_no_bound() -> None:
    tables = saved_tables(load_workload("resnet50"))
    assert step_bound({}, spec_table()["t4"], "fp32", 32) is None
    assert step_bound(tables, spec_table()["t4"], "tf32", 32) is None
    assert ratio_bound(spec_table()["t4"], spec_table()["rtx3090"], "tf32") is None


def test_an_unknown_precision_is_replaced_where_torch_would() -> None:
    table = spec_table()
    assert usual_precision(table["t4"], "tf32") == "fp32"
    assert usual_precision(table["t4"], "bf16_amp") == "fp16_amp"
    assert usual_precision(table["p100-pcie-16"], "fp16_amp") is None
    assert usual_precision(table["p100-pcie-16"], "bf16") is None


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("it became 1.8 times faster", "by how many GPUs"),
        ("resnet50 at 300 images/s", "names no GPU"),
        ("300 images/s on a V100", "names no model"),
        ("ResNet-50 in bf16 on a P100 at 100 images/s", "has no units for BF16 AMP"),
    ],
)
def test_a_claim_that_lacks_something_names_it(text: str, missing: str) -> None:
    with pytest.raises(InputError) as refused:
        check_claim(text, real_predictor())
    assert missing in refused.value.text
    assert refused.value.remedy


def test_a_claim_may_come_as_fields_and_as_an_entry_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(
        '[[claim]]\ntext = "ResNet-50 at 5000 images/s on one 3090"\nprecision = "fp16_amp"\n'
        '[[claim]]\ngpu = "v100-sxm2-32"\nworkload = "bert_base_sst2"\nbatch_size = 32\n'
        'precision = "fp32"\nstep_s = 0.005\n'
        '[[claim]]\ngpu = "rtx4090"\nreference_gpu = "rtx3090"\nworkload = "resnet50"\nspeed_up_ratio = 100\n',
        encoding="utf-8",
    )
    answers = [check_claim(entry, real_predictor()) for entry in read_claim_file(path)]
    assert [answer.verdict for answer in answers] == ["impossible"] * 3
    assert answers[0].claim.precision == "fp16_amp"
    assert answers[0].claim.gpus == ("rtx3090",)
    same = check_claim(answers[1].claim, real_predictor())
    assert same == answers[1]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[[claim]]\ngpu = "t4"', "claim[0]"),
        ("[[claim]]\ntext = 3", "text"),
        ('[[claim]]\ntext = "x"\nspeed = 3', "speed"),
        ("claim = []", "claim"),
    ],
)
def test_a_bad_claim_file_is_refused_by_its_field(tmp_path: Path, text: str, field: str) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_claim_file(path)
    assert field in refused.value.text


def test_an_unknown_key_in_a_claim_is_refused() -> None:
    with pytest.raises(InputError, match="rtx9999"):
        check_claim(ClaimEntry(gpu="rtx9999", workload="resnet50", step_s=1), real_predictor())


def test_a_claim_without_time_is_refused() -> None:
    with pytest.raises(InputError, match="no time and no rate"):
        check_claim(Claim(gpus=("t4",), workload="resnet50"), real_predictor())


@pytest.mark.parametrize(
    ("name", "key", "change", "code"),
    [
        ("gpt2_small", "rtx4090", {"compile": True}, "claim-only-with-compile"),
        ("unet_vgg16", "v100-sxm2-16", {"channels_last": True}, "claim-only-with-channels-last"),
        ("bert_base_sst2", "rtx3090", {"mode": "inference"}, "claim-only-with-inference"),
    ],
)
def test_a_claim_that_is_too_fast_is_explained_by_what_it_leaves_open(
    name: str, key: str, change: dict[str, object], code: str
) -> None:
    predictor, work = real_predictor(), load_workload(name)
    card = candidate_of(key, "fp16_amp", work.training.batch_size)
    plain = predictor.predict(work, (card,))[0].step_s
    changed = predictor.predict(with_training(work, **change), (card,))[0].step_s
    claimed = min(changed.value, 0.99 * plain.low)
    assert claimed >= changed.low
    said = Claim(
        gpus=(key,), workload=name, batch_size=work.training.batch_size, precision="fp16_amp", step_s=claimed,
        compile=None if "compile" in change else False,
    )  # fmt: skip
    answer = check_claim(said, predictor)
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", code)
    assert_readable(answer)


def test_what_only_better_kernels_could_do_is_not_called_impossible() -> None:
    predictor, work = real_predictor(), load_workload("gpt2_small")
    changed = with_training(work, mode="inference", compile=True)
    step = predictor.predict(changed, (candidate_of("rtx4090", "fp16", 8),))[0].step_s
    said = Claim(
        gpus=("rtx4090",), workload="gpt2_small", batch_size=8, precision="fp16", step_s=0.98 * step.low,
        mode="inference", compile=True,
    )  # fmt: skip
    answer = check_claim(said, predictor)
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", "claim-only-with-better-kernels")
    assert_readable(answer)


def test_a_rate_far_ahead_of_every_measured_run_is_told_so() -> None:
    predictor, work = real_predictor(), load_workload("resnet50")
    step = predictor.predict(work, (candidate_of("a100-sxm4-40", "fp16", 256),))[0].step_s
    most = accuracy_record().score("source")
    assert most is not None
    said = Claim(
        gpus=("a100-sxm4-40",), workload="resnet50", batch_size=256, precision="fp16",
        step_s=0.4 * step.value / most.fastest_ratio,
    )  # fmt: skip
    answer = check_claim(said, predictor)
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", "claim-beyond-every-run")
    numbers = answer.reasons[0].numbers
    assert numbers["run_count"] == most.run_count
    assert numbers["faster_ratio"] > numbers["most_ratio"] == most.fastest_ratio  # type: ignore[operator]
    assert_readable(answer)


def test_pure_half_is_the_last_explanation() -> None:
    predictor, work = real_predictor(), load_workload("bert_base_sst2")
    changed = with_training(work, mode="inference", compile=True)
    step = predictor.predict(changed, (candidate_of("v100-sxm2-32", "fp16_amp", 16),))[0].step_s
    said = Claim(
        gpus=("v100-sxm2-32",), workload="bert_base_sst2", batch_size=16, precision="fp16_amp", step_s=0.99 * step.low,
        mode="inference", compile=True,
    )  # fmt: skip
    answer = check_claim(said, predictor)
    assert answer.reasons[0].numbers["precisions"] == any_precision_of(("fp16",))


def test_a_time_between_two_precisions_is_too_slow_for_the_faster_one() -> None:
    predictor, work = real_predictor(), load_workload("bert_base_sst2")
    steps = [
        predictor.predict(work, (candidate_of("v100-sxm2-32", precision, 16),))[0].step_s
        for precision in ("fp16_amp", "fp32")
    ]
    between = (steps[0].high + steps[1].low) / 2
    assert steps[0].high < between < steps[1].low
    open_one = Claim(gpus=("v100-sxm2-32",), workload="bert_base_sst2", batch_size=16, step_s=between)
    answer = check_claim(open_one, predictor)
    assert (answer.verdict, answer.reasons[0].code) == ("below_expected", "claim-below")
    beaten = next(reason for reason in answer.reasons if reason.code == "claim-too-fast-in")
    assert beaten.numbers["precisions"] == any_precision_of(("fp32",))


def test_a_time_too_short_for_its_own_precision_is_explained_by_a_faster_one() -> None:
    predictor, work = real_predictor(), load_workload("bert_base_sst2")
    step = predictor.predict(work, (candidate_of("v100-sxm2-32", "fp16_amp", 16),))[0].step_s
    claim = Claim(gpus=("v100-sxm2-32",), workload="bert_base_sst2", batch_size=16, step_s=step.high, precision="fp32")
    answer = check_claim(claim, predictor)
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", "claim-only-with-precision")
    assert answer.reasons[0].numbers["precisions"] == any_precision_of(("fp16_amp",))


def test_two_precisions_that_would_do_are_both_named() -> None:
    answer = check_claim("ResNet-50 at 1,000 images/s on one A100 40GB SXM", real_predictor())
    assert answer.verdict in {"plausible", "plausible_only_with"}
    assert_readable(answer)


def test_a_whole_job_and_several_cards_are_judged_too() -> None:
    job = check_claim(
        Claim(gpus=("a100-sxm4-40",), count=8, workload="bert_base_sst2", job_s=86400, precision="fp16_amp"),
        real_predictor(),
    )
    assert job.verdict == "below_expected"
    assert "claim-limit-communication" in {reason.code for reason in job.reasons}
    assert_readable(job)


def test_where_nothing_can_be_traced_claims_about_times_are_refused_and_ratios_of_cards_too() -> None:
    empty = Predictor(spec_table(), lambda _: {}, machine())
    with pytest.raises(InputError, match="No trace of ResNet-50"):
        check_claim("resnet50 at 300 images/s on a V100", empty)
    with pytest.raises(InputError, match="no model could be predicted"):
        check_claim("RTX 4090 is 2 times as fast as an A100", empty)
    answer = check_claim("resnet50 is 1.7 times faster on two 3090", empty)
    assert answer.reasons[0].code == "claim-efficiency-plausible"


class SmallMemory:
    """The fake physics behind the predictor's interface, so that a claim meets a memory limit."""

    specs = SPECS

    def workload(self, name: str) -> Workload:
        return load_workload(name)

    def tables(self, workload: Workload) -> dict[object, object]:
        del workload
        return {}

    def predict(self, workload: Workload, candidates: tuple[Candidate, ...]) -> tuple[Prediction, ...]:
        return tuple(predict(one, TRANSFORMER, workload) for one in candidates)


def test_a_batch_that_does_not_fit_is_plausible_only_with_less_memory() -> None:
    small = SmallMemory()
    made = small.predict(load_workload("bert_base_sst2"), (candidate_of("rtx3090", "fp32", 200),))[0]
    claim = Claim(
        gpus=("rtx3090",), workload="bert_base_sst2", batch_size=200, precision="fp32", step_s=made.step_s.value
    )
    answer = check_claim(claim, small)  # type: ignore[arg-type]
    assert made.fits is False
    assert (answer.verdict, answer.reasons[0].code) == ("plausible_only_with", "claim-only-with-less-memory")
    assert_readable(answer)


def test_what_slows_a_run_down_is_named_by_its_signs() -> None:
    work = load_workload("bert_base_sst2")
    frequent = msgspec.structs.replace(work, data=msgspec.structs.replace(work.data, validation_samples=60_000))
    expected = real_predictor().predict(work, (candidate_of("rtx3090", "fp16_amp", 16),))[0]
    step = expected.step_s.value
    epoch = Claim(gpus=("rtx3090",), epoch_s=1.0)
    codes = [reason.code for reason in likely_limits(epoch, expected, frequent, 1.5 * step)]
    assert codes == ["claim-limit-validation", "claim-limit-precision-off", "claim-limit-loader"]
    many = msgspec.structs.replace(epoch, count=4)
    assert next(likely_limits(many, expected, work, 50 * step)).code == "claim-limit-communication"


def test_scaling_without_a_known_efficiency_has_no_range() -> None:
    class WithoutEfficiency(SmallMemory):
        def predict(self, workload: Workload, candidates: tuple[Candidate, ...]) -> tuple[Prediction, ...]:
            return tuple(msgspec.structs.replace(one, efficiency=None) for one in super().predict(workload, candidates))

    said = Claim(
        gpus=("rtx3090",), count=2, workload="bert_base_sst2", speed_up_ratio=1.5, batch_size=16, precision="fp32"
    )
    expected = check_claim(said, WithoutEfficiency()).expected_ratio  # type: ignore[arg-type]
    assert expected is not None
    assert expected.low == expected.value == expected.high


def test_a_claim_keeps_what_it_says_of_length_image_and_layout() -> None:
    said = Claim(workload="resnet50", image_size=320, sequence_length=7, channels_last=True, compile=True, batch_size=9)
    workload = claimed_workload(said, real_predictor())
    assert (workload.data.image_size, workload.data.sequence_length) == (320, None)
    assert (workload.training.channels_last, workload.training.compile, workload.training.batch_size) == (True, True, 9)
    text = claimed_workload(msgspec.structs.replace(said, workload="gpt2_small"), real_predictor())
    assert (text.data.image_size, text.data.sequence_length) == (None, 7)


def test_a_range_over_nothing_is_unknown() -> None:
    assert range_over([]) is None


def test_a_rate_of_few_a_second_keeps_its_decimals() -> None:
    answer = check_claim("llama_7b_pretraining on an H100 at 30 samples/s", real_predictor())
    told = say(answer.reasons[0], "en")
    assert "30 samples a second" in told
    assert re.search(r"More than \d\.\d", told), told
