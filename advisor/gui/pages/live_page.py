"""A page with the live plots of the machine: drawn while it is in front, made anew for another machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from advisor.gui.context import Context
from advisor.gui.pages.page import GAP, Page, ViewState
from advisor.gui.widgets.boxes import clear, down

if TYPE_CHECKING:
    from advisor.gui.plots.live_grid import LiveGrid

REDRAW_MS = 250


class LivePage(Page):
    """Subclasses lay out `_plots`, and `_make_grid` once what draws it is imported."""

    _low_plots = False
    """Whether the plots share the page with other things."""

    def __init__(self, context: Context, title: str, subtitle: str = "") -> None:
        """Nothing here imports numpy."""
        super().__init__(context, title, subtitle)
        self.grid: LiveGrid | None = None
        self._kept: ViewState = {}
        self._plots = down(GAP)
        self._active = False
        self._timer = QTimer(self, interval=REDRAW_MS)
        self._timer.timeout.connect(self._redraw)

    def deactivate(self) -> None:
        """Stop drawing."""
        self._active = False
        self._timer.stop()

    def view_state(self) -> ViewState:
        """The zoom of the plots and the devices that are switched off."""
        if self.grid is None:
            return self._kept
        hidden = [series.device for series in self.grid.series if not series.shown]
        return {"span_s": self.grid.span_s, "hidden": hidden}

    def restore(self, state: ViewState) -> None:
        """Take over zoom and switched-off devices."""
        self._kept = state

    def _redraw(self) -> None:
        if self.grid is not None:
            self.grid.refresh()

    def _make_grid(self) -> None:
        """Make the plots in turns, unless they are there or no machine is known yet."""
        machine = self.session.machine
        if self.grid is not None or machine is None:
            return
        from advisor.gui.plots.live_grid import LiveGrid

        buffer = self.session.feed.prepare()
        self.grid = LiveGrid(self.theme, self.texts, machine, buffer, small=self._low_plots, at_once=False)
        self.grid.exported.connect(self.tell_saved)
        self._set_up(self.grid)
        self._plots.addWidget(self.grid)
        self.in_turns([*self.grid.steps(), self.grid.refresh], now=False)

    def _set_up(self, grid: LiveGrid) -> None:
        """Show the plots as those before them did."""
        grid.zoom(self._kept.get("span_s", grid.span_s))
        grid.hide_devices(self._kept.get("hidden", ()))

    def _forget_grid(self) -> None:
        """The machine is another: its plots are to be made anew."""
        if self.grid is not None:
            self._kept = self.view_state()
            self.in_turns([])
            clear(self._plots)
            self.grid = None
