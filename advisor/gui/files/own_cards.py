"""The user's own file of cards: described in the window's form, or taken over from a file that is opened."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from advisor.core.errors import UserFacingError
from advisor.core.sentences import Said, SaidOutputError

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.gui.settings import Settings

_FILE_NAME = "my_gpus.toml"


def own_cards_path(settings: Settings) -> Path:
    """Where the user's own cards are kept, or will be."""
    return settings.gpu_file or settings.history_folder / _FILE_NAME


def holds_cards(path: Path) -> bool:
    """Whether a TOML file is one of cards, whatever is wrong with them."""
    from advisor.core.input_file import read_toml_table

    with contextlib.suppress(UserFacingError):
        return "gpu" in read_toml_table(path)
    return False


def take_cards(given: Path, kept: Path) -> list[GpuSpec]:
    """Copy the cards of a file into the user's own, those of the same keys anew; the file itself stays as it is.

    Raises InputError for a card that cannot be compared, OutputError where the user's own file cannot be written.
    """
    cards = own_cards(given)
    keep_cards(kept, map(msgspec.to_builtins, cards))
    return cards


def own_cards(path: Path) -> list[GpuSpec]:
    """The cards in the user's file, none where there is no file. Raises InputError for a file that cannot be read."""
    from advisor.catalogue.spec_table import read_gpu_file

    return list(read_gpu_file(path).values()) if path.exists() else []


def keep_cards(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Add or replace cards in the user's file, which is read back as any other.

    Raises InputError for figures that are missing or make no sense (the file stays as it was), OutputError where the
    file cannot be written.
    """
    kept = {spec.key: msgspec.to_builtins(spec) for spec in own_cards(path)}
    _write_cards(path, [*{**kept, **{row["key"]: row for row in rows}}.values()])


def delete_card(path: Path, key: str) -> int:
    """Take a card out of the user's file, and the file away with the last one; returns how many are left.

    Raises InputError where the file cannot be read, OutputError where it cannot be written.
    """
    left = [msgspec.to_builtins(spec) for spec in own_cards(path) if spec.key != key]
    if left:
        _write_cards(path, left)
        return len(left)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        detail = Said(text=error.strerror or str(error))
        raise SaidOutputError.of("command-not-written", given=str(path), detail=detail) from error
    return 0


def _write_cards(path: Path, cards: list[dict[str, Any]]) -> None:
    import tempfile

    import tomlkit

    from advisor.catalogue.spec_table import read_gpu_file
    from advisor.core.file_writing import write_atomically

    rows = [{name: value for name, value in card.items() if value is not None} for card in cards]
    text = tomlkit.dumps({"gpu": rows})
    with tempfile.TemporaryDirectory() as folder:
        tried = Path(folder) / path.name
        tried.write_text(text, encoding="utf-8")
        read_gpu_file(tried)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())
