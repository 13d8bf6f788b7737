"""Standard streams that never end the program: what cannot be printed is remembered, and the work goes on."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import IO, Any, cast

_READER_LEFT = {errno.EPIPE, errno.ESHUTDOWN, errno.EIO}
"""Nobody reads any more (`| head`, a closed terminal): no fault of the output."""


class SteadyStream:
    """A text stream whose first failing write is kept in `failure`; later text goes nowhere."""

    def __init__(self, stream: IO[str]) -> None:
        """Wrap a stream; a character that it cannot show is printed as its escape."""
        self._stream = stream
        self.failure: OSError | None = None
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")

    def write(self, text: str) -> int:
        """Write, or remember why not."""
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Hand over what is buffered, or remember why not."""
        self._try(self._stream.flush)

    @property
    def full(self) -> bool:
        """Whether the output itself refused what was printed, rather than its reader going away."""
        return self.failure is not None and self.failure.errno not in _READER_LEFT

    def _try(self, act: Any) -> None:  # noqa: ANN401 - write and flush give different things back
        if self.failure is not None:
            return
        try:
            act()
        except OSError as error:
            self.failure = error
            self._drain()

    def _drain(self) -> None:
        """Point the descriptor at nothing, so that what is still buffered fails no more at the interpreter's end."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else a text stream offers
        """Everything else is the stream's own."""
        return getattr(self._stream, name)


@contextlib.contextmanager
def steady_streams() -> Iterator[SteadyStream]:
    """Replace stdout and stderr for the time of a command; gives the one of stdout."""
    _open_missing_descriptors()
    before = sys.stdout, sys.stderr
    out, complaints = (SteadyStream(stream if stream is not None else _nowhere()) for stream in before)
    sys.stdout, sys.stderr = cast("Any", out), cast("Any", complaints)
    try:
        yield out
    finally:
        out.flush()
        complaints.flush()
        sys.stdout, sys.stderr = before


def _open_missing_descriptors() -> None:
    """Fill 0, 1 and 2 where they are closed: the next file opened would become somebody's standard output."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.open(os.devnull, os.O_RDWR)


def _nowhere() -> IO[str]:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - a sink until the process ends
