"""Placeholder."""

from advisor.gui.pages.page import Page


class HistoryPage(Page):
    def __init__(self, context):
        super().__init__(context, context.texts("page-history"))
