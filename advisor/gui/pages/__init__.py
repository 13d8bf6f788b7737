"""The pages of the window, and the cards, tables and charts that they alone have."""
