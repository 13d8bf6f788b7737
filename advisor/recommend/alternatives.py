"""The other set-ups worth knowing: the whole Pareto set of time against cost, and what is tied with the advice."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.core.records import shared_fields
from advisor.core.sentences import Arguments, Reason
from advisor.predict.prediction import Prediction
from advisor.recommend.comparison import Finalist
from advisor.recommend.ranking import gpu_hours
from advisor.recommend.recommendation import Alternative
from advisor.recommend.strategy import pareto


def list_alternatives(finalists: Sequence[Finalist], tied: Sequence[Prediction]) -> tuple[Alternative, ...]:
    """Pareto set over all devices and counts within the limits, fastest first, then those tied with the advice."""
    front = pareto([prediction for finalist in finalists for prediction in finalist.by_count])
    return tuple(
        _alternative(prediction, tied)
        for prediction in (*front, *(prediction for prediction in tied if prediction not in front))
    )


def freed_alternative(prediction: Prediction, chosen: Prediction) -> Alternative:
    """What the same device would do better if the user had fixed nothing."""
    gain = prediction.samples_per_s.value / chosen.samples_per_s.value
    reason = Reason.of("alternative-freed", **_set_up(prediction), gain_ratio=gain)
    return msgspec.structs.replace(_alternative(prediction), reason=reason)


def instead_of_fixed(prediction: Prediction) -> Alternative:
    """What would be advised if the user had fixed nothing, where nothing that fits keeps it."""
    reason = Reason.of(
        "alternative-unfixed",
        **_set_up(prediction),
        strategy=prediction.strategy,
        step_s=prediction.step_s.value,
    )
    return msgspec.structs.replace(_alternative(prediction), reason=reason)


def _set_up(prediction: Prediction) -> Arguments:
    return {
        "device": prediction.device.name,
        "count": prediction.count,
        "batch": prediction.batch_size_per_device,
        "steps": prediction.gradient_accumulation_steps,
        "precision": PRECISION_LABELS[prediction.precision],
    }


def _alternative(prediction: Prediction, tied_with: Sequence[Prediction] = ()) -> Alternative:
    tied = prediction in tied_with
    numbers: Arguments = {"device": prediction.device.name, "count": prediction.count}
    code = "pareto" if prediction.cost is None else "pareto-cost"
    return Alternative(
        **shared_fields(prediction, Alternative),
        device_key=prediction.device.key,
        device_name=prediction.device.name,
        gpu_hours=gpu_hours(prediction),
        tied=tied,
        reason=Reason.of(f"alternative-{'tied' if tied else code}", **numbers),
    )
