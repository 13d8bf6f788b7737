"""Foreign files are read within their caps, and each refusal names file, field, value and remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import pytest
from msgspec import Meta

from advisor.core.errors import InputError
from advisor.core.file_fault import shown_value
from advisor.core.input_file import convert, parse_json, parse_toml, read_foreign_text, read_text, read_toml
from advisor.core.records import Record
from advisor.core.sentences import SaidError, error_text
from tests.own_time import own_time


class Inner(Record, frozen=True, kw_only=True):
    size: Annotated[int, Meta(ge=1, le=10)] = 1
    kind: Literal["small", "large"] = "small"
    share: Annotated[float, Meta(gt=0)] | None = None


class Outer(Record, frozen=True, kw_only=True):
    name: Annotated[str, Meta(max_length=5)]
    inner: Inner = Inner()
    sizes: tuple[int, ...] = ()


def _read_json(path: Path) -> Outer:
    return convert(parse_json(read_text(path), str(path)), Outer, str(path))


def refusal(path: Path, text: str | bytes) -> InputError:
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError) as caught:
        _read_json(path) if path.suffix == ".json" else read_toml(path, Outer)
    assert str(path) in caught.value.text
    return caught.value


def test_a_good_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('name = "x"\nsizes = [1, 2]\n[inner]\nsize = 3\n', encoding="utf-8")
    assert read_toml(path, Outer) == Outer(name="x", sizes=(1, 2), inner=Inner(size=3))


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        ('name = "x"\n[inner]\nsize = 0\n', "`inner.size` is `0`", "an integer from 1 to 10"),
        ('name = "x"\n[inner]\nsize = 11\n', "`inner.size` is `11`", "an integer from 1 to 10"),
        ('name = "x"\n[inner]\nsize = "three"\n', "`inner.size` is `three`", "an integer from 1 to 10"),
        ('name = "x"\n[inner]\nsize = 1.5\n', "`inner.size` is `1.5`", "an integer from 1 to 10"),
        ('name = "x"\n[inner]\nkind = "smal"\n', "`inner.kind` is `smal`", "Did you mean `small`?"),
        ('name = "x"\n[inner]\nshare = -1.0\n', "`inner.share` is `-1.0`", "a number over 0"),
        ('name = "x"\n[inner]\nsiz = 1\n', "`inner.siz` is not a known field", "Did you mean `size`?"),
        ('name = "x"\nzzz = 1\n', "`zzz` is not a known field", "Known fields: inner, name, sizes."),
        ('name = "longer"\n', "`name` is `longer`", "text of 0 to 5 characters"),
        ("sizes = []\n", "`name` is missing", "text of 0 to 5 characters"),
        ('name = "x"\nsizes = [1, "a"]\n', "`sizes.1` is `a`", "an integer"),
        ('name = "x"\ninner = 3\n', "`inner` is `3`", "a table"),
    ],
)
def test_a_wrong_field_is_named_with_what_was_given_and_what_is_allowed(
    tmp_path: Path, text: str, said: str, remedy: str
) -> None:
    error = refusal(tmp_path / "a.toml", text)
    assert said in error.text
    assert remedy in error.remedy
    chinese, mend = error_text(error, "zh")
    assert said.split("`")[1] in chinese
    assert not _ENGLISH.search(_plain(chinese.removeprefix(str(tmp_path / "a.toml")) + mend))


def _plain(text: str) -> str:
    """Without what stands in backticks, and without names that a list holds."""
    return re.sub(r"`[^`]*`|已知字段：[^。]*|允许：(?:[a-z0-9_]+、?)+", "", text)


_ENGLISH = re.compile(r"[A-Za-z]{2,}")


BOMBS: dict[str, str | bytes] = {
    "65537 bytes.toml": "#" * 65537,
    "dotted keys.toml": ".".join(["a"] * 20000) + " = 1\n",
    "dotted headers.toml": "".join(f"[{'.'.join(['a'] * 40)}{index}]\n" for index in range(500)),
    "dotted inline.toml": "x = {" + ", ".join(f"{'.'.join(['a'] * 40)}{index} = 1" for index in range(300)) + "}",
    "33 dots.toml": "name = '" + "." * 33 + "'",
    "deep arrays.toml": "name = " + "[" * 30000 + "]" * 30000,
    "deep inline.toml": "name = " + "{a = " * 3000 + "1" + "}" * 3000,
    "deep headers.toml": "".join(f"[{'.'.join(['a'] * depth)}]\n" for depth in range(1, 33)) * 20,
    "33 deep.toml": "name = " + "[" * 33 + "]" * 33,
    "4300 digits.toml": "sizes = [" + "9" * 4301 + "]",
    "399 digits.toml": "sizes = [" + "9" * 399 + "]",
    "underscored digits.toml": "sizes = [" + "9_" * 20000 + "9]",
    "hexadecimal.toml": "sizes = [0x" + "f" * 380 + "]",
    "beyond 64 bits.toml": "sizes = [9223372036854775808]",
    "nan.toml": 'name = "x"\n[inner]\nshare = nan\n',
    "infinity.toml": 'name = "x"\n[inner]\nshare = -inf\n',
    "overflow.toml": 'name = "x"\n[inner]\nshare = 1e999\n',
    "surrogate.toml": b'name = "\xed\xa0\x80"',
    "escaped surrogate.toml": 'name = "\\ud800"',
    "latin-1.toml": b'name = "\xe9"',
    "zero bytes.toml": b"\0" * 1000,
    "utf-16.toml": 'name = "x"'.encode("utf-16"),
    "unclosed.toml": 'name = """' + "x" * 60000,
    "many tables.toml": "[[x]]\n" * 10000,
    "date.toml": "name = 2024-01-01",
    "65537 bytes.json": "[" + " " * 65537 + "]",
    "deep.json": "[" * 30000 + "]" * 30000,
    "deep tables.json": '{"a":' * 10000 + "1" + "}" * 10000,
    "4300 digits.json": '{"sizes": [' + "9" * 4301 + "]}",
    "nan.json": '{"name": NaN}',
    "infinity.json": '{"name": -Infinity}',
    "overflow.json": '{"inner": {"share": 1e999}, "name": "x"}',
    "lone surrogate.json": '{"name": "\\ud800"}',
    "lone surrogate key.json": '{"\\udfff": 1}',
    "half.json": '{"name": "x"',
}


