"""What would change the advice: precision, strategy, batch, count, limits, prices, a measurement that settles a tie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.core.sentences import Arguments, Names, Reason
from advisor.predict.prediction import Prediction
from advisor.recommend.batch_size import KNEE_FRACTION, MAX_GLOBAL_BATCH_GROWTH
from advisor.recommend.comparison import Comparison, set_up_name
from advisor.recommend.precisions import at_least_as_exact
from advisor.recommend.ranking import CLEAR_DIFFERENCE_FRACTION, Row, score, told_as, within_limits
from advisor.recommend.reasons.missed_limits import is_limited
from advisor.recommend.recommendation import Crossover

WORTH_NAMING_RATIO = 1.15
NVLINK_SHARE = 0.1


def would_change_if(
    comparison: Comparison,
    chosen: Prediction,
    rows: Sequence[Row],
    crossovers: Sequence[Crossover],
    entered: Sequence[Prediction],
) -> tuple[Reason, ...]:
    """The turning points of an advice, the likeliest first; `entered`: every device at each count."""
    return (
        *_by_precision(comparison, chosen),
        *_by_strategy(comparison, chosen),
        *_by_global_batch(comparison, chosen),
        *_by_batch(chosen, crossovers),
        *_by_count(comparison, chosen, entered),
        *_by_limits(comparison, chosen),
        *_by_price(comparison, chosen),
        *_by_measuring(rows),
    )


def _by_precision(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """The less exact precision that would gain most at the same batch and count, and whether the card changes."""
    asked = comparison.workload.training.precision
    # What casts cost a processor is in no data sheet: of a precision that was not timed on it no gain is told.
    timed = {one.precision for one in comparison.predictions if one.measured and one.device.key == "cpu"}
    less_exact = [
        prediction
        for prediction in comparison.predictions
        if not at_least_as_exact(prediction.precision, asked)
        and prediction.count == chosen.count
        and prediction.batch_size_per_device == chosen.batch_size_per_device
        and prediction.fits is not False
        and prediction.effort_rank <= chosen.effort_rank
        and (prediction.device.local or not chosen.device.local or chosen.device.key == "cpu")
        and (prediction.device.key != "cpu" or prediction.precision in timed)
    ]
    plain = _exact_rates(comparison, asked)
    rates = [(prediction, plain.get(prediction.set_up_but("precision"), 0.0)) for prediction in less_exact]
    gaining = [prediction for prediction, rate in rates if _rate(prediction) >= WORTH_NAMING_RATIO * rate]

    def by_rate(prediction: Prediction) -> tuple[bool, float]:
        """What differs in nothing but the precision first: another's gain would be more than the precision's."""
        return _run_alike(prediction, chosen), _rate(prediction)

    here = [
        prediction
        for prediction in gaining
        if prediction.device.key == chosen.device.key and _run_alike(prediction, chosen)
    ]
    own = max(here, key=_rate, default=None)
    best = max(gaining, key=by_rate, default=None)
    if own is not None:
        yield from _named_precision(own, chosen, asked)
    if best is not None and best.device.key != chosen.device.key and _is_less(best, chosen, comparison):
        yield from _named_precision(best, chosen, asked)


def _is_less(rival: Prediction, chosen: Prediction, comparison: Comparison) -> bool:
    """Whether it needs less of what the goal makes small: a quicker card that costs more would change nothing."""
    needs, own = score(rival, comparison.goal), score(chosen, comparison.goal)
    return needs is None or own is None or needs.value < own.value


def _run_alike(prediction: Prediction, chosen: Prediction) -> bool:
    """Whether both go through a batch in the same way."""
    steps = prediction.gradient_accumulation_steps == chosen.gradient_accumulation_steps
    return prediction.strategy == chosen.strategy and steps


def _open(comparison: Comparison, chosen: Prediction) -> tuple[Prediction, ...]:
    """What could be advised if limits were not: it fits, is exact enough, keeps what is fixed and the global batch."""
    most = max(comparison.global_limit, chosen.global_batch_size)
    return tuple(
        prediction
        for prediction in comparison.kept
        if prediction.fits is not False and prediction.global_batch_size <= most
    )


def _by_strategy(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What asks for more work on the code and is clearly better for the goal on no more cards: the best of it."""
    own = score(chosen, comparison.goal)
    if own is None:
        return
    best, best_value = None, own.value
    for prediction in _open(comparison, chosen):
        value = score(prediction, comparison.goal)
        if value is None or value.value >= best_value or not _is_better(prediction, chosen, comparison):
            continue
        comparable = prediction.count <= chosen.count and (prediction.cost is None) == (chosen.cost is None)
        if (
            comparable
            and prediction.effort_rank > chosen.effort_rank
            and within_limits(prediction, comparison.limits, comparison.draws)
        ):
            best, best_value = prediction, value.value
    if best is not None:
        yield Reason.of(
            "change-strategy",
            device=set_up_name(best),
            strategy=best.strategy,
            instead=chosen.strategy,
            goal=told_as(comparison.goal, chosen, best),
            advantage_ratio=own.value / best_value,
        )


