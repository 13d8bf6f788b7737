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


_SIZES_UNTOLD = "shape_env must not be None"
"""Of torch's words where fakes without symbols are asked for a size that follows from values, as a nested tensor's."""


def nested_was_made(error: BaseException) -> bool:
    """Whether fakes could not tell the sizes of a nested tensor, which real tensors have."""
    return any(isinstance(cause, AssertionError) and _SIZES_UNTOLD in str(cause) for cause in causes(error))
