"""Is a published timing possible? Reader, bounds, verdicts."""