def _by_global_batch(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What as many cards would gain by larger steps, where the bound on these is only for want of a trial.

    Cards with a slow link between them exchange as much for one sample each as for eight: so much may hang on a bound
    that nobody asked for. The smallest of such steps is named that no larger one beats by more than 10 %.
    """
    if chosen.count == 1 or not comparison.bound_is_assumed:
        return
    least, most = max(comparison.global_limit, chosen.global_batch_size), comparison.workload.data.samples
    larger = [
        prediction
        for prediction in comparison.kept
        if prediction.device_and_count == chosen.device_and_count
        and prediction.precision == chosen.precision
        and prediction.strategy != "dp"
        and prediction.effort_rank <= chosen.effort_rank
        and least < prediction.global_batch_size <= min(most, MAX_GLOBAL_BATCH_GROWTH * chosen.global_batch_size)
        and prediction.fits
        and not prediction.may_run_out
        and within_limits(prediction, comparison.limits, comparison.draws)
    ]
    gaining = [prediction for prediction in larger if _rate(prediction) >= WORTH_NAMING_RATIO * _rate(chosen)]
    if gaining:
        # What asks less of the code comes first, though more would gain more.
        least_effort = min(prediction.effort_rank for prediction in gaining)
        plain = [prediction for prediction in gaining if prediction.effort_rank == least_effort]
        best = max(map(_rate, plain))
        near = (prediction for prediction in plain if _rate(prediction) >= KNEE_FRACTION * best)
        told = min(near, key=lambda prediction: (prediction.global_batch_size, -_rate(prediction)))
        yield Reason.of(
            "change-global-batch",
            device=set_up_name(told),
            strategy=told.strategy,
            batch=told.batch_size_per_device,
            steps=told.gradient_accumulation_steps,
            samples=told.global_batch_size,
            advised_samples=chosen.global_batch_size,
            gain_ratio=_rate(told) / _rate(chosen),
        )


def _is_better(prediction: Prediction, chosen: Prediction, comparison: Comparison) -> bool:
    """Whether its range lies below the chosen one's; for cost and energy, of one card by the table: 3 % are enough.

    What the table says of one card errs alike. For time a split model has to gain more than that to be worth a word.
    """
    value, own = score(prediction, comparison.goal), score(chosen, comparison.goal)
    if value is None or own is None:
        return False
    alike = comparison.goal != "time" and prediction.device == chosen.device and value.basis == own.basis == "specified"
    gains = value.value * (1 + CLEAR_DIFFERENCE_FRACTION) < own.value and not prediction.may_run_out
    return value.high < own.low or (alike and gains)


def _rate(prediction: Prediction) -> float:
    return prediction.samples_per_s.value


def _exact_rates(comparison: Comparison, asked: Precision) -> dict[tuple[object, ...], float]:
    """The best rate of each set-up at the precisions that may be advised, to tell what a less exact one gains."""
    rates: dict[tuple[object, ...], float] = {}
    for prediction in comparison.predictions:
        if at_least_as_exact(prediction.precision, asked):
            key = prediction.set_up_but("precision")
            rates[key] = max(_rate(prediction), rates.get(key, 0.0))
    return rates


def _named_precision(rival: Prediction, chosen: Prediction, asked: Precision) -> Iterator[Reason]:
    gain = _rate(rival) / _rate(chosen)
    if gain >= WORTH_NAMING_RATIO:
        same = rival.differs_at_most_by(chosen, "precision")
        yield Reason.of(
            "change-precision-same" if same else "change-precision-other",
            precision=PRECISION_LABELS[rival.precision],
            device=set_up_name(rival),
            gain_ratio=gain,
            asked=PRECISION_LABELS[asked],
        )


def _by_batch(chosen: Prediction, crossovers: Sequence[Crossover]) -> Iterator[Reason]:
    if chosen.device.key == "cpu":
        known_turns = [crossover for crossover in crossovers if crossover.batch_size is not None]
        first = min(known_turns, key=lambda crossover: crossover.batch_size or 0, default=None)
        if first is not None:
            yield first.reason
    else:
        for crossover in crossovers:
            # A card that is ahead already at the smallest size has none below which the processor is known to win.
            if (
                crossover.gpu_key == chosen.device.key
                and crossover.batch_size is not None
                and crossover.reason.code != "crossover-gpu-likely"
            ):
                yield Reason.of("change-batch-to-cpu", batch=crossover.batch_size, device=chosen.device.name)


def _by_count(comparison: Comparison, chosen: Prediction, entered: Sequence[Prediction]) -> Iterator[Reason]:
    dearer = [
        prediction for prediction in entered if prediction.count * _rate(chosen) > chosen.count * _rate(prediction)
    ]
    fastest = max(dearer, key=_rate, default=chosen)
    if fastest.count > chosen.count and _rate(fastest) > _rate(chosen):
        yield _faster("change-count-batch", fastest, chosen, _rate(fastest) / _rate(chosen))
    spec = comparison.spec_of(chosen.device)
    share = chosen.part_share("communication") if chosen.count > 1 else 0.0
    without = spec is not None and not spec.is_linked and not comparison.crosses_network(chosen)
    if without and share >= NVLINK_SHARE:
        yield Reason.of("change-link", device=chosen.device.name, share_fraction=share)


def _by_limits(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    if not is_limited(comparison):
        return
    own = score(chosen, "time")
    barred = [
        prediction
        for prediction in _open(comparison, chosen)
        if not within_limits(prediction, comparison.limits, comparison.draws)
    ]
    reachable = [prediction for prediction in barred if prediction.effort_rank <= chosen.effort_rank]
    timed = [
        (estimate.value, prediction) for prediction in reachable if (estimate := score(prediction, "time")) is not None
    ]
    fastest = min(timed, key=lambda entry: entry[0], default=None)
    if own is not None and fastest is not None and fastest[0] * WORTH_NAMING_RATIO < own.value:
        yield _faster("change-limits-batch", fastest[1], chosen, own.value / fastest[0])


def _faster(code: str, other: Prediction, chosen: Prediction, gain_ratio: float) -> Reason:
    """More cards that gain time, the batch of each, and the samples of their step where it is not the advised one's."""
    numbers: Arguments = {"count": other.count, "device": other.device.name, "gain_ratio": gain_ratio}
    numbers["batch"] = other.batch_size_per_device
    if other.global_batch_size == chosen.global_batch_size:
        return Reason.of(code, **numbers)
    return Reason.of(f"{code}-at", **numbers, samples=other.global_batch_size)


def _by_price(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    if comparison.goal == "time" and chosen.cost is None and not chosen.device.local:
        yield Reason.of("change-price")


def _by_measuring(rows: Sequence[Row]) -> Iterator[Reason]:
    leaders = [row.prediction for row in rows if row.place == 1]
    guessed = [leader.device.name for leader in leaders if leader.step_s.basis == "specified"]
    if len(leaders) > 1 and guessed:
        yield Reason.of("change-measure", devices=Names(names=tuple(guessed)))
