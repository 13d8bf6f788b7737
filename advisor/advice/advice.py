"""What a program that calls `advise` holds: the record, which writes itself as JSON and as the PDF report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from advisor.present.report import pdf_file
from advisor.store import json_file
from advisor.store.advice_record import AdviceRecord

if TYPE_CHECKING:
    from advisor.core.sentences import Language


class Advice(AdviceRecord, frozen=True, kw_only=True):
    """Everything one run found out."""

    @classmethod
    def of(cls, record: AdviceRecord) -> Self:
        """The same fields with the ways out of a program."""
        return cls(**{name: getattr(record, name) for name in record.__struct_fields__})

    def to_json(self) -> str:
        """The record as JSON text, as `--json` writes it: equal advice gives equal text."""
        return json_file.encode(self).decode()

    def to_pdf(self, path: str | Path, language: Language = "en") -> None:
        """Write the report to `path` as `--pdf` does. Raises OutputError where it cannot be written."""
        pdf_file.write(self, Path(path), language)
