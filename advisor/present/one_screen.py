"""The advice on one screen: what to take, three reasons, five rows, what would help, and how much more there is."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from advisor.catalogue.precisions import Precision, precision_name
from advisor.core.sentences import Language, listed, sentence, visible
from advisor.core.units import format_bytes
from advisor.predict.additions import Added
from advisor.predict.prediction import Prediction
from advisor.present.card_names import short_name
from advisor.present.summary import (
    Section,
    Summary,
    best_by_device,
    epoch_cell,
    explained_marks,
    limit_mark,
    said,
    summarise,
)
from advisor.present.table_cells import NONE, added_names, set_up_cells, strategy_cell
from advisor.present.tables import Table, table_of
from advisor.recommend.comparison import counted
from advisor.recommend.recommendation import names_set_ups
from advisor.store.advice_record import AdviceRecord

_Own = tuple["Precision | None", "Added | None"]
ROWS = 5
_SENTENCES = {"summary-here": 1, "summary-why": 3, "summary-change": 1, "summary-help": 3, "summary-caveats": 2}
"""How many sentences of each section are shown; sections that are not named wait for the details."""
_COLUMNS, _MOST_LINES = 80, 40
_LINES_BESIDE = 9
"""The title, the table's own and its head, the last line, and the empty ones between; a title in two lines."""
_GIVE_WAY = ("summary-change", "summary-why", "summary-help")
"""Whose last sentences wait for the details where all would be more than a screen, in this order."""
_OF_THE_FIXED = "alternative-freed"
"""What the user fixed costs: it gives way to nothing."""
_FEW_FIGURES = 5
"""Each figure beyond them takes the place of a reason."""
_FIGURES = (
    "summary-asked",
    "summary-step",
    "summary-job",
    "summary-job-inference",
    "summary-memory",
    "summary-cost",
    "summary-switched-on",
    "summary-tied",
)
"""The question and the figures that decide, and with what they are reached; an energy does where it is the goal."""
_SAID_BY_FIGURES = {"why-tied", "why-tied-cost", "why-tied-hours", "why-tied-energy", "why-tied-short"}
"""What the line of those it is tied with says too."""
_SEEN_IN_FIGURES = {"caveat-from-spec-sheet"}
"""What the range and the basis behind each figure show; the details have it in words."""
_ALWAYS_SO = {"change-price", "change-measure"}
"""What is true of nearly every advice waits for the details."""
_NOT_HERE = ("driver-absent", "predict-cpu-not-measured")
"""Two causes of one thing: that this machine's own devices are not among those compared."""
_FIRST = {
    "caveat-memory-range", "caveat-memory-range-instead", "caveat-memory-range-one-pass",
    "caveat-memory-range-switch",
    "workload-no-head", "workload-own-side", "workload-experts-whole", "caveat-fp16-range", "caveat-fp16-states",
    "caveat-nothing-in-limits", "caveat-nothing-so-frugal",
    "caveat-nearest-hours", "caveat-nearest-cost", "caveat-nearest-power",
    "caveat-hours-range", "caveat-hours-range-instead", "caveat-hours-range-larger", "caveat-hours-range-nearest",
    "caveat-hours-loading", "caveat-cost-loading",
    "caveat-cost-range", "caveat-cost-range-instead", "caveat-cost-range-larger", "caveat-cost-range-nearest",
    "caveat-nothing-fits-host", "memory-host-given-short", "memory-host-assumed-short", "memory-host-here-short",
    "memory-host-assumed",
    "workload-last-batch-single", "workload-batches-single", "workload-own-batch-single",
    "caveat-batch-not-kept", "caveat-precision-not-kept", "caveat-fixed-not-kept", "alternative-unfixed",
}  # fmt: skip
"""Caveats and reasons that could overturn the advice: one more is shown where they would fill the room."""
_LAST = {*_NOT_HERE, "workload-weights-bits-predicted-only"}
"""Caveats that change no decision: they are shown where there is room after the others."""
_MARKS = "¹²³⁴⁵"
"""Behind the devices that take another precision than the advised one, or add other things to free memory."""


