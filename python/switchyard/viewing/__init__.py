# SPDX-License-Identifier: Apache-2.0
"""View: a program as a page for a browser, in one file that asks no network."""

from __future__ import annotations

import html
import os

from switchyard.viewing.page import page_of
from switchyard.viewing.page_data import data_of

_HEIGHT = 720  # Pixels of the frame in a notebook.


class View:
    """A page about a program: its graph, which kernel runs where and why, its
    stages, what a run took and the memory that it needs.

    In a notebook it shows itself; ``save`` writes the page to a file for any
    browser. ``data`` is what the page shows, of numbers, texts, lists and
    dictionaries. Made by ``Program.view``.
    """

    def __init__(self, program, feeds=None, profile: bool = False,
                 title: str = "program", stages: list[tuple[str, str]] | None = None):
        self.data = data_of(program, feeds, profile, title, stages)

    def html(self) -> str:
        """The page."""
        return page_of(self.data)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the page to a file. OSError if it can't be written."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    def __repr__(self):
        return (f"View({self.data['title']!r}, "
                f"{len(self.data['operations'])} operations); .save(path) "
                "writes the page")

    def _repr_html_(self) -> str:
        # A frame of its own: nothing of the page reaches the notebook.
        return ('<iframe sandbox="allow-scripts" style="width:100%;'
                f'height:{_HEIGHT}px;border:1px solid #ccc" '
                f'srcdoc="{html.escape(self.html())}"></iframe>')
