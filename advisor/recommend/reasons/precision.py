"""How the order of the cards turns with the precision: the question behind most contradicting benchmarks."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.core.sentences import Reason
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Comparison
from advisor.recommend.precisions import rate_of
from advisor.recommend.ranking import touches


def precision_story(comparison: Comparison) -> tuple[Reason, ...]:
    """For the workload's precision the fastest single card and its rivals whose order another precision turns.

    Cards are compared alone and at the workload's batch; a turn is only told where both differences are clear.
    """
    asked = comparison.workload.training.precision
    cards = _single_cards(comparison)
    own = cards.get(asked, {})
    if len(own) < 2:  # noqa: PLR2004 - an order needs two
        return ()
    first = min(own.values(), key=lambda prediction: prediction.step_s.value)
    return tuple(_turns(comparison, asked, first, cards))


def _single_cards(comparison: Comparison) -> dict[Precision, dict[str, Prediction]]:
    """By precision and device: the set-up on one GPU at the workload's batch."""
    training = comparison.workload.training
    by_precision: dict[Precision, dict[str, Prediction]] = {}
    for prediction in comparison.predictions:
        if (
            prediction.strategy == "single"
            and not prediction.added
            and prediction.device.spec_key is not None
            and prediction.batch_size_per_device == training.batch_size
            and prediction.fits is not False
        ):
            by_precision.setdefault(prediction.precision, {})[prediction.device.key] = prediction
    return by_precision


def _turns(
    comparison: Comparison, asked: Precision, first: Prediction, cards: dict[Precision, dict[str, Prediction]]
) -> Iterator[Reason]:
    """For each rival the precision at which it gains most on the card that is first at the asked one."""
    for key, before in cards[asked].items():
        if key == first.device.key or touches(before.step_s, first.step_s):
            continue
        meetings = [
            (others[first.device.key], others[key])
            for precision, others in cards.items()
            if precision != asked and first.device.key in others and key in others
        ]
        again, rival = max(
            meetings, key=lambda pair: pair[0].step_s.value / pair[1].step_s.value, default=(first, before)
        )
        spec, other = comparison.spec_of(first.device), comparison.spec_of(rival.device)
        behind = again.step_s.value / rival.step_s.value
        if behind <= 1 or spec is None or other is None or not _by_rate(spec, other, asked):
            continue
        yield Reason.of(
            "precision-closes" if touches(again.step_s, rival.step_s) else "precision-turns",
            device=first.device.name,
            other=rival.device.name,
            asked=PRECISION_LABELS[asked],
            precision=PRECISION_LABELS[again.precision],
            ahead_ratio=before.step_s.value / first.step_s.value,
            behind_ratio=behind,
            device_asked_flop_per_s=rate_of(spec, asked) or 0.0,
            other_asked_flop_per_s=rate_of(other, asked) or 0.0,
            device_flop_per_s=rate_of(spec, again.precision) or 0.0,
            other_flop_per_s=rate_of(other, again.precision) or 0.0,
        )


def _by_rate(spec: GpuSpec, other: GpuSpec, precision: Precision) -> bool:
    """Whether the peak rate is what puts a card first; where it is not, a turn has another reason than precision."""
    rate, other_rate = rate_of(spec, precision), rate_of(other, precision)
    return rate is not None and other_rate is not None and rate > other_rate
