"""Batch sizes, counts, strategies, the Pareto set and the crossover."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.strategies import Strategy
from advisor.claims.predictor import candidate
from advisor.core.sentences import say
from advisor.cost.parts import Part
from advisor.predict.prediction import Prediction
from advisor.recommend.batch_size import (
    advise_batches,
    batch_reason,
    choose,
    fitting_curve,
    knee_of,
    largest_global_batch,
    rounded,
)
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.comparison import fixed_s
from advisor.recommend.crossover import find_crossovers
from advisor.recommend.reasons.launching import script_gap
from advisor.recommend.reasons.turning_points import _by_batch
from advisor.recommend.strategy import best_by_count, knee_count, marginal_ratio, pareto
from advisor.recommend.training_time import training_times
from advisor.workload.workload import Training
from tests.recommend.fakes import (
    RECURRENT,
    SPECS,
    TINY,
    TRANSFORMER,
    comparison,
    estimate,
    machine,
    predict,
    predict_all,
    workload,
)

WORK = workload()


OWN = Training(precision="fp32", batch_size=16)


def one(batch: int, rate: float, *, count: int = 1, strategy: Strategy = "single", steps: int = 1) -> Prediction:
    """A 4090 at a batch, with the throughput that the test wants."""
    made = predict(
        candidate(SPECS["rtx4090"], "fp32", batch, count=count, strategy=strategy, accumulation_steps=steps),
        TRANSFORMER,
        WORK,
    )
    return msgspec.structs.replace(made, samples_per_s=estimate(rate, 0.01), fits=True)


def test_the_knee_is_the_smallest_batch_within_ten_percent_of_the_best() -> None:
    curve = [one(8, 50), one(16, 91), one(32, 100), one(64, 99)]
    knee = knee_of(curve)
    assert knee is not None
    assert knee.batch_size_per_device == 16
    assert knee_of([]) is None


def test_no_larger_batch_gains_more_than_ten_percent_over_the_knee() -> None:
    knee = knee_of([one(8, 90.5), one(16, 91), one(32, 100)])
    assert knee is not None
    assert knee.batch_size_per_device == 16


def test_a_knee_within_the_limit_names_the_largest_batch_that_is_allowed() -> None:
    curve = [one(16, 30), one(32, 70), one(64, 75), one(128, 100)]
    chosen = choose(curve, 16, 64)
    assert chosen is not None
    reason = batch_reason(comparison(16, 64, 5000), chosen, curve)
    assert (reason.numbers["batch"], reason.numbers["allowed_batch"], reason.numbers["global_limit"]) == (32, 64, 64)


def test_the_workloads_batch_is_kept_at_or_beyond_the_knee() -> None:
    curve = [one(8, 95), one(16, 99), one(32, 100)]
    chosen = choose(curve, 16, 1000)
    assert chosen is not None
    assert chosen.batch_size_per_device == 16


def test_a_larger_knee_is_taken_within_the_limit_of_the_global_batch() -> None:
    curve = [one(16, 30), one(64, 70), one(256, 100)]
    free, held = choose(curve, 16, 1000), choose(curve, 16, 64)
    assert free is not None
    assert held is not None
    assert (free.batch_size_per_device, held.batch_size_per_device) == (256, 64)
    assert choose(curve, 16, 8) is None


def test_what_does_not_fit_is_never_chosen() -> None:
    big = msgspec.structs.replace(one(64, 200), fits=False)
    curve = [one(32, 100), big]
    chosen = choose(curve, 64, 1000)
    assert chosen is not None
    assert chosen.batch_size_per_device == 32
    (advice,) = advise_batches(comparison(64, 1000, 5000, curve))
    assert advice.largest_that_fits == 32
    assert fitting_curve([big]) == ()


def test_the_global_batch_grows_no_further_than_the_data() -> None:
    def limit(batch: int, samples: int, growth: float = 8.0, **changes: object) -> int:
        own = workload()
        data = msgspec.structs.replace(own.data, samples=samples)
        training = msgspec.structs.replace(own.training, batch_size=batch, gradient_accumulation_steps=1, **changes)
        return largest_global_batch(msgspec.structs.replace(own, data=data, training=training), growth)

    assert limit(16, 67349) == 128
    assert limit(120, 120) == 120
    assert limit(16, 67349, growth=1.0) == 16
    assert limit(200, 120) == 200
    assert limit(16, 67349, mode="inference") == 67349


@pytest.mark.parametrize(
    ("curve", "own", "limit", "samples", "code"),
    [
        ([(16, 99.0), (32, 100.0)], 16, 1000, 5000, "why-batch-kept"),
        ([(16, 30.0), (32, 100.0)], 16, 16, 5000, "why-batch-kept-global"),
        ([(16, 30.0), (32, 99.0), (64, 100.0)], 16, 1000, 5000, "why-batch-knee"),
        ([(16, 30.0)], 16, 1000, 5000, "why-batch-kept-largest"),
        ([(16, 30.0), (32, 40.0)], 16, 1000, 5000, "why-batch-knee-largest"),
        ([(16, 30.0), (32, 70.0), (64, 100.0)], 16, 32, 5000, "why-batch-limited"),
        ([(16, 30.0), (32, 70.0), (64, 75.0), (128, 100.0)], 16, 64, 5000, "why-batch-knee-within"),
        ([(8, 30.0)], 16, 1000, 5000, "why-batch-own-unknown"),
        ([(16, 99.0)], 16, 1000, 16, "why-batch-whole-set"),
    ],
)
def test_each_choice_of_batch_has_its_reason(
    curve: list[tuple[int, float]], own: int, limit: int, samples: int, code: str
) -> None:
    made = [one(batch, rate) for batch, rate in curve]
    chosen = choose(made, own, limit)
    assert chosen is not None
    assert batch_reason(comparison(own, limit, samples), chosen, made).code == code


def test_the_workload_s_own_batch_is_said_not_to_fit_only_where_it_was_found_not_to() -> None:
    chosen, own = one(8, 30), msgspec.structs.replace(one(16, 50), fits=False)
    assert batch_reason(comparison(16, 1000, 5000), chosen, [chosen, own]).code == "why-batch-own-does-not-fit"


def test_batch_advice_takes_the_exact_largest_batch_where_it_can_be_solved() -> None:
    curve = [one(16, 30), one(32, 100)]
    exact = advise_batches(comparison(16, 1000, 5000, curve), lambda _: 57)
    tried = advise_batches(comparison(16, 1000, 5000, [*curve, one(16, 60, count=2, strategy="ddp")]))
    unknown = advise_batches(comparison(16, 1000, 5000, curve), lambda _: None)
    assert (exact[0].largest_that_fits, exact[0].knee, exact[0].chosen) == (57, 32, 32)
    assert [advice.largest_that_fits for advice in tried] == [32]
    assert unknown[0].largest_that_fits == 32
    assert advise_batches(comparison(16, 8, 5000, [one(64, 9)])) == ()


def test_rates_are_rounded_for_reading() -> None:
    assert rounded(2436.7) == 2437
    assert rounded(1.23456) == 1.23


def test_cards_are_added_only_while_they_give_seventy_percent() -> None:
    row = [one(16, 100), one(16, 180, count=2, strategy="ddp"), one(16, 250, count=4, strategy="ddp")]
    assert marginal_ratio(row[0], row[1]) == pytest.approx(0.8)
    assert knee_count(row) is row[1]
    slow = one(16, 160, count=2, strategy="ddp")
    assert knee_count([row[0], slow, one(16, 300, count=4, strategy="ddp")]) is row[0]
    assert knee_count([]) is None


def test_a_number_of_cards_that_is_not_worth_it_does_not_keep_out_a_larger_one_that_is() -> None:
    """Eight cards hold in shards what two and four have to off-load."""
    row = [one(16, 100, count=2, strategy="fsdp_offload"), one(16, 130, count=4, strategy="fsdp_offload")]
    plain = one(16, 600, count=8, strategy="fsdp")
    assert knee_count(row) is row[0]
    assert knee_count([*row, plain]) is plain


def test_data_parallel_is_not_taken_where_ddp_is_as_fast_at_its_batch() -> None:
    dp = [one(16, 50, count=2, strategy="dp"), one(64, 100, count=2, strategy="dp")]
    ddp = [one(16, 92, count=2, strategy="ddp"), one(64, 101, count=2, strategy="ddp")]
    assert best_by_count([*dp, *ddp], OWN, 10_000) == (ddp[1],)
    slow = [one(16, 92, count=2, strategy="ddp"), one(64, 95, count=2, strategy="ddp")]
    assert best_by_count([dp[0], one(64, 120, count=2, strategy="dp"), *slow], OWN, 10_000)[0].strategy == "dp"
    knee = [one(16, 90, count=2, strategy="ddp"), one(64, 98, count=2, strategy="ddp")]
    chosen = best_by_count([dp[0], one(64, 97, count=2, strategy="dp"), *knee], OWN, 10_000)
    assert chosen == (knee[1],)
    fits_not = [knee[0], msgspec.structs.replace(knee[1], fits=False)]
    assert best_by_count([dp[0], one(64, 97, count=2, strategy="dp"), *fits_not], OWN, 10_000)[0].strategy == "dp"


def test_within_a_count_ddp_and_less_accumulation_win_at_nearly_equal_speed() -> None:
    ddp, dp = one(16, 97, count=2, strategy="ddp"), one(16, 100, count=2, strategy="dp")
    more = one(16, 101, count=2, strategy="ddp", steps=4)
    assert best_by_count([dp, ddp, more], OWN, 10_000) == (ddp,)
    assert best_by_count([msgspec.structs.replace(ddp, samples_per_s=estimate(60.0)), more], OWN, 10_000) == (more,)


def test_sharding_is_chosen_only_where_no_replica_fits_or_only_one_that_is_far_slower() -> None:
    ddp = one(16, 90, count=2, strategy="ddp")
    sharded = one(16, 100, count=2, strategy="fsdp")
    assert best_by_count([ddp, sharded], OWN, 1000) == (ddp,)
    assert best_by_count([msgspec.structs.replace(ddp, fits=False), sharded], OWN, 1000) == (sharded,)
    assert best_by_count([sharded], OWN, 1) == (sharded,), "what fits only beyond the bound is kept"
    quick = msgspec.structs.replace(sharded, samples_per_s=estimate(1.3 * ddp.samples_per_s.value))
    assert best_by_count([ddp, quick], OWN, 1000) == (ddp,), "of as many samples, 16-bit weights alone are quicker"
    larger = one(32, 1.3 * ddp.samples_per_s.value, count=2, strategy="fsdp")
    assert best_by_count([ddp, larger], OWN, 1000) == (larger,), "replicas of so few samples are far slower"


def test_the_pareto_set_holds_nothing_that_is_beaten_twice() -> None:
    def at(job: float, cost: float | None, count: int = 1) -> Prediction:
        strategy: Strategy = "single" if count == 1 else "ddp"
        made = one(16, 100, count=count, strategy=strategy)
        money = None if cost is None else estimate(cost)
        return msgspec.structs.replace(made, job_s=estimate(job), cost=money)

    fast, cheap, bad = at(1, 10), at(5, 1), at(6, 2)
    assert pareto([bad, cheap, fast]) == (fast, cheap)
    hours = [at(100, None), at(60, None, 2), at(90, None, 2)]
    assert pareto(hours) == (hours[1], hours[0])
    assert pareto([msgspec.structs.replace(fast, job_s=None)]) == ()


def test_a_crossover_has_a_range_around_it() -> None:
    work = workload(batch_size=100)
    candidates = enumerate_candidates(work, machine(), SPECS, gpu_keys=("rtx3090",), precisions=("fp32",))
    found = predict_all(candidates, RECURRENT, work)
    (crossover,) = find_crossovers(found)
    assert crossover.batch_size is not None
    assert crossover.low is not None
    assert crossover.high is not None
    assert crossover.low <= crossover.batch_size <= crossover.high
    assert crossover.reason.code == "crossover-at"
    truth = (0.003 - 40e-6) / (2e7 / 5e11)
    assert crossover.batch_size == pytest.approx(truth, rel=0.1)


def test_no_crossover_says_which_side_wins() -> None:
    work = workload(batch_size=120)
    tiny = predict_all(enumerate_candidates(work, machine(), SPECS, gpu_keys=("rtx3090",)), TINY, work)
    large = predict_all(enumerate_candidates(work, machine(), SPECS, gpu_keys=("rtx3090",)), TRANSFORMER, work)
    assert [(one.batch_size, one.reason.code) for one in find_crossovers(tiny)] == [(None, "crossover-cpu-wins")]
    assert [(one.batch_size, one.reason.code) for one in find_crossovers(large)] == [(None, "crossover-gpu-wins")]
    assert find_crossovers([one for one in tiny if one.device.key == "cpu"]) == ()


@pytest.mark.parametrize(
    ("cpu_s", "gpu_s", "spread", "code", "size"),
    [
        ((1.0, 2.0), (3.0, 4.0), 0.05, "crossover-cpu-wins", None),
        ((1.0, 2.0), (3.0, 2.5), 0.3, "crossover-cpu-likely", None),
        ((3.0, 4.0), (1.0, 1.0), 0.05, "crossover-gpu-wins", None),
        ((1.2, 4.0), (1.0, 1.0), 0.3, "crossover-gpu-likely", 10),
        ((1.2, 1.3), (1.0, 1.0), 0.3, "crossover-gpu-likely", 10),
        ((0.5, 4.0), (1.0, 1.0), 0.05, "crossover-at", 22),
    ],
)
def test_a_crossover_says_how_sure_it_is(
    cpu_s: tuple[float, float], gpu_s: tuple[float, float], spread: float, code: str, size: int | None
) -> None:
    sizes = (10, 100)
    candidates = enumerate_candidates(
        WORK, machine(), SPECS, gpu_keys=("rtx3090",), counts=(1,), batch_sizes=sizes, precisions=("fp32",)
    )
    steps = {("cpu", 10): cpu_s[0], ("cpu", 100): cpu_s[1], ("rtx3090", 10): gpu_s[0], ("rtx3090", 100): gpu_s[1]}
    found = [
        msgspec.structs.replace(made, step_s=estimate(steps[(made.device.key, made.batch_size_per_device)], spread))
        for made in predict_all(candidates, RECURRENT, WORK)
    ]
    (crossover,) = find_crossovers(found)
    assert (crossover.reason.code, crossover.batch_size) == (code, size)
    assert "{" not in say(crossover.reason, "en") + say(crossover.reason, "zh")


@pytest.mark.parametrize(("cpu_s", "named"), [((0.5, 4.0), True), ((1.2, 4.0), False)])
def test_a_size_below_which_the_processor_wins_is_named_where_it_is_ahead_there(
    cpu_s: tuple[float, float], *, named: bool
) -> None:
    sizes = (10, 100)
    candidates = enumerate_candidates(
        WORK, machine(), SPECS, gpu_keys=("rtx3090",), counts=(1,), batch_sizes=sizes, precisions=("fp32",)
    )
    steps = {("cpu", 10): cpu_s[0], ("cpu", 100): cpu_s[1], ("rtx3090", 10): 1.0, ("rtx3090", 100): 1.0}
    made = [
        msgspec.structs.replace(one, step_s=estimate(steps[(one.device.key, one.batch_size_per_device)], 0.3))
        for one in predict_all(candidates, RECURRENT, WORK)
    ]
    card = next(one for one in made if one.device.key == "rtx3090")
    told = {reason.code for reason in _by_batch(card, find_crossovers(made))}
    assert told == ({"change-batch-to-cpu"} if named else set())


def test_a_crossover_near_the_end_of_the_curve_stays_open() -> None:
    cpu = machine()
    sizes = (10, 100)
    found = predict_all(
        enumerate_candidates(workload(), cpu, SPECS, gpu_keys=("rtx3090",), counts=(1,), batch_sizes=sizes),
        RECURRENT,
        WORK,
    )
    slower = [
        msgspec.structs.replace(made, step_s=estimate(made.step_s.value, 0.4)) if made.device.key == "cpu" else made
        for made in found
        if made.precision == "fp32"
    ]
    (crossover,) = find_crossovers(slower)
    assert crossover.reason.code == "crossover-at-open"
    assert crossover.high is None


def test_the_fixed_cost_of_a_step_is_read_off_its_curve() -> None:
    curve = [
        msgspec.structs.replace(one(batch, 1), step_s=estimate(1e-3 + 1e-5 * batch, 0.01)) for batch in (10, 20, 40)
    ]
    for made in curve:
        assert fixed_s(made, curve) == pytest.approx(1e-3)
    falling = [msgspec.structs.replace(one(20, 1), step_s=estimate(0.5e-3, 0.01)), curve[0]]
    assert fixed_s(curve[0], falling) == curve[0].step_s.value
    alone = msgspec.structs.replace(
        curve[0], parts=(Part(kind="host", duration_s=0.4), Part(kind="forward", duration_s=1))
    )
    assert fixed_s(alone, [alone]) == 0.4


@pytest.mark.parametrize(
    ("own", "count", "held", "code"), [(4, 8, 32, "why-batch-held"), (8, 3, 32, "why-batch-divides")]
)
def test_a_held_global_batch_that_its_cards_cannot_share_evenly_is_said_to_be_divided(
    own: int, count: int, held: int, code: str
) -> None:
    chosen = one(own, 100, count=count, strategy="ddp")
    asked = comparison(own, 1000, 5000)._replace(held_global_batch=held)
    assert batch_reason(asked, chosen, [chosen]).code == code


@pytest.mark.parametrize(
    ("strategy", "count", "code"), [("ddp", 16, None), ("tp", 8, None), ("tp", 16, "caveat-no-script-groups")]
)
def test_only_groups_of_tensor_parallelism_are_more_than_a_script_starts(
    strategy: Strategy, count: int, code: str | None
) -> None:
    gap = script_gap(OWN, one(16, 100, count=count, strategy=strategy))
    assert (gap and gap.code) == code


def test_only_the_workloads_own_set_up_has_no_other_training_to_be_held_against() -> None:
    alone, two = one(16, 100), one(16, 190, count=2, strategy="ddp")
    asked = comparison(16, 1000, 5000, [alone, two])
    assert training_times(asked, alone) == ()
    assert [time.global_batch_size for time in training_times(asked, two)] == [32]
