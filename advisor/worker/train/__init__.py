"""Real steps and calibration kernels on one device, timed."""
