"""Several changes to which one figure is given: each against what it usually replaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from advisor.claims.claim import Claim
from advisor.claims.reading.changes.change_words import WITHOUT, find_each_change
from advisor.claims.reading.changes.held_against import first_named
from advisor.claims.reading.changes.precision_words import PRECISIONS
from advisor.claims.reading.changes.switch_words import CHANGES
from advisor.claims.reading.numbers.number_words import search

_JOINED = re.compile(r"\s*(?:,|、|and|plus|together with|\+|&|加上?|和|与|以及|配合)\s*(?:the |a )?")
_KIND_FIELDS = {
    "precision": "reference_precision",
    "compile": "reference_compile",
    "tuning": "reference_tuning",
    "attention": "reference_attention",
    "checkpointing": "reference_activation_checkpointing",
}


class Joined(NamedTuple):
    """One of several changes to which one figure is given."""

    words: str
    kind: str
    """`precision`, `compile`, `tuning`, `attention`, `checkpointing`, or the name of a switch."""
    start: int


def joined_changes(plain: str) -> tuple[Joined, ...]:
    """The changes of several kinds to which one figure is given: `bf16 and torch.compile`; none: no two are joined."""
    found = sorted(
        (match.start(), match.end(), meant.split()[0])
        for pattern, meant in CHANGES
        for match in re.finditer(pattern, plain, re.ASCII)
    )
    chain: list[tuple[int, int, str]] = []
    for one in found:
        if chain and one[2] not in {kind for *_, kind in chain} and _JOINED.fullmatch(plain[chain[-1][1] : one[0]]):
            chain.append(one)
        elif len(chain) < 2:  # noqa: PLR2004 - joined to nothing
            chain = [one]
    if len(chain) < 2:  # noqa: PLR2004 - the same
        return ()
    return tuple(Joined(plain[start:end].strip(), kind, start) for start, end, kind in chain)


def together(claim: Claim, joined: Sequence[Joined], plain: str) -> Claim | None:
    """The claim with each of several changes that are told together, against what each usually replaces.

    They only stand beside where something else is held against what was before. None: one of them is left out, or
    cards are counted, of which the figure may be told as well.
    """
    kinds = {one.kind for one in joined}
    if has_reference(claim) and all(getattr(claim, _KIND_FIELDS.get(kind, "switched")) is None for kind in kinds):
        return claim
    several, switches = (claim.count or 1) > 1, kinds - set(_KIND_FIELDS)
    if several or len(switches) > 1 or search(WITHOUT, plain[: joined[0].start]) is not None:
        return None
    changes: dict[str, object] = {"switched": next(iter(switches), None)}
    changes |= {"weights_bits": None, "channels_last": None} if switches else {}
    words = " ".join(one.words for one in joined)
    if "precision" in kinds and claim.reference_precision is None:
        precision = first_named(PRECISIONS, words) or "fp16_amp"
        changes |= {"precision": precision, "reference_precision": "bf16_amp" if precision == "fp8" else "fp32"}
    if "compile" in kinds:
        changes |= {"compile": True, "reference_compile": False}
    told = find_each_change(words)
    for name in ("tuning", "attention", "activation_checkpointing"):
        pair = told.get(name)
        changes |= {} if pair is None else {name: pair[0], f"reference_{name}": pair[1]}
    return msgspec.structs.replace(claim, **changes)


def has_reference(claim: Claim) -> bool:
    """Whether it is said what was changed, on both sides."""
    before = (claim.reference_precision, claim.reference_batch_size, claim.batch_ratio, claim.reference_strategy)
    lengths = (claim.reference_sequence_length, claim.length_ratio)
    operators = (claim.reference_tuning, claim.reference_attention, claim.reference_activation_checkpointing)
    return any(told is not None for told in (*before, *lengths, *operators, claim.reference_interconnect))
