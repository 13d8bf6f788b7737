"""What several cards add to a step: links, collectives, strategies."""
