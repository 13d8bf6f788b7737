"""The NVML stub for all tests of this room."""

from tests.fake_nvml.stub import nvml_libraries, nvml_stub

__all__ = ["nvml_libraries", "nvml_stub"]
