# SPDX-License-Identifier: Apache-2.0
"""Counts, steps and ends are float64 until an element is made of them."""

import math
import unittest

import numpy as np

import switchyard as sy

FLOATS = ("float16", "bfloat16", "float32", "float64")


class ArangeTest(unittest.TestCase):

    def test_counts_of_tenths(self):
        """As NumPy counts: 11 of these 59 had one element too many."""
        for n in range(2, 61):
            want = len(np.arange(0.0, n * 0.1, 0.1))
            for dtype in FLOATS:
                self.assertEqual(sy.arange(0, n * 0.1, 0.1, dtype=dtype).shape,
                                 (want,), (n, dtype))

    def test_counts_at_random(self):
        numbers = np.random.default_rng(7)
        for _ in range(2000):
            start, step = numbers.normal(size=2) * 10.0 ** numbers.integers(-3, 3)
            stop = start + step * numbers.integers(0, 60)
            self.assertEqual(sy.arange(start, stop, step).shape,
                             np.arange(start, stop, step).shape,
                             (start, stop, step))

    def test_elements_are_rounded_once(self):
        for dtype in ("float16", "float32", "float64"):
            for start, stop, step in ((0, 1.1, 0.1), (0.1, 9.9, 0.3),
                                      (5, -5, -0.7), (1e3, 1e3 + 1, 1e-3)):
                count = math.ceil((stop - start) / step)
                want = (start + np.arange(count) * step).astype(dtype)
                np.testing.assert_array_equal(
                    sy.arange(start, stop, step, dtype=dtype).numpy(), want)

    def test_integers(self):
        self.assertEqual(sy.arange(0, 2.5, dtype="int64").tolist(), [0, 1, 2])
        self.assertEqual(sy.arange(0, 6.0, 2.0, dtype="int32").tolist(),
                         [0, 2, 4])
        for step in (1.5, 0.1, -0.5):
            with self.assertRaisesRegex(
                    ValueError, f"step must be a whole number for int64, got "
                    f"{step}"):
                sy.arange(0, 3, step, dtype="int64")
        with self.assertRaisesRegex(ValueError, "step must be a number that is "
                                    "not 0, got 0"):
            sy.arange(0, 3, 0)
        with self.assertRaisesRegex(ValueError, "end must be such that all "
                                    "elements fit into int32"):
            sy.arange(0, 2**40, 2**38, dtype="int32")

    def test_linspace(self):
        for start, stop, count in ((0, 1.1, 7), (0.1, 0.7, 13), (-0.3, 3.3, 50)):
            np.testing.assert_array_equal(
                sy.linspace(start, stop, count).numpy(),
                _from_both_ends(start, stop, count).astype(np.float32))


def _from_both_ends(start, stop, count):
    """In float64, so that both ends are those that were given."""
    step = (stop - start) / (count - 1)
    i = np.arange(count)
    return np.where(i < count // 2, start + step * i,
                    stop - step * (count - 1 - i))


if __name__ == "__main__":
    unittest.main()
