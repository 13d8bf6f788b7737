"""Sentences that tell two ratios: each is judged by itself, and the answer says which of them holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.claims.claim import LIKELIEST_FIRST, ClaimAnswer
from advisor.claims.gpu_names import find_gpus
from advisor.claims.reading.compared.several_ratios import Part, separate_ratios
from advisor.claims.reading.text.plain_text import MAX_CHARACTERS, normalised
from advisor.core.sentences import Listed, Reason, SaidError

Judge = Callable[[str], ClaimAnswer]


def of_each_ratio(text: str, judge: Judge, specs: Mapping[str, GpuSpec]) -> ClaimAnswer:
    """The answer of `judge`, which reads one ratio, to a text that may tell two of them; the worse verdict counts.

    Raises SaidError as `judge` does: of two ratios, where neither can be judged.
    """
    if len(text) > MAX_CHARACTERS:
        return judge(text)
    plain = normalised(text)
    parts = separate_ratios(plain, find_gpus(plain, specs))
    if not parts:
        return judge(text)
    answers = [(part, _answer(part, judge)) for part in parts]
    judged = [(part, answer) for part, answer in answers if isinstance(answer, ClaimAnswer)]
    if not judged:
        return judge(text)
    first = judged[0][1]
    verdict = max((answer.verdict for _, answer in judged), key=LIKELIEST_FIRST.index)
    said: list[Reason] = []
    for _, answer in answers:
        said += [reason for reason in _reasons(answer) if reason not in said]
    each = Reason.of("claim-of-two-ratios", each=Listed(reasons=tuple(_said(*one) for one in answers)))
    claim = msgspec.structs.replace(first.claim, text=text)
    return msgspec.structs.replace(first, claim=claim, verdict=verdict, reasons=(each, *said))


def _answer(part: Part, judge: Judge) -> ClaimAnswer | SaidError:
    try:
        return judge(part.text)
    except SaidError as error:
        return error


def _said(part: Part, answer: ClaimAnswer | SaidError) -> Reason:
    """One of the ratios with its verdict."""
    verdict = "claim-not-judged" if isinstance(answer, SaidError) else f"verdict-{answer.verdict}"
    return Reason.of("claim-of-one-ratio", words=part.words, verdict=Listed(reasons=(Reason.of(verdict),)))


def _reasons(answer: ClaimAnswer | SaidError) -> tuple[Reason, ...]:
    return answer.reasons[:1] if isinstance(answer, SaidError) else answer.reasons
