"""Lines that sum an epoch up: what it took, in one figure or in parts.

Every pattern takes a bounded number of steps a character: what may repeat has a least bound or an end of its own.
"""

from __future__ import annotations

import re

from advisor.logs.known_formats import UNIT, clock_s, unit_s
from advisor.logs.log_facts import LogFacts

_EPOCH = re.compile(
    r"\b(?:end of )?epochs?\b ?[:#]? ?\[?(\d{1,6})\b(?!\.\d)(?: ?/ ?(\d{1,6})\b)?"
    r"|第 ?(\d{1,6}) ?(?:[/／] ?(\d{1,6}) ?)?(?:轮|代|个? ?epoch|个周期)|轮次? ?[:：]? ?(\d{1,6}) ?[/／] ?(\d{1,6})",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    r"\b(?:steps?|iters?|iterations?|batch(?:es)?|it)\b|[步批]|迭代|\[ ?\d{1,12} ?/ ?\d{1,12}|\d ?/ ?\d{1,12} ?\[|%",
    re.IGNORECASE,
)
"""What a line counts beside its epoch: it is a step's then."""
_TOOK = (
    r"(?:\b(?:epoch_|train_)?(?:time|took|duration|elapsed?)(?: time)?|\b(?:completed|finished|done) in|耗时|用时|时间)"
    r"['\"]?[:：= ]{0,3}"
)
_VALIDATED = re.compile(
    r"(?:\b(?:val(?:id(?:ation)?)?|eval(?:uation)?|test)[_ ]?(?:time|took)|(?:验证|评估|测试)(?:耗时|用时|时间))"
    r"['\"]?[:：= ]{0,3}(\d{1,9}(?:\.\d{1,9})?) ?"
    rf"({UNIT})(?![a-z\d])",
    re.IGNORECASE,
)
"""What a pass of validation took, beside the epoch's time or by itself."""
_EPOCH_TIME = re.compile(
    _TOOK + rf"(\d{{1,9}}(?:\.\d{{1,9}})?) ?({UNIT})(?![a-z\d])"
    rf"|(?<![\w.])(\d{{1,9}}(?:\.\d{{1,9}})?) ?({UNIT}) ?(?:/|per) ?epoch\b"
    r"|\| ?(\d{1,9}(?:\.\d{1,9})?) ?(s|sec|min)(?: ?\||$)",
    re.IGNORECASE,
)
_EPOCH_STATED = re.compile(
    r"\bcost time: (\d{1,9}(?:\.\d{1,20})?)$|^Time taken for epoch \d{1,6} is (\d{1,9}(?:\.\d{1,9})?) sec\b"
)
"""Seconds as Informer and its kin (`Epoch: 1 cost time: 24.8`) and HiFi-GAN print them."""
_EPOCH_PARTS = re.compile(
    _TOOK + r"(?:"
    r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2}(?:\.\d{1,6})?)(?![\d:])"
    r"|(?:(\d{1,3}) ?(?:h(?:ours?)?|小时) ?)?(\d{1,4}) ?(?:m(?:in(?:utes?)?)?|分钟?) ?(\d{1,2}(?:\.\d{1,6})?) ?[s秒])",
    re.IGNORECASE,
)
"""An epoch's time of several parts: `1:02`, `1m 2s`, `1 h 2 min 3 s`."""
_CLOCK_ALONE = re.compile(r"^ ?(?:total )?(?:time elapsed|elapsed time|elapsed)\b", re.IGNORECASE)
"""Below the line of an epoch or of its batches, as Raschka's scripts print it; at the end of a run, of the run."""
_EPOCH_ALONE = re.compile(r"\bepoch[ _]time\b", re.IGNORECASE)
"""Of the epoch that the lines before it tell of, as nnU-Net prints it."""


def takes_epoch(line: str, facts: LogFacts) -> bool:
    """A line that sums an epoch up: its time is a part of the whole, and no step's."""
    epoch = _EPOCH.search(line) or _EPOCH_ALONE.search(line)
    if epoch is not None and epoch.re is _EPOCH:
        facts.newest_epoch = next(int(group) for group in epoch.groups()[::2] if group is not None)
    elif epoch is None and _CLOCK_ALONE.search(line) and not _COUNTS.search(line) and (seconds := _epoch_s(line)):
        facts.clock_alone.append((facts.newest_epoch, seconds))
        return True
    if epoch is None or _COUNTS.search(line, epoch.end()) or _COUNTS.search(line[: epoch.start()]):
        return False
    validated = [float(figure) * unit_s(unit) for figure, unit in _VALIDATED.findall(line)]
    facts.validation_passes_s.extend(validated)
    seconds = _epoch_s(_VALIDATED.sub("", line))
    if seconds < 1.0:
        return bool(validated)
    seconds += sum(validated)
    number, *epochs = (int(group) for group in epoch.groups() if group is not None) if epoch.re is _EPOCH else (None,)
    facts.add_epoch(number, seconds)
    facts.epoch_count = epochs[0] if epochs and epochs[0] else facts.epoch_count
    return True


def _epoch_s(line: str) -> float:
    """What a line says that its epoch took, in parts or as one figure; 0: nothing."""
    if (stated := _EPOCH_STATED.search(line)) is not None:
        return float(stated.group(1) or stated.group(2))
    parts, time = _EPOCH_PARTS.search(line), _EPOCH_TIME.search(line)
    if parts is not None:
        groups = parts.groups()
        return clock_s((None, *(groups[:3] if groups[2] is not None else groups[3:])))
    if time is None:
        return 0.0
    figure, *units = (group for group in time.groups() if group is not None)
    return float(figure) * unit_s(units[0])
