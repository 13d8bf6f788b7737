"""PyTorch versions as years of kernels."""

from __future__ import annotations

import pytest

from advisor.catalogue.software import RELEASE_YEARS, software_year_of


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("1.7.1", 2020),
        ("1.8.0a0", 2021),
        ("torch 1.13.1 cu117", 2022),
        ("2.0", 2023),
        ("2.1.0+cu121", 2023),
        ("2.4.1", 2024),
        ("2.10.0", 2026),
        ("2.13.0+cu130", 2026),
        ("nightly 2024-12-23", 2024),
        ("not stated", None),
    ],
)
def test_a_version_or_a_date_names_its_year(text: str, year: int | None) -> None:
    assert software_year_of(text) == year


def test_later_releases_never_count_as_earlier_years() -> None:
    assert list(RELEASE_YEARS) == sorted(RELEASE_YEARS)
