from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor import __version__
from advisor.protocol.messages import RankFinding, RankReport
from advisor.worker.ranks.rank_messages import RANK_SCHEMA_VERSION, PeerRefusedError, read_peer

REPORT = RankReport(
    schema_version=RANK_SCHEMA_VERSION,
    advisor_version=__version__,
    rank=1,
    rank_count=2,
    findings=(RankFinding(rank=1, rank_count=2, kind="all_reduce", message_bytes=4096, samples_s=(0.1,)),),
)


def _changed(**changes: object) -> bytes:
    return json.dumps(json.loads(msgspec.json.encode(REPORT)) | changes).encode()


def test_a_report_survives_the_way_to_the_other_ranks() -> None:
    assert read_peer(msgspec.json.encode(REPORT), 1, 2) == REPORT


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no readable report"),
        (b"{", "no readable report"),
        (b"\xff\xfe", "no readable report"),
        (b"[" * 100_000, "no readable report"),
        (b"[]", "no readable report"),
        (b"NaN", "no readable report"),
        (_changed(schema_version=2), "report format 2"),
        (_changed(advisor_version="9.9.9"), "9.9.9"),
        (_changed(rank=0), "calls itself rank 0"),
        (_changed(rank_count=3), "of 3"),
        (_changed(findings=[{"kind": "format_disk"}]), "does not fit"),
        (_changed(surprise=1), "does not fit"),
    ],
)
def test_a_broken_peer_is_refused_by_name_with_a_remedy(data: bytes, words: str) -> None:
    with pytest.raises(PeerRefusedError) as refused:
        read_peer(data, 1, 2)
    assert "1" in refused.value.text
    assert words in refused.value.text
    assert "version" in refused.value.remedy


@given(st.binary(max_size=200))
def test_no_bytes_of_a_peer_raise_anything_but_a_refusal(data: bytes) -> None:
    with pytest.raises(PeerRefusedError):
        read_peer(data, 1, 2)


def test_findings_are_stored_with_their_kind_checked() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"type":"rank_finding","rank":0,"rank_count":2,"kind":"nothing"}', type=RankFinding)


_PEER = textwrap.dedent(
    """
    import sys
    from datetime import timedelta
    import torch
    import torch.distributed as dist
    from advisor.worker.ranks.rank_messages import PeerRefusedError, exchange_bytes

    rank, place, announced = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    dist.init_process_group("gloo", init_method=place, rank=rank, world_size=2, timeout=timedelta(seconds=10))
    try:
        if rank == 1 and announced:  # a hostile peer: announces what it never sends
            lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(2)]
            dist.all_gather(lengths, torch.tensor([announced], dtype=torch.int64))
            print("announced")
        else:
            print([len(part) for part in exchange_bytes(b"x" * (rank + 3), 2, dist.group.WORLD)])
    except PeerRefusedError as refused:
        print("refused:", refused.text)
    """
)


def _pair(folder: Path, announced: int) -> list[str]:
    """The last line of each of two ranks."""
    script = folder / "peer.py"
    script.write_text(_PEER, encoding="utf-8")
    place = f"file://{folder / 'meeting'}"
    env = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONPATH": os.pathsep.join(sys.path)}
    ranks = [
        subprocess.Popen(
            [sys.executable, str(script), str(rank), place, str(announced)], env=env, stdout=subprocess.PIPE, text=True
        )
        for rank in range(2)
    ]
    return [rank.communicate(timeout=600)[0].splitlines()[-1] for rank in ranks]  # gloo of torch 2.8 prints before


@pytest.mark.skipif(sys.platform != "linux", reason="the loopback interface has another name elsewhere")
def test_messages_of_different_lengths_arrive_whole(tmp_path: Path) -> None:
    assert _pair(tmp_path, 0) == ["[3, 4]", "[3, 4]"]


@pytest.mark.skipif(sys.platform != "linux", reason="the loopback interface has another name elsewhere")
def test_an_announced_gigabyte_is_refused_before_anything_is_allocated(tmp_path: Path) -> None:
    said = _pair(tmp_path, 1 << 30)
    assert said[0].startswith("refused: Rank 1 announced a message of 1.00 GiB")
