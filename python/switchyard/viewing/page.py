# SPDX-License-Identifier: Apache-2.0
"""A page of data: one file of HTML with all that it needs."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re

_ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assets")
# The library that places a graph, and its licence, which every copy has.
_LIBRARY, _LICENCE = "dagre.min.js", "dagre.txt"
# In the order in which they need each other.
_SCRIPTS = ("values.js", "tree.js", "layout.js", "picture.js", "details.js",
            "differences.js", "stages.js", "charts.js", "main.js")
# Characters that could end a script element.
_ESCAPES = (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"))


def _asset(name):
    with open(os.path.join(_ASSETS, name), encoding="utf-8") as file:
        return file.read()


def _digest(text):
    """The source of a policy that lets just this text run."""
    made = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{made}'"


def page_of(data) -> str:
    """The page of the data of ``data_of``. Its policy lets run what is written
    here, and forbids all that would ask a network."""
    script = "".join(map(_asset, _SCRIPTS))
    style = _asset("page.css")
    policy = ("default-src 'none'; "
              f"script-src {_digest(script)}; "
              f"style-src {_digest(style)}; worker-src blob:; img-src data:")
    body = json.dumps(data, separators=(",", ":"))
    for letter, escape in _ESCAPES:
        body = body.replace(letter, escape)
    pieces = {"TITLE": html.escape(_visible(data["title"])), "POLICY": policy,
              "STYLE": style, "LIBRARY": f"/*\n{_asset(_LICENCE)}*/\n" + _asset(_LIBRARY),
              "WORKER": _asset("worker.js"), "SCRIPT": script, "DATA": body}
    return re.sub(r"\{([A-Z]+)\}", lambda found: pieces[found[1]],
                  _asset("page.html"))


def _visible(text):
    return "".join(letter if letter.isprintable() else "?" for letter in text)
