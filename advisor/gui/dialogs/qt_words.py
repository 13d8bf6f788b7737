"""Qt's own words, such as those of a line's menu and of the file dialog, in the chosen language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QObject, QTranslator

from advisor.gui.texts import Texts

_MISSING = {
    "&Look in:": "qt-look-in",
    "Files of &type:": "qt-files-of-type",
    "Folder": "qt-folder",
    "File": "qt-file",
    "Drive": "qt-drive",
    "Size": "qt-size",
}
"""What Qt's Chinese translation lacks, or calls a volume, by our message."""


class _MissingWords(QTranslator):
    """Asked before Qt's own translation."""

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str | None:  # type: ignore[override, unused-ignore]
        """Ours; None where it is none of these."""
        del context, disambiguation, n
        return Texts("zh")(_MISSING[source]) if source in _MISSING else None

    def isEmpty(self) -> bool:
        """Qt leaves out a translator that holds nothing."""
        return False


def chinese_words(owner: QObject) -> list[QTranslator]:
    """Let Qt speak Chinese; returns what is to be removed again."""
    qts = QTranslator(owner)
    qts.load("qtbase_zh_CN", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    made = [qts, _MissingWords(owner)]  # The last one is asked first.
    for translator in made:
        QCoreApplication.installTranslator(translator)
    return made
