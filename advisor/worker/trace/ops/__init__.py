"""What one operator computes and moves: its kind, figures and cost."""
