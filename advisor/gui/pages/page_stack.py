"""The pages of the window: made when first asked for, and made again where they were thrown away."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from PySide6.QtWidgets import QStackedWidget

from advisor.gui.context import Context, PageName
from advisor.gui.pages.page import Page, ViewState
from advisor.gui.widgets.boxes import delete_now


class PageStack(QStackedWidget):
    """Knows which pages are made; what only a page knows is kept for the one that takes its place."""

    def __init__(self, context: Callable[[], Context]) -> None:
        """No page is made yet; `context` is what the next one is made with."""
        super().__init__()
        self.setObjectName("pages")
        self._context = context
        self.made: dict[PageName, Page] = {}
        self._states: dict[PageName, ViewState] = {}

    def page(self, name: PageName) -> Page:
        """A page, made when first asked for."""
        if name not in self.made:
            module = import_module(f"advisor.gui.pages.{name}_page")
            made: Page = getattr(module, f"{name.capitalize()}Page")(self._context())
            self.made[name] = made
            _put_aside(made)
            self.addWidget(made)
            state = self._states.get(name)
            if state:
                made.restore(state)
        return self.made[name]

    def forget(self, *names: PageName) -> None:
        """What pages that are thrown away knew is about something that is no longer shown."""
        for name in names:
            self._states.pop(name, None)

    def drop(self, name: PageName) -> None:
        """A page can be made again at any time."""
        self.delete(self.take_out(name))

    def delete(self, page: Page) -> None:
        """It goes where it stands: taking it out of the window first would style all of it."""
        _put_aside(page)
        self.removeWidget(page)
        delete_now(page)

    def take_out(self, name: PageName) -> Page:
        """No longer the page of that name; what only it knows is kept for the next one."""
        page = self.made.pop(name)
        page.deactivate()
        self._states[name] = page.view_state()
        return page


def _put_aside(page: Page) -> None:
    """Beside the stack's pages: Qt paints anew all that one lies on which comes or goes, even where it is hidden."""
    page.move(-page.width(), 0)
