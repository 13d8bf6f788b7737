"""What jobs took here, kept between starts of the window by what they depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from advisor.gui.jobs.forecast import Pace, first_pace

if TYPE_CHECKING:
    from advisor.gui.settings import Settings

_KEY = "pace"
_MOST = 40


def pace_key(workload_name: str, budget_s: float, *, measure: bool) -> str:
    """By what jobs are told apart."""
    return f"{workload_name}|{budget_s:g}" if measure else f"{workload_name}|predicted"


def known_pace(settings: Settings, key: str, budget_s: float, *, measure: bool) -> Pace:
    """What the last such jobs took here; else what the last ones of the same kind took, else a first guess."""
    known = _read(settings)
    if key in known:
        return known[key]
    alike = [pace for name, pace in known.items() if name.partition("|")[2] == key.partition("|")[2]]
    return alike[-1] if alike else first_pace(budget_s, measure=measure)


def keep_pace(settings: Settings, key: str, seen: Pace) -> None:
    """Remember what a job took that came to its end."""
    known = _read(settings)
    before = known.pop(key, None)
    known[key] = seen if before is None else before.joined(seen)
    text = msgspec.json.encode({name: known[name] for name in list(known)[-_MOST:]}).decode()
    settings.store(_KEY, text)


def _read(settings: Settings) -> dict[str, Pace]:
    try:
        return msgspec.json.decode(settings.text(_KEY), type=dict[str, Pace])
    except msgspec.MsgspecError:  # never written, or by hand
        return {}
