"""Whatever bytes reach a parser, it gives a value or our own error: generated, mutated, and all that ever failed."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.parsers import PARSERS, Parser, outcome
from tests.workload.test_malformed_files import MUTATIONS, WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

CORPUS = Path(__file__).with_name("corpus")
"""What once failed or what the coverage-guided fuzzer found worth keeping, a folder a parser."""
generated = settings(
    deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None, max_examples=60
)


def mutated(parser: Parser, seed: int) -> bytes:
    chance = random.Random(seed)
    text = bytearray(chance.choice(parser.seeds))
    for _ in range(chance.randrange(1, 6)):
        if text:
            chance.choice(MUTATIONS)(text, chance)
    return bytes(text)


def pieces(parser: Parser) -> st.SearchStrategy[bytes]:
    """Bytes of no kind, texts, and pieces of what the parser knows put together anew."""
    known = sorted({word for seed in parser.seeds for word in seed.split()[:200]})
    joined = st.lists(st.sampled_from([*known, *WORDS, b"\n", b" ", b'"', b"=", b":", b","]), max_size=30)
    texts = st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass"))
    return st.binary(max_size=80) | texts | joined.map(b" ".join) | joined.map(b"".join)


@pytest.mark.parametrize("name", PARSERS)
def test_generated_bytes_end_in_a_value_or_our_own_error(name: str) -> None:
    seen = {"read": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:

        @generated
        @given(pieces(PARSERS[name]))
        def check(content: bytes) -> None:
            seen[outcome(PARSERS[name], content, Path(folder))] += 1

        check()
    assert sum(seen.values()) >= 60


@pytest.mark.parametrize("count", [150, pytest.param(15_000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.timeout(3000)
def test_mutated_files_end_in_a_value_or_our_own_error(
    tmp_path: Path, name: str, count: int, record_property: Callable[[str, object], None]
) -> None:
    seen = {"read": 0, "refused": 0}
    for seed in range(count):
        seen[outcome(PARSERS[name], mutated(PARSERS[name], seed), tmp_path)] += 1
    assert sum(seen.values()) == count
    record_property("figure", f"{name} {count:,}")


@pytest.mark.parametrize("name", PARSERS)
def test_a_well_formed_sample_is_read(tmp_path: Path, name: str) -> None:
    if name == "peer":
        return  # its samples are whole only with this version's figures; tests of its own read them
    assert {outcome(PARSERS[name], seed, tmp_path) for seed in PARSERS[name].seeds} == {"read"}


@pytest.mark.parametrize("path", sorted(CORPUS.rglob("*.bin")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_was_kept_ends_in_a_value_or_our_own_error(tmp_path: Path, path: Path) -> None:
    assert outcome(PARSERS[path.parent.name], path.read_bytes(), tmp_path) in {"read", "refused"}
