"""The text as it is read: normalised, with figures that it denies, bounds, spreads or leaves unread."""
