"""Why a claim cannot be judged: which part of it is missing or unknown, and what was understood of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.claims.gpu_names import nearest_cards
from advisor.core.sentences import Arguments, Names, Reason, SaidError
from advisor.core.units import format_count, format_seconds
from advisor.recommend.comparison import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.claims.claim import Claim

_REMEDIES = {
    "claim-too-long": "claim-too-long-remedy",
    "claim-number-form": "claim-number-form-remedy",
    "claim-number-negative": "claim-number-negative-remedy",
    "claim-number-beyond": "claim-number-beyond-remedy",
    "claim-without-figure": "claim-without-figure-remedy",
    "claim-without-degree": "claim-without-degree-remedy",
    "claim-cards-not-compared": "claim-cards-not-compared-remedy",
    "claim-cards-not-predicted": "claim-cards-not-predicted-remedy",
    "claim-strategies-compared": "claim-strategies-compared-remedy",
    "claim-without-length": "claim-without-length-remedy",
    "claim-without-model": "claim-without-model-remedy",
    "claim-without-card": "claim-without-card-remedy",
    "claim-without-count": "claim-without-count-remedy",
    "claim-without-prediction": "claim-without-prediction-remedy",
    "claim-unknown-card": "claim-unknown-card-remedy",
}


def refusal(code: str, claim: Claim, specs: Mapping[str, GpuSpec], numbers: Arguments | None = None) -> SaidError:
    """The refusal `code` with its remedy, and what was understood beside what is missing."""
    understood = " · ".join(_understood(claim, specs))
    first = Reason.of(code, **(numbers or {}))
    also = (Reason.of("claim-understood", understood=understood),) if understood else ()
    return SaidError((first, *also), Reason.of(_REMEDIES[code]))


def unknown_card(claim: Claim, specs: Mapping[str, GpuSpec]) -> SaidError:
    """The refusal of a card that the table lacks, with the names that are spelled most like it."""
    return SaidError(unknown_card_reasons(claim, specs), Reason.of(_REMEDIES["claim-unknown-card"]))


def unknown_card_reasons(claim: Claim, specs: Mapping[str, GpuSpec]) -> tuple[Reason, ...]:
    """One sentence a card: that it is not known, and the nearest names; none is taken in its place."""
    reasons = []
    for name in claim.unknown_gpus:
        near = nearest_cards(name, specs)
        code = "claim-unknown-card" if near else "claim-unknown-card-alone"
        reasons.append(
            Reason.of(
                code,
                card=name.upper() if name.isascii() else name,
                **({"nearest": Names(names=tuple(near))} if near else {}),
            )
        )
    return tuple(reasons)


def _understood(claim: Claim, specs: Mapping[str, GpuSpec]) -> list[str]:
    """The parts that were read, in words that no language needs translated."""
    count = f"{claim.count} × GPU" if claim.count is not None else ""
    if claim.gpus:
        card = specs[claim.gpus[0]].name if len(claim.gpus) == 1 else claim.gpus[0].split("-", maxsplit=1)[0].upper()
        count = counted(claim.count or 1, card)
    times = (claim.step_s, claim.epoch_s, claim.job_s)
    parts = (
        claim.workload,
        count,
        PRECISION_LABELS[claim.precision] if claim.precision is not None else None,
        *(format_seconds(time_s) for time_s in times if time_s is not None),
        f"{format_count(claim.samples_per_s)}/s" if claim.samples_per_s is not None else None,
        f"×{claim.speed_up_ratio:.2f}" if claim.speed_up_ratio is not None else None,
    )
    return [part for part in parts if part]
