"""The world's faults, told apart from our bugs: everything else that escapes is a bug of this program."""

from __future__ import annotations

from advisor.core.foreign_text import visible


class UserFacingError(Exception):
    """Something outside the program is wrong and a person can mend it.

    `text` is one sentence that names file, field and what was given; `remedy` says what to do.
    """

    exit_code = 2

    def __init__(self, text: str, remedy: str = "") -> None:
        """Keep both sentences apart, so that window and terminal set them differently; control bytes are escaped."""
        super().__init__(text)
        self.text = visible(text)
        self.remedy = visible(remedy)

    def __str__(self) -> str:
        """Both sentences in one line."""
        return f"{self.text} {self.remedy}".strip()


class InputError(UserFacingError):
    """Wrong use or a bad input file."""


class OutputError(UserFacingError):
    """An output could not be written; the advice itself is still valid."""

    exit_code = 5
