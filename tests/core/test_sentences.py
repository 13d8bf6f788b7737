"""The sentence catalogues: both languages alike, every code that the program uses there, every number set."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as fluent
from fluent.syntax.visitor import Visitor

import advisor
from advisor.core.bundled import resource
from advisor.core.sentences import Reason, message_exists, sentence, system_language, visible

PACKAGE = Path(advisor.__file__).parent
CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9_]+)+")


class _Variables(Visitor):
    """Collects the arguments of one message."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: fluent.VariableReference) -> None:  # noqa: N802 - the visitor's protocol
        self.names.add(node.id.name)


@cache
def catalogue(language: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Message id -> (file, arguments) of all files of a language; an id may stand in one file only."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for path in sorted((resource("sentences") / language).glob("*.ftl")):
        for entry in FluentParser().parse(path.read_text(encoding="utf-8")).body:
            assert not isinstance(entry, fluent.Junk), f"{path.name}: {entry.content}"
            if isinstance(entry, fluent.Message):
                assert entry.id.name not in found, f"{entry.id.name} stands in {path.name} and {found[entry.id.name]}"
                variables = _Variables()
                variables.visit(entry)
                found[entry.id.name] = (path.name, frozenset(variables.names))
    return found


@cache
def literal_codes() -> dict[str, str]:
    """Every `Reason.of("…")` and `sentence("…")` of the package with its file, also where the literal is one of two."""
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Reason", "Reason.of", "sentence"}:
                for value in [word.value for word in node.keywords if word.arg == "code"] + node.args[:1]:
                    for leaf in ast.walk(value):
                        if (
                            isinstance(leaf, ast.Constant)
                            and isinstance(leaf.value, str)
                            and CODE.fullmatch(leaf.value)
                        ):
                            found[leaf.value] = path.name
    return found


def codes_in_tables(folder: str, prefixes: tuple[str, ...]) -> set[str]:
    """String constants of a room that are message ids by their prefix, wherever they are kept."""
    return {
        node.value
        for path in (PACKAGE / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith(prefixes)
        and CODE.fullmatch(node.value)
    }


def test_both_languages_hold_the_same_messages_in_the_same_files() -> None:
    english, chinese = catalogue("en"), catalogue("zh")
    assert english.keys() == chinese.keys()
    assert {name: where for name, (where, _) in english.items()} == {
        name: where for name, (where, _) in chinese.items()
    }


def test_both_languages_use_the_same_numbers() -> None:
    english, chinese = catalogue("en"), catalogue("zh")
    different = {
        name: sorted(english[name][1] ^ chinese[name][1])
        for name in english.keys() & chinese.keys()
        if english[name][1] != chinese[name][1]
    }
    assert different == {}


def test_every_code_in_the_program_is_a_message() -> None:
    codes = literal_codes()
    assert len(codes) > 100
    assert {code: where for code, where in codes.items() if not message_exists(code, "en")} == {}


def test_every_code_kept_in_a_table_is_a_message() -> None:
    prefixes = (
        "why-",
        "caveat-",
        "change-",
        "crossover-",
        "claim-",
        "case-",
        "log-",
        "wall-",
        "alternative-",
        "precision-",
    )
    codes = {code for room in ("recommend", "claims", "cases", "logs") for code in codes_in_tables(room, prefixes)}
    assert len(codes) > 80
    assert {code for code in codes if not message_exists(code, "en")} == set()


def composed_codes() -> list[re.Pattern[str]]:
    """What a code may be that the program puts together (`f"{code}-early"`, `f"help-{field}"`)."""
    # Joined of its ends, word by word; found by how they begin.
    found = {"file-range-.+", "system-said-.+"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
                said = "".join(str(part or "") for part in parts)
                if re.fullmatch(r"[a-z0-9-]*[a-z][a-z0-9-]*", said) and "-" in said:
                    found.add("".join(".*" if part is None else re.escape(str(part)) for part in parts))
    return [re.compile(one) for one in sorted(found)]


def test_no_message_is_left_unused() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (*PACKAGE.rglob("*.py"), *resource("").glob("*.toml"))]
    messages = [*(resource("sentences") / "en").glob("*.ftl")]
    words = set(re.findall(r"""(?<=["'])[\w-]+(?=["'])""", "\n".join(texts)))
    words |= set(re.findall(r"\{ *([a-z][\w-]*) *\}", "\n".join(path.read_text(encoding="utf-8") for path in messages)))
    composed = composed_codes()
    assert len(composed) > 50
    left = {name for name in catalogue("en") if name not in words and not any(one.fullmatch(name) for one in composed)}
    earlier = {"why-learning-rate", "change-count", "change-limits"}
    earlier |= {"caveat-no-candidate-in-limits", "caveat-local-over-limits", "why-communication-network"}
    assert left == earlier, "saved advice of earlier versions says them"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_number_is_set_with_the_unit_of_its_name(language: str) -> None:
    text = sentence(
        "why-strict-fp32",
        language,  # type: ignore[arg-type]
        precision="FP32",
        device="A",
        other="B",
        rate_flop_per_s=82.6e12,
        other_rate_flop_per_s=19.5e12,
        tensor_flop_per_s=156e12,
    )
    assert "82.6 TFLOP/s" in text
    assert "19.5 TFLOP/s" in text
    with pytest.raises(KeyError):
        sentence("why-strict-fp32", language)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        sentence("no-such-message", language)  # type: ignore[arg-type]


def test_control_and_direction_characters_are_shown_and_all_else_is_verbatim() -> None:
    assert visible("GPU\u202e\n名") == "GPU\\u202e\\u000a名"
    assert visible("<h1>x</h1>") == "<h1>x</h1>"


def test_an_argument_that_is_no_number_is_no_figure() -> None:
    reason = Reason.of("why-disturbed", other="Processor")
    with pytest.raises(TypeError, match="Processor"):
        reason.figure("other")
    with pytest.raises(KeyError):
        reason.figure("share")


def test_a_sentence_that_lacks_a_figure_is_refused_and_never_said_with_a_gap() -> None:
    with pytest.raises(KeyError, match="share_fraction"):
        sentence("why-host-bound", "en", device="Card", launch_s=0.1, step_s=0.2)


@pytest.mark.parametrize(
    ("settings", "language"),
    [
        ({"LC_ALL": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({}, "en"),
    ],
)
def test_the_locales_language_is_taken_in_the_order_of_posix(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], language: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert system_language() == language
