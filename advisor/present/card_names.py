"""Names of cards as they are shown: short, and told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.core.by_key import firsts
from advisor.core.sentences import Language, sentence, visible
from advisor.core.shown_names import shown_card
from advisor.predict.prediction import Device, Prediction
from advisor.recommend.comparison import counted
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord


def device_names(predictions: Iterable[Prediction]) -> dict[str, str]:
    """Names by key; two local cards of one name are told apart by their place."""
    names = {
        key: prediction.device.name
        for key, prediction in firsts(predictions, lambda prediction: prediction.device.key).items()
    }
    taken: dict[str, int] = {}
    for key, name in list(names.items()):
        taken[name] = taken.get(name, 0) + 1
        if taken[name] > 1:
            names[key] = f"{name} ({taken[name]})"
    return names


def short_name(name: str) -> str:
    """A card's name without those of its maker and its family."""
    return re.sub(r"NVIDIA |Intel\(R\) |\(TM\)|\(R\)| \d+-Core| Processor| CPU(?= @)", "", shown_card(name))


_MOST_TIED = 8
"""Names of a line that can be read: the usual five cards and some of the user's own."""


def names_with_place(predictions: Iterable[Prediction], language: Language) -> dict[str, str]:
    """Short names by key, made safe to show; this machine's own devices are said to be here."""
    shown = list(predictions)
    here = {prediction.device.key for prediction in shown if prediction.device.local}
    named = {key: short_name(visible(name)) for key, name in device_names(shown).items()}
    return {
        key: sentence("compare-here", language, device=name) if key in here else name for key, name in named.items()
    }


def shown_names(devices: Iterable[Device], predictions: Iterable[Prediction], language: Language) -> tuple[str, ...]:
    """The names of some devices as `names_with_place` has them; the short name where none was predicted for one."""
    named = names_with_place(predictions, language)
    return tuple(named.get(device.key) or short_name(visible(device.name)) for device in devices)


def tied_names(advice: AdviceRecord, chosen: Recommendation, language: Language) -> tuple[str, ...]:
    """The set-ups that show no clear difference to one that is advised, with how many cards each of them is.

    Of very many the first, and how many more there are: the table has them.
    """
    counts = {item.device_key: item.count for item in advice.alternatives if item.tied}
    names = shown_names(chosen.tied_with, advice.predictions, language)
    tied = [counted(counts.get(device.key, 1), name) for device, name in zip(chosen.tied_with, names, strict=True)]
    if len(tied) <= _MOST_TIED:
        return tuple(tied)
    more = len(tied) - _MOST_TIED + 1
    return (*tied[: _MOST_TIED - 1], sentence("summary-tied-more", language, count=more))
