"""Seconds that hold where nobody says how many, and how the parent and its worker share a budget out alike."""

from __future__ import annotations

MEASURING_S = 30.0
"""A measurement of this machine."""
VERIFYING_S = 60.0
"""The advised set-up, trained to see whether it keeps what was predicted."""
_STEPS_SHARE = 0.6
_WARM_UP_CAP_S, _WARM_UP_SHARE = 3.0, 0.3


def steps_share_s(budget_s: float) -> float:
    """What of a budget, in seconds, the steps may take however late they begin: preparing is slow on a busy machine."""
    return _STEPS_SHARE * budget_s


def warm_up_cap_s(budget_s: float) -> float:
    """How long warm-up may last in seconds: 3 s, or three tenths of a short budget."""
    return min(_WARM_UP_CAP_S, _WARM_UP_SHARE * budget_s)


def least_warm_up_s(wanted_s: float, budget_s: float) -> float:
    """How long it lasts at least in seconds, which a short budget cuts too."""
    return min(wanted_s, _WARM_UP_SHARE * budget_s)
