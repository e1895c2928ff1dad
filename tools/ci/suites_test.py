# SPDX-License-Identifier: Apache-2.0
"""The suites of ./sy test lose no test: one test of each kind, by its label and the suites that run it."""
import unittest

import suites

# The code that reads files, programs and callers' input: under the sanitizers, once.
ONCE = [
    "//framework/memory:cpu_allocator_test",
    "//ops_gen/parser:damaged_file_test",
    "//phi/infermeta/linalg:linalg_test",
    "//phi/selection:selection_test",
    "//phi/dispatch:call_test",
    "//eager/autograd:engine_test",
    "//eager/call:run_test",
    "//static_graph/ir:parser_test",
    "//static_graph/autodiff:gradients_test",
    "//static_graph/lowering:lower_test",
    "//static_graph/executor:memory_planner_test",
    "//static_graph/program:executable_test",
    "//static_graph/program:saved_program_test",
    "//static_graph/translate:malformed_program_test",
    "//static_graph/foreign/paddle_desc:weight_stream_test",
]
# The code that computes: in both configurations.
TWICE = [
    "//framework/random:philox_test",
    "//phi/kernels/reference:reference_test",
    "//phi/kernels/cpu/linalg:linalg_test",
    "//phi/kernels/onednn:onednn_test",
    "//phi/legacy/kernels:softmax_test",
    "//tests/samples:dispatch_samples_test",
]
# Those that compare every dtype with the oracle, count instructions or look into binaries: plain alone.
PLAIN = [
    "//eager/ops:gradients_test",
    "//static_graph/translate:translator_test",
    "//tests/binary:equal_candidates_test",
    "//tests/eager_static:eager_static_test",
    "//tests/parity:parity_test",
]


class SuitesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.sanitized = suites.patterns_of(suites.SANITIZED)
        cls.plain = suites.patterns_of(suites.PLAIN)

    def test_every_kind_runs_where_it_must(self):
        for labels, sanitized, plain in ((ONCE, True, False), (TWICE, True, True),
                                         (PLAIN, False, True)):
            left_out = suites.sanitized_only(labels, self.sanitized, self.plain)
            for label in labels:
                with self.subTest(label):
                    self.assertEqual(suites.covers(self.sanitized, label), sanitized)
                    self.assertEqual(label not in left_out, plain)

    def test_a_pattern_of_the_plain_list_is_of_a_sanitized_test(self):
        for pattern in self.plain:
            with self.subTest(pattern):
                label = pattern.replace("/...", ":x_test")
                self.assertTrue(suites.covers(self.sanitized, label))

    def test_minus_takes_away(self):
        patterns = ["//a/...", "-//a/b/...", "-//a:x_test"]
        self.assertTrue(suites.covers(patterns, "//a:y_test"))
        self.assertTrue(suites.covers(patterns, "//a/bc:x_test"))
        self.assertFalse(suites.covers(patterns, "//a/b:y_test"))
        self.assertFalse(suites.covers(patterns, "//a:x_test"))


if __name__ == "__main__":
    unittest.main()
