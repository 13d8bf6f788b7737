"""How far to trust a number from the data sheet, said from the recorded accuracy on published runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from advisor.catalogue.precisions import Precision, precision_name
from advisor.core.sentences import Arguments, Language, sentence
from advisor.predict.accuracy_record import (
    DOCUMENT,
    DOCUMENT_LANGUAGE,
    AccuracyRecord,
    GroupedBy,
    HeldOut,
    accuracy_record,
)


def accuracy_line(language: Language) -> str | None:
    """The mean errors over all published runs, card and model left out; None where none are recorded."""
    errors = _errors(accuracy_record())
    return None if errors is None else sentence("accuracy-line", language, **errors, document=DOCUMENT)


def accuracy_head(language: Language) -> str:
    """What stands above the document, which is in English, for whoever reads another language: Markdown, or empty.

    Its figures are those of the record, so that nothing of the document is told twice by hand.
    """
    record = accuracy_record()
    scores = [score for held_out in get_args(HeldOut) if (score := record.score(held_out)) is not None]
    if language == DOCUMENT_LANGUAGE or not scores:
        return ""
    names = ("what", "runs", "mean", "median", "covered")
    rows = [
        (
            sentence(f"accuracy-held-out-{score.held_out}", language),
            f"{score.run_count:,}",
            f"{100 * score.mean_error_fraction:.1f} %",
            f"{100 * score.median_error_fraction:.1f} %",
            f"{100 * score.covered_fraction:.1f} %",
        )
        for score in scores
    ]
    table = [tuple(sentence(f"accuracy-head-{name}", language) for name in names), ("---", *["---:"] * 4), *rows]
    return "\n\n".join(
        (
            f"# {sentence('accuracy-title', language)}",
            sentence("accuracy-about", language, runs=scores[0].run_count),
            "\n".join(f"| {' | '.join(row)} |" for row in table),
            sentence("accuracy-reading", language),
        )
    )


def _errors(record: AccuracyRecord, grouped_by: GroupedBy = "all", group: str = "all") -> Arguments | None:
    """How many runs a group has, and its mean errors with card and model left out; None where no run is in it."""
    by_card, by_model = record.score("gpu", grouped_by, group), record.score("model", grouped_by, group)
    if by_card is None or by_model is None:
        return None
    card, model = (f"{100 * score.mean_error_fraction:.1f} %" for score in (by_card, by_model))
    return {"runs": by_card.run_count, "card_error": card, "model_error": model}


def accuracy_details(
    precisions: Sequence[Precision], compute_capability: str | None, language: Language
) -> tuple[str, ...]:
    """The share inside the ranges, and the errors at these precisions and on cards of this capability."""
    record = accuracy_record()
    by_card = record.score("gpu")
    lines = []
    if by_card is not None:
        lines.append(sentence("accuracy-covered", language, covered_fraction=by_card.covered_fraction))
    lines += [
        _group(record, "precision", precision, precision_name(precision, language), language)
        for precision in precisions
    ]
    if compute_capability is not None:
        name = sentence("accuracy-capability", language, capability=compute_capability)
        lines.append(_group(record, "compute_capability", compute_capability, name, language))
    return tuple(lines)


def _group(record: AccuracyRecord, grouped_by: GroupedBy, group: str, name: str, language: Language) -> str:
    errors = _errors(record, grouped_by, group)
    if errors is None:
        return sentence("accuracy-no-runs", language, group=name)
    return sentence("accuracy-group", language, group=name, **errors)