def one_screen(advice: AdviceRecord, language: Language) -> Summary:
    """The short form of `summarise`; its last line says how many sentences and rows it leaves out."""
    whole = summarise(advice, language)
    figures = _deciding(whole.figures, advice, language)
    fewer_reasons = {"summary-why": _SENTENCES["summary-why"] - max(0, len(figures) - _FEW_FIGURES)}
    titles = {sentence(code, language): limit for code, limit in (_SENTENCES | fewer_reasons).items()}
    rows = _rows(advice)
    left, merged = _told_elsewhere(advice, rows[:ROWS], language), _merged(advice, language)
    gravity = _gravity(advice, language)
    sections = []
    for section in whole.sections:
        gravest = sorted(section.sentences, key=lambda text: gravity.get(text, 1))
        fewer = dict.fromkeys(merged.get(text, text) for text in gravest if text not in left)
        room = max(titles.get(section.title, 0), 1 + sum(gravity.get(text, 1) == 0 for text in fewer))
        kept = tuple(fewer)[: room if section.title in titles else 0]
        if kept:
            sections.append(Section(title=section.title, sentences=kept))
    heads = [whole.headline, *(f"{label:<24} {text}" for label, text in figures)]
    beside = sum(_lines(text, 0) for text in heads) + min(len(rows), ROWS) + _LINES_BESIDE
    freed = () if advice.main is None else (one for one in advice.main.would_change_if if one.code == _OF_THE_FIXED)
    kept_back = {merged.get(text, text) for text, place in gravity.items() if place == 0} | {*said(freed, language)}
    give_way = [sentence(code, language) for code in _GIVE_WAY]
    sections = _within(sections, _MOST_LINES - beside, give_way, kept_back)
    of_whole = {section.title: section.sentences for section in whole.sections}
    shown = sum(merged.get(text, text) in section.sentences for section in sections for text in of_whole[section.title])
    more = _left_out(
        sum(len(section.sentences) for section in whole.sections) - shown,
        sum(len(table.rows) for table in whole.tables) - min(len(rows), ROWS),
        language,
    )
    table = _table(advice, rows[:ROWS], language)
    return msgspec.structs.replace(
        whole,
        figures=figures,
        sections=(*sections, *more),
        tables=() if table is None else (table,),
        table_place=len(sections),
    )


def _within(
    sections: Sequence[Section], most_lines: int, give_way: Sequence[str], grave: Collection[str]
) -> list[Section]:
    """The sections in so many lines: by their titles those of `give_way` lose their last sentences, the first first.

    Of the first of them nothing need be left, of the others one sentence each; what is `grave` stands first, and stays.
    """
    kept = {section.title: section.sentences for section in sections}
    for place, title in enumerate(give_way):
        least = max(1 if place else 0, sum(text in grave for text in kept.get(title, ())))
        while len(kept.get(title, ())) > least and _lines_of(kept) > most_lines:
            kept[title] = kept[title][:-1]
    return [Section(title=title, sentences=sentences) for title, sentences in kept.items() if sentences]


def _lines_of(sections: Mapping[str, Sequence[str]]) -> int:
    """An empty line and the title before each, every sentence behind its bullet."""
    return sum(2 + sum(_lines(text, 4) for text in sentences) for sentences in sections.values() if sentences)


def _lines(text: str, indent: int) -> int:
    """Lines of 80 columns that a text takes; a Chinese character is two wide and may end a line."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    if wide:
        return math.ceil((len(text) + wide) / (_COLUMNS - indent - 1))
    return len(textwrap.wrap(text, _COLUMNS - indent))


def _deciding(
    figures: tuple[tuple[str, str], ...], advice: AdviceRecord, language: Language
) -> tuple[tuple[str, str], ...]:
    """The figures of the advised set-up that decide."""
    by_energy = advice.recommendation is not None and advice.recommendation.goal == "energy"
    codes = (*_FIGURES, "report-energy") if by_energy else _FIGURES
    labels = {sentence(code, language) for code in codes}
    return tuple((label, text) for label, text in figures if label in labels)


def _told_elsewhere(advice: AdviceRecord, rows: Sequence[Prediction], language: Language) -> set[str]:
    """Sentences that say again what the figures and the rows show, and those that are true of nearly every advice."""
    main = advice.main
    of_main = () if main is None else (*main.why, *main.would_change_if)
    seen = _SEEN_IN_FIGURES | _ALWAYS_SO | (_SAID_BY_FIGURES if main is not None and main.tied_with else set())
    shown = {row.device.name for row in rows}  # at the advised precision, or with a mark
    told = (
        reason
        for reason in (*of_main, *advice.caveats)
        if reason.code in seen or (reason.code == "caveat-precision-replaced" and reason.numbers.get("device") in shown)
    )
    return {*said(told, language)}


def _gravity(advice: AdviceRecord, language: Language) -> dict[str, int]:
    """The place of the sentences of caveats and reasons that come before all others, 0, or after them, 2."""
    places = dict.fromkeys(_FIRST, 0) | dict.fromkeys(_LAST, 2)
    reasons = () if advice.main is None else advice.main.why
    return {
        text: places[reason.code]
        for reason in (*advice.caveats, *reasons)
        if reason.code in places
        for text in said((reason,), language)
    }


def _marks(advice: AdviceRecord, rows: Iterable[Prediction]) -> dict[_Own, str]:
    """The mark of what rows have instead of what is advised."""
    others = dict.fromkeys(own for row in rows if any(own := _own(advice, row)))
    return dict(zip(others, _MARKS, strict=False))


def _own(advice: AdviceRecord, row: Prediction) -> _Own:
    """Precision of a row, and what it adds, where that is not the advised one's."""
    added = () if advice.main is None else advice.main.added
    return (
        None if row.precision == advice.shown_precision else row.precision,
        None if row.added == added else row.added,
    )


