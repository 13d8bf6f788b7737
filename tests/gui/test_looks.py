"""What tells devices apart: colours that stay apart with any kind of colour blindness, then dash and shape."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton

from advisor.gui.plots.step_plot import series_looks
from advisor.gui.theme import DARK, FAMILY, LIGHT, Theme, device_look
from advisor.present.look import SERIES, Shade, device_colour, device_places, device_shape
from tests.gui import fakes
from tests.gui.test_contrast import contrast

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

_SEEN_AS = {
    "as it is": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
"""Of linear RGB; source: Machado, Oliveira, Fernandes 2009, severity 1."""
_TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
"""Source: Ottosson, Oklab, 2020."""
_LEAST = {"as it is": 0.12, "protanopia": 0.08, "deuteranopia": 0.08, "tritanopia": 0.08}
"""Distances in Oklab: 0.02 is just noticeable where two patches touch; lines a page apart need several times that."""


def lab(colour: str, kind: str) -> np.ndarray:
    parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(_SEEN_AS[kind]) @ linear, 0, 1)
    found: np.ndarray = np.array(_TO_LAB) @ np.cbrt(np.array(_TO_CONES) @ seen)
    return found


@pytest.mark.parametrize("shade", ["light", "dark"])
@pytest.mark.parametrize("kind", list(_SEEN_AS))
def test_no_two_devices_colours_are_close_to_any_eye(shade: Shade, kind: str) -> None:
    for first, second in combinations(SERIES[shade], 2):
        assert np.linalg.norm(lab(first, kind) - lab(second, kind)) >= _LEAST[kind], (first, second)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_devices_colour_stands_out_from_its_card(theme: Theme) -> None:
    assert min(contrast(colour, theme.card) for colour in SERIES[theme.shade]) >= 3.0


def test_the_first_twenty_devices_differ_in_colour_or_mark_and_in_colour_or_dash() -> None:
    assert len({(device_colour(place, "light"), device_shape(place)) for place in range(20)}) == 20
    assert len({device_look(LIGHT, place) for place in range(20)}) == 20
    assert device_shape(None) == device_shape(0) == "circle"


@pytest.mark.parametrize("gpu_count", [1, 8, 16, 19, 25])
def test_no_two_devices_of_an_advice_look_alike_however_many_cards_stand_here(gpu_count: int) -> None:
    advice = fakes.advice()
    here = fakes.machine(3)
    many = tuple(fakes.gpu(at, f"GPU-{at}", "NVIDIA A100", 40, None, 400) for at in range(gpu_count))
    machine = msgspec.structs.replace(here, gpus=many)
    local = next(one for one in advice.predictions if one.device.key == fakes.FIRST)
    device = msgspec.structs.replace(local.device, key=many[0].key)
    table = [one for one in advice.predictions if not one.device.local]
    places = device_places(machine, [msgspec.structs.replace(local, device=device), *table])
    assert [places[gpu.key] for gpu in many] == list(range(gpu_count))
    shown = [many[0].key, *dict.fromkeys(one.device.key for one in table)]
    assert len(shown) > 5
    looks = {(device_colour(places[key], "light"), device_shape(places[key])) for key in shown}
    assert len(looks) == len(shown)


def test_step_times_have_their_devices_colours_and_batches_of_one_device_their_own_dash() -> None:
    devices = ["cpu", "cpu", "gpu-a", "gpu-b", "gpu-b", "gpu-b", "gpu-b", "gpu-b"]
    looks = series_looks(LIGHT, devices, {"gpu-a": 0, "gpu-b": 1})
    assert [looks[place][0] for place in (0, 2, 3)] == [SERIES["light"][place] for place in (5, 0, 1)]
    assert all(style == Qt.PenStyle.SolidLine for place, (_colour, style) in enumerate(looks) if place in {0, 2, 3})
    assert len(set(looks)) == len(looks)
    for first, second in product(looks[:2], looks[2:]):
        assert first[0] != second[0]


@pytest.mark.usefixtures("window")
def test_the_bundled_font_is_drawn_where_the_desktop_has_fonts_of_its_own_for_labels_buttons_and_menus(
    qtbot: QtBot,
) -> None:
    try:
        for kind in (QLabel, QPushButton, QMenu):
            # As GNOME does once its settings have arrived; the name is a str, whatever the stub says.
            QApplication.setFont(QFont("Cantarell"), kind.__name__)  # type: ignore[arg-type, unused-ignore]
            one = kind()
            qtbot.addWidget(one)
            one.ensurePolished()
            assert one.fontInfo().family() == FAMILY, kind
    finally:
        QApplication.setFont(QApplication.font())  # Forgets those of kinds.
