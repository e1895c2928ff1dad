# SPDX-License-Identifier: Apache-2.0
"""Kernels of a plugin that ask for equal shapes, one of several conditions, and
what their device says of itself: eager, in programs of open extents, in words.

The plugin's ``add`` gives 100 too much, its ``relu`` x + 1 on the host and x + 2
on its device, so that results tell whose they are.
"""
import pathlib
import unittest

import numpy as np

import switchyard as sy
from switchyard import static

PLUGIN = sy.plugins.load(pathlib.Path("phi/capi/testdata/conditions.so"))


def ones(*shape):
    return np.ones(shape, np.float32)


class PluginConditionsTest(unittest.TestCase):

    def test_equal_shapes(self):
        for x, y, own in (((2, 3), (2, 3), True), ((), (), True), ((2, 3), (3,), False),
                          ((2, 3), (1, 3), False), ((3,), (2, 3), False)):
            with self.subTest(x=x, y=y):
                out = sy.add(sy.tensor(ones(*x)), sy.tensor(ones(*y))).numpy()
                np.testing.assert_array_equal(out, np.full(out.shape, 102 if own else 2, np.float32))
        text = sy.explain("add", x=sy.tensor(ones(2, 3)), y=sy.tensor(ones(3)))
        self.assertIn("shape(x) must be that of y, [3], got [2, 3]", text)

    def test_equal_shapes_of_a_program(self):
        # One program: its runs take the kernel or not, as their extents are.
        spec = static.InputSpec([None, 3])
        program = static.trace(sy.add, spec, spec)
        for x, y in (((2, 3), (2, 3)), ((2, 3), (1, 3)), ((4, 3), (4, 3)), ((1, 3), (2, 3)),
                     ((2, 3), (2, 3))):
            with self.subTest(x=x, y=y):
                eager = sy.add(sy.tensor(ones(*x)), sy.tensor(ones(*y))).numpy()
                run = program(ones(*x), ones(*y)).numpy()
                np.testing.assert_array_equal(run, eager)
                said = program.explain({"x0": ones(*x), "x1": ones(*y)})
                self.assertEqual("picky" in program.selections({"x0": ones(*x), "x1": ones(*y)})[0],
                                 x == y, said)
        # Decided for all runs: the ranks differ; the extents are one name's.
        apart = static.trace(sy.add, spec, static.InputSpec([3]))
        self.assertEqual(apart(ones(1, 3), ones(3)).numpy().max(), 2)
        named = static.InputSpec(["n", 3])
        twice = static.trace(sy.add, named, named)
        self.assertEqual(twice(ones(5, 3), ones(5, 3)).numpy().min(), 102)

    def test_one_of_several(self):
        # (rank at most 1, or at least 8 columns) and rank at most 2.
        for shape, own in (((7,), True), ((8,), True), ((), True), ((2, 8), True),
                           ((2, 7), False), ((2, 2, 8), False)):
            with self.subTest(shape=shape):
                out = sy.relu(sy.tensor(ones(*shape))).numpy()
                np.testing.assert_array_equal(out, np.full(shape, 2 if own else 1, np.float32))
        self.assertIn("one of: rank(x) must be at most 1, or extent(x, -1) at least 8, got 2 and 7",
                      sy.explain("relu", x=sy.tensor(ones(2, 7))))
        self.assertIn("rank(x) must be at most 2, got 3",
                      sy.explain("relu", x=sy.tensor(ones(2, 2, 8))))
        program = static.trace(sy.relu, static.InputSpec([2, None]))
        for columns, value in ((7, 1), (8, 2), (9, 2), (3, 1), (8, 2)):
            self.assertEqual(program(ones(2, columns)).numpy().max(), value)

    def test_what_a_device_says_of_itself(self):
        (counted,) = [row for row in sy.devices() if row["place"] == "counted:0"]
        self.assertEqual(counted["properties"], {"lanes": 4, "level": -2})
        (cpu,) = [row for row in sy.devices() if row["place"] == "cpu"]
        self.assertEqual(cpu["properties"], {})
        x = sy.tensor(ones(2, 2)).to("counted")
        np.testing.assert_array_equal(sy.relu(x).numpy(), 3 * ones(2, 2))
        self.assertIn("lanes(counted:0) must be at least 8, got 4", sy.explain("relu", x=x))


if __name__ == "__main__":
    unittest.main()
