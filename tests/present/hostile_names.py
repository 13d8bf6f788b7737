"""Forty names that try to be something else than a name, shared by the tests of everything that shows names."""

from __future__ import annotations

NAMES = (
    # markup of the window, of Markdown, of a terminal (rich), of LaTeX and XML
    "<h1>x</h1><img src=file:///etc/passwd>",
    "<script>alert(1)</script>",
    "&lt;b&gt; &amp; &#65;",
    "<a href='javascript:x'>y</a>",
    "[link](http://x) | pipe",
    "![picture](file:///etc/passwd)",
    "`code` ~~gone~~ __bold__",
    "# heading",
    "- item",
    "[red]red[/red] [bold]x",
    "[/]",
    "\\textbf{x} $\\alpha$ %",
    "<!--",
    "]]>",
    # typst
    '#eval("1") $x$ @cite *b* _i_',
    '#read("/etc/passwd")',
    '#import "@preview/cetz:0.2.2"',
    "// comment /* block */ ~ --- ...",
    "= Heading\\ #pagebreak()",
    "<label> @label",
    # spreadsheets, CSV, JSON, shells, format strings, catalogues
    "=cmd|' /C calc'!A0",
    "+1+1",
    "a,b;c'\"",
    '"quoted","twice"',
    '{"schema_version": 99}',
    "$(reboot) `reboot` ; rm -rf /",
    "%s %n %d {0} {name}",
    "{ $workload }",
    "\\u0041 \\n",
    "../../../etc/passwd",
    "CON",
    "'''; import os #",
    '"""; import os #',
    # characters
    "中文（测试）",
    "Ünïcödé ﬁ µ Ω",
    "emoji 🚀 model",
    "right\u202eleft \u05e9\u05dc\u05d5\u05dd",
    "bell\x07 escape\x1b[31m null\x00 return\r line\n tab\t",
    "zero\u200bwidth \ufeff joined",
    "x" * 200,
)

assert len(NAMES) == 40
