"""From the start to the advice with a real pointer, on an X server: one click, and two more for another model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gui.pointer import Pointer, missing_tools

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(bool(missing_tools()), reason=f"needs {', '.join(missing_tools())}")
def test_one_click_of_a_real_pointer_leads_from_the_chosen_model_to_the_advice(tmp_path: Path) -> None:
    with Pointer(tmp_path, budget_s=4.0) as pointer:
        pointer.until("described", lambda state: state["ready"], limit_s=120.0)
        before, y = pointer.state["model"], pointer.state["places"]["model"][1]
        pointer.turn_wheel_over("model", 2)
        pointer.until("scrolled", lambda state: state["places"]["model"][1] < y)
        scrolled_y = pointer.state["places"]["model"][1]
        assert pointer.state["model"] == before
        pointer.turn_wheel_over("page machine", -2)
        pointer.turn_wheel_over("measure", -4)
        # Not to where it was: what the machine is found to have may have moved the page meanwhile.
        pointer.until("scrolled back", lambda state: state["places"]["model"][1] > scrolled_y)
        assert pointer.state["model"] == before
        pointer.click("model")
        pointer.click("choose Character RNN")
        pointer.until("chosen", lambda state: state["model"] == "rnn_characters")
        assert before != "rnn_characters"
        pointer.click_count = 0
        pointer.click("measure")
        pointer.until("running", lambda state: state["busy"])
        assert pointer.state["page"] == "measure"
        pointer.until("ended", lambda state: not state["busy"], limit_s=240.0)
        # On a machine that is too busy to measure in time the window says so where the measurement is.
        end = "measure" if pointer.state["troubled"] else "advice"
        pointer.until("shown", lambda state: state["page"] == end and not state["filling"])
        assert pointer.state["advice"]
        assert pointer.click_count == 1
