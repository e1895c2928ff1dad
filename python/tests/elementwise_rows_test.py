# SPDX-License-Identifier: Apache-2.0
"""Every public function of one or of two real numbers has columns in exact_values/,
the bits of one that has, or a reason.

They are found by what they do: an element of the result depends on the elements at
its place alone.
"""
import unittest
import warnings

import numpy as np
from elementwise_accuracy_test import table
from exact_values.calls import function_of
from exact_values.rows import FIRST, REASONS, SAME_AS, SECOND

import switchyard as sy

HOMES = (sy, sy.special, sy.linalg, sy.nn.functional, sy.ops)
X = np.float32([0.3, -0.4, 0.7, -1.6, 2.3, 0.9, 3.2])
Y = np.float32([1.3, 0.6, 2.7, 1.6, 0.3, 0.5, 1.2])
ORDER, CHANGED = np.array([3, 1, 0, 6, 2, 5, 4]), 2


def call(function, args):
    """The result as an array, or None where it is no real number an element."""
    try:
        found = function(*[sy.tensor(x) for x in args])
        if type(found) is not sy.Tensor or found.shape != X.shape:
            return None
        # A device reports its errors here.
        return found.numpy() if found.dtype.startswith("float") else None
    except (TypeError, ValueError, RuntimeError, NotImplementedError, IndexError,
            AttributeError, BufferError):
        return None


def same(x, y):
    return x is not None and y is not None and np.array_equal(x, y, equal_nan=True)


def is_of_numbers(function, args):
    """Whether the function is one of the numbers at each place."""
    found = call(function, args)
    if found is None or not same(call(function, [x[ORDER] for x in args]),
                                 found[ORDER]):
        return False
    moved = [x.copy() for x in args]
    for x in moved:
        x[CHANGED] = 0.55
    moved = call(function, moved)
    others = np.arange(X.size) != CHANGED
    return moved is not None and same(moved[others], found[others])


def public_functions(count):
    """{name: [functions]} of those of ``count`` numbers, in all their homes."""
    args, found = (X, Y)[:count], {}
    for home in HOMES:
        # Another test of this process may have added operators.
        for name in home.__all__ if home is sy.ops else dir(home):
            function = getattr(home, name)
            if name.startswith("_") or isinstance(function, type) or (
                    not callable(function)):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if is_of_numbers(function, args):
                    found.setdefault(name, []).append(function)
    return found


class RowsTest(unittest.TestCase):

    def check(self, count, columns):
        args = (X, Y)[:count]
        rows = {name.split(" of ")[0] for name in columns if "'" not in name}
        wrong, found = [], public_functions(count)
        for name, functions in found.items():
            # In place it is the same function.
            base = name.rstrip("_")
            if base in rows or base in REASONS:
                continue
            for function in functions:
                got = call(function, args)
                wants = [x for names, x in zip((FIRST, SECOND), args) if base in names]
                if base in SAME_AS:
                    wants.append(call(function_of(SAME_AS[base]), args))
                if not any(same(got, want) for want in wants):
                    wrong.append(f"{function.__module__}.{name}")
        self.assertFalse(wrong, "without columns or a reason: " + " ".join(wrong))
        return found

    def test_functions_of_one_number(self):
        self.assertGreater(len(self.check(1, table("unary.xz"))), 150)

    def test_functions_of_two_numbers(self):
        self.assertGreater(len(self.check(2, {**table("unary.xz"),
                                              **table("binary.xz")})), 70)

    def test_lists_name_public_functions(self):
        public = {name for home in HOMES for name in dir(home)}
        self.assertLessEqual({*SAME_AS, *FIRST, *SECOND, *REASONS}, public)

    def test_it_knows_functions_of_numbers(self):
        self.assertTrue(is_of_numbers(sy.exp, [X]))
        for function in (sy.cumsum, sy.softmax, sy.flip, sy.sort):
            self.assertFalse(is_of_numbers(lambda x, f=function: f(x, axis=0), [X]))


if __name__ == "__main__":
    unittest.main()
