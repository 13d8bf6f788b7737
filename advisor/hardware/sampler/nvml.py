"""The only way to NVML: each call is guarded, and a refusal is a value with a reason instead of an exception zoo."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from advisor.core.sentences import Reason
from advisor.hardware.driver_problems import (
    FUNCTION_NOT_FOUND,
    LIBRARY_NOT_FOUND,
    NOT_FOUND,
    NOT_SUPPORTED,
    driver_problem,
    field_problem,
)

T = TypeVar("T")

MAX_GPUS = 64
"""More are not asked for: no driver that tells the truth has them."""
_WSL_LIBRARY = Path("/usr/lib/wsl/lib/libnvidia-ml.so.1")


NONSENSE = (ValueError, TypeError, AttributeError, OverflowError, LookupError)
"""What reading an answer raises that is none."""


class NvmlRefusedError(Exception):
    """NVML would not answer this one question; `code` is its error code, or None where it never got that far."""

    def __init__(self, reason: Reason, code: int | None = None) -> None:
        """Keep the reason that the field's refusal will carry."""
        super().__init__(reason.code)
        self.reason = reason
        self.code = code


class NvmlUnavailableError(Exception):
    """NVML as a whole cannot be used; `reason` is a notice with a remedy."""

    def __init__(self, reason: Reason) -> None:
        """Keep the notice."""
        super().__init__(reason.code)
        self.reason = reason


class Nvml:
    """An initialised NVML. Every question goes through `call`; `close` shuts the library down."""

    def __init__(
        self,
        *,
        container: bool = False,
        avoid: frozenset[str] = frozenset(),
        announce: Callable[[str], None] | None = None,
    ) -> None:
        """Load and initialise the library. Raises NvmlUnavailableError with a notice.

        `announce` is told the function before each call, so that a hang or crash can be named.
        """
        self.container = container
        """Inside one, process numbers are the host's and belong to others here."""
        self._avoid = avoid
        self._announce = announce
        self._module = _load_binding()
        self._errors = (self._module.NVMLError, self._module.NVMLLibraryMismatchError)
        if "nvmlInit" in avoid:
            raise NvmlUnavailableError(Reason.of("driver-not-responding"))
        if announce is not None:
            announce("nvmlInit")
        try:
            self._module.nvmlInit()
        except self._errors as error:
            code = getattr(error, "value", FUNCTION_NOT_FOUND)
            raise NvmlUnavailableError(driver_problem(code, container=container)) from None

    def call(self, function: str, *arguments: Any) -> Any:  # noqa: ANN401 - as pynvml
        """What `pynvml.function(*arguments)` answers. Raises NvmlRefusedError, and nothing else."""
        if function in self._avoid:
            raise NvmlRefusedError(Reason.of("refused-driver-crashed"))
        if any(argument is None for argument in arguments):
            raise NvmlRefusedError(field_problem(NOT_FOUND), NOT_FOUND)  # a NULL handle kills the library
        target = getattr(self._module, function, None)
        if target is None:
            raise NvmlRefusedError(field_problem(FUNCTION_NOT_FOUND), FUNCTION_NOT_FOUND)
        if self._announce is not None:
            self._announce(function)
        try:
            return target(*arguments)
        except UnicodeDecodeError:
            raise NvmlRefusedError(Reason.of("refused-undecodable")) from None
        except self._errors as error:
            # NVMLLibraryMismatchError is not an NVMLError and has no value: the driver lacks the function.
            code = int(getattr(error, "value", FUNCTION_NOT_FOUND))
            raise NvmlRefusedError(field_problem(code), code) from None
        except (AttributeError, TypeError, ValueError, OSError, ctypes.ArgumentError):
            raise NvmlRefusedError(Reason.of("refused-binding-mismatch")) from None

    def first_of(self, functions: str | tuple[str, ...], *arguments: Any) -> Any:  # noqa: ANN401 - as pynvml
        """The answer of the first function that gives one, newest first. Raises NvmlRefusedError of the last."""
        *newer, last = (functions,) if isinstance(functions, str) else functions
        for function in newer:
            try:
                return self.call(function, *arguments)
            except NvmlRefusedError as refusal:
                if refusal.code not in _TRY_OLDER_CODES:
                    raise
        return self.call(last, *arguments)

    def value_or_none(self, functions: str | tuple[str, ...], *arguments: Any, convert: Callable[[Any], T]) -> T | None:  # noqa: ANN401 - as pynvml
        """The answer through `convert`, or None where it is refused or none."""
        try:
            return convert(self.first_of(functions, *arguments))
        except (NvmlRefusedError, *NONSENSE):
            return None

    def handle(self, index: int) -> Any:  # noqa: ANN401 - an opaque pointer
        """The handle of GPU `index`, never NULL: the library dies of SIGSEGV on one. Raises NvmlRefusedError."""
        return self._checked(self.call("nvmlDeviceGetHandleByIndex", index))

    def mig_handle(self, parent: Any, slot: int) -> Any:  # noqa: ANN401 - an opaque pointer
        """The handle of a MIG slot of a GPU. Raises NvmlRefusedError, with NOT_FOUND for an empty slot."""
        return self._checked(self.call("nvmlDeviceGetMigDeviceHandleByIndex", parent, slot))

    def constant(self, name: str) -> Any:  # noqa: ANN401 - as pynvml
        """A constant of the binding. Raises NvmlRefusedError where this version lacks it."""
        value = getattr(self._module, name, None)
        if value is None:
            raise NvmlRefusedError(Reason.of("refused-binding-mismatch"))
        return value

    def close(self) -> None:
        """Shut the library down, so that an idle hybrid GPU may sleep."""
        try:
            self._module.nvmlShutdown()
        except (*self._errors, AttributeError):
            return

    @staticmethod
    def _checked(handle: Any) -> Any:  # noqa: ANN401 - an opaque pointer
        if not handle:
            raise NvmlRefusedError(field_problem(NOT_FOUND), NOT_FOUND)
        return handle


_TRY_OLDER_CODES = (None, NOT_SUPPORTED, FUNCTION_NOT_FOUND, 25, 26)
"""The function is missing, new to this driver or given up; a forbidden one or a lost GPU stays so with another."""


def _load_binding() -> ModuleType:
    """The real `pynvml` with its library loaded. Raises NvmlUnavailableError."""
    if not _library_loads():
        raise NvmlUnavailableError(driver_problem(LIBRARY_NOT_FOUND))
    try:
        import pynvml  # noqa: TID251 - the sampler is its one user; late: 50 ms that only a driver is worth
    except ImportError:
        raise NvmlUnavailableError(Reason.of("driver-binding-missing")) from None
    except (UnicodeDecodeError, SyntaxError, AttributeError, OSError):
        raise NvmlUnavailableError(Reason.of("driver-binding-wrong")) from None
    needed = ("nvmlInit", "nvmlShutdown", "NVMLError", "NVMLLibraryMismatchError", "nvmlDeviceGetCount")
    if not all(hasattr(pynvml, name) for name in needed):
        raise NvmlUnavailableError(Reason.of("driver-binding-wrong"))
    module: ModuleType = pynvml
    return module


_LIBRARY_FOUND_BY_BINDING = {"win32": True, "darwin": False}
"""Windows: pynvml knows the folders; macOS has no driver."""


def _library_loads() -> bool:
    """Whether the driver's library can be loaded at all."""
    if sys.platform in _LIBRARY_FOUND_BY_BINDING:
        return _LIBRARY_FOUND_BY_BINDING[sys.platform]
    for name in ("libnvidia-ml.so.1", str(_WSL_LIBRARY)):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False
