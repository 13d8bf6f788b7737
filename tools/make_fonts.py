"""Makes the bundled font: the part of Noto Sans CJK SC that our texts use, renamed, in two weights.

Run it again when a catalogue, a workload name or a template gains characters; a test says so. It needs the
Debian package `fonts-noto-cjk` and fonttools:

    python tools/make_fonts.py [--source FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "fonts"
FAMILY = "Advisor Sans"
WEIGHTS = ("Regular", "Bold")
SOURCE_FAMILY = "Noto Sans CJK SC"
FIXED_TIME = 3_786_912_000
"""Seconds since 1904 that stand for "when" inside the font, so that equal input gives equal bytes."""

ALWAYS = (
    "".join(chr(code) for code in range(0x20, 0x7F))
    + "".join(chr(code) for code in range(0xA0, 0x100))
    + "ΔΩαβγδεηθλμπρστφω"
    + "‐‑–—‘’“”†•…‰′″€™←↑→↓↔∂∆∏∑−√∞≈≠≤≥①②③④⑤⑥⑦⑧⑨─│┌┐└┘■□▲△▶▼▽◀◆◇○●★☆✓"
    + "、。《》「」『』【】〔〕！（），．：；？～％＋－＝／￥"
)
"""Latin, the Greek and signs that formulas use, and Chinese punctuation, whatever the texts hold today."""


def common_chinese() -> set[str]:
    """GB2312 level 1: the 3,755 characters that names of workloads and folders are mostly made of."""
    cells = [bytes((row, column)) for row in range(0xB0, 0xD8) for column in range(0xA1, 0xFF)]
    return set(b"".join(cells).decode("gb2312", "ignore"))


def characters_in_use() -> set[str]:
    """Every character of all catalogues, bundled workloads, GPU names, published cases and templates."""
    found = set(ALWAYS) | common_chinese()
    patterns = ("resources/sentences/**/*.ftl", "resources/*.toml", "resources/*.typ", "workloads/*.toml")
    for pattern in patterns:
        for path in ROOT.glob(pattern):
            found |= set(path.read_text(encoding="utf-8"))
    return {character for character in found if character.isprintable()}


def source_font(folder: Path, weight: str) -> TTFont:
    """The simplified Chinese face of the collection."""
    collection = TTCollection(str(folder / f"NotoSansCJK-{weight}.ttc"), lazy=True)
    for font in collection.fonts:
        if font["name"].getDebugName(1) == SOURCE_FAMILY:
            return font
    message = f"{folder}: no face named {SOURCE_FAMILY!r}"
    raise SystemExit(message)


def make(folder: Path, weight: str, characters: set[str]) -> tuple[Path, set[str]]:
    """Write one weight; returns its path and the characters that the source does not have."""
    font = source_font(folder, weight)
    missing = {character for character in characters if ord(character) not in font.getBestCmap()}
    options = subset.Options()
    options.layout_features = ["kern", "liga", "locl", "ccmp", "mark", "mkmk", "tnum", "pnum"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    options.hinting = True
    options.desubroutinize = False
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[ord(character) for character in characters - missing])
    subsetter.subset(font)
    _rename(font, weight)
    _tighten(font)
    font["head"].created = font["head"].modified = FIXED_TIME
    font.recalcTimestamp = False
    path = FOLDER / f"AdvisorSans-{weight}.otf"
    font.save(str(path), reorderTables=True)
    return path, missing


def _rename(font: TTFont, weight: str) -> None:
    """Give the subset its own name: the licence reserves the original's, and it must not shadow the whole font."""
    table = font["name"]
    kept = {13: table.getDebugName(13), 14: table.getDebugName(14), 0: table.getDebugName(0)}
    table.names = []
    full = f"{FAMILY} {weight}"
    names = {1: FAMILY, 2: weight, 3: f"{full} subset", 4: full, 5: "Version 1.000", 6: f"AdvisorSans-{weight}"}
    for number, text in {**kept, **names}.items():
        if text:
            table.setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames = [f"AdvisorSans-{weight}"]
        top = cff.topDictIndex[0]
        top.FullName, top.FamilyName = full, FAMILY


def _tighten(font: TTFont) -> None:
    """Lines as high as a Latin font's: the CJK default of 1.45 em leaves forms and tables too loose."""
    font["hhea"].ascent, font["hhea"].descent, font["hhea"].lineGap = 1000, -290, 0
    font["OS/2"].sTypoAscender, font["OS/2"].sTypoDescender, font["OS/2"].sTypoLineGap = 1000, -290, 0
    font["OS/2"].usWinAscent, font["OS/2"].usWinDescent = 1000, 290


def main() -> int:
    """Write both weights and say what they hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--source", type=Path, default=Path("/usr/share/fonts/opentype/noto"))
    folder: Path = parser.parse_args().source
    FOLDER.mkdir(parents=True, exist_ok=True)
    characters = characters_in_use()
    drawable = set(characters)
    for weight in WEIGHTS:
        path, missing = make(folder, weight, characters)
        drawable -= missing
        print(f"{path.name}: {len(characters) - len(missing)} characters, {path.stat().st_size // 1024} KiB")
        if missing:
            print("  not in the source:", " ".join(f"U+{ord(character):04X}" for character in sorted(missing)))
    # The report asks this list, not the font, so that it needs no font library.
    (FOLDER / "coverage.txt").write_text("".join(sorted(drawable)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
