"""The PDF report: its words, tables and charts, set by one template."""
