"""A claim in words, judged as a user is answered."""

from __future__ import annotations

import pytest

from advisor.claims.claim import ClaimAnswer, Verdict
from advisor.claims.judge import check_claim
from advisor.core.sentences import Reason, SaidError, say
from tests.recommend.real_predictor import real_predictor


def assert_judged(text: str, verdict: Verdict, code: str) -> None:
    """The claim gets this verdict, by this reason first, in sentences that read whole."""
    answer = check_claim(text, real_predictor())
    assert (answer.verdict, answer.reasons[0].code) == (verdict, code)
    assert_readable(answer)


def assert_refused(text: str, code: str) -> Reason:
    """The claim gets no verdict, for this reason first, which is returned."""
    with pytest.raises(SaidError) as error:
        check_claim(text, real_predictor())
    first = error.value.reasons[0]
    assert first.code == code
    return first


def assert_readable(answer: ClaimAnswer) -> None:
    """Each reason has words in both languages, and none of its arguments is missing."""
    for reason in answer.reasons:
        assert "{" not in say(reason, "en")
        assert "{" not in say(reason, "zh")
