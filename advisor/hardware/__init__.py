"""What machine is this? Types of a machine and of its readings, and the two ways to them: one look, and a monitor."""
