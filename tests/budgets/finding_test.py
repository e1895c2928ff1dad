# SPDX-License-Identifier: Apache-2.0
"""The cost of finding a compiled step's program, all comparisons included, where nothing was
written, in instructions of callgrind: 1.7 us for 4 layers and for 145 (10,000 take a microsecond)."""
import os
import sys
import unittest

from tests.budgets import budgets, finding_costs

# Instructions a call; 3 percent more are allowed.
BUDGETS = {"4_layers": 16800, "145_layers": 15500, "24_numbers": 17800}


class FindingTest(unittest.TestCase):

    def test_instructions(self):
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0"}
        measured = budgets.measure([sys.executable, finding_costs.__file__],
                                   mark=finding_costs.MARK, environment=environment)
        self.assertEqual(set(measured), set(BUDGETS))
        for case, (instructions, _) in measured.items():
            print("%-12s %6d instructions, budget %d" % (case, instructions, BUDGETS[case]))
        for case, (instructions, _) in measured.items():
            with self.subTest(case):
                self.assertLessEqual(instructions, budgets.limit(BUDGETS[case]))


if __name__ == "__main__":
    unittest.main()
