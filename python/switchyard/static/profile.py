# SPDX-License-Identifier: Apache-2.0
"""Profile: what the steps of one run of a program took."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A step of a run: an operator's kernel, or a loop or branch.

    ``kernel`` is as ``explain`` names it, "" for a loop or branch; ``location``
    is where the operator was called or stands in its file, "" if that is not
    known. ``begin`` and ``end`` are nanoseconds since the run began.

    Of a run by the static executor further: ``place`` is where it ran; a
    transform has the operator that needs it in ``call``, which of its inputs or
    results in ``argument`` and how many ``bytes`` it wrote (None: not known
    before). What is ``kept`` was done for later runs too. A ``fallback`` ran on
    the host since its place has no kernel, or copied for such a call.
    """

    op: str
    kernel: str
    location: str
    begin: int
    end: int
    place: str = ""
    call: str = ""
    argument: str = ""
    bytes: int | None = None
    kept: bool = False
    fallback: bool = False


class Row(NamedTuple):
    """The steps of one operator with one kernel, together."""

    op: str
    kernel: str
    calls: int
    nanoseconds: int


class Profile:
    """The results of one run, and its steps in the order in which they began.

    ``str(profile)`` is a table by operator and kernel, the slowest first. On a
    device a step ends when its work has been given to the stream.
    """

    def __init__(self, outputs: dict[str, Any], steps):
        self.outputs = outputs
        self.steps = [Step(*step) for step in steps]

    def rows(self) -> list[Row]:
        """Calls and nanoseconds by operator and kernel, the slowest first.

        The time of a loop or branch is without that of the steps inside.
        """
        rows: dict[tuple[str, str], list[int]] = {}
        for step, own in self.own_times():
            row = rows.setdefault((step.op, step.kernel), [0, 0])
            row[0] += 1
            row[1] += own
        return sorted((Row(*key, *row) for key, row in rows.items()),
                      key=lambda row: -row.nanoseconds)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the steps in Chrome's trace format, for chrome://tracing and
        Perfetto."""
        events = [{"name": step.op, "ph": "X", "pid": 0, "tid": 0,
                   "ts": step.begin / 1000,
                   "dur": (step.end - step.begin) / 1000,
                   "args": {"kernel": step.kernel, "location": step.location}}
                  for step in self.steps]
        import json  # Few programs are profiled.
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)

    def __str__(self):
        rows = self.rows()
        total = sum(row.nanoseconds for row in rows) or 1
        width = max([len(row.op) for row in rows] + [len("operator")])
        lines = [f"{'ms':>10}  {'%':>5}  {'calls':>6}  {'operator':{width}}  "
                 "kernel"]
        lines += [f"{row.nanoseconds / 1e6:10.3f}  "
                  f"{100 * row.nanoseconds / total:5.1f}  {row.calls:6}  "
                  f"{row.op:{width}}  {row.kernel}".rstrip() for row in rows]
        return "\n".join(lines)

    def own_times(self) -> Iterator[tuple[Step, int]]:
        """Each step with its time without that of the steps inside."""
        own = [step.end - step.begin for step in self.steps]
        around: list[int] = []
        for i, step in enumerate(self.steps):
            while around and self.steps[around[-1]].end <= step.begin:
                around.pop()
            if around:
                own[around[-1]] -= step.end - step.begin
            around.append(i)
        return zip(self.steps, own)
