"""What lies behind an error that other code has wrapped."""

from __future__ import annotations

from collections.abc import Iterator

from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error itself, then what it was raised from or during, and so on."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def value_was_asked(error: BaseException) -> DataDependentOutputException | DynamicOutputShapeException | None:
    """The fake tensors' refusal to tell a value behind an error; None for other errors."""
    refusals = DataDependentOutputException | DynamicOutputShapeException
    return next((cause for cause in causes(error) if isinstance(cause, refusals)), None)
