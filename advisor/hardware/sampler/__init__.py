"""The child process that touches NVML and psutil."""
