# SPDX-License-Identifier: Apache-2.0
"""Checks the sentences of kernel_symbols_test on kernels that are missing, orphans or there twice, over real sources."""
import unittest

import kernel_symbols_test as symbols

SOFTMAX = "kernel_softmax_fluid_cpu_float32"
ADAM = "kernel_adam_selected_rows_cpu_float64"


class ProblemsTest(unittest.TestCase):

    def test_none_where_both_name_a_kernel_once(self):
        self.assertEqual(symbols.problems_of([SOFTMAX, ADAM], {SOFTMAX: ["a.a"], ADAM: ["b.a"]}), [])

    def test_a_gap_names_the_entry(self):
        (problem,) = symbols.problems_of([SOFTMAX, ADAM], {SOFTMAX: ["a.a"]})
        self.assertRegex(problem, rf"^ops_gen/ops/optimizer.yaml:\d+: {ADAM} is in `kernels:`, so it must be registered")
        path, line = problem.split(":")[:2]
        with open(path, encoding="utf-8") as file:
            self.assertIn("adam_selected_rows", file.read().splitlines()[int(line) - 1])

    def test_an_orphan_names_its_source(self):
        (problem,) = symbols.problems_of([ADAM], {ADAM: ["b.a"], SOFTMAX: ["a.a"]})
        self.assertRegex(problem, rf"^phi/legacy/kernels/softmax.cc:\d+: {SOFTMAX} must be in `kernels:` of an entry")

    def test_what_is_there_twice_is_named(self):
        twice = symbols.problems_of([SOFTMAX, SOFTMAX], {SOFTMAX: ["a.a", "b.a"]})
        self.assertEqual(len(twice), 2)
        self.assertRegex(twice[0], r"^phi/legacy/kernels/softmax.cc:\d+: .* must be registered once, got a.a, b.a$")
        self.assertRegex(twice[1], r"^ops_gen/ops/\w+.yaml:\d+: .* must be promised once")


if __name__ == "__main__":
    unittest.main()
