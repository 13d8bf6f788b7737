"""Rules for all tests: with ADVISOR_NO_SKIPS a skipped test fails, so that no check is lost by accident."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Generator


# How long an example takes is the machine's business: a test judges values, and passes beside other work.
settings.register_profile("advisor", deadline=None)
settings.load_profile("advisor")


def pytest_configure(config: pytest.Config) -> None:
    """Nightly tests run when they are asked for by their mark, and not otherwise."""
    if not config.option.markexpr:
        config.option.markexpr = "not nightly"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is left to the night is long by nature: it gets an hour where it does not name its own limit."""
    for item in items:
        if item.get_closest_marker("nightly") is not None and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(3600))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, object, None]:
    """Turn a skip into a failure where everything that a test needs has been installed."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    # A card is what no machine of ours has; other frameworks would change the way that transformers takes.
    apart = any(item.get_closest_marker(mark) is not None for mark in ("on_gpu", "with_frameworks"))
    if report.skipped and not apart and os.environ.get("ADVISOR_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may skip: {item.nodeid}: {report.longrepr}"
