# SPDX-License-Identifier: Apache-2.0
"""A process that measures cases when asked: one line of JSON in, one out.

{"case": "add", "seconds": 0.05} is answered by {"ns": 812.0}, nanoseconds of
one statement over about so many seconds, or by {"missing": "why"}. Only the
standard library is needed, so that the peers' Python can run it too.
"""

import json
import os
import sys
import time
import timeit

# The processor's time of all threads counts on a machine that is busy with others.
CLOCK = (time.process_time if os.environ.get("BENCH_CLOCK") == "cpu"
         else time.perf_counter)


class Case:
    """A statement over names, made when first asked for."""

    def __init__(self, make, statement="f()"):
        self.make, self.statement = make, statement
        self.timer, self.count = None, 1

    def nanoseconds(self, seconds):
        """Returns the time of one statement, a mean over about `seconds`."""
        if self.timer is None:
            names = self.make()
            if callable(names):
                names = {"f": names}
            timer = timeit.Timer(self.statement, timer=CLOCK, globals=names)
            timer.timeit(3)
            while (spent := timer.timeit(self.count)) < seconds / 4:
                self.count *= 2
            self.count = max(1, int(self.count * seconds / spent))
            self.timer = timer
        return self.timer.timeit(self.count) / self.count * 1e9


def serve(cases):
    """Answers lines of standard input until it ends."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            case = cases[request["case"]]
            answer = {"ns": case.nanoseconds(request["seconds"])}
        except Exception as error:  # The driver prints it in the row.
            answer = {"missing": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
