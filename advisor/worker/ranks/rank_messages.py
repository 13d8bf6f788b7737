"""What ranks tell each other: JSON in byte tensors, checked for size, shape and version before it is believed."""

from __future__ import annotations

import msgspec
from torch.distributed import ProcessGroup

from advisor import __version__
from advisor.core.sentences import Reason, SaidError, Value
from advisor.protocol.messages import RankReport

RANK_SCHEMA_VERSION = 1
MESSAGE_LIMIT_BYTES = 4 * 1024 * 1024
"""A rank's report is a few kilobytes; a peer that announces more is refused before anything is allocated."""


class PeerRefusedError(SaidError):
    """Another rank sent something that is not a report of this program."""


def read_peer(data: bytes, rank: int, rank_count: int) -> RankReport:
    """The report of a peer. Raises PeerRefusedError naming the rank and what is wrong with its message."""
    try:
        version = msgspec.json.decode(data, type=_Version)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _refused("unreadable", rank=rank, error=str(error)) from None
    if version.schema_version != RANK_SCHEMA_VERSION or version.advisor_version != __version__:
        theirs = {"version": version.advisor_version[:40], "format": str(version.schema_version)}
        raise _refused("version", rank=rank, **theirs, own=__version__, own_format=str(RANK_SCHEMA_VERSION))
    try:
        report = msgspec.json.decode(data, type=RankReport)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _refused("misfit", rank=rank, error=str(error)) from None
    if report.rank != rank or report.rank_count != rank_count:
        raise _refused("other", rank=rank, count=rank_count, said=report.rank, said_count=report.rank_count)
    return report


def _refused(what: str, **numbers: Value) -> PeerRefusedError:
    return PeerRefusedError.of(f"ranks-peer-{what}", Reason.of("ranks-peer-remedy"), **numbers)


class _Version(msgspec.Struct):
    """The first thing looked at; other fields are not read yet."""

    schema_version: int
    advisor_version: str


def exchange_reports(own: RankReport, group: ProcessGroup) -> tuple[RankReport, ...]:
    """Every rank's report, in the order of ranks, over a group of CPU tensors (gloo).

    Lengths travel first, so that a peer's announcement of a gigabyte costs eight bytes. Raises PeerRefusedError.
    """
    reports = exchange_bytes(msgspec.json.encode(own), own.rank_count, group)
    return tuple(read_peer(data, rank, own.rank_count) for rank, data in enumerate(reports))


def exchange_bytes(own: bytes, rank_count: int, group: ProcessGroup) -> list[bytes]:
    """Every rank's bytes; each at most `MESSAGE_LIMIT_BYTES`. Raises PeerRefusedError for a longer announcement."""
    import torch
    import torch.distributed as dist

    lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(rank_count)]
    dist.all_gather(lengths, torch.tensor([len(own)], dtype=torch.int64), group=group)
    sizes = [int(length.item()) for length in lengths]
    for rank, size in enumerate(sizes):
        if not 0 < size <= MESSAGE_LIMIT_BYTES:
            raise _refused("announced", rank=rank, message_bytes=size, limit_bytes=MESSAGE_LIMIT_BYTES)
    longest = max(sizes)
    padded = torch.zeros(longest, dtype=torch.uint8)
    padded[: len(own)] = torch.frombuffer(bytearray(own), dtype=torch.uint8)
    received = [torch.zeros(longest, dtype=torch.uint8) for _ in range(rank_count)]
    dist.all_gather(received, padded, group=group)
    return [bytes(tensor[:size].tolist()) for tensor, size in zip(received, sizes, strict=True)]
