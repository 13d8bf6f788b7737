"""The caption that tells how far to trust numbers from the data sheet: details in the tooltip, a link to the page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from advisor.core.sentences import Language, sentence
from advisor.gui.tooltips import give_tip
from advisor.gui.widgets.labels import label
from advisor.predict.accuracy_record import DOCUMENT

if TYPE_CHECKING:
    from advisor.catalogue.precisions import Precision


def accuracy_caption(language: Language, precisions: Sequence[Precision], spec_key: str | None = None) -> QLabel | None:
    """The recorded accuracy on published runs; with a card's key, also that of its generation."""
    from advisor.catalogue.spec_table import spec_table
    from advisor.present.accuracy_lines import accuracy_details, accuracy_line

    line = accuracy_line(language)
    if line is None:
        return None
    spec = spec_table().get(spec_key) if spec_key is not None else None
    details = accuracy_details(precisions, spec.compute_capability if spec is not None else None, language)
    made = label("", "muted", wrap=True)
    made.setTextFormat(Qt.TextFormat.RichText)
    escaped, title = html.escape(line, quote=False), sentence("accuracy-title", language)
    made.setText(escaped.replace(DOCUMENT, f'<a href="{DOCUMENT}">{html.escape(title, quote=False)}</a>'))
    made.setAccessibleName(line.replace(DOCUMENT, title))
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
    made.linkActivated.connect(lambda link: _open(made, language, link))
    give_tip(made, "\n".join(details))
    made.setAccessibleDescription(" ".join(details))
    return made


def _open(caption: QLabel, language: Language, link: str) -> None:
    from advisor.gui.dialogs.document import show_document
    from advisor.gui.texts import Texts

    show_document(caption.window(), Texts(language), PurePosixPath(link).name)
