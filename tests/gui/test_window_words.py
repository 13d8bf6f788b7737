"""No word of the command line stands in the window, in either language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from advisor.core.bundled import resource
from advisor.core.errors import UserFacingError
from advisor.core.sentences import Reason
from advisor.gui.texts import Texts

if TYPE_CHECKING:
    from advisor.core.sentences import Language

_OF_OTHERS = {"force-reinstall"}
"""A flag of pip's, in a command that is to be typed as it stands."""
_OF_THE_COMMAND_LINE = "command.ftl"
"""What is wrong with a command line: the window has none."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_flag_that_a_sentence_names_has_its_name_in_the_window(language: Language) -> None:
    texts, seen = Texts(language), 0
    files = [path for path in (resource("sentences") / language).glob("*.ftl") if path.name != _OF_THE_COMMAND_LINE]
    for path in files:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        for name in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", "\n".join(lines)):
            seen += 1
            assert name in _OF_OTHERS or texts.optional(f"flag-{name}"), (path.name, name)
    assert seen > 20


def test_a_reason_names_the_setting_and_not_the_flag() -> None:
    reason = Reason.of("measure-ended-no-budget", batch_size=8)
    assert '"Seconds to measure"' in Texts("en").say(reason)
    assert "--budget" not in Texts("en").say(reason)
    assert "“测量时长（秒）”" in Texts("zh").say(reason)


def test_an_error_names_the_setting_and_not_the_flag() -> None:
    text, remedy = Texts("en").error(UserFacingError("--budget is 0.5 s.", "Give it with `--gpu-file FILE`."))
    assert (text, remedy) == ('"Seconds to measure" is 0.5 s.', 'Give it with "My card is not here".')
