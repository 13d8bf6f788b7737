"""What the kernel shows as files: what is not there, or may not be read, is empty."""

from __future__ import annotations

from pathlib import Path


def text_of(path: Path) -> str:
    """The text of a file without the blanks around it."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def whole(text: str) -> int | None:
    """A whole number; None for any other text."""
    try:
        return int(text)
    except ValueError:
        return None


def entries_of(folder: Path) -> list[Path]:
    """What lies in a folder, by name."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
