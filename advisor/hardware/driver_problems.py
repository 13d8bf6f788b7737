"""Error codes of NVML and CUDA as reasons with a remedy: one closed list for sampler, worker and tests."""

from __future__ import annotations

from advisor.core.sentences import Reason

NOT_SUPPORTED = 3
NO_PERMISSION = 4
NOT_FOUND = 6
DRIVER_NOT_LOADED = 9
LIBRARY_NOT_FOUND = 12
FUNCTION_NOT_FOUND = 13
GPU_IS_LOST = 15
RESET_REQUIRED = 16
VERSION_MISMATCH = 18
CUDA_SYSTEM_NOT_READY = 802
UNKNOWN = 999

LOST_CODES = (GPU_IS_LOST, RESET_REQUIRED)

_DRIVER = {
    NO_PERMISSION: "driver-no-permission",
    DRIVER_NOT_LOADED: "driver-not-loaded",
    LIBRARY_NOT_FOUND: "driver-absent",
    GPU_IS_LOST: "driver-gpu-lost-at-start",
    RESET_REQUIRED: "driver-reset-required",
    17: "driver-blocked-by-system",
    VERSION_MISMATCH: "driver-mismatch",
    23: "driver-out-of-resources",
    20: "driver-out-of-resources",
    27: "driver-fabric-not-ready",
    CUDA_SYSTEM_NOT_READY: "driver-fabric-not-ready",
    803: "driver-mismatch",
    804: "driver-too-old-for-card",
}

_FIELD = {
    2: "refused-not-applicable",
    NOT_SUPPORTED: "refused-not-supported",
    NO_PERMISSION: "refused-no-permission",
    NOT_FOUND: "refused-not-found",
    DRIVER_NOT_LOADED: "refused-driver-gone",
    1: "refused-driver-gone",
    10: "refused-timeout",
    FUNCTION_NOT_FOUND: "refused-driver-too-old",
    25: "refused-driver-too-old",
    26: "refused-deprecated",
    GPU_IS_LOST: "refused-gpu-lost",
    RESET_REQUIRED: "refused-reset-required",
    17: "refused-blocked-by-system",
    VERSION_MISMATCH: "refused-driver-gone",
}


def driver_problem(code: int, *, container: bool = False) -> Reason:
    """The notice, remedy included, for an error code of `nvmlInit` or of CUDA's start (802: fabric manager).

    `container`: a container that loses its GPU sees 999, and only a restart of the container helps.
    """
    if code == UNKNOWN and container:
        return Reason.of("driver-container-lost-gpu")
    problem = _DRIVER.get(code)
    return Reason.of(problem) if problem else Reason.of("driver-error", nvml_code=str(code))


def field_problem(code: int) -> Reason:
    """Why one field was refused, for an error code of an NVML query."""
    problem = _FIELD.get(code)
    return Reason.of(problem) if problem else Reason.of("refused-error", nvml_code=str(code))
