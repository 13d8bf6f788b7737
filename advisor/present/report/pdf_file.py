"""The report as PDF through typst: tagged, reproducible, only bundled fonts, nothing from the network."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from advisor.core.bundled import resource
from advisor.core.private_folder import private_folder
from advisor.core.sentences import Language, Said, SaidOutputError, sentence
from advisor.present.report.content import report_content
from advisor.store.advice_record import AdviceRecord

_SETTINGS = (
    (1.0, False), (0.86, False), (0.74, False), (1.12, False), (1.0, True), (1.3, True), (1.7, True), (2.2, True),
)  # fmt: skip
"""Of the space between lines and sections, and whether the evidence begins a page, in the order of trying."""
_LEAST_SHARE = 0.42
"""Of the last page's height that its text reaches down to, its head included."""


@cache
def _coverage() -> frozenset[str]:
    """The characters that the bundled font can draw."""
    return frozenset(resource("fonts/coverage.txt").read_text(encoding="utf-8"))


def encode(advice: AdviceRecord, language: Language) -> bytes:
    """The report as PDF/UA-1 bytes; equal advice and language give equal bytes.

    A character that the bundled font lacks is set as its code point and named in a closing sentence: a report
    never holds an empty box. Raises OutputError when typst refuses.
    """
    import typst

    content = report_content(advice, language)
    drawable, missing = _drawable(content)
    if missing:
        names = " ".join(f"{character} U+{ord(character):04X}" for character in sorted(missing))
        plain = "".join(character for character in names if character in _coverage())
        note = sentence("report-missing-characters", language, characters=plain)
        drawable["headline_notes"].append(note)
    with private_folder("report") as folder:
        # A root of its own: typst follows links and reads whatever lies under its root.
        template = folder / "report.typ"
        shutil.copyfile(resource("report.typ"), template)
        try:
            return _filled(template, folder, drawable, _timestamp(advice))
        except typst.TypstError as error:
            raise SaidOutputError.of("report-not-set", text=Said(text=error.message)) from error


def _filled(template: Path, folder: Path, content: dict[str, Any], timestamp: int) -> bytes:
    """The report in the first setting that leaves its last page not nearly empty; where none does, in the fullest."""
    import typst

    best: tuple[float, bytes] | None = None
    for density, apart in _SETTINGS:
        data = json.dumps({**content, "density": density, "apart": apart}, ensure_ascii=False, sort_keys=True)
        compiler = typst.Compiler(
            str(template),
            root=str(folder),
            font_paths=typst.Fonts(
                include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(resource("fonts"))]
            ),
            sys_inputs={"data": data},
        )
        (end,) = json.loads(compiler.query("<end>", field="value"))
        share = 1.0 if end["page"] == 1 else float(end["share"])
        if best is None or share > best[0]:
            pdf = compiler.compile(format="pdf", pdf_standards="ua-1", timestamp=timestamp)
            assert isinstance(pdf, bytes)  # one file, not an image a page
            best = share, pdf
        if share >= _LEAST_SHARE:
            break
    assert best is not None
    return best[1]


def _timestamp(advice: AdviceRecord) -> int:
    moment = datetime.fromisoformat(advice.created_utc)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _drawable(content: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The content with every character that the font lacks as its code point, and those characters."""
    coverage = _coverage()
    missing: set[str] = set()

    def shown(character: str) -> str:
        if character in coverage:
            return character
        missing.add(character)
        return f"\\u{ord(character):04x}"

    def walk(value: Any) -> Any:  # noqa: ANN401 - JSON values of any depth
        if isinstance(value, str):
            return "".join(map(shown, value))
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        return value

    return walk(content), missing
