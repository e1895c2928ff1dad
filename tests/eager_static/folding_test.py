# SPDX-License-Identifier: Apache-2.0
"""Constant folding in the pipeline of traced programs: nothing left to compute
that is constant, and the bits of eager calls."""
import sys
import unittest

import numpy as np

sys.path.insert(0, "tests/reference_package")
import switchyard as sy


def bits(array):
    return np.ascontiguousarray(array).tobytes()


class FoldingTest(unittest.TestCase):

    def check(self, function, *arrays):
        """The optimised program's text, after its results were compared."""
        traced = sy.static.trace(function, *arrays)
        feeds = {f"x{i}": array for i, array in enumerate(arrays)}
        static = traced.run(feeds)["out"]
        eager = function(*map(sy.tensor, arrays)).numpy()
        self.assertEqual(static.dtype, eager.dtype)
        self.assertEqual(static.shape, eager.shape)
        self.assertEqual(bits(static), bits(eager))
        return traced.text()

    def setUp(self):
        rng = np.random.default_rng(7)
        self.x = rng.normal(size=(3, 5))
        self.table = rng.normal(size=(1, 5)).astype(np.float32)
        # The values that rounding, signs of zero and infinities give a cast.
        self.table[0, :3] = [0.1, -0.0, np.inf]

    def test_cast_of_a_constant_is_folded(self):
        text = self.check(lambda x: sy.ops.add(x, self.table),
                          self.x)
        self.assertNotIn("op.cast", text)
        self.assertIn("builtin.constant", text)

    def test_cast_of_a_feed_stays(self):
        text = self.check(lambda x: sy.ops.add(x, self.x),
                          self.x.astype(np.float32))
        self.assertIn("op.cast", text)

    def test_large_constants_are_left_to_the_run(self):
        table = np.ones((1 << 14, 1), np.float32) / 3
        text = self.check(lambda x: sy.ops.add(x, table), self.x[0])
        self.assertIn("op.cast", text)

    def test_unfolded_programs_compute_the_same(self):
        results = []
        for optimize in (False, True):
            builder = sy._core.GraphBuilder("p")
            x = builder.feed("x", [None, 5], "float64")
            out = sy.ops.multiply(sy.ops.add(x, self.table),
                                  self.table)
            builder.fetch("out", out)
            program = builder.finish(optimize=optimize)
            results.append(bits(program.run({"x": self.x})["out"]))
            self.assertEqual("op.cast" in program.text(), not optimize)
        self.assertEqual(results[0], results[1])


if __name__ == "__main__":
    unittest.main()
