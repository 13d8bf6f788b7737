"""The job at the foot of the navigation, and the call when it has ended."""
