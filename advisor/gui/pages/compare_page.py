"""Placeholder."""

from advisor.gui.pages.page import Page


class ComparePage(Page):
    def __init__(self, context):
        super().__init__(context, context.texts("page-compare"))
