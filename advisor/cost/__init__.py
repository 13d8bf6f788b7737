"""What a step costs, in seconds and bytes: the one cost model of the program. Pure arithmetic."""
