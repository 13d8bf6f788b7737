"""What one training step does, operator by operator: table, columns, totals, saved tables."""
