"""A line in a dialog that says below itself what is wrong with what was typed."""

from __future__ import annotations

from collections.abc import Callable

from advisor.gui.models.typed_number import FieldError
from advisor.gui.widgets.choice import Line
from advisor.gui.widgets.labels import set_look, tell, untold


class JudgedLine(Line):
    """Judged with every letter, and once more where the dialog is accepted: only then is nothing too little."""

    def __init__(self, text: str, judge: Callable[[str], object], words: Callable[[FieldError], str]) -> None:
        """`judge` raises FieldError for what is not allowed, and `words` says it."""
        super().__init__(text)
        self._judge, self._words = judge, words
        self.message = untold()
        """Whoever lays out the line puts it below."""
        self.textChanged.connect(lambda _text: self._say(self._wrong() if self.text().strip() else ""))

    def allowed(self) -> bool:
        """Whether the dialog may be accepted with what stands here; what is wrong is said."""
        wrong = self._wrong()
        self._say(wrong)
        return not wrong

    def _wrong(self) -> str:
        try:
            self._judge(self.text())
        except FieldError as error:
            return self._words(error)
        return ""

    def _say(self, words: str) -> None:
        if words == self.message.text():
            return
        tell(self.message, words)
        self.setAccessibleDescription(words)
        set_look(self, "invalid", "true" if words else "false")
