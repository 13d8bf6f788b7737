"""An advice as a file of each kind: the command line, the window and the package write it in one way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from advisor.core.file_writing import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.core.sentences import Language
    from advisor.present.script.framework_gaps import Framework
    from advisor.store.advice_record import AdviceRecord

FileKind = Literal["json", "pdf", "csv", "markdown", "script"]


def encode(
    kind: FileKind,
    advice: AdviceRecord,
    language: Language,
    *,
    script_name: str | None = None,
    framework: Framework | None = None,
) -> bytes:
    """The file's bytes; `script_name` is what the launch command calls the script, `framework` whose set-up it is.

    Raises OutputError where the report cannot be set.
    """
    from advisor.present.written_mark import marked

    match kind:
        case "json":
            from advisor.store import json_file

            return json_file.encode(advice)
        case "csv":
            from advisor.present import csv_file

            return csv_file.encode(advice)
        case "markdown":
            from advisor.present import markdown_file

            return marked(markdown_file.encode(advice, language).decode(), "markdown")
        case "pdf":
            from advisor.present.report import pdf_file

            return pdf_file.encode(advice, language)
        case "script":
            from advisor.present.script import framework_config, launch_script

            if framework is not None:
                return marked(framework_config.render(advice, framework), "script")
            return marked(launch_script.render(advice, name=script_name), "script")


def write(kind: FileKind, advice: AdviceRecord, path: Path, language: Language) -> None:
    """Write the file atomically. Raises OutputError."""
    write_atomically(path, encode(kind, advice, language, script_name=path.name))
