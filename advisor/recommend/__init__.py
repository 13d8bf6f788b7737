"""Which set-up should I take? Candidates, ranking, and the reasons."""
