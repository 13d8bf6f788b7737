"""A price file that is given to the window: told from a workload by what it holds, and read before it is taken."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.core.errors import UserFacingError

if TYPE_CHECKING:
    from advisor.catalogue.gpu_spec import GpuSpec
    from advisor.gui.settings import Settings
    from advisor.recommend.prices import Prices

_OF_A_WORKLOAD = {"model", "data", "training"}
_OF_PRICES = {"devices", "currency", "electricity_per_kwh"}


def holds_prices(path: Path) -> bool:
    """Whether a TOML file is one of prices, whatever is wrong with them."""
    from advisor.core.input_file import read_toml_table

    with contextlib.suppress(UserFacingError):
        names = set(read_toml_table(path))
        return bool(names & _OF_PRICES) and not names & _OF_A_WORKLOAD
    return False


def read_given_prices(path: Path, gpu_file: Path | None) -> Prices:
    """The prices of a file, of cards of the table and of the user's own (`gpu_file`).

    Raises InputError naming file, field and what is allowed.
    """
    from advisor.catalogue.spec_table import read_gpu_file, spec_table
    from advisor.recommend.prices import read_prices

    own: dict[str, GpuSpec] = {}
    if gpu_file is not None:
        with contextlib.suppress(UserFacingError):  # said where the cards are chosen
            own = read_gpu_file(gpu_file)
    return read_prices(path, {**spec_table(), **own})


def told_prices(settings: Settings) -> Prices | None:
    """The price file of the settings, where it can be read: what it lacks is typed into the table."""
    path = settings.price_file
    try:
        return read_given_prices(path, settings.gpu_file) if path is not None else None
    except UserFacingError:
        return None  # said where the file is chosen and whenever an advice is asked for
