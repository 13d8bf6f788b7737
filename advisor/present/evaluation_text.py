"""An evaluation as text for a terminal and as the rows of a CSV file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import wrap

from rich.cells import cell_len

from advisor.core.foreign_text import spreadsheet_cell, visible
from advisor.core.sentences import Arguments, Language, Names, Said, say, sentence
from advisor.core.units import Estimate
from advisor.evaluate.evaluation_record import Evaluation
from advisor.evaluate.row_answer import RowAnswer
from advisor.evaluate.run_row import RunRow
from advisor.predict.evaluation import Score
from advisor.present.csv_file import csv_text
from advisor.present.plain_text import aligned

ANSWER_COLUMNS = (
    "predicted_ms",
    "low_ms",
    "high_ms",
    "predicted_peak_gb",
    "predicted_max_batch",
    "predicted_efficiency",
    "error",
    "reason",
    "low_peak_gb",
    "high_peak_gb",
    "low_efficiency",
    "high_efficiency",
    "caveats",
)
"""Columns that follow those of the file; `error` is predicted over measured time minus one. Ranges hold 80 %."""
_SCORE_COLUMNS = ("group", "runs", "mean", "median", "bias", "covered", "pairs", "ranked", "ratio")
_WIDEST_HEAD = 8
"""Characters; `100.0 %` and `+12.3 %` take seven."""
_UNKNOWN = "–"
_MOST_CAVEATS = 5
"""Told below the table; all of them stand beside their rows in the CSV file."""
_MOST_NAMES = 6
"""Of rows that could not be predicted for one reason; so does every row's reason."""


def answers_csv(evaluation: Evaluation) -> str:
    """Every row as it was given, with what is predicted for it; empty where there is nothing to say."""
    columns: list[str] = []
    for answer in evaluation.answers:
        columns += [name for name in answer.row.cells if name not in columns]
    columns = [name for name in columns if name not in ANSWER_COLUMNS]
    lines = ((*(answer.row.cells.get(name, "") for name in columns), *_cells(answer)) for answer in evaluation.answers)
    return csv_text(map(spreadsheet_cell, line) for line in ((*columns, *ANSWER_COLUMNS), *lines))


def _cells(answer: RowAnswer) -> tuple[str, ...]:
    row, step = answer.row, answer.step_s
    error = step.value / row.measured_s - 1.0 if step is not None and row.measured_s is not None else None
    peak, *peak_ends = _shown(answer.peak_bytes, 1e-9, ".4g")
    efficiency, *efficiency_ends = _shown(answer.efficiency, 1.0, ".4f")
    return (
        *_shown(step, 1e3, ".6g"),
        peak,
        "" if answer.largest_batch is None else str(answer.largest_batch),
        efficiency,
        "" if error is None else f"{error:.4f}",
        "" if answer.reason is None else say(answer.reason, "en"),
        *peak_ends,
        *efficiency_ends,
        " ".join(say(note, "en") for note in answer.caveats),
    )


def _shown(estimate: Estimate | None, factor: float, how: str) -> tuple[str, str, str]:
    """Value, low and high end of an estimate, multiplied by `factor`; empty where there is none."""
    if estimate is None:
        return "", "", ""
    value, low, high = (format(number * factor, how) for number in (estimate.value, estimate.low, estimate.high))
    return value, low, high


def evaluation_text(evaluation: Evaluation, language: Language) -> str:
    """The error table in lines: overall, by family, GPU and precision; then memory, efficiency and refused rows."""
    head = [sentence(f"evaluate-column-{name}", language) for name in _SCORE_COLUMNS]
    lines: list[str] = []
    if evaluation.overall.step_count:
        table = [*_in_lines(head), _score_cells(evaluation.overall, sentence("evaluate-group-all", language))]
        for heading, scores in (
            ("family", evaluation.by_family),
            ("gpu", evaluation.by_gpu),
            ("precision", evaluation.by_precision),
        ):
            table.append([sentence(f"evaluate-heading-{heading}", language)])
            table += [_score_cells(score, visible(score.group)) for score in scores]
        lines += aligned(table, 1)
    return "\n".join([*lines, *_remarks(evaluation, language)])


