# SPDX-License-Identifier: Apache-2.0
"""The cost of a run at a new size, in instructions of callgrind, against one at a known size, against
the first sizes, and against eager calls.

    sizes_test.py SIZE_COSTS
"""
import sys
import unittest

from tests.budgets import budgets

# (case, another, what it may cost of that)
RATIOS = (
    # 40 times linear 32x32 and relu, batches of 1 to 64.
    ("linear_new", "linear_known", 1.5),
    # 80 elementwise operators at 1,000 sizes in turn: the first ten, and the others.
    ("sweep_rest", "sweep_first", 1.1),
    # 20 operators after one whose kernel finds out how many elements there are.
    ("selected_new", "selected_eager", 1.0),
)


class SizesTest(unittest.TestCase):
    size_costs = None

    def test_ratios(self):
        measured = budgets.measure([self.size_costs])
        for case, (instructions, _) in measured.items():
            print("%-16s %8d instructions a run" % (case, instructions))
        for case, other, most in RATIOS:
            ratio = measured[case][0] / measured[other][0]
            print("%s / %s = %.3f, at most %.2f" % (case, other, ratio, most))
            with self.subTest(case):
                self.assertLessEqual(ratio, most)


if __name__ == "__main__":
    SizesTest.size_costs = sys.argv.pop(1)
    unittest.main()
