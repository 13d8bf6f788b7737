"""The summary as GitHub-flavoured Markdown, for issues and chats; foreign names are escaped."""

from __future__ import annotations

import re

from advisor.core.sentences import Language
from advisor.present.summary import summarise
from advisor.present.tables import Table
from advisor.store.advice_record import AdviceRecord

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def escape(text: str) -> str:
    """Text that Markdown shows verbatim: every character that could be markup is escaped."""
    return _MARKUP.sub(r"\\\1", text.replace("\n", " "))


def encode(advice: AdviceRecord, language: Language) -> bytes:
    """The advice as Markdown."""
    summary = summarise(advice, language)
    lines = [f"# {escape(summary.title)}", "", f"**{escape(summary.headline)}**", ""]
    lines += [f"- {escape(label)}: {escape(text)}" for label, text in summary.figures]
    for section in summary.sections:
        lines += ["", f"## {escape(section.title)}", "", *(f"- {escape(line)}" for line in section.sentences)]
    for table in summary.tables:
        lines += ["", f"## {escape(table.title)}", "", *_table_lines(table)]
    return ("\n".join(lines) + "\n").encode()


def _table_lines(table: Table) -> list[str]:
    rule = ["---:" if index >= table.first_number_index else "---" for index in range(len(table.columns))]
    rows = [table.columns, tuple(rule), *table.rows]
    return ["| " + " | ".join(cell if row is rows[1] else escape(cell) for cell in row) + " |" for row in rows]
