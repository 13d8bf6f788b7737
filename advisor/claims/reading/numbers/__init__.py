"""Figures as people write them: numbers, times, rates, ratios, shares of memory or of the peak, counts of cards."""
