"""What the Advice page says in sentences: why, what would change it, what to beware of, and what would be better."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.core.sentences import Reason
from advisor.gui.texts import Texts
from advisor.gui.widgets.notice import SentencesCard
from advisor.present.summary import help_of
from advisor.recommend.ranking import DOUBTED_CAVEAT
from advisor.recommend.recommendation import Recommendation

if TYPE_CHECKING:
    from advisor.store.advice_record import AdviceRecord

_TIES = {"why-tied", "why-tied-cost", "why-tied-hours", "why-tied-energy"}
"""Said on the card itself, so not again among the reasons."""
_MEASURED_IN_PART = (DOUBTED_CAVEAT, "advice-interrupted", "measure-worker-")
"""How the codes of caveats begin that measuring again would mend: they stand above the figures."""


def measured_in_part(advice: AdviceRecord, texts: Texts) -> list[str]:
    """That other programs or the heat took part in what was timed, or that it ended before its time."""
    return [texts.say(caveat) for caveat in advice.caveats if caveat.code.startswith(_MEASURED_IN_PART)]


def help_card(advice: AdviceRecord, texts: Texts) -> SentencesCard | None:
    """What would help most; None where nothing is said of it."""
    sentences = help_of(advice, texts.language)
    return SentencesCard(texts, texts("summary-help"), sentences) if sentences else None


def reason_cards(advice: AdviceRecord, chosen: Recommendation, texts: Texts, *, local: bool) -> list[SentencesCard]:
    """Why, what would change it and what to beware of; `local`: the answer is that of this machine."""
    reasons = [reason for reason in chosen.why if reason.code not in _TIES]
    others = [reason for reason in advice.reasons if reason not in chosen.why] if not local else []
    caveats = [caveat for caveat in advice.caveats if not caveat.code.startswith(_MEASURED_IN_PART)]
    return [
        SentencesCard(texts, texts(title), sentences, role=role)
        for title, role, sentences in (
            ("summary-why", "card", _sentences((*reasons, *others), texts)),
            ("summary-change", "card", _sentences(chosen.would_change_if, texts)),
            ("summary-caveats", "card-warning", _sentences(caveats, texts)),
        )
        if sentences
    ]


def _sentences(reasons: Iterable[Reason], texts: Texts) -> list[str]:
    return list(dict.fromkeys(texts.say(reason) for reason in reasons))