def test_there_are_30_bombs(record_property: Callable[[str, object], None]) -> None:
    assert len(BOMBS) >= 30
    record_property("figure", f"{len(BOMBS)} bombs")


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_within_a_second_of_processor_time(tmp_path: Path, name: str) -> None:
    error, spent_s = own_time(lambda: refusal(tmp_path / name, BOMBS[name]))
    assert spent_s < 1
    assert error.remedy
    assert isinstance(error, SaidError)
    assert len(error.text) < 600


def test_a_folder_a_missing_file_and_a_pipe_are_refused_without_waiting(tmp_path: Path) -> None:
    import os

    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    for path in (tmp_path, tmp_path / "missing.toml", pipe, tmp_path / ("x" * 5000)):
        with pytest.raises(InputError):
            read_text(path)


def test_control_characters_of_a_name_are_shown_and_not_sent_to_the_terminal(tmp_path: Path) -> None:
    error = refusal(tmp_path / "a.toml", 'name = "x"\n"\\u001b[2J" = 1\n')
    assert "\x1b" not in str(error)
    assert "\\u001b" in error.text


def test_the_limit_can_be_raised_for_files_that_are_longer_by_nature(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"name": "x"}' + " " * 70000, encoding="utf-8")
    assert parse_json(read_text(path, max_bytes=1 << 20), str(path), max_bytes=1 << 20) == {"name": "x"}


def test_text_is_parsed_like_a_file() -> None:
    assert parse_toml("a = 1", "form") == {"a": 1}
    assert parse_json('{"a": [1, null]}', "form") == {"a": [1, None]}


def test_text_that_is_longer_than_its_limit_is_refused_before_it_is_parsed() -> None:
    for parse in (parse_toml, parse_json):
        with pytest.raises(SaidError) as refused:
            parse("a" * 11, "form", max_bytes=10)
        assert [one.code for one in refused.value.reasons] == ["file-text-too-long"]


def test_a_value_that_cannot_even_be_written_is_shown_by_its_kind() -> None:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert shown_value(nested) == "`list`"
    assert shown_value("a word") == "`a word`"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "gbk"])
def test_what_consoles_and_spreadsheets_write_is_read_in_their_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("名称,值\n实验室,1\n".encode(encoding))
    assert read_foreign_text(path) == "名称,值\n实验室,1\n"


def test_a_byte_of_no_encoding_is_refused_in_a_table_and_unknown_in_a_log(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes("第 1 步".encode() + b" \xff 1 s\n")
    assert read_foreign_text(path, whole=False) == "第 1 步 \ufffd 1 s\n"
    with pytest.raises(SaidError) as refused:
        read_foreign_text(path)
    assert [one.code for one in refused.value.reasons] == ["file-no-text"]
