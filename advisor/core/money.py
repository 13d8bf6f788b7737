"""How a sum of money is written: in each language with the sign that it has there, or the three letters, in front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

_LEAST_COST, _SMALL_COST = 0.0001, 0.1
"""Between them two decimals would say too little of a sum of money."""
_SIGNS_EVERYWHERE = {
    "EUR": "€",
    "GBP": "£",
    "BRL": "R$",
    "CAD": "CA$",
    "HKD": "HK$",
    "MXN": "MX$",
    "NZD": "NZ$",
    "TWD": "NT$",
}
_SIGNS: Mapping[str, Mapping[str, str]] = {
    "en": {**_SIGNS_EVERYWHERE, "USD": "$", "JPY": "¥", "CNY": "CN¥", "AUD": "A$"},
    "zh": {**_SIGNS_EVERYWHERE, "USD": "US$", "JPY": "JP¥", "CNY": "¥", "AUD": "AU$"},
}
"""As the Unicode locale data (CLDR) have them, made of what the report's letters hold; others keep their letters."""


def format_cost(cost: float, currency: str | None, language: Literal["en", "zh"]) -> str:
    """Text for money: `$1,240.00`, `CHF 12.40`, small sums in two figures, `€0.0052`, below them `< €0.0001`.

    A word that somebody typed for a currency stands behind the sum: `12.40 元`.
    """
    size = abs(cost)
    if 0 < size < _LEAST_COST:
        return f"< {_with_currency(str(_LEAST_COST), currency, language)}"
    amount = f"{size:#.2g}" if 0 < size < _SMALL_COST else f"{size:,.2f}"
    return f"{'-' if cost < 0 else ''}{_with_currency(amount, currency, language)}"


def _with_currency(amount: str, currency: str | None, language: str) -> str:
    typed = (currency or "").strip()
    sign = _SIGNS[language].get(typed.upper(), typed)
    if not sign:
        return amount
    if not sign.isalpha():
        return f"{sign}{amount}"
    return f"{sign} {amount}" if sign.isascii() else f"{amount} {sign}"
