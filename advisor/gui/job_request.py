"""Turns workload and settings into a call of the main job."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator

    from advisor.gui.session import Session
    from advisor.gui.settings import Settings
    from advisor.gui.threads import Job


def job_for(session: Session, settings: Settings, *, measure: bool) -> Job:
    """The main job for what the window shows; the imports happen in the job's thread."""
    raise NotImplementedError
