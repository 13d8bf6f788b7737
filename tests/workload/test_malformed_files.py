"""Whatever a workload or configuration file holds, only our own error escapes, and soon."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.core.bundled import workloads_folder
from advisor.core.errors import UserFacingError
from advisor.workload.workload_file import load_workload

SLOWEST_S = 0.25
"""Processor time for one file, which a busy machine does not lengthen."""
SEEDS = [path.read_bytes() for path in sorted(workloads_folder().glob("*.toml"))]
CONFIG_SEEDS = [path.read_bytes() for path in sorted((workloads_folder() / "configs").glob("*.json"))]
WORDS = [
    b"nan", b"inf", b"-inf", b"1e999", b"-1", b"0", b"9" * 30, b"9" * 500, b"0x7fffffffffffffff", b"true", b"null",
    b'"\\ud800"', b'"\\u0000"', b"\xed\xa0\x80", b"\xff\xfe", b"[[", b"]]", b"{", b"}", b"[" * 200, b"{a=" * 60,
    b".", b"a.b." * 20, b'"""', b"'''", b"\\", b"\n", b"\r", b"\0", b"# ", b"= =", b"1979-05-27", b'"../../x"',
    b"[model]", b"[data]", b"source", b'"huggingface"', b'"python"', b'"template"', b'"numbers"', b"1_000",
    "名".encode(), b"\x1b[2J", b"lora_rank = 8", b"layers = []", b"config = {}", b'config = "/dev/zero"',
    b'file = "/dev/stdin.py"', b'config = "/"', b"arguments = {a = {b = 1}}",
]  # fmt: skip

Mutation = Callable[[bytearray, random.Random], None]


def flip(text: bytearray, chance: random.Random) -> None:
    text[chance.randrange(len(text))] = chance.randrange(256)


def cut(text: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(text))
    del text[start : start + chance.randrange(1, 40)]


def insert(text: bytearray, chance: random.Random) -> None:
    place = chance.randrange(len(text))
    text[place:place] = chance.choice(WORDS)


def replace_value(text: bytearray, chance: random.Random) -> None:
    places = [index for index, byte in enumerate(text) if byte in b"=:"]
    if places:
        start = chance.choice(places) + 1
        end = text.find(b"\n", start)
        text[start : end if end >= 0 else len(text)] = b" " + chance.choice(WORDS)


def repeat(text: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(text))
    piece = text[start : start + chance.randrange(1, 200)]
    text[start:start] = piece * chance.randrange(1, 30)


def swap_lines(text: bytearray, chance: random.Random) -> None:
    lines = text.split(b"\n")
    chance.shuffle(lines)
    text[:] = b"\n".join(lines)


def cross(text: bytearray, chance: random.Random) -> None:
    other = chance.choice(SEEDS + CONFIG_SEEDS)
    text[chance.randrange(len(text)) :] = other[chance.randrange(len(other)) :]


MUTATIONS: list[Mutation] = [flip, cut, insert, replace_value, repeat, swap_lines, cross]


def mutated(seed: int) -> tuple[bytes, str]:
    chance = random.Random(seed)
    as_config = chance.random() < 0.3
    text = bytearray(chance.choice(CONFIG_SEEDS if as_config else SEEDS))
    for _ in range(chance.randrange(1, 6)):
        if text:
            chance.choice(MUTATIONS)(text, chance)
    return bytes(text), ".json" if as_config else ".toml"


def outcome(path: Path) -> str:
    """How loading ended: a workload, or our own error; anything else escapes and fails the test."""
    try:
        load_workload(path)
    except UserFacingError as error:
        return "refused" if _is_sayable(error) else "refused with a text that no terminal should get"
    return "read"


def _is_sayable(error: UserFacingError) -> bool:
    text = str(error)
    return bool(error.text) and text.isprintable() and text.encode() != b""


def try_many(folder: Path, seeds: range) -> dict[str, int]:
    counts = {"read": 0, "refused": 0}
    for seed in seeds:
        content, suffix = mutated(seed)
        path = folder / f"w{suffix}"
        path.write_bytes(content)
        started = time.process_time()
        counts[outcome(path)] += 1
        if time.process_time() - started > SLOWEST_S:
            started = time.process_time()
            outcome(path)
            assert time.process_time() - started < SLOWEST_S, f"seed {seed} is slow each time"
    return counts


def test_a_sample_of_mutated_files_ends_in_a_workload_or_our_own_error(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    counts = try_many(tmp_path, range(2000))
    assert counts["refused"] > 500
    assert counts["read"] > 50
    record_property("figure", f"2,000 mutations: {counts['refused']:,} refused, {counts['read']:,} read")


@pytest.mark.nightly
@pytest.mark.timeout(3000)
def test_200000_mutated_files_end_in_a_workload_or_our_own_error(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    counts = try_many(tmp_path, range(200_000))
    assert sum(counts.values()) == 200_000
    record_property("figure", f"200,000 mutations: {counts['refused']:,} refused, {counts['read']:,} read, none slow")


values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["huggingface", "python", "template", "numbers", "mlp", "fp32", "bert", "bert-base-uncased"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
sections = st.fixed_dictionaries(
    {},
    optional={
        "name": values,
        "model": values
        | st.fixed_dictionaries(
            {"source": st.sampled_from(["huggingface", "python", "template", "numbers"])},
            optional={
                "config": values | st.fixed_dictionaries({"model_type": st.sampled_from(["bert", "vit", "whisper"])}),
                "task": values,
                "file": values,
                "arguments": values,
                "template": st.sampled_from(["mlp", "rnn", "cnn", "transformer"]),
                "layers": st.lists(st.integers(), max_size=4) | values,
                "heads": values,
                "parameters": values,
            },
        ),
        "data": values | st.fixed_dictionaries({"samples": st.integers() | values}, optional={"image_size": values}),
        "training": values | st.fixed_dictionaries({"precision": values, "batch_size": st.integers() | values}),
        "source_folder": values,
        "assumed": values,
    },
)


def check_table(table: dict[str, Any], overrides: dict[str, Any]) -> None:
    try:
        load_workload(table, overrides=overrides)
    except UserFacingError as error:
        str(error).encode()


many = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
flat = st.dictionaries(
    st.sampled_from(["batch_size", "samples", "epochs", "global_batch_size", "image_size", "x"]), values
)


@settings(many, max_examples=100)
@given(sections, flat)
def test_any_table_ends_in_a_workload_or_our_own_error(table: dict[str, Any], overrides: dict[str, Any]) -> None:
    check_table(table, overrides)


@pytest.mark.nightly
@pytest.mark.timeout(3000)
@settings(many, max_examples=2000)
@given(sections, flat)
def test_2000_tables_end_in_a_workload_or_our_own_error(table: dict[str, Any], overrides: dict[str, Any]) -> None:
    check_table(table, overrides)
