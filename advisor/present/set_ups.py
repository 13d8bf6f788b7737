"""Which set-ups are worth showing, and which are tied with the advised one; foreign names cut to little room."""

from __future__ import annotations

from msgspec.structs import replace

from advisor.core.by_key import firsts
from advisor.core.sentences import visible
from advisor.predict.prediction import Prediction
from advisor.present.summary import best_by_device
from advisor.recommend.recommendation import prediction_of
from advisor.store.advice_record import AdviceRecord

_LABEL_LENGTH = 30
TIE = "≈"


def clipped(text: str, length: int = _LABEL_LENGTH) -> str:
    """A foreign name for a narrow place: visible, and cut with an ellipsis where it is longer than `length`."""
    shown = visible(text)
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def of_this_machine(advice: AdviceRecord) -> AdviceRecord:
    """The advice with the answer for this machine in the place of the best of all, whose ties are no ties of it."""
    untied = tuple(replace(alternative, tied=False) for alternative in advice.alternatives)
    return replace(advice, recommendation=advice.recommendation_local or advice.recommendation, alternatives=untied)


def tied_places(advice: AdviceRecord) -> frozenset[tuple[str, int]]:
    """Device key and count of every set-up that shows no clear difference to the advised one."""
    main = advice.recommendation
    if main is None:
        return frozenset()
    tied = {(item.device_key, item.count) for item in advice.alternatives if item.tied}
    named = {key for key, _ in tied}
    tied |= {(device.key, main.count) for device in main.tied_with if device.key not in named}
    return frozenset(tied - {main.device_and_count})


def shown_set_ups(advice: AdviceRecord, most: int) -> list[Prediction]:
    """At most `most` set-ups that fit, the fastest first, one a device and count.

    Kept whatever their place, as far as there is room: the advised ones, one of each device (its tie, else as few as
    hold a step), the other ties, the fewest of each device, and the Pareto set.
    """
    best = {item.device_and_count: item for item in best_by_device(advice) if item.fits is not False}
    first: list[tuple[str, int]] = []
    for chosen in (advice.recommendation, advice.recommendation_local):
        prediction = prediction_of(advice.predictions, chosen)
        if prediction is not None:
            place = prediction.device_and_count
            if place not in first:
                first.append(place)
                best[place] = prediction
    fewest: dict[str, int] = {}
    for key, count in best:
        fewest[key] = min(count, fewest.get(key, count))
    worth = [
        *sorted(tied_places(advice)),
        *(place for place in best if place[1] == fewest[place[0]]),
        *((item.device_key, item.count) for item in advice.alternatives),
    ]
    known = {key for key, _ in first}
    of_each = firsts((place for place in worth if place in best and place[0] not in known), lambda place: place[0])
    first += [*of_each.values(), *worth]
    order = [place for place in dict.fromkeys([*first, *best]) if place in best]
    return sorted((best[place] for place in order[:most]), key=lambda item: -item.samples_per_s.value)
