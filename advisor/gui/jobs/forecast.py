"""How far a job is and how long it still takes: from what such jobs took here before, corrected as it goes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from advisor.gui.settings import Settings

Part = Literal["prepare", "measure", "predict"]
_PARTS: tuple[Part, ...] = ("prepare", "measure", "predict")
_PREDICTING = {"advice-phase-predict", "advice-phase-lighter", "advice-phase-done"}
"""Phases of predicting; set-ups that need less memory are traced once what was asked for has been predicted."""
_FIRST_PREPARE_S = 9.0
_FIRST_PREDICT_S = 6.0
_FIRST_MEASURE_SHARE = 0.8
"""Of the budget: a run whose times settle early ends sooner. All three are guesses until a first job has run here."""
_OVERDUE_FROM = 0.75
"""From this share of a part's time on, what is left of it shrinks ever more slowly instead of reaching nothing."""
_LATE_FROM = 1.5
"""From so many times a part's foreseen time on, what is left is not known."""
_LATE_SHARE = 0.5
"""Of what a part is overdue by: it takes as much longer again, so that no job stands at its last per cent for long."""
_SLOWNESS = (0.5, 3.0)
_NEWEST_SHARE = 0.6
_ALMOST = 0.99
_KEY = "pace"
_MOST_KEPT = 40
"""Paces of what jobs took here, kept between starts of the window by what they depend on."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Seconds that each part of such a job took here, or is thought to take."""

    prepare_s: float
    measure_s: float
    predict_s: float

    @property
    def whole_s(self) -> float:
        """Seconds of all parts."""
        return self.prepare_s + self.measure_s + self.predict_s

    def of(self, part: Part) -> float:
        """Seconds of one part."""
        return {"prepare": self.prepare_s, "measure": self.measure_s, "predict": self.predict_s}[part]

    def joined(self, newer: Pace) -> Pace:
        """What to expect next time: mostly what was seen last."""
        prepare_s, measure_s, predict_s = (
            (1.0 - _NEWEST_SHARE) * self.of(part) + _NEWEST_SHARE * newer.of(part) for part in _PARTS
        )
        return Pace(prepare_s=prepare_s, measure_s=measure_s, predict_s=predict_s)


def first_pace(budget_s: float, *, measure: bool) -> Pace:
    """What is thought before any such job has run here."""
    if not measure:
        return Pace(prepare_s=2.0, measure_s=0.0, predict_s=_FIRST_PREDICT_S)
    return Pace(prepare_s=_FIRST_PREPARE_S, measure_s=_FIRST_MEASURE_SHARE * budget_s, predict_s=_FIRST_PREDICT_S)


def part_of(phase: str) -> Part:
    """To which part a phase of the main job belongs."""
    if phase.startswith("measure-phase-") and phase not in {"measure-phase-trace", "measure-phase-import"}:
        return "measure"
    return "predict" if phase in _PREDICTING else "prepare"


