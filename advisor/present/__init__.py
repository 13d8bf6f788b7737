"""One view of an advice, shown as terminal text, Markdown, CSV, PDF and script."""