def _in_lines(head: Sequence[str]) -> list[list[str]]:
    """The heads of columns in as many lines as the longest takes: figures are narrower than words."""
    broken = [_broken(text) for text in head]
    most = max(map(len, broken))
    padded = [[""] * (most - len(lines)) + lines for lines in broken]
    return [list(line) for line in zip(*padded, strict=True)]


def _broken(text: str) -> list[str]:
    """A head at its spaces and hyphens; a long one of Chinese characters, which has none, in two halves."""
    if text.isascii():
        return wrap(text, _WIDEST_HEAD)
    if " " not in text and cell_len(text) > _WIDEST_HEAD - 2:
        half = len(text) // 2
        return [text[:half], text[half:]]
    return wrap(text.replace(" %", "\u00a0%"), _WIDEST_HEAD - 2)


def _score_cells(score: Score, name: str) -> list[str]:
    return [
        name,
        str(score.step_count),
        _percent(score.mean_error_fraction),
        _percent(score.median_error_fraction),
        _percent(score.bias_fraction, signed=True),
        _percent(score.covered_fraction),
        str(score.pair_count),
        _percent(score.ranked_fraction),
        _percent(score.ratio_error_fraction),
    ]


def _percent(fraction: float | None, *, signed: bool = False) -> str:
    if fraction is None:
        return _UNKNOWN
    return f"{100 * fraction:+.1f} %" if signed else f"{100 * fraction:.1f} %"


def _remarks(evaluation: Evaluation, language: Language) -> list[str]:
    lines: list[str] = []
    batches, efficiencies = evaluation.largest_batches, evaluation.efficiencies
    if batches is not None:
        numbers: Arguments = {
            "rows": batches.row_count,
            "right_fraction": batches.right_fraction,
            "high_fraction": batches.too_high_fraction,
        }
        lines.append(sentence("evaluate-batches", language, **numbers))
    if efficiencies is not None:
        numbers = {
            "rows": efficiencies.row_count,
            "points": f"{100 * efficiencies.mean_error_fraction:.1f}",
            "covered_fraction": efficiencies.covered_fraction,
        }
        lines.append(sentence("evaluate-efficiencies", language, **numbers))
    peaks = evaluation.peaks
    if peaks is not None:
        numbers = {
            "rows": peaks.row_count,
            "mean": _percent(peaks.mean_error_fraction),
            "median": _percent(peaks.median_error_fraction),
            "bias": _percent(peaks.bias_fraction, signed=True),
            "covered_fraction": peaks.covered_fraction,
        }
        lines.append(sentence("evaluate-peak", language, **numbers))
    unscored = sum(not answer.row.scored for answer in evaluation.answers)
    if unscored:
        lines.append(sentence("evaluate-unscored", language, count=unscored))
    unsure = [answer for answer in evaluation.answers if answer.variants]
    if unsure:
        cards = Names(names=tuple(dict.fromkeys(key for answer in unsure for key in answer.variants)))
        lines.append(sentence("evaluate-variants", language, count=len(unsure), names=cards))
    caveats = Counter(say(caveat, language) for answer in evaluation.answers for caveat in answer.caveats)
    lines += [
        sentence("evaluate-caveat", language, count=count, why=Said(text=why))
        for why, count in caveats.most_common(_MOST_CAVEATS)
    ]
    refused = evaluation.refused
    if refused:
        lines.append(sentence("evaluate-refused", language, count=len(refused), rows=len(evaluation.answers)))
        lines += _refusals(refused, language)
    return lines


def _refusals(refused: Sequence[RowAnswer], language: Language) -> list[str]:
    """A line for each reason, with the rows that it holds for: a misspelt name stands in many of a table."""
    alike: dict[str, list[RunRow]] = {}
    for answer in refused:
        why = "" if answer.reason is None else say(answer.reason, language)
        alike.setdefault(why, []).append(answer.row)
    return [
        "  "
        + sentence(
            "evaluate-refused-rows",
            language,
            count=len(rows),
            lines=_first_of(str(row.line) for row in rows),
            workloads=_first_of(row.workload for row in rows),
            gpus=_first_of(row.gpu_key for row in rows),
            why=why,
        )
        for why, rows in alike.items()
    ]


def _first_of(names: Iterable[str]) -> Names:
    each = tuple(dict.fromkeys(names))
    return Names(names=each[:_MOST_NAMES], more=len(each) > _MOST_NAMES)
