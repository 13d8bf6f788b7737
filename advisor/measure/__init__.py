"""How fast is it here? Plans, runs and judges measurements in worker processes."""
