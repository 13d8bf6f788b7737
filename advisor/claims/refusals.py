"""Why a claim cannot be judged: which part of it is missing or unknown, and what was understood of the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.precisions import PRECISION_LABELS, Precision
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import nearest_cards, shared_name
from advisor.core.sentences import Names, Reason, SaidError, Value
from advisor.core.units import format_count, format_seconds
from advisor.recommend.comparison import counted
from advisor.recommend.precisions import rate_of


def refusal(code: str, claim: Claim, specs: Mapping[str, GpuSpec], **numbers: Value) -> SaidError:
    """The refusal `code` with its remedy, and what was understood beside what is missing."""
    understood = " · ".join(_understood(claim, specs))
    first = Reason.of(code, **numbers)
    also = (Reason.of("claim-understood", understood=understood),) if understood else ()
    return SaidError((first, *also), Reason.of(f"{code}-remedy"))


def without_model(claim: Claim, specs: Mapping[str, GpuSpec]) -> SaidError:
    """The refusal of a claim that names no model, or one that is not bundled, which is told by its name."""
    if claim.other_model is None:
        return refusal("claim-without-model", claim, specs)
    return refusal("claim-model-not-bundled", claim, specs, model=claim.other_model)


def unpredicted(claim: Claim, model: str, specs: Mapping[str, GpuSpec], *, traced: bool) -> SaidError:
    """The refusal of a claim whose model has no prediction on its card, by its cause.

    The card lacks the precision or figures of its data sheet, or there is no trace of the model as it is claimed; where
    there is one (`traced`), a step's memory is what is not known.
    """
    if claim.precision is not None and all(rate_of(specs[key], claim.precision) is None for key in claim.gpus):
        return lacks_precision(claim, specs)
    if (reason := _lacking_figures(claim.gpus, specs, claim.precision or "fp32")) is not None:
        return SaidError((reason,))
    device = shared_name([specs[key] for key in claim.gpus])
    code = "claim-without-memory" if traced else "claim-without-trace"
    return refusal(code, claim, specs, model=model, device=device)


def change_unpredicted(
    claim: Claim, cards: Sequence[GpuSpec], specs: Mapping[str, GpuSpec], **sides: Value
) -> SaidError:
    """The refusal of a change of which one side has no prediction on any of the cards, by its cause."""
    for precision in (claim.precision, claim.reference_precision):
        if precision is not None and all(rate_of(card, precision) is None for card in cards):
            own = tuple(card.key for card in cards)
            return lacks_precision(msgspec.structs.replace(claim, gpus=own, precision=precision), specs)
    if (reason := _lacking_figures([card.key for card in cards], specs, "fp32")) is not None:
        return SaidError((reason,))
    return refusal("claim-change-not-predicted", claim, specs, **sides)


def _lacking_figures(keys: Sequence[str], specs: Mapping[str, GpuSpec], precision: Precision) -> Reason | None:
    """Which figures the data sheets of all these cards lack, told of the first; None: one of them has all."""
    from advisor.cost.operators.device_rates import missing_figures  # numpy, which most refusals need not load

    lacking = [missing_figures(specs[key], precision) for key in keys]
    return None if None in lacking else next(iter(lacking), None)


def require_told_rates(claim: Claim, specs: Mapping[str, GpuSpec]) -> None:
    """Refuse a claim of a step in which a card's tensor cores work, where nobody told how fast these are.

    A name that is open to other cards too is judged by those. Raises SaidError with the figure that is missing.
    """
    stated = [one for one in (claim.precision, claim.reference_precision) if one is not None]
    for keys in (claim.gpus, claim.reference_gpus):
        if not any(specs[key].lacks_tensor_rates for key in keys):
            continue
        for precision in stated or ["bf16_amp"]:
            if (reason := _lacking_figures(keys, specs, precision)) is not None:
                raise SaidError((reason,))


def cards_unpredicted(claim: Claim, specs: Mapping[str, GpuSpec]) -> SaidError:
    """The refusal of two cards that no model is predicted on: by the figures that the data sheet of either lacks."""
    for keys in (claim.gpus, claim.reference_gpus):
        if (reason := _lacking_figures(keys, specs, claim.precision or "fp32")) is not None:
            return SaidError((reason,))
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
