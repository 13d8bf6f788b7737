"""Text of others reaches a terminal without control bytes and a spreadsheet without formulas."""

from __future__ import annotations

import csv
import io

import msgspec
import pytest

from advisor.core.errors import InputError
from advisor.core.foreign_text import spreadsheet_cell
from advisor.core.sentences import Reason, say
from advisor.present import csv_file
from tests.present.fakes import advice

HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x9b2J\r\u202e"


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =HYPERLINK(1)"])
def test_a_formula_becomes_text(text: str) -> None:
    assert spreadsheet_cell(text).lstrip()[0] not in "=+-@"


@pytest.mark.parametrize("text", ["-5", "+1e-3", "12.5", "RTX 4090", "a=b", ""])
def test_numbers_and_names_stay_as_they_are(text: str) -> None:
    assert spreadsheet_cell(text) == text


def test_no_error_text_carries_control_bytes() -> None:
    error = InputError(f"rows.csv: the column {HOSTILE} is missing.", f"Found {HOSTILE}.")
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in str(error) + error.text)
    assert "\\u001b]0;owned" in error.text


def test_no_sentence_carries_control_bytes() -> None:
    said = say(Reason.of("history-in-memory", detail=HOSTILE), "en")
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in said)


def test_a_card_named_as_a_formula_is_text_in_the_exported_table() -> None:
    made = advice()
    device = msgspec.structs.replace(made.predictions[0].device, name='=HYPERLINK("http://x","y")')
    changed = msgspec.structs.replace(made.predictions[0], device=device)
    text = csv_file.encode(msgspec.structs.replace(made, predictions=(changed,))).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows[0]["device_name"].startswith("'=HYPERLINK")
