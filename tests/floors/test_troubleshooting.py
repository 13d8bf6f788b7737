"""The page of what goes wrong holds every error and every sentence about it; `--check` of its tool asks for today's."""

from __future__ import annotations

import re

import advisor.advice.verification
import advisor.gui.application
import advisor.worker.ranks.rank_messages  # noqa: F401 - a subclass is known once its module is
from advisor.core.errors import UserFacingError
from tools import write_troubleshooting


def _with_subclasses(one: type[UserFacingError]) -> set[type[UserFacingError]]:
    return {one}.union(*(_with_subclasses(below) for below in one.__subclasses__()))


def test_every_kind_of_error_is_known_with_the_exit_code_that_it_has() -> None:
    told = write_troubleshooting.exit_codes()
    kinds = {one.__name__: one.exit_code for one in _with_subclasses(UserFacingError)}
    assert len(kinds) >= 6
    assert kinds.items() <= told.items()


def test_it_holds_errors_of_every_room_and_each_is_a_sentence() -> None:
    found = write_troubleshooting.errors()
    said = [
        code
        for room in ("command", "files", "checks", "measure", "trace")
        for code, _ in write_troubleshooting.sentences(room)
    ]
    assert len(found) + len(said) > 200
    assert {"file-unknown-field", "file-no-setting", "file-columns-missing", "check-in-file"} <= set(said)
    assert {"worker-config-refused", "trace-depends-on-data"} <= set(said)
    assert {"cli", "gui", "core"} <= {one.room for one in found}
    assert not [one for one in found if not re.search(r"[.?!:›]$", one.text.rstrip("…"))]


def test_a_sentence_is_told_with_its_gaps_named() -> None:
    told = dict(write_troubleshooting.sentences("hardware"))
    assert told["driver-mismatch"] == "The NVIDIA driver was updated while the old one is still running: reboot."
    assert told["driver-error"].startswith("The NVIDIA driver failed with error ‹nvml code›")
    assert told["driver-absent-for-card"].startswith("‹gpu count› NVIDIA cards are built in")
