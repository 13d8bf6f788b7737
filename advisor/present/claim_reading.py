"""What a claim was read as, in words: who sees that it is not what was meant does not take the verdict for its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.catalogue.precisions import PRECISION_LABELS
from advisor.catalogue.spec_table import spec_table
from advisor.claims.claim import Claim
from advisor.claims.gpu_names import shared_name
from advisor.core.sentences import Language, Value, labelled, sentence, visible
from advisor.core.shown_names import shown_card
from advisor.core.units import format_count
from advisor.present.table_cells import strategy_name
from advisor.present.workload_titles import bundled_titles

_BETWEEN = " · "
_FIGURES: dict[str, str] = {
    "step_s": "step_s",
    "samples_per_s": "samples_rate",
    "tokens_per_s": "tokens_rate",
    "epoch_s": "epoch_s",
    "job_s": "job_s",
    "speed_up_ratio": "speed_ratio",
    "memory_ratio": "memory_fraction",
    "saved_bytes": "saved_bytes",
    "memory_bytes": "memory_bytes",
    "mfu_fraction": "mfu_fraction",
}
"""Fields with a figure, by the argument of their message."""
_COUNTS = ("batch_size", "sequence_length", "image_size", "weights_bits")
_CHANGED = ("precision", "strategy", "tuning", "attention", "activation_checkpointing", "batch_size", "sequence_length")
"""What may be held against another of its kind, which stands in `reference_…`."""


def reading_line(claim: Claim, language: Language) -> str:
    """`read_as` with its label."""
    return labelled(sentence("claim-read", language), read_as(claim, language), language)


def read_as(claim: Claim, language: Language) -> str:
    """The claim's figure, cards, model and circumstances in one line, as they were understood."""
    parts = (_claimed, _on, _changes, _circumstances)
    return _BETWEEN.join(text for part in parts for text in part(claim, language))


def _claimed(claim: Claim, language: Language) -> Iterator[str]:
    each = "each" if claim.per_card else "all"
    told = claim.order or claim.told_as or "exact"
    for field, argument in _FIGURES.items():
        value = getattr(claim, field)
        if value is not None:
            numbers: dict[str, Value] = {argument: value, "told": told, "each": each}
            yield sentence(f"claim-read-{field.replace('_', '-')}", language, **numbers)
    if claim.ratio_of_tokens:
        yield sentence("claim-read-ratio-of-tokens", language)
    if claim.flop_per_s is not None:
        tflop = format_count(claim.flop_per_s / 1e12)
        yield sentence("claim-read-flop-per-s", language, tflop=tflop, each=each)
    if claim.fits is not None:
        yield sentence("claim-read-fits" if claim.fits else "claim-read-fits-not", language)
    if claim.is_faster is not None:
        yield sentence("claim-read-faster" if claim.is_faster else "claim-read-faster-not", language)


def _on(claim: Claim, language: Language) -> Iterator[str]:
    here = _cards(claim.count, claim.gpus, claim.unknown_gpus if not claim.gpus else ())
    other = claim.reference_gpus
    counts_compared = claim.speed_up_ratio is not None and claim.count not in {None, 1} and not _is_changed(claim)
    if other or counts_compared:
        count = None if claim.count is None else claim.reference_count
        there = _cards(count, other or claim.gpus, ())
        yield sentence("claim-read-against", language, one=here, other=there)
    elif here:
        yield here
    if claim.workload is not None:
        yield bundled_titles(language).get(claim.workload, visible(claim.workload))
    elif claim.parameters is not None:
        yield sentence("claim-read-parameters", language, parameters=format_count(claim.parameters))
    elif claim.other_model is not None:
        yield visible(claim.other_model)


def _cards(count: int | None, keys: Sequence[str], unknown: Sequence[str]) -> str:
    table = spec_table()
    specs = [table[key] for key in keys if key in table]
    name = shown_card(shared_name(specs)) if specs else ", ".join(visible(one) for one in (*keys, *unknown))
    return name if count is None else f"{count:,} × {name or 'GPU'}"


def _is_changed(claim: Claim) -> bool:
    against = [getattr(claim, f"reference_{field}") for field in (*_CHANGED, "interconnect")]
    grown = claim.batch_ratio is not None or claim.length_ratio is not None
    return grown or claim.switched is not None or any(one is not None for one in against)


def _changes(claim: Claim, language: Language) -> Iterator[str]:
    """What is held against another of its kind, or holds of all that is compared."""
    if claim.reference_interconnect is not None:
        yield sentence(
            "claim-read-against",
            language,
            one=visible(claim.interconnect or ""),
            other=visible(claim.reference_interconnect),
        )
    for field in _CHANGED:
        one, other = getattr(claim, field), getattr(claim, f"reference_{field}")
        if one is None:
            continue
        said = _named(field, one, language)
        against = None if other is None else _named(field, other, language)
        yield said if against is None else sentence("claim-read-against", language, one=said, other=against)
    if claim.switched is not None:
        name = sentence(f"switch-{claim.switched.replace('_', '-')}", language)
        yield sentence("claim-read-switched", language, name=name)
    if claim.batch_ratio is not None:
        yield sentence("claim-read-batch-ratio", language, batch_ratio=claim.batch_ratio)
    if claim.length_ratio is not None:
        yield sentence("claim-read-length-ratio", language, length_ratio=claim.length_ratio)
    if claim.reference_compile is not None:
        yield sentence("claim-read-compiled-now", language)


def _circumstances(claim: Claim, language: Language) -> Iterator[str]:
    for field in ("image_size", "weights_bits"):
        if (value := getattr(claim, field)) is not None:
            yield _named(field, value, language)
    if claim.trainable is not None and claim.tuning is None:
        yield sentence("claim-read-trainable", language, what=claim.trainable)
    for field in ("trained_tokens", "trained_samples"):
        if (value := getattr(claim, field)) is not None:
            yield sentence(f"claim-read-{field.replace('_', '-')}", language, passed=format_count(value))
    if claim.interconnect is not None and claim.count != 1 and claim.reference_interconnect is None:
        yield sentence("claim-read-interconnect", language, words=visible(claim.interconnect))
    for field in ("offload", "channels_last", "compile"):
        changed = field == "compile" and claim.reference_compile is not None
        if (value := getattr(claim, field)) is not None and not changed:
            yield sentence(f"claim-read-{field.replace('_', '-')}", language, on="yes" if value else "no")
    if claim.mode != "training":
        yield sentence(f"choice-mode-{claim.mode.replace('_', '-')}", language)


def _named(field: str, value: object, language: Language) -> str:
    """One circumstance in words."""
    if field == "precision":
        return PRECISION_LABELS[value]  # type: ignore[index]
    if field == "strategy":
        return strategy_name(value, language)  # type: ignore[arg-type]
    code = f"claim-read-{field.replace('_', '-')}"
    if field in _COUNTS:
        return sentence(code, language, count=f"{value:,}")
    return sentence(code, language, what=str(value))
