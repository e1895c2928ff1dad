# SPDX-License-Identifier: Apache-2.0
"""Random programs of views, writes and control flow at one size after another: the bits, and the
errors, of a program that has met no other size.

SY_PROGRAMS=1000 runs that many, from SY_FIRST_PROGRAM on."""

import collections
import os
import unittest

import numpy as np

import random_programs as programs
import switchyard as sy
from switchyard import static

COUNT = int(os.environ.get("SY_PROGRAMS", 40))
FIRST = int(os.environ.get("SY_FIRST_PROGRAM", 0))
ERRORS = (ValueError, TypeError, IndexError, NotImplementedError, RuntimeError)
# Mostly sizes of one outcome; empty, one row and the program's own size now and then.
ROWS = (5, 9, 2, 7, 12, 3, 17, 6, 31, 8, 1, 4, 0)
RUNS = 7


def traced(seed, steps):
    """The program for any number of rows, and its net."""
    net, rows = programs.Net(seed, steps), static.InputSpec(["rows", programs.COLUMNS])
    return static.trace(net, rows, rows), net


def facts(program, net, arrays):
    """Returns the bits of a run's results and states, or the sentence of its error."""
    try:
        fetched = program.run({"x0": arrays[0], "x1": arrays[1]})
    except ERRORS as error:
        return f"{type(error).__name__}: {error}"
    found = [*(fetched[name] for name in program.fetches), *net.state()]
    return [(a.dtype, a.shape, a.tobytes()) for a in map(np.asarray, found)]


def arguments(rng, rows):
    return [rng.uniform(-1, 1, (rows, programs.COLUMNS)).astype(np.float32) for _ in range(2)]


class NewSizesTest(unittest.TestCase):

    def test_each_size_is_as_in_a_fresh_program(self):
        outcomes = collections.Counter()
        for seed in range(FIRST, FIRST + COUNT):
            steps, _ = programs.generate(seed, False)
            try:
                program, net = traced(seed, steps)
            except ERRORS:  # Some step needs the number of rows.
                outcomes["refused"] += 1
                continue
            rng, first = np.random.default_rng(seed), net.state()[2]
            for rows in rng.permutation(ROWS)[:RUNS]:
                arrays = arguments(rng, rows)
                got = facts(program, net, arrays)
                want = facts(*traced(seed, steps), arrays)
                with self.subTest(seed=seed, rows=rows):
                    self.assertEqual(got, want)
                outcomes["refuses the size" if isinstance(want, str) else "equal"] += 1
                with sy.no_grad():
                    net.s.copy_(sy.tensor(first))
        print(dict(outcomes))
        self.assertGreater(outcomes["equal"], COUNT)


if __name__ == "__main__":
    unittest.main()
