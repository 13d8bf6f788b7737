"""The NVML stub for the tests of the main job."""

from tests.fake_nvml.stub import nvml_libraries, nvml_stub

__all__ = ["nvml_libraries", "nvml_stub"]
