"""Is a published timing possible? The verdict with the numbers that prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from advisor.claims.claim import Claim, ClaimAnswer, claim_of
from advisor.claims.ratios import check_card_ratio, check_count_ratio
from advisor.claims.reader import parse_claim
from advisor.claims.refusals import refusal, unknown_card
from advisor.claims.switched import check_change, check_fits, is_about_one_change
from advisor.claims.times import check_time
from advisor.core.file_fault import shown_value
from advisor.core.sentences import SaidError

if TYPE_CHECKING:
    from advisor.claims.claim import ClaimEntry
    from advisor.claims.predictor import Predictor

_MAY_BE_STATED = tuple(
    name for name in Claim.__struct_fields__ if name not in {"text", "mode", "reference_count", "unknown_gpus"}
)
"""Fields of a file's entry that correct what its text was read as."""


def check_claim(claim: Claim | ClaimEntry | str, predictor: Predictor) -> ClaimAnswer:
    """The answer to a claim given as a sentence (English or Chinese), as an entry of a file, or as fields.

    Raises InputError when something is missing without which it cannot be judged (card, model, figure), naming it.
    """
    parsed = _parsed(claim, predictor)
    for key in (*parsed.gpus, *parsed.reference_gpus):
        if key not in predictor.specs:
            raise SaidError.of("claim-card-unlisted", gpu=shown_value(key))
    if parsed.speed_up_ratio is not None and not is_about_one_change(parsed):
        if parsed.reference_gpus and parsed.reference_gpus != parsed.gpus:
            return check_card_ratio(parsed, predictor)
        if parsed.unknown_gpus and (parsed.count or 1) <= parsed.reference_count:
            raise unknown_card(parsed, predictor.specs)
        return check_count_ratio(parsed, predictor)
    if parsed.unknown_gpus:
        raise unknown_card(parsed, predictor.specs)
    if not parsed.gpus:
        raise refusal("claim-without-card", parsed, predictor.specs)
    if parsed.fits is not None:
        return check_fits(parsed, predictor)
    return check_time(parsed, predictor) if parsed.speed_up_ratio is None else check_change(parsed, predictor)


def _parsed(claim: Claim | ClaimEntry | str, predictor: Predictor) -> Claim:
    if isinstance(claim, str):
        return parse_claim(claim, predictor.specs)
    if isinstance(claim, Claim):
        return claim
    stated = claim_of(claim)
    if claim.text is None:
        return stated
    given = {name: getattr(stated, name) for name in _MAY_BE_STATED if getattr(stated, name) not in {None, ()}}
    return msgspec.structs.replace(parse_claim(claim.text, predictor.specs), **given)
