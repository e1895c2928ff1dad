# SPDX-License-Identifier: Apache-2.0
"""A step over a program costs as many instructions an operation at ten times the size.

    linear_test.py PROGRAM_COSTS

Counted by callgrind, so the figures are the same on a busy machine. Larger programs are timed by
./sy bench programs.
"""
import os
import sys
import unittest

from tests.budgets import budgets, training_costs

SMALL, LARGE = 1000, 10000
# Trees and caches grow a little.
MOST = 1.2


class LinearTest(unittest.TestCase):
    program_costs = None

    def expect_linear(self, command, phases, **options):
        measured = budgets.measure(command + [str(SMALL), str(LARGE)], **options)
        costs = {}
        for case, (instructions, _) in measured.items():
            model, phase, nodes = case.split("/")
            costs.setdefault(phase, {})[int(nodes)] = instructions
        self.assertEqual(len(costs), phases)
        for phase, cost in costs.items():
            print("%-10s %-32s %8d %8d instructions an operation"
                  % (model, phase, cost[SMALL], cost[LARGE]))
        for phase, cost in costs.items():
            with self.subTest(phase):
                self.assertLess(cost[LARGE], MOST * cost[SMALL])

    def test_layers_with_a_state_of_adam_each(self):
        self.expect_linear([self.program_costs, "layers"], 13)

    def test_a_chain_of_one_weight(self):
        self.expect_linear([self.program_costs, "chain"], 13)

    def test_train_step(self):
        environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0"}
        self.expect_linear([sys.executable, training_costs.__file__], 2,
                           mark=training_costs.MARK, environment=environment)


if __name__ == "__main__":
    LinearTest.program_costs = sys.argv.pop(1)
    unittest.main()
