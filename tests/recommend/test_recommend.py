"""The recommendation as a whole: who wins, why, and what would change it."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from advisor.core.sentences import Reason, say
from advisor.recommend.advise_from import recommend
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.prices import Prices
from advisor.recommend.recommendation import Limits, Recommendation, Recommendations
from advisor.workload.workload import Workload
from tests.recommend.fakes import (
    RECURRENT,
    SPECS,
    TINY,
    TRANSFORMER,
    Physics,
    gpu,
    machine,
    predict_all,
    workload,
)

IRIS = workload(batch_size=120, samples=120, epochs=20000)


def advise(
    work: Workload, physics: Physics, *gpus: object, keys: tuple[str, ...] | None = None, **options: object
) -> Recommendations:
    here = machine(*gpus)  # type: ignore[arg-type]
    found = enumerate_candidates(work, here, SPECS, gpu_keys=keys)
    predictions = predict_all(found, physics, work, measured_keys=("cpu",))
    answer = recommend(work, here, predictions, specs=SPECS, **options)  # type: ignore[arg-type]
    for reason in all_reasons(answer):
        assert say(reason, "en")
        assert say(reason, "zh")
    return answer


def all_reasons(answer: Recommendations) -> list[Reason]:
    found = [*answer.reasons, *answer.caveats, *(one.reason for one in answer.alternatives)]
    found += [one.reason for one in answer.batch_advice] + [one.reason for one in answer.crossovers]
    for one in (answer.recommendation, answer.recommendation_local):
        if one is not None:
            found += [*one.why, *one.would_change_if]
    return found


def best_of(answer: Recommendations) -> Recommendation:
    assert answer.recommendation is not None
    return answer.recommendation


def codes(reasons: tuple[Reason, ...]) -> set[str]:
    return {reason.code for reason in reasons}


def test_a_cpu_wins_a_tiny_model_and_the_reason_names_launch_and_synchronisation() -> None:
    answer = advise(IRIS, TINY)
    best = best_of(answer)
    assert (best.device.key, best.count, best.batch_size_per_device) == ("cpu", 1, 120)
    launch = next(reason for reason in best.why if reason.code == "why-launch-bound")
    assert launch.numbers["launch_s"] == pytest.approx(3e-4, rel=0.01)
    assert "launch" in say(launch, "en")
    assert "synchronis" in say(launch, "en")
    assert {one.reason.code for one in answer.crossovers} == {"crossover-cpu-wins"}


def test_strict_fp32_ranks_the_4090_before_the_a100_and_autocast_turns_it() -> None:
    answer = advise(workload("fp32"), TRANSFORMER, keys=("a100-sxm4-40", "rtx4090"))
    best = best_of(answer)
    assert best.device.key == "rtx4090"
    assert best.precision == "fp32"
    assert "why-strict-fp32" in codes(best.why)
    turn = next(reason for reason in answer.reasons if reason.code == "precision-turns")
    assert turn.numbers["other"] == "A100 SXM4 40 GB"
    assert turn.numbers["device_asked_flop_per_s"] == 82.6e12
    assert {"change-precision-same", "change-precision-other"} <= codes(best.would_change_if)
    half = best_of(advise(workload("fp16_amp"), TRANSFORMER, keys=("a100-sxm4-40", "rtx4090")))
    assert half.device.key == "a100-sxm4-40"
    assert "why-compute-rate" in codes(half.why)


def test_a_lead_that_only_closes_is_told_as_such() -> None:
    busy = replace(TRANSFORMER, kernel_count=1, gradient_bytes=1e6, spread=0.2, bytes_per_sample=1e5)
    specs = {**SPECS, "a100-sxm4-40": msgspec.structs.replace(SPECS["a100-sxm4-40"], fp16_flop_per_s=175e12)}
    work = workload("fp32")
    here = machine()
    found = enumerate_candidates(
        work, here, specs, gpu_keys=("a100-sxm4-40", "rtx4090"), precisions=("fp32", "fp16_amp")
    )
    predictions = [
        msgspec.structs.replace(
            one,
            step_s=one.step_s.scaled(312 / 175)
            if one.device.key[0] == "a" and one.precision == "fp16_amp"
            else one.step_s,
        )
        for one in predict_all(found, busy, work)
    ]
    answer = recommend(work, here, predictions, specs=specs)
    assert "precision-closes" in codes(answer.reasons)


def test_a_less_exact_precision_is_never_advised_only_named() -> None:
    answer = advise(workload("tf32"), TRANSFORMER)
    assert best_of(answer).precision in {"fp32", "tf32"}
    assert "caveat-precision-replaced" in codes(answer.caveats)


def test_a_card_without_any_allowed_precision_is_left_out_with_a_caveat() -> None:
    here = machine()
    work = workload("tf32")
    found = enumerate_candidates(
        work, here, SPECS, gpu_keys=("v100-sxm2-32", "rtx3090"), precisions=("tf32", "fp16_amp")
    )
    answer = recommend(work, here, predict_all(found, TRANSFORMER, work), specs=SPECS)
    assert best_of(answer).device.key == "rtx3090"
    assert "caveat-precision-left-out" in codes(answer.caveats)


def test_the_count_stops_at_the_knee_and_the_pareto_set_goes_on() -> None:
    answer = advise(workload("fp32"), TRANSFORMER, keys=("rtx4090",))
    best = best_of(answer)
    assert best.count < 8
    knee = next(reason for reason in best.why if reason.code == "why-count-knee")
    assert knee.figure("marginal_fraction") < 0.7
    assert "change-count-batch" in codes(best.would_change_if)
    assert {one.count for one in answer.alternatives} > {best.count}


def test_ddp_is_preferred_to_dp_and_two_cards_are_compared() -> None:
    answer = advise(workload("fp32"), replace(TRANSFORMER, gradient_bytes=2e7), keys=("rtx3090",))
    best = best_of(answer)
    assert (best.strategy, best.count) == ("ddp", 8)
    assert {"why-ddp-over-dp", "scaling-efficiency", "scaling-learning-rate"} <= codes(best.why)
    assert "strategies-compared" in codes(answer.reasons)


def test_communication_and_a_missing_link_are_named() -> None:
    costly = replace(TRANSFORMER, flop_per_sample=2e11, gradient_bytes=2.4e8)
    without = best_of(advise(workload("fp32"), costly, keys=("l40s",), max_global_batch_growth=2.0))
    assert without.count > 1
    assert "why-communication-no-nvlink" in codes(without.why)
    assert "change-link" in codes(without.would_change_if)
    linked = best_of(advise(workload("fp32"), replace(costly, gradient_bytes=2e10), keys=("a100-sxm4-40",)))
    assert linked.count > 1
    assert "why-communication" in codes(linked.why)


def test_where_only_large_cards_hold_a_step_the_memory_is_the_reason() -> None:
    answer = advise(
        workload("fp32", batch_size=4), replace(TRANSFORMER, memory_fixed_bytes=44e9), keys=("rtx4090", "l40s")
    )
    best = best_of(answer)
    assert best.device.key == "l40s"
    assert {"why-memory-elsewhere", "why-memory-tight"} <= codes(best.why)


def test_nothing_that_fits_gives_no_recommendation_but_a_caveat() -> None:
    answer = advise(workload(), replace(TRANSFORMER, memory_fixed_bytes=500e9))
    assert answer.recommendation is None
    assert answer.recommendation_local is None
    assert "caveat-nothing-fits-at-one" in codes(answer.caveats)
    assert answer.alternatives == ()


def test_a_machine_that_cannot_hold_a_step_is_told_apart_from_the_candidates() -> None:
    here = machine()
    found = enumerate_candidates(workload(), here, SPECS, gpu_keys=("l40s",))
    predictions = [
        msgspec.structs.replace(one, fits=False) if one.device.local else one
        for one in predict_all(found, TRANSFORMER, workload())
    ]
    answer = recommend(workload(), here, predictions, specs=SPECS)
    assert answer.recommendation_local is None
    assert "caveat-nothing-fits-here" in codes(answer.caveats)
    limited = recommend(workload(), here, predictions, specs=SPECS, limits=Limits(max_job_s=1e9))
    assert "caveat-nothing-fits-here" in codes(limited.caveats)


def test_two_questions_get_two_answers() -> None:
    answer = advise(workload("fp32"), TRANSFORMER, gpu(), gpu(1))
    local = answer.recommendation_local
    assert local is not None
    assert local.device.key == "GPU-00000000"
    assert not best_of(answer).device.local
    assert best_of(answer).thread_count is None


def test_a_local_card_is_taken_where_nothing_is_clearly_better() -> None:
    answer = advise(workload("fp32", batch_size=100), RECURRENT, gpu())
    best = best_of(answer)
    assert best.device.key == "GPU-00000000"
    assert best.tied_with
    assert {"change-batch-to-cpu", "change-measure"} <= codes(best.would_change_if)
    assert "why-host-bound" in codes(best.why)


def test_a_small_batch_on_the_cpu_names_the_batch_at_which_a_gpu_wins() -> None:
    answer = advise(workload("fp32", batch_size=4, samples=16), RECURRENT, keys=("rtx3090",))
    best = best_of(answer)
    assert best.device.key == "cpu"
    assert "crossover-at" in codes(best.would_change_if)


def test_the_goal_cost_takes_the_cheapest_by_price() -> None:
    prices = Prices(currency="USD", date="2026-01-01", devices={"a100-sxm4-40": 20.0, "rtx3090": 0.1, "cpu": 50.0})
    answer = advise(
        workload("fp16_amp"), TRANSFORMER, keys=("a100-sxm4-40", "rtx3090", "rtx4090"), goal="cost", prices=prices
    )
    best = best_of(answer)
    assert (best.device.key, best.currency) == ("rtx3090", "USD")
    assert best.cost is not None
    assert "caveat-some-prices-missing" in codes(answer.caveats)
    assert "alternative-pareto-cost" in {one.reason.code for one in answer.alternatives}


def test_the_goal_cost_without_prices_counts_gpu_hours_and_says_so() -> None:
    answer = advise(workload("fp16_amp"), TRANSFORMER, goal="cost")
    assert best_of(answer).device.key == "cpu"
    assert "caveat-no-prices" in codes(answer.caveats)
    cards = advise(workload("fp16_amp"), TRANSFORMER, gpu(), goal="cost")
    assert cards.recommendation is not None


def test_the_goal_energy_takes_the_least_joules_and_names_unknown_power() -> None:
    answer = advise(workload("fp16_amp"), TRANSFORMER, goal="energy")
    best = best_of(answer)
    assert best.device.key != "cpu"
    assert "why-least-energy" in codes(best.why)
    assert "caveat-power-unknown" in codes(answer.caveats)
    assert answer.recommendation_local is None


def test_the_cheapest_card_is_ahead_by_a_ratio_of_costs() -> None:
    prices = Prices(currency="USD", date="2026-01-01", devices={"a100-sxm4-40": 20.0, "rtx3090": 0.1})
    here = machine()
    work = workload("fp16_amp")
    found = enumerate_candidates(work, here, SPECS, gpu_keys=("a100-sxm4-40", "rtx3090"), local=False)
    answer = recommend(work, here, predict_all(found, TRANSFORMER, work), specs=SPECS, goal="cost", prices=prices)
    assert "why-cheapest" in codes(best_of(answer).why)


def test_without_prices_no_card_is_said_to_cost_more_than_another() -> None:
    """Hours of a consumer's card and of a server's are not worth the same: a ratio of hours is told as that."""
    here, work = machine(), workload("fp16_amp")
    found = enumerate_candidates(work, here, SPECS, gpu_keys=("a100-sxm4-40", "rtx3090"), local=False)
    answer = recommend(work, here, predict_all(found, TRANSFORMER, work), specs=SPECS, goal="cost")
    (told,) = [reason for reason in best_of(answer).why if reason.code == "why-fewest-hours"]
    assert "times the GPU-hours of" in say(told, "en")
    assert "GPU 小时是" in say(told, "zh")
    alike = tuple(
        msgspec.structs.replace(
            one, samples_per_s=one.samples_per_s.scaled(5.0), job_s=one.job_s and one.job_s.scaled(0.2)
        )
        if one.device.key == "rtx3090"
        else one
        for one in predict_all(found, TRANSFORMER, work)
    )
    tied = recommend(work, here, alike, specs=SPECS, goal="cost")
    assert {"why-tied-hours", "why-fewest-hours"} & {*codes(best_of(tied).why)}
    assert not {"why-tied-cost", "why-cheapest"} & {*codes(best_of(tied).why)}


def test_limits_leave_out_what_passes_them_and_say_what_that_costs() -> None:
    free = best_of(advise(workload("fp32"), TRANSFORMER))
    limited = best_of(advise(workload("fp32"), TRANSFORMER, limits=Limits(max_power_w=300)))
    assert limited.count == 1
    assert free.samples_per_s.value > limited.samples_per_s.value
    (without,) = [reason for reason in limited.would_change_if if reason.code == "change-limits-batch-at"]
    assert without.figure("samples") == 16 * without.figure("count") > limited.global_batch_size
    answer = advise(workload("fp32"), TRANSFORMER, limits=Limits(max_job_s=1e-3))
    assert answer.recommendation is None
    (unkept,) = [one for one in answer.caveats if one.code == "caveat-nothing-in-limits"]
    assert say(unkept, "en").startswith("No candidate keeps what was given as limits (hours). Raise it, or add cards")
    frugal = advise(workload("fp32"), TRANSFORMER, limits=Limits(max_power_w=1))
    (unkept,) = [one for one in frugal.caveats if one.code == "caveat-nothing-so-frugal"]
    assert say(unkept, "en").endswith("(power). Raise it, or try other cards with --gpus, or fewer with --counts.")
    loose = best_of(advise(workload("fp32"), TRANSFORMER, limits=Limits(max_job_s=1e9)))
    assert loose.device == free.device


def test_limits_that_cost_nothing_are_not_mentioned() -> None:
    best = best_of(advise(IRIS, TINY, limits=Limits(max_job_s=1e9)))
    assert best.device.key == "cpu"
    assert not {"change-limits-batch", "change-limits-batch-at"} & set(codes(best.would_change_if))


def test_energy_that_is_known_everywhere_needs_no_caveat() -> None:
    here, work = machine(), workload("fp32")
    found = enumerate_candidates(work, here, SPECS, gpu_keys=("rtx3090", "rtx4090"), local=False)
    answer = recommend(work, here, predict_all(found, TRANSFORMER, work), specs=SPECS, goal="energy")
    assert "caveat-power-unknown" not in codes(answer.caveats)


def test_a_held_global_batch_is_kept_by_every_set_up() -> None:
    work = workload("fp32")
    here = machine()
    found = enumerate_candidates(work, here, SPECS, global_batch_size=64)
    answer = recommend(
        work, here, predict_all(found, TRANSFORMER, work), specs=SPECS, global_batch_size=64,
        largest_batch=lambda one: one.batch_size_per_device,
    )  # fmt: skip
    assert best_of(answer).global_batch_size == 64
    assert {one.global_batch_size for one in answer.predictions} == {64}


def test_accumulation_is_explained_where_it_pays() -> None:
    chatty = replace(TRANSFORMER, gradient_bytes=3e8, memory_per_sample_bytes=9e8)
    answer = advise(workload("fp32"), chatty, keys=("rtx4090",), max_global_batch_growth=64.0)
    best = best_of(answer)
    assert best.gradient_accumulation_steps == 4
    assert "why-accumulation" in codes(best.why)


def test_a_slow_loader_and_frequent_validation_are_named() -> None:
    slow = replace(TRANSFORMER, loader_s=0.5)
    often = advise(workload("fp32", validation_samples=50_000, evaluate_every_steps=10), slow)
    best = best_of(often)
    assert {"why-loader-bound", "why-validation-share"} <= codes(best.why)
    assert best.why[0].code == "why-loader-bound"
    assert best.why[0].numbers["waits_s"] == pytest.approx(0.5)
    assert best.why[0].numbers["step_s"] == best.step_s.value
    each = advise(workload("fp32", validation_samples=60_000), TRANSFORMER)
    assert "why-validation-each-epoch" in codes(best_of(each).why)


def test_sharding_and_unknown_memory_are_told() -> None:
    here = machine()
    found = enumerate_candidates(
        workload(),
        here,
        SPECS,
        gpu_keys=("l40s",),
        counts=(2,),
        strategies=("fsdp",),
        local=False,
        precisions=("fp32",),
    )
    predictions = [
        msgspec.structs.replace(one, peak_memory_bytes=None, fits=None)
        for one in predict_all(found, TRANSFORMER, workload())
    ]
    answer = recommend(workload(), here, predictions, specs=SPECS)
    assert "why-sharded" in codes(best_of(answer).why)
    assert "caveat-memory-unknown" in codes(answer.caveats)
    assert "why-only-asked" in codes(best_of(answer).why)


def test_bandwidth_decides_between_cards_of_equal_compute() -> None:
    here, work = machine(), workload("fp32")
    found = enumerate_candidates(work, here, SPECS, gpu_keys=("wide", "rtx3090"), local=False, counts=(1,))
    predictions = predict_all(
        found, replace(TRANSFORMER, flop_per_sample=1e8, kernel_count=1, bytes_per_sample=1e9), work
    )
    best = best_of(recommend(work, here, predictions, specs=SPECS))
    assert best.device.key == "wide"
    assert "why-bandwidth" in codes(best.why)


def test_nothing_to_choose_from_gives_nothing_and_no_error() -> None:
    answer = recommend(workload(), machine(), ())
    assert answer.recommendation is None
    assert answer.batch_advice == ()


def test_without_specs_the_advice_still_comes_with_fewer_reasons() -> None:
    here, work = machine(gpu(spec_key=None)), workload("fp32")
    found = enumerate_candidates(work, here, {}, gpu_keys=())
    answer = recommend(work, here, predict_all(found, TRANSFORMER, work))
    assert answer.recommendation is not None


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = (advise(workload("fp32"), TRANSFORMER, gpu()) for _ in range(2))
    assert msgspec.json.encode(first) == msgspec.json.encode(second)
