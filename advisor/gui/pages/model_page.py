"""Placeholder."""

from advisor.gui.pages.page import Page


class ModelPage(Page):
    def __init__(self, context):
        super().__init__(context, context.texts("page-model"))
