"""Kept on disk: the record of an advice, the history of runs, calibrations."""
