# SPDX-License-Identifier: Apache-2.0
"""The counts of a server, as the text that Prometheus reads."""

import bisect
import collections

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128)


class Histogram:
    """Counts of numbers by upper bound, and their sum."""

    def __init__(self, bounds):
        self._bounds, self._counts = bounds, [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, number):
        self._counts[bisect.bisect_left(self._bounds, number)] += 1
        self._sum += number

    def lines(self, name):
        total = 0
        for bound, count in zip((*self._bounds, "+Inf"), self._counts):
            total += count
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self._sum:.9g}"
        yield f"{name}_count {total}"


class Metrics:
    """All counts; used by the event loop's thread alone."""

    def __init__(self):
        self.answers = collections.Counter()  # {(status, type of error): number}
        self.gone = 0         # Requests whose client went away.
        self.runs = 0
        self.repeated = 0     # Runs of several requests that were run one by one.
        self.bytes_in = self.bytes_out = 0
        self.seconds = Histogram(_SECONDS)    # From header to the answer's first byte.
        self.rows = Histogram(_ROWS)          # Of axis 0, a run.
        self.requests = Histogram(_ROWS)      # Of a run.

    def text(self, gauges):
        """The page. ``gauges``: {name: value} of what is now."""
        lines = ["# TYPE switchyard_answers_total counter"]
        lines += [f'switchyard_answers_total{{status="{status}",error="{kind}"}} '
                  f"{count}" for (status, kind), count in sorted(self.answers.items())]
        for name in ("gone", "runs", "repeated", "bytes_in", "bytes_out"):
            lines += [f"# TYPE switchyard_{name}_total counter",
                      f"switchyard_{name}_total {getattr(self, name)}"]
        for name, histogram in (("request_seconds", self.seconds),
                                ("run_rows", self.rows),
                                ("run_requests", self.requests)):
            lines.append(f"# TYPE switchyard_{name} histogram")
            lines += histogram.lines(f"switchyard_{name}")
        for name, value in gauges.items():
            lines += [f"# TYPE switchyard_{name} gauge", f"switchyard_{name} {value}"]
        return "\n".join(lines) + "\n"
