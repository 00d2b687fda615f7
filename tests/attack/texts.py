"""Texts that mean something to Python, Markdown, HTML, JSON, YAML, a template or a terminal."""

import re

TEXTS = {
    "a line break": "one\ntwo",
    "a paragraph": "one\n\ntwo",
    "code behind a line break": '\nimport os; os.system("touch PWN")\n#',
    "all line ends": "a\rb\r\nc\vd\fe\x1cf\x85g\u2028h\u2029i",
    "single quotes": "''' '",
    "double quotes": '""" "',
    "a quote at the end": 'said "so"',
    "code behind quotes": '""" + __import__("os").system("touch PWN") + """',
    "a backslash at the end": "C:\\",
    "backslashes and a quote": '\\\\\\"',
    "escapes": "\\n \\x41 \\N{BULLET} \\u202e",
    "a type comment": "# type: ignore",
    "an encoding": "# -*- coding: utf-7 -*- +AAo-import os",
    "a template": "{{ 7 * 7 }} {% raw %} {# no #}",
    "a format": "{0} {x!r} %s %(x)s $x ${x}",
    "attributes of Markdown": "bold\n{: onclick=alert(1) } { #id onmouseover=alert(1) }",
    "a script": "</script><script>alert(1)</script>",
    "a script of its own": "\n\n<script>alert(1)</script>\n\n",
    "an image": '<img src=x onerror="alert(1)">',
    "an attribute": '" onmouseover="alert(1)',
    "the end of a comment": "--> <b>x</b> <!-- --!> <b>",
    "the end of a title": "</title></style></textarea><svg onload=alert(1)>",
    "entities": "&lt;img&gt; &#60;b&#62; &amp;",
    "processing": "<?php x ?> <![CDATA[ x ]]> <!DOCTYPE x>",
    "an address": "<https://example.org> <javascript:alert(1)>",
    "a link": "[text](javascript:alert(1)) ![picture](x) [a][b]",
    "a link inside a link": "a](javascript:alert(1)) [b](x) [c",
    "a definition": "[Post]: javascript:alert(1)\n[there]: javascript:alert(1)",
    "a table": "a | b\n--|--\n1 | 2 |",
    "a cell": "| | |\n|---|---|",
    "a heading": "# one\ntwo\n===\n## three\nfour\n---",
    "lists": "- one\n* two\n+ three\n1. four\n2) five",
    "a quotation": "> one\n    indented",
    "a fence": "```\n<b>\n```\n~~~\n<b>\n~~~",
    "backticks": "` `` ``` <b> ` `",
    "code and an element": "`a` <b>`c` `<i>` ``<u>`",
    "three backticks": "```<img src=x onerror=alert(1)>`",
    "a paragraph in code": "`a\n\n<img src=x onerror=alert(1)>`",
    "emphasis": "*a* **b** _c_ __d__ ~~e~~ ==f== ^^g^^",
    "marks of Markdown": "!!! note\n??? x\n: y\n--8<-- 'x'\n*[HTML]: y\n[^1]: z :smile: $x$",
    "YAML": "{a: [1, *b, &c, !!python/object x], 'd'} # e\n--- \n? f : g",
    "an escape sequence": "\x1b[2J\x1b]0;title\x07 \x9b31m",
    "other directions": "\u202eabc\u2066 \u200f \u061c",
    "characters that are not seen": "\ufeff \u200b \xad \u2060",
    "a NUL": "a\0b",
    "no characters": "\ufffe \U000e0001",
    "a number": "1",
    "a word of YAML": "true",
    "dunders": "__import__ __class__",
    "letters that look alike": "\uff49mport \u0430",
    "signs": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "a long text": "long " * 100,
    "a long word": "x" * 500,
}
"""By what they are."""

ALL = " ".join(TEXTS.values())
"""All of them in one."""


HARM = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What does something to a terminal, or to the order in which others are shown."""
