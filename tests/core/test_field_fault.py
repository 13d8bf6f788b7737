"""What is wrong with a field is said with its path, what was given and what its declared type takes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from advisor.core.errors import InputError
from advisor.core.file_fault import named_error
from advisor.core.input_file import convert
from advisor.core.records import Record
from advisor.core.sentences import error_text


class Square(Record, frozen=True, kw_only=True, tag="square"):
    side_m: Annotated[float, Meta(gt=0, le=10)]


class Circle(Record, frozen=True, kw_only=True, tag="circle"):
    radius_m: Annotated[float, Meta(ge=0, lt=5)]


class Drawing(Record, frozen=True, kw_only=True):
    shapes: tuple[Square | Circle, ...] = ()
    colour: Literal["red", "green"] = "red"
    copies: Annotated[int, Meta(ge=1, le=9)] = 1
    title: Annotated[str, Meta(min_length=1, max_length=8)] | None = None
    scale: float | None = None
    exact: bool = False
    widths_m: dict[str, float] = {}
    rate_per_s: float = 1.0
    sizes: Literal["a", "b"] | tuple[int, ...] = ()
    corners_m: tuple[dict[str, dict[str, float]], ...] = ()
    name: Annotated[str, Meta(pattern="^[a-z]+$")] = "a"
    code: Annotated[str, Meta(pattern="^[A-Z]{3}$", examples=["ABC", "XYZ"])] | None = None
    angles: Annotated[tuple[float, ...], Meta(min_length=1, max_length=3)] = (1.0,)


class Stored(Record, frozen=True, kw_only=True):
    precision: Literal["fp16", "bf16", "half"] = "half"


class Named(Record, frozen=True, kw_only=True):
    title: str
    shape: Square | Circle


@pytest.mark.parametrize(
    ("given", "field", "allowed"),
    [
        ({"colour": "gren"}, "colour", "green, red. Did you mean `green`?"),
        ({"copies": 10}, "copies", "an integer from 1 to 9"),
        ({"title": "much too long"}, "title", "1 to 8"),
        ({"scale": "wide"}, "scale", "a number"),
        ({"exact": 1}, "exact", "true or false"),
        ({"shapes": [{"type": "square", "side_m": 11.0}]}, "shapes.0.side_m", "a number over 0 to 10"),
        ({"shapes": [{"type": "circle", "radius_m": 5.0}]}, "shapes.0.radius_m", "a number from 0 below 5"),
        ({"shapes": [{"type": "oval"}]}, "shapes.0.type", "square, circle"),
        ({"shapes": {}}, "shapes", "list"),
        ({"widths_m": {"left": 1.0, "right": "x", "far": "y"}}, "widths_m.right", "a number"),
        ({"corners_m": [{"a": {"x": 1.0}, "b": {"x": 1.0, "y": "z"}}]}, "corners_m.0.b.y", "a number"),
        ({"name": "Ab"}, "name", "text of the form ^[a-z]+$"),
        ({"code": "abc"}, "code", "text such as `ABC` or `XYZ`"),
        ({"rate_per_s": "a"}, "rate_per_s", "a number in 1/s"),
        ({"angles": []}, "angles", "a list of 1 to 3 entries"),
        ({"sizes": 3}, "sizes", "list"),
    ],
)
def test_a_wrong_field_is_named_with_what_it_takes(given: dict[str, Any], field: str, allowed: str) -> None:
    with pytest.raises(InputError) as raised:
        convert(given, Drawing, "drawing.toml")
    text, remedy = error_text(raised.value, "en")
    assert text.startswith("drawing.toml")
    assert field in text
    assert allowed in remedy


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"shape": {"type": "square", "side_m": 1.0}}, "title"),
        ({"title": "", "shape": {"side_m": 1.0}}, "square, circle"),
        ({"title": "", "shape": {"type": "square"}}, "shape.side_m"),
        ({"title": "", "shape": {"type": "square", "side_m": 1.0, "corners": 4}}, "shape.corners"),
    ],
)
def test_a_missing_or_unknown_field_is_named_with_its_path(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        convert(given, Named, "named.toml")
    assert said in " ".join(error_text(raised.value, "en"))


def test_what_is_no_table_at_all_is_refused_as_a_whole() -> None:
    with pytest.raises(InputError) as raised:
        convert([1], Named, "named.toml")
    assert error_text(raised.value, "en")[0].startswith("named.toml")


def test_both_languages_say_it() -> None:
    with pytest.raises(InputError) as raised:
        convert({"copies": 0}, Drawing, "drawing.toml")
    english, chinese = error_text(raised.value, "en"), error_text(raised.value, "zh")
    assert "copies" in english[0]
    assert "copies" in chinese[0]
    assert english[1] != chinese[1]


def test_a_field_without_a_declared_limit_takes_any_number() -> None:
    assert convert({"scale": 1e300}, Drawing, "drawing.toml").scale == 1e300
    assert msgspec.structs.asdict(convert({}, Drawing, "drawing.toml"))["copies"] == 1


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("no such layer.\nmore of it", "ValueError: `no such layer`"),
        (
            "Class validation error:\n    ValueError: 4096 is no multiple of 7.",
            "ValueError: `ValueError: 4096 is no multiple of 7`",
        ),
        ("It needs a library. Install it by:\n  pip install it", "ValueError: `It needs a library. Install it by:`"),
        ("announced:", "ValueError: `announced:`"),
        ("", "ValueError"),
    ],
)
def test_an_exception_is_named_by_the_first_line_that_announces_no_other(said: str, named: str) -> None:
    assert named_error(ValueError(said)) == named


@pytest.mark.parametrize(
    ("given", "meant"), [("pf16", "fp16"), ("bf-16", "bf16"), ("fp61", "fp16"), ("fp64", None), ("haf", "half")]
)
def test_a_word_with_other_digits_is_another_size_and_no_slip_of_typing(given: str, meant: str | None) -> None:
    with pytest.raises(InputError) as raised:
        convert({"precision": given}, Stored, "model.toml")
    _, remedy = error_text(raised.value, "en")
    assert remedy == "Allowed: bf16, fp16, half." + ("" if meant is None else f" Did you mean `{meant}`?")
