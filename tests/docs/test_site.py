"""The pages link to what is there, each is reached from the site's contents, and the built site needs no other host."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_links_to_files_of_the_site_that_are_there(page: Path) -> None:
    for link in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        parts = urlsplit(link)
        if parts.scheme or not parts.path:
            continue
        target = (page.parent / unquote(parts.path)).resolve()
        assert target.exists(), f"{page.name}: {link}"
        assert target.is_relative_to(DOCS.resolve()), f"{page.name}: {link} is no part of the site"


def test_every_page_stands_in_the_contents_of_the_site() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = set(re.findall(r"[\w/-]+\.md", contents))
    assert named == {page.relative_to(DOCS).as_posix() for page in PAGES} - {"nightly.md"}


class Links(HTMLParser):
    """What a page of the built site points at, and what can be pointed at in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.anchors.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in {"img", "script", "iframe"} and "src" in found:
            self.loaded.append(found["src"])
        elif tag == "link" and found.get("rel") in {"stylesheet", "icon", "preload"}:
            self.loaded.append(found["href"])


@pytest.mark.nightly
@pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="needs the docs extra")
def test_the_built_site_has_no_dead_link_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "build_docs.py"), "--output", str(tmp_path)]
    subprocess.run(command, check=True)
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in tmp_path.rglob("*.html")}
    assert len(pages) > len(PAGES)
    checked = 0
    for path, page in pages.items():
        assert [link for link in page.loaded if urlsplit(link).netloc] == []
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{path.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, f"{path.name}: {link}"
            checked += 1
    assert checked > len(pages)
