"""What the Advice page alone has: its set-up, picture, charts and switches."""
