# SPDX-License-Identifier: Apache-2.0
"""Calls of operators from Python: arguments that are strange, and errors of
Python's own on the way."""
import unittest

import numpy as np

import switchyard as sy


class Clearing:
    """An array that empties a list while it is read."""

    def __init__(self, items):
        self.items = items

    def __array__(self, *args, **kwargs):
        self.items.clear()
        return np.ones(2, np.float32)


class OpCallTest(unittest.TestCase):

    def test_names_of_arguments(self):
        x = sy.tensor([1.0, 2.0])
        self.assertEqual(sy.ops.add(y=x, x=x).tolist(), [2.0, 4.0])
        # A name that is not interned.
        name = "".join(["a", "x", "i", "s"])
        self.assertEqual(sy.ops.softmax(x, **{name: 0}).shape, (2,))
        with self.assertRaisesRegex(TypeError, "add: has no argument 'z'"):
            sy.ops.add(x, x, z=1)
        with self.assertRaisesRegex(TypeError, "add: got two values for 'y'"):
            sy.ops.add(x, x, y=x)
        with self.assertRaises((TypeError, UnicodeEncodeError)):
            sy.ops.add(x, x, **{"\udc80": 1})

    def test_a_list_may_change_meanwhile(self):
        parts = [sy.tensor([1.0]), None, sy.tensor([4.0])]
        parts[1] = Clearing(parts)
        self.assertEqual(sy.ops.concat(parts).tolist(), [1.0, 1.0, 1.0, 4.0])
        self.assertEqual(parts, [])

    def test_scalars_may_be_arrays(self):
        x = sy.tensor([2.0])
        for factor in (1.5, np.float64(1.5), np.array(1.5)):
            self.assertEqual(sy.ops.scale(x, factor).tolist(), [3.0])
        self.assertEqual(sy.ops.scale(x, np.array(3)).tolist(), [6.0])
        with self.assertRaisesRegex(TypeError, "scale: scale must be a number"):
            sy.ops.scale(x, "3")

    def test_a_hook_s_exception_is_raised_as_it_is(self):
        class Mine(Exception):
            pass

        def fail(grad):
            raise Mine("in a hook")

        for error in (lambda x: (x * 2.0).sum().backward(),
                      lambda x: sy.grad((x * 2.0).sum(), x)):
            x = sy.tensor([1.0], requires_grad=True)
            x.register_hook(fail)
            with self.assertRaisesRegex(Mine, "in a hook"):
                error(x)


if __name__ == "__main__":
    unittest.main()
