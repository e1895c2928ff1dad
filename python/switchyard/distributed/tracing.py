# SPDX-License-Identifier: Apache-2.0
"""When a process computed and when it communicated."""

from __future__ import annotations

import contextlib
import json
import time

from switchyard.distributed.groups import group_or_none

_spans = None  # Those of the trace that is being recorded.


class Trace:
    """Records what this process does inside of a block.

        with sy.distributed.trace() as trace:
            model.backward(compute, x, y)
        print(trace.text())
        trace.save("rank0.json")        # for chrome://tracing or Perfetto

    ``events`` are dicts in the order in which they began: "kind" ("compute": the
    forward and backward of a shard; "communication": a collective call), "name",
    "begin" and "end" in seconds since the block began, and for calls "bytes", "given", when
    the process made it, and "asynchronous", whether the process went on meanwhile.
    """

    def __init__(self):
        self.events = []
        self._group = None

    def __enter__(self):
        """RuntimeError inside of another trace."""
        global _spans
        if _spans is not None:
            raise RuntimeError("trace: another trace is being recorded")
        _spans, self.events = [], []
        self._group = group_or_none()
        if self._group is not None:
            self._group.start_trace()
        self._begin = time.monotonic_ns()
        return self

    def __exit__(self, kind, error, where):
        global _spans
        spans, _spans = _spans, None
        for name, begin, end in spans:
            self.events.append({"kind": "compute", "name": name,
                                "begin": self._time(begin), "end": self._time(end)})
        calls = []
        if self._group is not None and self._group is group_or_none():
            calls = self._group.take_trace()
        for name, size, asynchronous, given, begin, end in calls:
            self.events.append({"kind": "communication", "name": name,
                                "begin": self._time(begin), "end": self._time(end),
                                "bytes": size, "given": self._time(given),
                                "asynchronous": asynchronous})
        self.events.sort(key=lambda each: each["begin"])

    def _time(self, nanoseconds):
        return (nanoseconds - self._begin) / 1e9

    def text(self) -> str:
        """A line for each event: when it began and how long it took, in
        milliseconds, its kind and name."""
        return "".join(
            f"{1e3 * each['begin']:10.3f} {1e3 * (each['end'] - each['begin']):10.3f}  "
            f"{each['kind']:13}  {each['name']}\n" for each in self.events)

    def save(self, path) -> None:
        """Writes the events in Chrome's trace format; OSError if it can't."""
        rank = 0 if self._group is None else self._group.rank
        rows = [{"name": each["name"], "ph": "X", "pid": rank, "tid": each["kind"],
                 "ts": 1e6 * each["begin"], "dur": 1e6 * (each["end"] - each["begin"]),
                 "args": {key: each[key] for key in ("bytes", "asynchronous") if key in each}}
                for each in self.events]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": rows, "displayTimeUnit": "ms"}, file)


def trace() -> Trace:
    """A ``Trace`` of the block that it is used for: ``with trace() as t``."""
    return Trace()


@contextlib.contextmanager
def computing(name):
    """Notes the block as computing, where a trace is recorded."""
    begin = time.monotonic_ns()
    try:
        yield
    finally:
        if _spans is not None:
            _spans.append((name, begin, time.monotonic_ns()))