def _merged(advice: AdviceRecord, language: Language) -> dict[str, str]:
    """The one sentence for those that have one thing to say, by each of them."""
    found = [reason for reason in advice.caveats if reason.code in _NOT_HERE]
    if len({reason.code for reason in found}) < len(_NOT_HERE):
        return {}
    return dict.fromkeys(said(found, language), sentence("summary-not-here", language))


def _left_out(sentences: int, rows: int, language: Language) -> tuple[Section, ...]:
    """The line that says what the details have more; none where they have no more."""
    if sentences + rows == 0:
        return ()
    both = 1 if sentences and rows else 0
    title = sentence("summary-more", language, sentences=sentences, rows=rows, both=both)
    return (Section(title=title, sentences=()),)


def _rows(advice: AdviceRecord) -> tuple[Prediction, ...]:
    """The best of each device first, the advised one among them; then the other counts; last what passes a limit."""
    every, main = best_by_device(advice), advice.main
    first = {prediction.device.key: prediction for prediction in reversed(every)}

    def rank(prediction: Prediction) -> tuple[bool, bool, bool]:
        advised = main is not None and prediction.device_and_count == main.device_and_count
        return not advised, advice.is_over_limits(prediction), first[prediction.device.key] is not prediction

    return tuple(sorted(every, key=rank))


def _table(advice: AdviceRecord, rows: tuple[Prediction, ...], language: Language) -> Table | None:
    if not rows:
        return None
    goal = advice.recommendation.goal if advice.recommendation is not None else "time"
    priced = any(row.cost is not None for row in rows)
    asked = ["cost"] if priced else ["hours"] if goal == "cost" else []  # what a cost is where no price is known
    asked += ["energy"] if goal == "energy" else []
    marks = _marks(advice, rows)
    step = () if asked else ("step",)  # a job's time is enough beside what is asked for, and a row stays one line
    named = names_set_ups(advice.main)
    epoch = ("epoch",) if named and advice.workload.training.epochs != 1 else ()
    names = ("device", *(() if named else ("strategy",)), "batch", *step, *epoch, "job", "memory", *asked)
    fitting = "best" if advice.main is not None else "other"
    title = sentence(f"summary-{fitting if rows[0].fits is not False else 'nearest'}-rows", language)
    advised = () if advice.main is None else advice.main.added
    title = _with_marks(explained_marks(title, advice, language), marks, advised, language)
    cells = (
        set_up_cells(
            row,
            names,
            language,
            device=" ".join(
                filter(
                    None,
                    (
                        _cards(row, language, with_strategy=named),
                        marks.get(_own(advice, row)),
                        limit_mark(advice, row).strip(),
                    ),
                )
            ),
            strategy=_strategy(row, language) or NONE,
            epoch=epoch_cell(row, advice, language),
            memory=memory_cell(row, language),
        )
        for row in rows
    )
    return table_of(title, names, cells, language, first_number="batch")


def _cards(row: Prediction, language: Language, *, with_strategy: bool) -> str:
    cards, strategy = counted(row.count, short_name(visible(row.device.name))), _strategy(row, language)
    return f"{cards}, {strategy}" if with_strategy and strategy else cards


def _strategy(row: Prediction, language: Language) -> str:
    """In short; nothing for a single device."""
    if row.strategy == "single":
        return ""
    return strategy_cell(row.strategy, language, trains=row.trains, short=True)


def _with_marks(title: str, marks: Mapping[_Own, str], advised: Added, language: Language) -> str:
    """The title of the table that also says which precision, and what that is added, each mark stands for."""
    if not marks:
        return title
    said_of = [
        sentence("summary-own-mark", language, mark=mark, parts=_meaning(own, advised, language))
        for own, mark in marks.items()
    ]
    return sentence("summary-own-precisions", language, title=title, marks=listed(said_of, language))


def _meaning(own: _Own, advised: Added, language: Language) -> str:
    """`in BF16 AMP and with activation checkpointing`."""
    parts, (precision, added) = [], own
    if precision is not None:
        parts.append(sentence("summary-in-precision", language, precision=precision_name(precision, language)))
    if added is not None:
        code = "summary-with-added" if added else "summary-without-added"
        parts.append(sentence(code, language, added=listed(added_names(added or advised, language), language)))
    return listed(parts, language)


def memory_cell(prediction: Prediction, language: Language) -> str:
    """What a device of a set-up needs of what it can give: `8.18 of 38.4 GiB`, with a mark where that is too much."""
    if prediction.peak_memory_bytes is None:
        return sentence("unknown", language)
    need = format_bytes(prediction.peak_memory_bytes.value)
    room = prediction.usable_memory_bytes
    if room is None:
        return need
    code, limit = "memory-of", format_bytes(room)
    if prediction.fits is False:  # what is off-loaded may lack room in the host while the card has enough
        code = "memory-of-too-much" if prediction.peak_memory_bytes.value > room else "memory-of-host-short"
    if code == "memory-of":  # one unit says it for both
        need = need.removesuffix(f" {limit.rpartition(' ')[2]}")
    return sentence(code, language, need=need, room=limit)
