"""What machine is this? Types of a machine, its readings, and the table of GPU specifications."""
