"""The advice on one screen: what to take, three reasons, five rows, what would help, and how much more there is."""

from __future__ import annotations

import msgspec

from advisor.catalogue.strategies import STRATEGY_LABELS
from advisor.core.sentences import Language, sentence, visible
from advisor.core.units import format_bytes
from advisor.predict.prediction import Prediction
from advisor.present.summary import (
    Section,
    Summary,
    best_by_device,
    explained_marks,
    limit_mark,
    own_precisions,
    summarise,
)
from advisor.present.table_cells import NONE, set_up_cells
from advisor.present.tables import Table, table_of
from advisor.recommend.comparison import counted
from advisor.store.advice_record import AdviceRecord

ROWS = 5
_SENTENCES = {"summary-here": 1, "summary-why": 3, "summary-change": 2, "summary-help": 3, "summary-caveats": 3}
"""How many sentences of each section are shown; sections that are not named wait for the details."""


def one_screen(advice: AdviceRecord, language: Language) -> Summary:
    """The short form of `summarise`; its last line says how many sentences and rows it leaves out."""
    whole = summarise(advice, language)
    titles = {sentence(code, language): limit for code, limit in _SENTENCES.items()}
    sections = []
    shown = 0
    for section in whole.sections:
        kept = section.sentences[: titles.get(section.title, 0)]
        if kept:
            sections.append(Section(title=section.title, sentences=kept))
            shown += len(kept)
    rows = _rows(advice)
    more = _left_out(
        sum(len(section.sentences) for section in whole.sections) - shown,
        sum(len(table.rows) for table in whole.tables) - min(len(rows), ROWS),
        language,
    )
    table = _table(advice, rows[:ROWS], language)
    return msgspec.structs.replace(
        whole, sections=(*sections, *more), tables=() if table is None else (table,), table_place=len(sections)
    )


def _left_out(sentences: int, rows: int, language: Language) -> tuple[Section, ...]:
    """The line that says what the details have more; none where they have no more."""
    if sentences + rows == 0:
        return ()
    both = 1 if sentences and rows else 0
    title = sentence("summary-more", language, sentences=sentences, rows=rows, both=both)
    return (Section(title=title, sentences=()),)


def _rows(advice: AdviceRecord) -> tuple[Prediction, ...]:
    """The best of each device first, the advised one among them; then the other counts."""
    every, main = best_by_device(advice), advice.main
    first = {prediction.device.key: prediction for prediction in reversed(every)}

    def rank(prediction: Prediction) -> tuple[bool, bool]:
        return main is None or prediction.device_and_count != main.device_and_count, first[
            prediction.device.key
        ] is not prediction

    return tuple(sorted(every, key=rank))


def _table(advice: AdviceRecord, rows: tuple[Prediction, ...], language: Language) -> Table | None:
    if not rows:
        return None
    goal = advice.recommendation.goal if advice.recommendation is not None else "time"
    priced = any(row.cost is not None for row in rows)
    asked = ["cost"] if priced else ["hours"] if goal == "cost" else []  # what a cost is where no price is known
    asked += ["energy"] if goal == "energy" else []
    own = ("precision",) if own_precisions(advice, rows) else ()
    names = ("device", "strategy", *own, "batch", "step", "job", "memory", *asked)
    fitting = "best" if advice.main is not None else "other"
    title = sentence(f"summary-{fitting if rows[0].fits is not False else 'nearest'}-rows", language)
    title = explained_marks(title, advice, language)
    cells = (
        set_up_cells(
            row,
            names,
            language,
            device=f"{counted(row.count, visible(row.device.name))}{limit_mark(advice, row)}",
            strategy=STRATEGY_LABELS.get(row.strategy, NONE),
            memory=memory_cell(row, language),
        )
        for row in rows
    )
    return table_of(title, names, cells, language, first_number="batch")


def memory_cell(prediction: Prediction, language: Language) -> str:
    """What a device of a set-up needs of what it can give: `8.18 of 38.4 GiB`, with a mark where that is too much."""
    if prediction.peak_memory_bytes is None:
        return sentence("unknown", language)
    need = format_bytes(prediction.peak_memory_bytes.value)
    room = prediction.usable_memory_bytes
    if room is None:
        return need
    code = "memory-of"
    if prediction.fits is False:  # what is off-loaded may lack room in the host while the card has enough
        code = "memory-of-too-much" if prediction.peak_memory_bytes.value > room else "memory-of-host-short"
    return sentence(code, language, need=need, room=format_bytes(room))
