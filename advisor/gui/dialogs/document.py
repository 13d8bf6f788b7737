"""A page of the project's documentation, read in the window from the files that came with the program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QImage, QPainter, QTextCursor, QTextDocument
from PySide6.QtWidgets import QDialog, QTextBrowser, QWidget

from advisor.core.bundled import document
from advisor.gui.dialogs.frame import add_close, opened

if TYPE_CHECKING:
    from advisor.gui.texts import Texts

_SIZE = (940, 640)
_MARGIN = 18
_LINK_TO_PAGE = ".md"


def show_document(parent: QWidget, texts: Texts, name: str) -> QDialog:
    """Open a page of `docs/` without blocking; one that did not come with the program is said to be missing."""
    dialog, layout = opened(parent, texts("document-page"))
    page = DocumentView(texts)
    page.titled.connect(dialog.setWindowTitle)
    layout.addWidget(page, 1)
    dialog.resize(*_SIZE)
    add_close(dialog, layout, texts("window-close"))
    page.setFocus()
    # A long page takes a second to lay out: the dialog is there before.
    QTimer.singleShot(0, page, lambda: page.show_page(document(name)))
    return dialog


class DocumentView(QTextBrowser):
    """A Markdown page; links to other pages of the program are followed here, others in the browser."""

    titled = Signal(str)
    """The first heading of the page that is shown."""

    def __init__(self, texts: Texts) -> None:
        """Empty until a page is shown."""
        super().__init__()
        self._texts = texts
        self._path: Path | None = None
        self.setOpenLinks(False)
        self.document().setDocumentMargin(_MARGIN)
        self.setAccessibleName(texts("document-page"))
        self.anchorClicked.connect(self._follow)

    def show_page(self, path: Path) -> None:
        """Show a Markdown file from its beginning, or that it is not there."""
        try:
            text = path.read_text(encoding="utf-8")
        except OSError:
            self.setPlainText(self._texts("document-missing", path=path.name))
            return
        self._path = path
        self.setSearchPaths([str(path.parent)])
        self.setMarkdown(self._head_of(path) + text)
        self.titled.emit(self.document().firstBlock().text())
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _head_of(self, path: Path) -> str:
        """What a page in English says in short, in the window's language."""
        from advisor.predict.accuracy_record import DOCUMENT
        from advisor.present.accuracy_lines import accuracy_head

        head = accuracy_head(self._texts.language) if path.name == Path(DOCUMENT).name else ""
        return f"{head}\n\n---\n\n" if head else ""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """A picture on white paper: what is drawn for that cannot be seen on a dark page."""
        if kind != QTextDocument.ResourceType.ImageResource.value or self._path is None:
            return super().loadResource(kind, name)
        drawn = QImage(str(self._path.parent / Path(QUrl(name).path()).name))
        paper = QImage(drawn.size(), QImage.Format.Format_RGB32)
        paper.fill(Qt.GlobalColor.white)
        painter = QPainter(paper)
        painter.drawImage(0, 0, drawn)
        painter.end()
        return paper

    def _follow(self, url: QUrl) -> None:
        name = Path(url.path()).name
        if url.scheme() in {"http", "https"}:
            QDesktopServices.openUrl(url)
            return
        if name.endswith(_LINK_TO_PAGE) and self._path is not None:
            self.show_page(self._path.parent / name)
        if url.fragment():
            self._go_to(url.fragment())

    def _go_to(self, heading: str) -> None:
        """Scroll to the heading that a link's fragment stands for."""
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and _fragment(block.text()) == heading:
                self.moveCursor(QTextCursor.MoveOperation.End)  # so that the heading comes to the top
                self.setTextCursor(QTextCursor(block))
                return
            block = block.next()


def _fragment(heading: str) -> str:
    """What a link to a heading calls it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