@dataclass
class Forecast:
    """Told of each phase as it begins; asked at any time. The share done never falls, the time left never grows."""

    pace: Pace
    started_s: float
    _begun_s: dict[Part, float] = field(default_factory=dict)
    _part: Part = "prepare"
    _left_s: float = math.inf
    _fraction: float = 0.0

    def __post_init__(self) -> None:
        """The first part has begun."""
        self._begun_s["prepare"] = self.started_s

    def note(self, phase: str, now_s: float) -> None:
        """A phase goes on at a monotonic time; parts are never gone back to."""
        part = part_of(phase)
        if _PARTS.index(part) > _PARTS.index(self._part):
            self._part = part
            self._begun_s[part] = now_s

    def at(self, now_s: float) -> tuple[float, float]:
        """(share done, seconds left) at a monotonic time; both monotone from call to call."""
        left_s = self._rest_s(now_s)
        self._left_s = min(self._left_s, left_s)
        spent_s = max(now_s - self.started_s, 0.0)
        share = spent_s / (spent_s + left_s) if spent_s + left_s > 0 else 0.0
        self._fraction = min(max(self._fraction, share), _ALMOST)
        return self._fraction, self._left_s

    def is_late(self, now_s: float) -> bool:
        """Whether a part takes so much longer than foreseen that seconds left would be a guess."""
        foreseen_s = self._foreseen_s(self._part)
        return 0.0 < _LATE_FROM * foreseen_s < now_s - self._begun_s[self._part]

    def _rest_s(self, now_s: float) -> float:
        later = sum(self._foreseen_s(part) for part in _PARTS[_PARTS.index(self._part) + 1 :])
        return _left_of(self._foreseen_s(self._part), now_s - self._begun_s[self._part]) + later

    def _foreseen_s(self, part: Part) -> float:
        return self.pace.of(part) * (self._slowness() if part == "predict" else 1.0)

    def _slowness(self) -> float:
        """How much slower the machine was than before at what depends on it alone, carried half way on."""
        began_s = self._begun_s.get("measure", self._begun_s.get("predict"))
        if began_s is None or self.pace.prepare_s <= 0:
            return 1.0
        seen = (began_s - self.started_s) / self.pace.prepare_s
        return math.sqrt(min(max(seen, _SLOWNESS[0]), _SLOWNESS[1]))

    def seen(self, now_s: float) -> Pace:
        """What the parts took until the job ended at `now_s`."""
        measured_s = self._begun_s.get("measure", self._begun_s.get("predict", now_s))
        predicted_s = self._begun_s.get("predict", now_s)
        return Pace(
            prepare_s=measured_s - self.started_s, measure_s=predicted_s - measured_s, predict_s=now_s - predicted_s
        )


def _left_of(whole_s: float, spent_s: float) -> float:
    """Seconds left of a part: what is missing, once most of it is over a rest that never quite ends, then a guess."""
    turn_s = _OVERDUE_FROM * whole_s
    if spent_s <= turn_s or whole_s <= 0:
        return max(whole_s - spent_s, 0.0)
    rest_s = whole_s - turn_s
    return max(rest_s * math.exp(-(spent_s - turn_s) / (2 * rest_s)), _LATE_SHARE * (spent_s - whole_s))


def pace_key(workload_name: str, budget_s: float, *, measure: bool) -> str:
    """By what jobs are told apart."""
    return f"{workload_name}|{budget_s:g}" if measure else f"{workload_name}|predicted"


def known_pace(settings: Settings, key: str, budget_s: float, *, measure: bool) -> Pace:
    """What the last such jobs took here; else what others of the same kind took, else a first guess.

    Another model says how long is measured here, but little of how long it takes to trace and predict this one, which
    is hardly less than the first guess.
    """
    paces = _read(settings)
    if key in paces:
        return paces[key]
    first = first_pace(budget_s, measure=measure)
    alike = [pace for name, pace in paces.items() if name.partition("|")[2] == key.partition("|")[2]]
    if not alike:
        return first
    return Pace(
        prepare_s=max(first.prepare_s, median(pace.prepare_s for pace in alike)),
        measure_s=alike[-1].measure_s,
        predict_s=max(first.predict_s, median(pace.predict_s for pace in alike)),
    )


def keep_pace(settings: Settings, key: str, seen: Pace) -> None:
    """Remember what a job took that came to its end."""
    paces = _read(settings)
    before = paces.pop(key, None)
    paces[key] = seen if before is None else before.joined(seen)
    text = msgspec.json.encode({name: paces[name] for name in list(paces)[-_MOST_KEPT:]}).decode()
    settings.store(_KEY, text)


def _read(settings: Settings) -> dict[str, Pace]:
    try:
        return msgspec.json.decode(settings.text(_KEY), type=dict[str, Pace])
    except msgspec.MsgspecError:  # never written, or by hand
        return {}
