"""No word of the command line stands in the window, in either language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

import pytest
from PySide6.QtWidgets import QDialog, QLabel

from advisor.core.bundled import resource
from advisor.core.errors import UserFacingError
from advisor.core.sentences import Language, Reason
from advisor.gui.texts import Texts
from advisor.present.window_words import _FIXING, window_words
from advisor.workload.workload_file import load_workload

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.gui.main_window import MainWindow

_OF_OTHERS = {"force-reinstall"}
"""A flag of pip's, in a command that is to be typed as it stands."""
_OF_THE_COMMAND_LINE = "command.ftl"
"""What is wrong with a command line: the window has none."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_flag_that_a_sentence_names_has_its_name_in_the_window(language: Language) -> None:
    texts, seen = Texts(language), 0
    files = [path for path in (resource("sentences") / language).glob("*.ftl") if path.name != _OF_THE_COMMAND_LINE]
    for path in files:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        for name in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", "\n".join(lines)):
            seen += 1
            assert name in _OF_OTHERS or texts.optional(f"flag-{name}"), (path.name, name)
    assert seen > 20


def test_a_reason_names_the_setting_and_not_the_flag() -> None:
    reason = Reason.of("measure-ended-no-budget", batch_size=8)
    assert '"Seconds to measure"' in Texts("en").say(reason)
    assert "--budget" not in Texts("en").say(reason)
    assert "“测量时长（秒）”" in Texts("zh").say(reason)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_reason_whose_flag_keeps_a_setting_names_where_it_is_kept(language: Language) -> None:
    texts, numbers = Texts(language), {"advantage_ratio": 1.5}
    told = texts.say(Reason.of("why-precision-quicker", used="BF16 AMP", precision="FP32", **numbers))
    assert texts("flag-fixed-precision") in told
    chosen = texts.say(Reason.of("local-other-precision", asked="bf16_amp", measured="fp32"))
    assert texts("flag-fixed-precision") not in chosen
    lines = [
        line for path in (resource("sentences") / language).glob("*.ftl") for line in path.read_text().splitlines()
    ]
    for code in _FIXING:  # No flag stands in one for a setting that is chosen.
        assert [line.count(" --") for line in lines if line.startswith(f"{code} = ")] == [1]


def test_an_error_names_the_setting_and_not_the_flag() -> None:
    text, remedy = Texts("en").error(UserFacingError("--budget is 0.5 s.", "Give it with `--gpu-file FILE`."))
    assert (text, remedy) == ('"Seconds to measure" is 0.5 s.', 'Give it with "My card is not here".')


def test_a_precision_is_called_as_in_its_list_and_not_as_in_a_file() -> None:
    reason = Reason.of("measure-cpu-fp16-as-bf16", asked="fp16_amp", measured="bf16_amp")
    for language in get_args(Language):
        told = Texts(language).say(reason)
        assert ("FP16 AMP" in told, "BF16 AMP" in told, "_amp" in told) == (True, True, False)


@pytest.mark.parametrize(
    "text",
    [
        '/home/u/fp16_amp.toml: precision = "bf16_amp"',
        'C:\\fp16_amp\\fp16_amp.toml: "bf16_amp" is known.',
        "fp16_amp/mine.toml：请改为“fp16_amp”。",
        'The workload "my fp16_amp run" was opened.',
    ],
)
def test_a_name_of_a_file_and_a_value_to_be_typed_stay(text: str) -> None:
    assert window_words(text, "en") == text


def test_a_precision_at_the_end_of_a_sentence_is_called_as_in_its_list() -> None:
    assert window_words("Take bf16_amp.", "en") == "Take BF16 AMP."
    assert window_words("Measure with --precision fp16_amp to be sure.", "en").endswith(" FP16 AMP to be sure.")


def test_a_name_in_quotes_stands_in_chinese_without_spaces() -> None:
    assert window_words("请使用 --measure 运行。", "zh") == "请使用“测量并给出建议”运行。"
    assert window_words("增大预算（--budget）。", "zh") == "增大预算（“测量时长（秒）”）。"
    assert window_words("Run with --measure now.", "en") == 'Run with "Measure and advise" now.'


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_fixes_a_setting_in_the_window_is_the_box_and_not_the_field_that_chooses_it(language: Language) -> None:
    quicker = Reason.of("why-precision-quicker", used="bf16_amp", precision="bf16_true", advantage_ratio=1.2)
    texts = Texts(language)
    assert texts("model-fixed") in texts.say(quicker)
    assert f'"{texts("field-precision")}"' not in texts.say(quicker)
    added = Reason.of("why-checkpointing-added", device="L40S")
    assert texts("model-fixed") in texts.say(added)
    measured = Reason.of("local-other-precision", asked="fp16_amp", measured="fp32")
    assert texts("field-precision") in texts.say(measured)
    assert texts("model-fixed") not in texts.say(measured)


def test_what_a_terminal_shows_in_backticks_stands_in_the_quotes_of_the_language() -> None:
    assert (
        window_words("a.toml: `training.precision` is `bf16_amp`.", "en")
        == 'a.toml: "training.precision" is "bf16_amp".'
    )
    assert window_words("请把 `model.file` 改为 `a.py` 或 `b.py`。", "zh") == "请把“model.file”改为“a.py”或“b.py”。"
    assert window_words("one ` alone", "en") == "one ` alone"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_dialog_shows_a_backtick(language: Language, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "m"\n[model]\nsource = "huggingface"\nconfig = "no-such-model"\n', encoding="utf-8")
    window.commands.choose("language", language)
    with pytest.raises(UserFacingError) as caught:
        load_workload(path)
    assert "`" in caught.value.text + caught.value.remedy
    window.commands.show_error(caught.value)
    dialog = window.findChild(QDialog, "advisor_problem_dialog")
    assert dialog is not None
    words = "".join(one.text() for one in dialog.findChildren(QLabel))
    dialog.close()
    assert "no-such-model" in words
    assert "`" not in words


def test_a_whole_command_is_the_windows_name_of_its_flag() -> None:
    told = "Use a key that `advisor --list` shows."
    assert window_words(told, "en") == "Use a key that the search for GPUs shows."
    assert window_words("请使用 `advisor --list` 列出的键。", "zh") == "请使用“GPU 搜索”列出的键。"
