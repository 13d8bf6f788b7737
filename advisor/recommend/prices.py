"""What a device costs: the price file (currency, date, price an hour by device, electricity) and a job's cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.gpu_words import cards_meant, nearest_keys
from advisor.core.file_fault import file_fault, remedy, shortened, shown_value
from advisor.core.records import Record
from advisor.core.sentences import Listed, Reason
from advisor.core.shown_names import shown_card
from advisor.core.units import S_PER_HOUR, Estimate
from advisor.predict.prediction import Prediction

_J_PER_KWH = 3.6e6
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

PricePerHour = Annotated[float, Meta(ge=0, le=1e6)]


class Prices(Record, frozen=True, kw_only=True):
    """A price file: what one device costs an hour, in one currency, on one day."""

    currency: Annotated[str, Meta(pattern=r"^[A-Z]{3}$", examples=["USD", "EUR", "CNY"])]
    """Three capital letters (ISO 4217)."""
    date: str
    """Day of these prices, ISO 8601 (`2026-01-31`)."""
    devices: dict[str, PricePerHour] = {}
    """What one device costs an hour, by key of the spec table, GPU UUID or `cpu`."""
    electricity_per_kwh: Annotated[float, Meta(ge=0, le=1e4)] | None = None
    """What this machine's own devices cost to run; rented ones have it in their price."""
    source: str = ""
    """Where the prices were read."""


def read_prices(path: Path, specs: Mapping[str, GpuSpec]) -> Prices:
    """Read a price file (TOML). Raises InputError naming file, field and what is allowed.

    `specs`: cards by key, which prices are of; `cpu` and GPU UUIDs (`GPU-…`, `MIG-…`) are allowed besides.
    """
    from advisor.core.file_kinds import given_as
    from advisor.core.input_file import read_toml

    with given_as("prices", path):
        prices = read_toml(path, Prices)
    try:
        date.fromisoformat(prices.date if _DATE.fullmatch(prices.date) else "")
    except ValueError:
        raise file_fault("no-date", path=str(path), given=shown_value(prices.date)) from None
    for key in prices.devices:
        if key not in specs and key != "cpu" and not key.startswith(("GPU-", "MIG-", "gpu")):
            raise file_fault("no-device", _keys_meant(key, specs), path=str(path), given=shortened(key))
    return prices


def _keys_meant(name: str, specs: Mapping[str, GpuSpec]) -> Reason | None:
    """Which keys to write for a card that was named as it is shown, or nearly so; None: it is like none."""
    keys = cards_meant(name, specs) or nearest_keys(name, specs)
    cards = tuple(Reason.of("file-key-of-card", key=key, device=shown_card(specs[key].name)) for key in keys)
    return remedy("write-key", cards=Listed(reasons=cards)) if cards else None


def price_per_hour(prediction: Prediction, prices: Prices) -> float | None:
    """Price of one hour on all devices of a set-up, without electricity; None: the file has no price for it."""
    device = prediction.device
    price = prices.devices.get(device.key, prices.devices.get(device.spec_key or ""))
    return None if price is None else price * prediction.count


def cost_of(prediction: Prediction, prices: Prices | None) -> Estimate | None:
    """Cost of the job in the file's currency; None where the price, the job or the energy is unknown.

    A local device without a price costs its electricity, where the file has that and its energy is known; a
    local device with a price costs both. Devices of the table are rented: electricity is in their price.
    """
    if prices is None or prediction.job_s is None:
        return None
    hourly = price_per_hour(prediction, prices)
    rent = prediction.job_s.scaled(hourly / S_PER_HOUR) if hourly is not None else None
    if not prediction.device.local or prices.electricity_per_kwh is None:
        return rent
    if prediction.energy_j is None:
        return None
    electricity = prediction.energy_j.scaled(prices.electricity_per_kwh / _J_PER_KWH)
    return electricity if rent is None else rent.plus(electricity)
