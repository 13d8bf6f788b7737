"""Foreign text is shown as that text: no markup, no control characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLabel, QWidget

from advisor.core.sentences import sentence, visible
from advisor.gui.tooltips import plain_tooltip
from advisor.gui.widgets.labels import ElidedLabel, label
from advisor.predict.accuracy_record import DOCUMENT
from tests.gui import fakes

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from advisor.gui.main_window import MainWindow
    from advisor.gui.session import Session

HOSTILE = (
    "<h1>x</h1><img src=file:///etc/passwd>",
    "<b>bold</b> & <i>italic</i>",
    "&lt;b&gt;already escaped&lt;/b&gt;",
    "&Mnemonic &amp; more",
    "<a href='http://example.org'>link</a>",
    "<script>alert(1)</script>",
    "<table><tr><td>1</td></tr></table>",
    "line\nbreak\ttab",
    "null\x00byte",
    "bell\x07 escape\x1b[31mred",
    "right\u202eto-left",
    "isolate\u2066text\u2069",
    "lone \ud800 surrogate",
    "%s %d %n {0} {name}",
    "{ $count }",
    "${jndi:ldap://x}",
    "'; DROP TABLE runs; --",
    '"quoted"',
    "back\\slash",
    "日本語の名前",
    "🙂 emoji",
    "e\u0301 combining",
    "ﬁ ligature",
    "a" * 300,
    " leading and trailing ",
    "##### heading",
    "* bullet *",
    "`code`",
    "[link](http://example.org)",
    "#eval(1)",
    "$math$",
    "@reference",
    "\\begin{document}",
    "~tilde~",
    "|pipe|",
    "<!-- comment -->",
    "<![CDATA[x]]>",
    "?xml",
    "../../etc/passwd",
    "qrc:/x",
)


def shown(widget: QWidget) -> list[str]:
    texts = [one.full_text() for one in widget.findChildren(ElidedLabel)]
    return texts + [one.text() for one in widget.findChildren(QLabel)]


def test_there_are_forty_of_them() -> None:
    assert len(HOSTILE) == len(set(HOSTILE)) == 40


def is_plain(one: QLabel) -> bool:
    """Whether a label holds no markup but the program's own link to its page on accuracy."""
    own_link = f'<a href="{DOCUMENT}">{sentence("accuracy-title", "en")}</a>'
    return one.textFormat() == Qt.TextFormat.PlainText or "<" not in one.text().replace(own_link, "")


def test_a_gpu_of_any_name_is_shown_verbatim(window: MainWindow, session: Session) -> None:
    machine = fakes.machine()
    page = window.page("machine")
    for name in HOSTILE:
        first = msgspec.structs.replace(machine.gpus[0], name=name)
        session.machine = msgspec.structs.replace(machine, gpus=(first, *machine.gpus[1:]))
        session.machine_changed.emit()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert visible(name) in shown(page)
        for one in page.findChildren(QLabel):
            assert is_plain(one)
            assert not any(ord(character) < 32 and character != "\n" for character in one.text())


@pytest.mark.parametrize("name", HOSTILE[:3], ids=lambda name: ascii(name)[:24])
def test_an_advice_of_any_name_is_shown_verbatim(window: MainWindow, session: Session, qtbot: QtBot, name: str) -> None:
    advice = fakes.advice()
    chosen = advice.recommendation
    assert chosen is not None
    device = msgspec.structs.replace(chosen.device, name=name)
    renamed = tuple(
        msgspec.structs.replace(one, device=device) if one.device.key == device.key else one
        for one in advice.predictions
    )
    session.set_advice(
        msgspec.structs.replace(
            advice, recommendation=msgspec.structs.replace(chosen, device=device), predictions=renamed
        )
    )
    window.show_page("advice")
    qtbot.waitUntil(lambda: not window.page("advice").filling)
    window.grab()
    assert any(visible(name) in text for text in shown(window.page("advice")))
    for one in window.page("advice").findChildren(QLabel):
        assert is_plain(one)


@pytest.mark.parametrize("name", HOSTILE[:8])
def test_tooltips_hold_no_markup_of_the_name(name: str) -> None:
    tip = plain_tooltip(name)
    inside = tip.removeprefix("<qt>").removesuffix("</qt>").replace("<br>", "")
    assert "<" not in inside
    assert ">" not in inside


def test_a_label_is_plain_text_whatever_it_says() -> None:
    assert label("<h1>x</h1>").textFormat() == Qt.TextFormat.PlainText
