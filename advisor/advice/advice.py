"""What a program that calls `advise` holds: the record, which writes itself as JSON and as the PDF report."""

from __future__ import annotations

from pathlib import Path
from typing import Self, get_args

from advisor.core.file_fault import shown_value
from advisor.core.sentences import Language, Names, SaidError
from advisor.store import json_file
from advisor.store.advice_record import AdviceRecord


class Advice(AdviceRecord, frozen=True, kw_only=True):
    """Everything one run found out."""

    @classmethod
    def of(cls, record: AdviceRecord) -> Self:
        """The same fields with the ways out of a program."""
        return cls(**{name: getattr(record, name) for name in record.__struct_fields__})

    def to_json(self) -> str:
        """The record as JSON text, as `--json` writes it: equal advice gives equal text."""
        return json_file.encode(self).decode()

    def explain(self, language: Language = "en", *, details: bool = True) -> str:
        """The advice as the terminal prints it: what to take, why, what would change it, and the tables.

        Without `details` it is one screen of it. Raises InputError for a language that there is not.
        """
        _check_language(language)
        from advisor.present.one_screen import one_screen
        from advisor.present.plain_text import text_of
        from advisor.present.summary import summarise

        return text_of(summarise(self, language) if details else one_screen(self, language))

    def to_rows(self) -> list[dict[str, object]]:
        """Every prediction as one flat row, for a data frame: `pandas.DataFrame(advice.to_rows())`.

        Seconds, bytes, joules; `_low` and `_high` are ends of the 80 % range; None is unknown.
        """
        from advisor.present.csv_file import prediction_rows

        return prediction_rows(self)

    def to_pdf(self, path: str | Path, language: Language = "en") -> None:
        """Write the report to `path` as `--pdf` does. Raises OutputError where it cannot be written.

        Raises InputError for a language that there is not.
        """
        _check_language(language)
        from advisor.present import advice_file

        advice_file.write("pdf", self, Path(path), language)


def _check_language(language: str) -> None:
    known = get_args(Language)
    if language not in known:
        names = Names(names=tuple(f"`{name}`" for name in known))
        raise SaidError.of("command-no-language", given=shown_value(language), names=names)
