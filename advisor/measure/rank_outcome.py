"""What a group of ranks found out together: findings of all ranks merged, with what was lost on the way."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from advisor.core.moment import utc_text
from advisor.core.records import Record, shared_fields
from advisor.core.sentences import Arguments, Reason
from advisor.measure.measurement import CommunicationMeasurement, Measurement, Verdict
from advisor.protocol.messages import RankFinding

_BUSY_SHARE = 0.9
"""One computing thread that got less of its core than this shared it with others."""


class RanksOutcome(Record, frozen=True, kw_only=True):
    """The end of a measurement by several ranks, whole or partial."""

    schema_version: int = 1
    rank_count: int
    rank: int | None
    """This process's rank under torchrun; None in our own launcher."""
    complete: bool
    """Every rank did every phase."""
    reporter: bool
    """Whether this process writes the report: rank 0, or the lowest rank of its host that survived."""
    communication: tuple[CommunicationMeasurement, ...] = ()
    lost_ranks: tuple[int, ...] = ()
    elsewhere_ranks: tuple[int, ...] = ()
    """Of a partial report: ranks of other hosts, whose findings and whose end their own host's report holds."""
    caveats: tuple[Reason, ...] = ()
    log_tail: str = ""

    @property
    def usable(self) -> bool:
        """Whether anything of it has a time."""
        return any(measured.samples_s for measured in self.communication)


def merged(
    findings: Iterable[RankFinding], host_rank_count: int, *, thread_count: int, usable_core_count: int | None
) -> tuple[CommunicationMeasurement, ...]:
    """One measurement for each kind, size and accumulation; a collective is as slow as its slowest rank.

    Samples are paired by number where all ranks have equally many: they were started together. `host_rank_count`
    ranks share the `usable_core_count` cores of this host; more than fit there are contended.
    """
    groups: dict[tuple[str, ...], dict[int, RankFinding]] = defaultdict(dict)
    for finding in findings:
        sizes = (finding.rank_count, finding.message_bytes, finding.accumulation_steps, finding.batch_size)
        key = (finding.kind, *("" if size is None else f"{size:020}" for size in sizes))
        groups[key].setdefault(finding.rank, finding)
    crowded = usable_core_count is not None and host_rank_count * thread_count > usable_core_count
    return tuple(_measurement(list(groups[key].values()), crowded=crowded) for key in sorted(groups))


def _measurement(findings: Sequence[RankFinding], *, crowded: bool) -> CommunicationMeasurement:
    first = findings[0]
    samples = _slowest([finding.samples_s for finding in findings])
    median = statistics.median(samples) if samples else 0.0
    shares = [finding.cpu_share_fraction for finding in findings if finding.cpu_share_fraction is not None]
    correct = [finding.values_correct for finding in findings if finding.values_correct is not None]
    foreign = first.kind == "single_step" and any(share < _BUSY_SHARE for share in shares)
    return CommunicationMeasurement(
        kind=first.kind,
        rank_count=first.rank_count,
        message_bytes=first.message_bytes,
        accumulation_steps=first.accumulation_steps,
        batch_size=first.batch_size,
        samples_s=samples,
        median_s=median,
        bus_bytes_per_s=_bus(first, median),
        values_correct=all(correct) if correct else None,
        optimizer_s=max((finding.optimizer_s for finding in findings if finding.optimizer_s is not None), default=None),
        contended=crowded or foreign,
        ranks_heard_count=len(findings),
    )


def _slowest(by_rank: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    if len({len(samples) for samples in by_rank}) == 1:
        return tuple(max(samples) for samples in zip(*by_rank, strict=True))
    return max((samples for samples in by_rank if samples), key=statistics.median, default=())


def _bus(finding: RankFinding, median_s: float) -> float | None:
    """Bus rate in bytes a second: 2 (n-1)/n times the message for an all-reduce, the message for a copy."""
    if finding.message_bytes is None or median_s <= 0:
        return None
    if finding.kind == "all_reduce":
        return 2 * (finding.rank_count - 1) / finding.rank_count * finding.message_bytes / median_s
    return finding.message_bytes / median_s


def caveats_of(communication: Sequence[CommunicationMeasurement]) -> tuple[Reason, ...]:
    """What a reader must know of merged measurements."""
    caveats = []
    wrong = [measured for measured in communication if measured.values_correct is False]
    if wrong:
        caveats.append(Reason.of("ranks-wrong-values", rank_count=wrong[0].rank_count))
    contended = [measured for measured in communication if measured.contended]
    if contended:
        caveats.append(Reason.of("ranks-contended", rank_count=contended[0].rank_count))
    return tuple(caveats)


def measurement_of(outcome: RanksOutcome, device_key: str, device_name: str, workload_name: str) -> Measurement:
    """What a group found as the measurement of a device that was not measured apart."""
    return Measurement(
        **shared_fields(outcome, Measurement),
        device_key=device_key,
        device_name=device_name,
        created_utc=utc_text(),
        workload_name=workload_name,
        environment=None,
        verdict=Verdict(kind="not_measured", reason=outcome.caveats[0] if outcome.caveats else None),
    )


def with_group(measurement: Measurement, outcome: RanksOutcome) -> Measurement:
    """A device's own measurement with what a group found of it and of cards like it."""
    caveats = (*measurement.caveats, *outcome.caveats)
    return msgspec.structs.replace(measurement, communication=outcome.communication, caveats=caveats)


def numbers_of(ranks: Sequence[int]) -> Arguments:
    """Arguments of a sentence that lists ranks."""
    return {"rank_list": ", ".join(str(rank) for rank in sorted(ranks))}
