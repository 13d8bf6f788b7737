"""Which should I take, and why? Candidates, ranking, reasons and claims."""
