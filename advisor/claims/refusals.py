"""Why a claim cannot be judged: which part of it is missing or unknown, and what was understood of the rest."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import nearest_cards, shared_name
from advisor.core.sentences import Names, Reason, SaidError, Value
from advisor.core.units import format_count, format_seconds
from advisor.recommend.comparison import counted
from advisor.recommend.precisions import rate_of
from advisor.workload.workload import Workload


def refusal(code: str, claim: Claim, specs: Mapping[str, GpuSpec], **numbers: Value) -> SaidError:
    """The refusal `code` with its remedy, and what was understood beside what is missing."""
    understood = " · ".join(_understood(claim, specs))
    first = Reason.of(code, **numbers)
    also = (Reason.of("claim-understood", understood=understood),) if understood else ()
    return SaidError((first, *also), Reason.of(f"{code}-remedy"))


def unpredicted(
    claim: Claim, workload: Workload, specs: Mapping[str, GpuSpec], precision: Precision | None
) -> SaidError:
    """The refusal of a claim whose model has no prediction on its card (at a precision, where one was asked for)."""
    if precision is not None and all(rate_of(specs[key], precision) is None for key in claim.gpus):
        return lacks_precision(claim, specs)
    from advisor.cost.operators.device_rates import missing_figures  # numpy, which most refusals need not load

    lacking = [missing_figures(specs[key], precision or "fp32") for key in claim.gpus]
    first = next((reason for reason in lacking if reason is not None), None)
    if first is not None and None not in lacking:
        return SaidError((first,))
    label = PRECISION_LABELS[precision] if precision is not None else "none"
    device = shared_name([specs[key] for key in claim.gpus])
    return refusal("claim-without-prediction", claim, specs, model=workload.name, device=device, precision=label)


def cards_unpredicted(claim: Claim, specs: Mapping[str, GpuSpec]) -> SaidError:
    """The refusal of two cards that no model is predicted on: by the figures that the data sheet of either lacks."""
    from advisor.cost.operators.device_rates import missing_figures  # numpy, which most refusals need not load

    for keys in (claim.gpus, claim.reference_gpus):
        lacking = [missing_figures(specs[key], claim.precision or "fp32") for key in keys]
        first = next((reason for reason in lacking if reason is not None), None)
        if first is not None and None not in lacking:
            return SaidError((first,))
    return refusal("claim-cards-not-predicted", claim, specs)


def lacks_precision(claim: Claim, specs: Mapping[str, GpuSpec]) -> SaidError:
    """The refusal of a precision that no variant of the claimed card computes in: torch may do without, much slower."""
    label = PRECISION_LABELS[claim.precision] if claim.precision is not None else "none"
    device = shared_name([specs[key] for key in claim.gpus])
    return refusal("claim-card-lacks-precision", claim, specs, device=device, precision=label)


def unknown_card(claim: Claim, specs: Mapping[str, GpuSpec]) -> SaidError:
    """The refusal of a card that the table lacks, with the names that are spelled most like it."""
    return SaidError(unknown_card_reasons(claim, specs), Reason.of("claim-unknown-card-remedy"))


def unknown_card_reasons(claim: Claim, specs: Mapping[str, GpuSpec]) -> tuple[Reason, ...]:
    """One sentence a card: that it is not known, and the nearest names; none is taken in its place."""
    return tuple(_unknown(name, nearest_cards(name, specs)) for name in claim.unknown_gpus)


def _unknown(name: str, near: tuple[str, ...]) -> Reason:
    card = name.upper() if name.isascii() else name
    if not near:
        return Reason.of("claim-unknown-card-alone", card=card)
    return Reason.of("claim-unknown-card", card=card, nearest=Names(names=near))


def size_text(parameters: float) -> str:
    """A number of parameters as its field writes it: `7B`, `350M`."""
    return f"{parameters / 1e9:.4g}B" if parameters >= 1e9 else f"{parameters / 1e6:.4g}M"  # noqa: PLR2004 - a billion


def _understood(claim: Claim, specs: Mapping[str, GpuSpec]) -> list[str]:
    """The parts that were read, in words that no language needs translated."""
    count = f"{claim.count} × GPU" if claim.count is not None else ""
    if claim.gpus:
        count = counted(claim.count or 1, shared_name([specs[key] for key in claim.gpus]))
    times = (claim.step_s, claim.epoch_s, claim.job_s)
    parts = (
        claim.workload or (size_text(claim.parameters) if claim.parameters is not None else None),
        count,
        PRECISION_LABELS[claim.precision] if claim.precision is not None else None,
        *(format_seconds(time_s) for time_s in times if time_s is not None),
        f"{format_count(claim.samples_per_s)}/s" if claim.samples_per_s is not None else None,
        f"×{claim.speed_up_ratio:.2f}" if claim.speed_up_ratio is not None else None,
    )
    return [part for part in parts if part]
